//! Only a home for the commands in `src/bin`; holds no code.

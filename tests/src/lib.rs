//! Only a home for the integration tests in `it/`; holds no code.

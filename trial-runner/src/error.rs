//! What can go wrong in this crate, named by what it means for the caller.

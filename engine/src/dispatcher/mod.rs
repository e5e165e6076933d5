//! Declarations.

//! `prepare`.

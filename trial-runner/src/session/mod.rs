//! `session`.

//! `checkpoint`.

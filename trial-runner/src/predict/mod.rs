//! `predict`.

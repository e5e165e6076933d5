//! `launcher`.

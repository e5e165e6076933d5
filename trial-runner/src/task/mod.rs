//! `task`.

//! `baseline`.

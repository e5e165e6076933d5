//! `optimizer`.

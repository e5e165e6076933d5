//! `metric`.

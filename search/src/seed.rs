//! Randomness, derived and never ambient.

//! `package`.

//! The config: what a file may say, how it is read and checked, and the typed views of it.
//!
//! In reading order: the typed views that a trial, the preparation and the search are built from.

pub mod hyperopt;
pub mod layers;
pub mod model;
pub mod preparation;
pub mod trainer;

//! A model folder on disk: enough to predict, and nothing in it is ever executed.
//!
//! `about` is `model.json`, the first file to read; `folder` writes and reads the whole.

mod about;
mod folder;

pub use about::{About, Family, InputAbout};
pub use folder::{Durability, FORMAT, Package};

#[cfg(test)]
mod tests;

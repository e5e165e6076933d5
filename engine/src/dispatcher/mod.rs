//! Declarations.
mod model_folder;
pub use model_folder::{About, ModelFolder};

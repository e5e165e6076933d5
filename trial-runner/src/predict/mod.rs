//! A finished model applied to rows: those of a new file, or those of prepared arrays.
//!
//! `predictor` is what every family of models can do; `table` reads a new file in the
//! model's terms; `verbs` are `predict` and `evaluate` of the command line; `output` names
//! and writes the columns; `orphan` ends a verb whose caller is gone.

mod orphan;
mod output;
mod predictor;
mod table;
mod verbs;

pub use predictor::{Predictor, apply, linear_predictor, load};
pub use verbs::{Life, evaluate, kind_of, predict};

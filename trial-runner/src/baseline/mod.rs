//! Models that need no search: a constant, and a linear model.
//!
//! A run has the constant within its first second and the linear model soon after, so that there always
//! is something to save, and something that a network must beat. Plain `f64` arithmetic on one thread;
//! nothing here touches libtorch. Read `linear` first.

mod constant;
mod curvature;
mod design;
mod gram;
mod layout;
mod lbfgs;
mod linear;
mod logistic;
mod penalty;
mod ridge;
mod softmax;
mod solve;

pub use constant::{Centre, ConstantModel};
pub use linear::{LinearModel, Rows};

//! Optimizers, ours because their state has to be saved: tch's show none.
//!
//! Read [`Optimizer`] first. `loops` are the update rules as single passes over flat slices, `tensors` the
//! same as tensor operations for a GPU; `gradients` bounds and penalises before an update.

mod gradients;
mod loops;
mod state;
mod tensors;

pub use gradients::prepare;
pub use state::Optimizer;

#[cfg(test)]
mod tests;

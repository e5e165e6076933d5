//! What a trial process does: one file a task.
//!
//! `learner` is what is trained, `legs` the loop that trains it from rung to rung.

pub mod config;
mod evaluate;
mod learner;
mod legs;
mod linear;
mod network;
mod probe;
mod rolling;
mod setting;

pub use setting::{Setting, run};

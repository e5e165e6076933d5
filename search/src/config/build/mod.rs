//! From a checked config to the typed views; what cannot run yet is refused here, by key and line.

mod features;
mod model;
mod preparation;
mod program;
mod refuse;
mod scheduler;
mod search;
mod stack;
mod trainer;
mod view;

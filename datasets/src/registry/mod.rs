//! Tables known by name: the nine and twelve of the published AutoML validation, two of them embedded.

mod columns;
mod entry;
mod tables;

pub use entry::{Entry, Origin, Split, Task};
pub use tables::{all, find};

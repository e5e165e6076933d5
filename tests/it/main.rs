//! End-to-end tests over the built binaries, and the rules of the house.

mod binaries;
mod cli;
mod resume;
mod tidy;
mod tune;

//! The one writer of a run's database.

mod fold;
mod open;
#[cfg(test)]
mod tests;
mod writer;

pub(crate) use open::connect_reader;
pub use writer::Store;

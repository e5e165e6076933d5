//! YAML with positions: a tree whose every node knows its line, a reader and a writer.

pub(crate) mod node;
pub(crate) mod read;
pub(crate) mod write;

#[cfg(test)]
mod tests;

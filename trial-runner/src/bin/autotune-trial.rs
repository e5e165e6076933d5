//! The trial process.

fn main() {}

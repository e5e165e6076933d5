//! The tables, sorted by name.

use super::Entry;

/// Every table, sorted by name.
#[must_use]
pub fn all() -> &'static [Entry] {
    &[]
}

/// The table of that name, in any case.
#[must_use]
pub fn find(name: &str) -> Option<&'static Entry> {
    all()
        .iter()
        .find(|entry| entry.name.eq_ignore_ascii_case(name))
}

//! Old names.

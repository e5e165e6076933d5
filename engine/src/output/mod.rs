//! The three ways to talk: for people, as JSON, and not at all.

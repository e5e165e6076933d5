//! The life of a run: the phases in their order.

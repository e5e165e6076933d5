//! Delimited text: where records and fields end, how a file is delimited, blocks to columns.

mod block;
mod dialect;
mod scan;

pub(super) use block::{Columns, finished, parse};
pub(super) use dialect::{HEAD_BYTES, Untold, sniff, unique};
pub(super) use scan::{Whole, record, whole_records};

//! Training on prepared arrays: exact resumption, best epochs, odd tables, every kind of input.

mod direct;
mod exact;
mod fixture;
mod learning;
mod odd;
mod rate;

pub(crate) use fixture::trainer;

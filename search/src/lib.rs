//! What may be tried: the config and its schema, the search space, the samplers, seeds.
//!
//! Knows nothing of data, trials or clocks. Read first: [`config::Config`] (a checked config),
//! then [`space`] (what of it is searched) and [`sampler`] (what proposes values).

pub mod config;
pub mod error;
pub mod metric;
pub mod sampler;
pub mod seed;
pub mod space;

pub use error::{ConfigError, Warning};
pub use metric::Metric;

//! What a forward or backward pass carries besides the data.

use tch::Device;

use super::parameters::Parameters;
use super::stream::Stream;

/// One pass through a network.
pub struct Pass<'a> {
    /// The network's parameters; backward passes write their gradients.
    pub parameters: &'a mut Parameters,
    /// Draws the masks of dropout.
    pub stream: &'a mut Stream,
    /// Whether the loops over slices apply, which they do in main memory; else tensor operations do the same.
    pub loops: bool,
    /// Present when the pass trains: dropout acts and batch norm looks at the batch.
    pub training: Option<Training>,
}

/// Where the training stands.
#[derive(Debug, Clone, Copy)]
pub struct Training {
    /// Share of the full training that is done, in [0, 1).
    pub done: f64,
}

impl Pass<'_> {
    /// Where the tensors lie.
    pub fn device(&self) -> Device {
        self.parameters.values().device()
    }
}

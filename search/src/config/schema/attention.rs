//! Keys of transformer blocks, which encoders of words and combiners share.

use super::types::{Key, SHARE, SIZE, key};

/// A stack of blocks.
pub(super) const BLOCKS: &[Key] = &[
    key("num_layers", SIZE, "1", "Transformer blocks."),
    key(
        "hidden_size",
        SIZE,
        "256",
        "Units of a block; a multiple of num_heads.",
    ),
    key("num_heads", SIZE, "8", "Heads of the attention."),
    key(
        "transformer_output_size",
        SIZE,
        "256",
        "Units inside a block.",
    ),
    key("dropout", SHARE, "0.1", "Dropout in the blocks."),
];

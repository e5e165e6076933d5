//! The schema as data: every key of every section with its type, default and one line of help.
//!
//! Read `types` first (what a table is written in), then `root` (where all tables hang together). The
//! facts are those of Ludwig 0.10.4; what a later Ludwig or this program adds carries a mark.

pub(crate) mod types;

pub(crate) mod root;

pub(crate) mod columns;
pub(crate) mod features;
pub(crate) mod media;
pub(crate) mod preprocessing;
pub(crate) mod tokenizers;

pub(crate) mod encoders;
pub(crate) mod images;
pub(crate) mod pretrained;
pub(crate) mod sequences;

pub(crate) mod attention;
pub(crate) mod combiners;
pub(crate) mod decoders;
pub(crate) mod layers;
pub(crate) mod losses;

pub(crate) mod gbm;
pub(crate) mod optimizers;
pub(crate) mod trainer;

pub(crate) mod hyperopt;
pub(crate) mod llm;
pub(crate) mod samplers;
pub(crate) mod schedulers;
pub(crate) mod spaces;

#[cfg(test)]
mod tests;

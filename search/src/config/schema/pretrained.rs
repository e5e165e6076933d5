//! What encoders have in common that are pretrained models: of text here, of images in `images`.

use super::types::{
    AMOUNT, BOOL, Key, Names, OPT_SIZE, OPT_TEXT, SHARE, TEXT, Type, key, required,
};

/// Whether the weights are the published ones.
pub(super) const USE_PRETRAINED: Key = key(
    "use_pretrained",
    BOOL,
    "true",
    "Whether the weights are those of the model.",
);
/// A key that Ludwig writes.
pub(super) const SAVED_WEIGHTS: Key = key(
    "saved_weights_in_checkpoint",
    BOOL,
    "false",
    "Written by Ludwig; read and ignored.",
)
.inert();
/// Whether the weights go on learning; by default as given.
pub(super) const fn trainable(default: &'static str) -> Key {
    key(
        "trainable",
        BOOL,
        default,
        "Whether the weights are trained further.",
    )
}

/// Keys of pretrained models of text. Their own many parameters are known to their makers only.
pub(super) const HF: &[Key] = &[
    key(
        "max_sequence_length",
        OPT_SIZE,
        "null",
        "Words that are used.",
    ),
    USE_PRETRAINED,
    trainable("false"),
    SAVED_WEIGHTS,
    key(
        "adapter",
        Type::Nullable(&Type::Either(&[TEXT, Type::AnyMap])),
        "null",
        "Small trainable layers beside frozen ones.",
    ),
    key(
        "reduce_output",
        Type::Nullable(&Type::OneOf(&Names::of(&[
            "cls_pooled",
            "last",
            "sum",
            "mean",
            "avg",
            "max",
            "concat",
            "attention",
        ]))),
        "\"cls_pooled\"",
        "How the words become one vector.",
    ),
    key(
        "pretrained_kwargs",
        Type::Nullable(&Type::AnyMap),
        "null",
        "Parameters of the model.",
    ),
    key("vocab_size", OPT_SIZE, "null", "Words of the model."),
    key("hidden_size", OPT_SIZE, "null", "Units of a block."),
    key("num_hidden_layers", OPT_SIZE, "null", "Transformer blocks."),
    key(
        "num_attention_heads",
        OPT_SIZE,
        "null",
        "Heads of the attention.",
    ),
    key(
        "intermediate_size",
        OPT_SIZE,
        "null",
        "Units inside a block.",
    ),
    key(
        "hidden_dropout_prob",
        Type::Nullable(&SHARE),
        "null",
        "Dropout in the blocks.",
    ),
    key(
        "attention_probs_dropout_prob",
        Type::Nullable(&SHARE),
        "null",
        "Dropout of the attention.",
    ),
    key(
        "max_position_embeddings",
        OPT_SIZE,
        "null",
        "Longest text of the model.",
    ),
    key(
        "layer_norm_eps",
        Type::Nullable(&AMOUNT),
        "null",
        "Added to variances.",
    ),
];

/// The key that says which model; by default the one given.
pub(super) const fn model(default: &'static str) -> Key {
    key(
        "pretrained_model_name_or_path",
        OPT_TEXT,
        default,
        "Name of the model, or its folder.",
    )
}
/// The same key where no model can be guessed.
pub(super) const ANY_MODEL: Key = required(
    "pretrained_model_name_or_path",
    TEXT,
    "Name of the model, or its folder.",
);

//! Keys of fully connected layers, activations and initialisers: what encoders, combiners and decoders share.

use super::types::{BOOL, COUNT, Key, Names, SHARE, SIZE, Section, TEXT, Type, key, optional};

pub(crate) const ACTIVATION_NAMES: Names = Names {
    words: &[
        "elu",
        "leakyRelu",
        "logSigmoid",
        "relu",
        "sigmoid",
        "tanh",
        "softmax",
    ],
    ours: &["selu", "mish"],
    later: &[],
};
/// An activation; null applies none.
pub(crate) const ACTIVATION: Type = Type::Nullable(&Type::OneOf(&ACTIVATION_NAMES));

const INITIALIZER_NAMES: Names = Names {
    words: &[
        "uniform",
        "normal",
        "ones",
        "zeros",
        "xavier_uniform",
        "xavier_normal",
        "kaiming_uniform",
        "kaiming_normal",
    ],
    ours: &[],
    later: &[
        "constant",
        "eye",
        "dirac",
        "orthogonal",
        "sparse",
        "identity",
    ],
};
/// An initialiser, by name or as a map with parameters.
pub(crate) const INITIALIZER: Type = Type::Either(&[Type::OneOf(&INITIALIZER_NAMES), Type::AnyMap]);

/// A normalisation; null applies none.
pub(crate) const NORM: Type = Type::Nullable(&Type::OneOf(&NORM_NAMES));
const NORM_NAMES: Names = Names {
    words: &["batch", "layer"],
    ours: &[],
    later: &["ghost"],
};

/// One layer of `fc_layers`: what it does not say is taken from the keys beside the list.
static FC_LAYER: Section = Section::of(&[&[
    optional("output_size", SIZE, "Units of this layer."),
    optional("activation", ACTIVATION, "Activation of this layer."),
    optional("dropout", SHARE, "Dropout after this layer."),
    optional("norm", NORM, "Normalisation in this layer."),
    optional(
        "norm_params",
        NORM_PARAMS,
        "Parameters of the normalisation.",
    )
    .later("leave it out"),
    optional("use_bias", BOOL, "Whether this layer has a bias."),
    optional("weights_initializer", INITIALIZER, "How the weights begin."),
    optional("bias_initializer", INITIALIZER, "How the bias begins."),
]]);
pub(crate) const FC_LAYERS: Type = Type::Nullable(&Type::List {
    of: &Type::Section(&FC_LAYER),
    min: 0,
});
pub(crate) const NORM_PARAMS: Type = Type::Nullable(&Type::AnyMap);

/// Start values of layers.
pub(crate) const INITIALIZERS: &[Key] = &[
    key("use_bias", BOOL, "true", "Whether the layers have a bias."),
    key(
        "weights_initializer",
        INITIALIZER,
        "\"xavier_uniform\"",
        "How weights begin.",
    ),
    key(
        "bias_initializer",
        INITIALIZER,
        "\"zeros\"",
        "How biases begin.",
    ),
];

/// Fully connected layers after something.
pub(crate) const FC: &[Key] = &[
    key(
        "fc_layers",
        FC_LAYERS,
        "null",
        "Layers one by one, in place of num_fc_layers and output_size.",
    ),
    key(
        "num_fc_layers",
        COUNT,
        "0",
        "Number of fully connected layers.",
    ),
    key(
        "output_size",
        SIZE,
        "256",
        "Units of each layer. More can hold more, and costs in proportion.",
    ),
    key(
        "norm",
        NORM,
        "null",
        "Normalisation before each activation: batch, layer or null.",
    ),
    key(
        "norm_params",
        NORM_PARAMS,
        "null",
        "Parameters of the normalisation.",
    )
    .later("leave it null"),
    key(
        "activation",
        ACTIVATION,
        "\"relu\"",
        "Function after each layer.",
    ),
    key(
        "dropout",
        SHARE,
        "0.0",
        "Share of units dropped in training. More resists overfitting and learns slower.",
    ),
];

/// Layers of a decoder before its projection.
pub(crate) const DECODER_FC: &[Key] = &[
    key(
        "fc_layers",
        FC_LAYERS,
        "null",
        "Layers one by one, in place of num_fc_layers and fc_output_size.",
    ),
    key(
        "num_fc_layers",
        COUNT,
        "0",
        "Fully connected layers before the projection.",
    ),
    key(
        "fc_output_size",
        SIZE,
        "256",
        "Units of each of these layers.",
    ),
    key(
        "fc_use_bias",
        BOOL,
        "true",
        "Whether these layers have a bias.",
    ),
    key(
        "fc_weights_initializer",
        INITIALIZER,
        "\"xavier_uniform\"",
        "How their weights begin.",
    ),
    key(
        "fc_bias_initializer",
        INITIALIZER,
        "\"zeros\"",
        "How their biases begin.",
    ),
    key(
        "fc_norm",
        NORM,
        "null",
        "Normalisation before each activation.",
    ),
    key(
        "fc_norm_params",
        NORM_PARAMS,
        "null",
        "Parameters of the normalisation.",
    )
    .later("leave it null"),
    key(
        "fc_activation",
        ACTIVATION,
        "\"relu\"",
        "Function after each of these layers.",
    ),
    key(
        "fc_dropout",
        SHARE,
        "0.0",
        "Share of units dropped in training.",
    ),
];

/// The projection of a decoder.
pub(crate) const PROJECTION: &[Key] = &[
    key(
        "use_bias",
        BOOL,
        "true",
        "Whether the projection has a bias.",
    ),
    key(
        "weights_initializer",
        INITIALIZER,
        "\"xavier_uniform\"",
        "How its weights begin.",
    )
    .later("leave it out"),
    key(
        "bias_initializer",
        INITIALIZER,
        "\"zeros\"",
        "How its bias begins.",
    )
    .later("leave it out"),
];

/// A dense encoder: fully connected layers on the value.
pub(crate) const DENSE: &[Key] = &[
    key(
        "fc_layers",
        FC_LAYERS,
        "null",
        "Layers one by one, in place of num_layers and output_size.",
    ),
    key("num_layers", SIZE, "1", "Number of fully connected layers."),
    key("output_size", SIZE, "256", "Units of each layer."),
    key(
        "norm",
        NORM,
        "null",
        "Normalisation before each activation.",
    ),
    key(
        "norm_params",
        NORM_PARAMS,
        "null",
        "Parameters of the normalisation.",
    )
    .later("leave it null"),
    key(
        "activation",
        ACTIVATION,
        "\"relu\"",
        "Function after each layer.",
    ),
    key(
        "dropout",
        SHARE,
        "0.0",
        "Share of units dropped in training.",
    ),
];

/// Keys of every encoder.
pub(crate) const ENCODER: &[Key] =
    &[key("skip", BOOL, "false", "Whether the input passes as it is.").later("leave it false")];

/// Learned vectors.
pub(crate) const EMBEDDING: &[Key] = &[
    key(
        "embedding_size",
        SIZE,
        "50",
        "Length of the learned vector of each value.",
    ),
    key(
        "embeddings_trainable",
        BOOL,
        "true",
        "Whether the vectors are learned.",
    )
    .later("leave it true"),
    key(
        "embeddings_on_cpu",
        BOOL,
        "false",
        "Whether the vectors stay in the memory of the CPU.",
    )
    .inert(),
    key(
        "pretrained_embeddings",
        Type::Nullable(&TEXT),
        "null",
        "File of vectors in GloVe form.",
    )
    .later("leave it null"),
    key(
        "embedding_initializer",
        Type::Nullable(&INITIALIZER),
        "null",
        "How the vectors begin.",
    )
    .later("leave it null"),
];

/// How a sequence becomes one vector.
pub(crate) const REDUCE: Type = Type::Nullable(&Type::OneOf(&REDUCE_NAMES));
const REDUCE_NAMES: Names =
    Names::of(&["last", "sum", "mean", "avg", "max", "concat", "attention"]);

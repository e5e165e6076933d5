//! Encoders of number, binary, category, date, set, bag, vector and h3 inputs.

use super::layers::{ACTIVATION, DENSE, EMBEDDING, ENCODER, FC, INITIALIZERS, REDUCE};
use super::types::{BOOL, COUNT, Key, Names, SHARE, SIZE, Type, Variant, key, variant};

const TABULAR: &str = "use passthrough or dense";

macro_rules! encoders {
    ($name:ident, $noun:literal, $default:literal, $variants:expr) => {
        pub(crate) static $name: crate::config::schema::types::Union =
            crate::config::schema::types::Union {
                tag: "type",
                default: Some($default),
                noun: concat!($noun, " encoder"),
                doc: "What turns the column into numbers.",
                variants: $variants,
            };
    };
}
pub(crate) use encoders;

const PASSTHROUGH: Variant = variant("passthrough", &[ENCODER]);
const DENSE_VALUE: Variant = variant("dense", &[ENCODER, INITIALIZERS, DENSE]);

encoders!(
    NUMBER,
    "number",
    "passthrough",
    &[
        PASSTHROUGH,
        DENSE_VALUE,
        variant(
            "ple",
            &[
                ENCODER,
                &[
                    key("bins", SIZE, "48", "Bins of the piecewise linear code."),
                    key("output_size", SIZE, "16", "Length of the learned vector."),
                ]
            ]
        )
        .since("0.16")
        .later(TABULAR),
        variant(
            "periodic",
            &[
                ENCODER,
                &[
                    key("n_frequencies", SIZE, "16", "Frequencies."),
                    key(
                        "frequency_scale",
                        Type::Float {
                            min: 0.0,
                            max: f64::MAX,
                            open: true
                        },
                        "0.1",
                        "Standard deviation of the first frequencies."
                    ),
                    key(
                        "output_size",
                        SIZE,
                        "4",
                        "Columns that the number becomes, itself included."
                    ),
                ]
            ]
        )
        .since("0.16"),
        variant(
            "bins",
            &[
                ENCODER,
                &[
                    key("bins", SIZE, "48", "Bins; each has a learned vector."),
                    key("output_size", SIZE, "16", "Length of the learned vector.")
                ]
            ]
        )
        .since("0.16")
        .later(TABULAR),
    ]
);
encoders!(BINARY, "binary", "passthrough", &[PASSTHROUGH, DENSE_VALUE]);

const CATEGORY_LATER: &str = "use dense or onehot";
const SPARSE: &[Key] = &[
    key(
        "embedding_initializer",
        Type::Nullable(&super::layers::INITIALIZER),
        "null",
        "How the vectors begin.",
    )
    .inert(),
    key(
        "embeddings_trainable",
        BOOL,
        "false",
        "Of no use: the vectors are 0 and 1.",
    )
    .inert(),
    key(
        "embeddings_on_cpu",
        BOOL,
        "false",
        "Whether the vectors stay in the memory of the CPU.",
    )
    .inert(),
    key("dropout", SHARE, "0.0", "Dropout on the vector.").later("leave it 0"),
];
encoders!(
    CATEGORY,
    "category",
    "dense",
    &[
        variant(
            "dense",
            &[
                ENCODER,
                EMBEDDING,
                &[key("dropout", SHARE, "0.0", "Dropout on the vector.")]
            ]
        ),
        variant("sparse", &[ENCODER, SPARSE]),
        variant("onehot", &[ENCODER]),
        PASSTHROUGH,
        variant(
            "target",
            &[
                ENCODER,
                &[key(
                    "smoothing",
                    super::types::AMOUNT,
                    "10.0",
                    "Weight of the overall mean, in rows."
                )]
            ]
        )
        .since("0.16")
        .later(CATEGORY_LATER),
        variant(
            "hash",
            &[ENCODER, &[key("bins", SIZE, "256", "Slots of the hash.")]]
        )
        .since("0.16")
        .later(CATEGORY_LATER),
    ]
);

const SMALL: Key = key("output_size", SIZE, "10", "Units of each layer.");
const DATE_EMBEDDING: &[Key] = &[
    SMALL,
    key(
        "embedding_size",
        SIZE,
        "10",
        "Length of the learned vector of each part.",
    ),
];
encoders!(
    DATE,
    "date",
    "embed",
    &[
        variant(
            "embed",
            &[
                ENCODER,
                INITIALIZERS,
                FC,
                DATE_EMBEDDING,
                &[key(
                    "embeddings_on_cpu",
                    BOOL,
                    "false",
                    "Whether the vectors stay in the memory of the CPU."
                )
                .inert()]
            ]
        ),
        variant(
            "wave",
            &[
                ENCODER,
                INITIALIZERS,
                FC,
                &[
                    SMALL,
                    key(
                        "num_fc_layers",
                        COUNT,
                        "1",
                        "Fully connected layers after the parts and their cycles."
                    )
                ]
            ]
        ),
    ]
);

const SET_LATER: &str = "give the column type text with encoder tf_idf, or leave it out";
const SET: &[Key] = &[key(
    "representation",
    Type::OneOf(&Names::of(&["dense", "sparse"])),
    "\"dense\"",
    "Learned vectors, or 0 and 1.",
)];
const SET_EMBED: Variant =
    variant("embed", &[ENCODER, INITIALIZERS, FC, EMBEDDING, SET]).later(SET_LATER);
encoders!(SET_INPUT, "set", "embed", &[SET_EMBED]);
encoders!(BAG_INPUT, "bag", "embed", &[SET_EMBED]);

const VECTOR_LATER: &str = "write each element as a number column";
encoders!(
    VECTOR,
    "vector",
    "dense",
    &[
        DENSE_VALUE.later(VECTOR_LATER),
        PASSTHROUGH.later(VECTOR_LATER)
    ]
);

const H3_LATER: &str = "give the column type category";
const H3_KEYS: &[Key] = &[
    key(
        "embedding_size",
        SIZE,
        "10",
        "Length of the learned vector of each part.",
    ),
    key(
        "embeddings_on_cpu",
        BOOL,
        "false",
        "Whether the vectors stay in the memory of the CPU.",
    )
    .inert(),
    key(
        "reduce_output",
        REDUCE,
        "\"sum\"",
        "How the parts become one vector.",
    ),
];
const H3_FC: &[Key] = &[SMALL];
encoders!(
    H3,
    "h3",
    "embed",
    &[
        variant("embed", &[ENCODER, INITIALIZERS, FC, H3_FC, H3_KEYS]).later(H3_LATER),
        variant(
            "weighted_sum",
            &[
                ENCODER,
                INITIALIZERS,
                FC,
                H3_FC,
                H3_KEYS,
                &[key(
                    "should_softmax",
                    BOOL,
                    "false",
                    "Whether the weights sum to 1."
                )]
            ]
        )
        .later(H3_LATER),
        variant(
            "rnn",
            &[
                ENCODER,
                INITIALIZERS,
                H3_KEYS,
                RNN_CELL,
                &[
                    key("hidden_size", SIZE, "10", "Units of the state."),
                    key(
                        "reduce_output",
                        REDUCE,
                        "\"last\"",
                        "How the steps become one vector."
                    ),
                ]
            ]
        )
        .later(H3_LATER),
    ]
);

/// A recurrent cell and its start values.
pub(crate) const RNN_CELL: &[Key] = &[
    key(
        "cell_type",
        Type::OneOf(&Names::of(&["rnn", "lstm", "gru"])),
        "\"rnn\"",
        "Kind of cell.",
    ),
    key("num_layers", SIZE, "1", "Layers of cells."),
    key(
        "bidirectional",
        BOOL,
        "false",
        "Whether it also reads backwards.",
    ),
    key(
        "activation",
        ACTIVATION,
        "\"tanh\"",
        "Function of the cell.",
    ),
    key(
        "recurrent_activation",
        ACTIVATION,
        "\"sigmoid\"",
        "Function of the gates.",
    ),
    key(
        "unit_forget_bias",
        BOOL,
        "true",
        "Whether the forget gate begins open.",
    ),
    key(
        "recurrent_initializer",
        super::layers::INITIALIZER,
        "\"orthogonal\"",
        "How recurrent weights begin.",
    ),
    key("recurrent_dropout", SHARE, "0.0", "Dropout on the state."),
    key("dropout", SHARE, "0.0", "Dropout on the input."),
];

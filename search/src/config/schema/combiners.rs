//! Combiners: what joins the encoded inputs.

use super::attention::BLOCKS;
use super::layers::{ACTIVATION, DENSE, FC, INITIALIZERS, NORM, REDUCE};
use super::sequences;
use super::types::{
    AMOUNT, BOOL, COUNT, Key, Names, OPT_SIZE, OPT_TEXT, POSITIVE, SHARE, SIZE, TEXTS, Type, Union,
    key, variant,
};

const LATER: &str = "use concat or realmlp";

const RESIDUAL: Key = key(
    "residual",
    BOOL,
    "false",
    "Whether each layer adds its input to its output, where sizes are equal.",
);
const CONCAT: &[Key] = &[
    key(
        "flatten_inputs",
        BOOL,
        "false",
        "Whether sequences are flattened first.",
    )
    .inert(),
    RESIDUAL,
];

const REALMLP: &[Key] = &[
    key(
        "hidden",
        Type::Nullable(&Type::List { of: &SIZE, min: 1 }),
        "null",
        "Units of each layer, in place of num_fc_layers and output_size.",
    ),
    key("num_fc_layers", SIZE, "3", "Hidden layers."),
    key("output_size", SIZE, "256", "Units of each hidden layer."),
    key(
        "activation",
        Type::OneOf(&Names {
            words: &["relu"],
            ours: &["selu", "mish"],
            later: &[],
        }),
        "\"selu\"",
        "selu suits classes, mish numbers.",
    ),
    key(
        "dropout",
        SHARE,
        "0.0",
        "Share of units dropped in training.",
    ),
    key(
        "ntk",
        BOOL,
        "true",
        "Standard normal weights, outputs divided by the root of the input size: learning rates carry over between widths.",
    ),
    key(
        "scale_layer",
        BOOL,
        "true",
        "A learned factor for each input, in front: a soft selection of features.",
    ),
    key(
        "scale_lr_factor",
        POSITIVE,
        "6.0",
        "Learning rate of the scale layer, as a factor.",
    ),
    key(
        "bias_lr_factor",
        POSITIVE,
        "0.1",
        "Learning rate of biases, as a factor.",
    ),
    key(
        "zero_init_last",
        BOOL,
        "true",
        "Whether the last layer begins at 0, so that training begins at no opinion.",
    ),
];

const TABNET: &[Key] = &[
    key("size", SIZE, "32", "Units of the hidden layers, N_a."),
    key("output_size", SIZE, "128", "Units of the output, N_d."),
    key(
        "dropout",
        SHARE,
        "0.05",
        "Dropout in the transformer blocks.",
    ),
    key("num_steps", SIZE, "3", "Steps of attention."),
    key("num_total_blocks", SIZE, "4", "Blocks of a step."),
    key("num_shared_blocks", SIZE, "2", "Blocks that steps share."),
    key(
        "relaxation_factor",
        POSITIVE,
        "1.5",
        "How often a feature may be looked at again; 1: once.",
    ),
    key("bn_epsilon", POSITIVE, "0.001", "Added to variances."),
    key(
        "bn_momentum",
        AMOUNT,
        "0.05",
        "Share of the new batch in running statistics.",
    ),
    key(
        "bn_virtual_bs",
        OPT_SIZE,
        "1024",
        "Rows of a virtual batch; null: whole batches.",
    ),
    key(
        "sparsity",
        AMOUNT,
        "0.0001",
        "Weight of the penalty on looking at many features.",
    ),
    key(
        "entmax_mode",
        Type::OneOf(&Names::of(&[
            "sparsemax",
            "entmax15",
            "constant",
            "adaptive",
        ])),
        "\"sparsemax\"",
        "Kind of sparse attention.",
    ),
    key(
        "entmax_alpha",
        POSITIVE,
        "1.5",
        "Sparseness of the modes constant and adaptive.",
    ),
];

/// Layers behind the blocks.
const BEHIND: &[Key] = &[
    key(
        "fc_activation",
        ACTIVATION,
        "\"relu\"",
        "Function after each fully connected layer.",
    ),
    key(
        "fc_dropout",
        SHARE,
        "0.0",
        "Dropout after each fully connected layer.",
    ),
    key(
        "fc_residual",
        BOOL,
        "false",
        "Whether fully connected layers add their input to their output.",
    ),
];
const MAIN: &[Key] = &[
    key(
        "main_sequence_feature",
        OPT_TEXT,
        "null",
        "Sequence that the others are joined to.",
    ),
    key(
        "reduce_output",
        REDUCE,
        "null",
        "How the steps become one vector.",
    ),
];

pub(crate) static COMBINER: Union = Union {
    tag: "type",
    default: Some("concat"),
    noun: "combiner",
    doc: "What joins the encoded inputs.",
    variants: &[
        variant("concat", &[CONCAT, INITIALIZERS, FC]),
        variant("realmlp", &[REALMLP]).ours(),
        variant("tabnet", &[TABNET]).later(LATER),
        variant(
            "transformer",
            &[
                INITIALIZERS,
                FC,
                BLOCKS,
                BEHIND,
                &[key(
                    "reduce_output",
                    REDUCE,
                    "\"mean\"",
                    "How the features become one vector.",
                )],
            ],
        )
        .later(LATER),
        variant(
            "tabtransformer",
            &[
                INITIALIZERS,
                FC,
                BLOCKS,
                BEHIND,
                &[
                    key(
                        "embed_input_feature_name",
                        Type::Nullable(&Type::Either(&[SIZE, Type::OneOf(&Names::of(&["add"]))])),
                        "null",
                        "How names of features are embedded.",
                    ),
                    key(
                        "reduce_output",
                        REDUCE,
                        "\"concat\"",
                        "How the features become one vector.",
                    ),
                ],
            ],
        )
        .later(LATER),
        variant(
            "project_aggregate",
            &[
                INITIALIZERS,
                FC,
                &[
                    key(
                        "projection_size",
                        SIZE,
                        "128",
                        "Units that each feature is projected to.",
                    ),
                    key(
                        "residual",
                        BOOL,
                        "true",
                        "Whether layers add their input to their output.",
                    ),
                    key(
                        "num_fc_layers",
                        COUNT,
                        "2",
                        "Number of fully connected layers.",
                    ),
                    key("output_size", SIZE, "128", "Units of each layer."),
                    key(
                        "norm",
                        NORM,
                        "\"layer\"",
                        "Normalisation before each activation.",
                    ),
                ],
            ],
        )
        .later(LATER),
        variant(
            "comparator",
            &[
                INITIALIZERS,
                FC,
                &[
                    key(
                        "entity_1",
                        TEXTS,
                        "[]",
                        "Features of the first of the two things compared.",
                    ),
                    key("entity_2", TEXTS, "[]", "Features of the second."),
                    key(
                        "num_fc_layers",
                        COUNT,
                        "1",
                        "Number of fully connected layers.",
                    ),
                ],
            ],
        )
        .later(LATER),
        variant(
            "sequence",
            &[
                MAIN,
                &[key(
                    "encoder",
                    Type::Union(&sequences::SEQUENCE_INPUT),
                    "{\"type\": \"parallel_cnn\"}",
                    "Encoder of the joined sequence.",
                )],
            ],
        )
        .later(LATER),
        variant("sequence_concat", &[MAIN]).later(LATER),
        variant(
            "ft_transformer",
            &[
                INITIALIZERS,
                FC,
                BLOCKS,
                BEHIND,
                &[
                    key("num_layers", SIZE, "3", "Transformer blocks."),
                    key(
                        "hidden_size",
                        SIZE,
                        "64",
                        "Units of a block; a multiple of num_heads.",
                    ),
                    key("output_size", SIZE, "64", "Units of each layer."),
                    key(
                        "reduce_output",
                        REDUCE,
                        "null",
                        "How the features become one vector; null: the class token.",
                    ),
                ],
            ],
        )
        .since("0.17")
        .later(LATER),
        variant("cross_attention", &[INITIALIZERS, FC, BLOCKS, BEHIND])
            .since("0.17")
            .later(LATER),
        variant(
            "perceiver",
            &[
                INITIALIZERS,
                FC,
                BLOCKS,
                BEHIND,
                &[key("num_latents", SIZE, "32", "Latent vectors.")],
            ],
        )
        .since("0.17")
        .later(LATER),
        variant("gated_fusion", &[INITIALIZERS, FC])
            .since("0.17")
            .later(LATER),
        variant("hypernetwork", &[INITIALIZERS, FC])
            .since("0.17")
            .later(LATER),
        variant("tabpfn_v2", &[]).since("0.17").later(LATER),
        variant(
            "tabm",
            &[
                DENSE,
                &[
                    key(
                        "k",
                        SIZE,
                        "32",
                        "Members of the ensemble inside the network.",
                    ),
                    key("num_layers", SIZE, "3", "Blocks."),
                    key("output_size", SIZE, "512", "Units of each block."),
                    key(
                        "dropout",
                        SHARE,
                        "0.1",
                        "Share of units dropped in training.",
                    ),
                ],
            ],
        )
        .ours()
        .later(LATER),
        variant(
            "resnet",
            &[&[
                key("num_layers", SIZE, "4", "Residual blocks."),
                key("output_size", SIZE, "256", "Units between blocks."),
                key(
                    "hidden_factor",
                    POSITIVE,
                    "2.0",
                    "Units inside a block, as a factor.",
                ),
                key("dropout", SHARE, "0.1", "Dropout inside blocks."),
                key(
                    "residual_dropout",
                    SHARE,
                    "0.0",
                    "Dropout at the end of blocks.",
                ),
                key(
                    "norm",
                    NORM,
                    "\"batch\"",
                    "Normalisation before each block.",
                ),
            ]],
        )
        .ours()
        .later(LATER),
    ],
};

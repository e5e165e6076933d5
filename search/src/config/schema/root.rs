//! The top level: a union by `model_type`.

use super::combiners::COMBINER;
use super::decoders;
use super::features::{DEFAULTS, INPUT_FEATURE, OUTPUT_FEATURE};
use super::gbm::GBM_TRAINER;
use super::hyperopt::HYPEROPT;
use super::llm::{LLM, LLM_TRAINER};
use super::preprocessing::PREPROCESSING;
use super::trainer::{ECD_TRAINER, LINEAR_TRAINER};
use super::types::{Key, OPT_TEXT, TEXT, Type, Union, key, optional, required, variant};
use super::{columns, losses};

const INPUTS: Type = Type::List {
    of: &Type::Union(&INPUT_FEATURE),
    min: 1,
};
const OUTPUTS: Type = Type::List {
    of: &Type::Union(&OUTPUT_FEATURE),
    min: 1,
};
const LLM_OUTPUTS: Type = Type::List {
    of: &Type::Union(&LLM_OUTPUT),
    min: 1,
};
const FEATURES: &[Key] = &[
    required("input_features", INPUTS, "Columns that are learned from."),
    required("output_features", OUTPUTS, "Columns that are predicted."),
];
const PREPARE: &[Key] = &[key(
    "preprocessing",
    Type::Section(&PREPROCESSING),
    "{}",
    "Sampling, and how rows are parted.",
)];
const REST: &[Key] = &[
    optional(
        "defaults",
        Type::Section(&DEFAULTS),
        "What every feature of a type takes, unless it says otherwise.",
    ),
    optional("hyperopt", Type::Section(&HYPEROPT), "The search."),
    optional(
        "backend",
        Type::Nullable(&Type::Either(&[TEXT, Type::AnyMap])),
        "Where Ludwig runs; trials here run on this machine.",
    )
    .inert(),
    optional(
        "ludwig_version",
        OPT_TEXT,
        "Written by Ludwig; read and ignored.",
    )
    .inert(),
];

/// An output of a language model.
static LLM_OUTPUT: Union = Union {
    tag: "type",
    default: None,
    noun: "a target of type",
    doc: "What is asked for.",
    variants: &[
        variant(
            "text",
            &[
                LLM_TARGET,
                &[
                    key(
                        "preprocessing",
                        Type::Section(&columns::TEXT_OUT),
                        "{}",
                        "How the column is read.",
                    ),
                    key(
                        "decoder",
                        Type::Union(&decoders::LLM_TEXT),
                        "{}",
                        "What is taken from an answer.",
                    ),
                    key(
                        "loss",
                        Type::Union(&losses::SEQUENCE),
                        "{\"type\": \"next_token_softmax_cross_entropy\"}",
                        "What training minimises.",
                    ),
                ],
            ],
        ),
        variant(
            "category",
            &[
                LLM_TARGET,
                &[
                    key(
                        "preprocessing",
                        Type::Section(&columns::CATEGORY_OUT),
                        "{}",
                        "How the column is read.",
                    ),
                    key(
                        "decoder",
                        Type::Union(&decoders::LLM_CATEGORY),
                        "{}",
                        "What is taken from an answer.",
                    ),
                    key(
                        "loss",
                        Type::Union(&losses::CATEGORY),
                        "{}",
                        "What training minimises.",
                    ),
                ],
            ],
        ),
    ],
};
const LLM_TARGET: &[Key] = &[
    required("name", TEXT, "Name of the feature, unique in the config."),
    key(
        "column",
        TEXT,
        "null",
        "Column of the table; the name, if it is not written.",
    )
    .or(super::types::Default::FeatureName),
    optional("proc_column", TEXT, "Written by Ludwig; read and ignored.").inert(),
];
const LLM_FEATURES: &[Key] = &[
    FEATURES[0],
    required("output_features", LLM_OUTPUTS, "What is asked for."),
];

/// The word for a program of the user's own.
pub(crate) const PROGRAM: &str = "program";

/// Everything a config may say.
pub(crate) static ROOT: Union = Union {
    tag: "model_type",
    default: Some("ecd"),
    noun: "model type",
    doc: "Family of models.",
    variants: &[
        variant(
            "ecd",
            &[
                FEATURES,
                PREPARE,
                &[
                    key(
                        "combiner",
                        Type::Union(&COMBINER),
                        "{}",
                        "What joins the encoded inputs.",
                    ),
                    key(
                        "trainer",
                        Type::Section(&ECD_TRAINER),
                        "{}",
                        "How the network is trained.",
                    ),
                ],
                REST,
            ],
        ),
        variant(
            "linear",
            &[
                FEATURES,
                PREPARE,
                &[key(
                    "trainer",
                    Type::Section(&LINEAR_TRAINER),
                    "{}",
                    "How the linear model is fitted.",
                )],
                REST,
            ],
        )
        .ours(),
        variant(
            "gbm",
            &[
                FEATURES,
                PREPARE,
                &[key(
                    "trainer",
                    Type::Section(&GBM_TRAINER),
                    "{}",
                    "How the trees are grown.",
                )],
                REST,
            ],
        )
        .later("use ecd with combiner realmlp, or linear"),
        variant(
            "llm",
            &[
                LLM_FEATURES,
                LLM,
                PREPARE,
                &[key(
                    "trainer",
                    Type::Union(&LLM_TRAINER),
                    "{}",
                    "How the model is trained.",
                )],
                REST,
            ],
        )
        .later("use ecd with text encoder tf_idf"),
        variant(
            PROGRAM,
            &[&[
                required(
                    "command",
                    TEXT,
                    "What a trial runs, by a POSIX shell; {name} stands for the value of a parameter.",
                ),
                optional("parameters", Type::AnyMap, "Values of parameters that are not searched."),
                optional("hyperopt", Type::Section(&HYPEROPT), "The search."),
            ]],
        )
        .ours(),
    ],
};

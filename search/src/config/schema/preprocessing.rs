//! The global `preprocessing` section: sampling, weights, and how rows are parted.

use super::types::{
    BOOL, COUNT, Key, OPT_SIZE, OPT_TEXT, SHARE, Section, TEXT, Type, Union, key, required, variant,
};

const PROBABILITIES: Type = Type::Tuple(&[SHARE, SHARE, SHARE]);
const PARTS: Key = key(
    "probabilities",
    PROBABILITIES,
    "[0.7, 0.1, 0.2]",
    "Shares of the training, validation and test part. A test share of 0 leaves all rows to the other two.",
);

pub(crate) static SPLIT: Union = Union {
    tag: "type",
    default: Some("random"),
    noun: "split",
    doc: "How rows are parted.",
    variants: &[
        variant("random", &[&[PARTS]]),
        variant(
            "fixed",
            &[&[key(
                "column",
                TEXT,
                "\"split\"",
                "Column that holds 0 for training, 1 for validation, 2 for test.",
            )]],
        ),
        variant(
            "stratify",
            &[&[
                required(
                    "column",
                    TEXT,
                    "Column whose values get the same shares in every part; the target as a rule.",
                ),
                PARTS,
            ]],
        ),
        variant(
            "datetime",
            &[&[
                required(
                    "column",
                    TEXT,
                    "Column of times: the oldest rows train, the newest test.",
                ),
                PARTS,
            ]],
        ),
        variant(
            "hash",
            &[&[
                required(
                    "column",
                    TEXT,
                    "Column whose hash decides: a row keeps its part when the table grows.",
                ),
                PARTS,
            ]],
        ),
        variant(
            "group",
            &[&[
                required(
                    "column",
                    TEXT,
                    "Column whose equal values stay in one part, as the rows of one customer.",
                ),
                PARTS,
            ]],
        )
        .ours(),
        variant(
            "folds",
            &[&[
                required("column", TEXT, "Column that names the fold of each row."),
                key(
                    "validation",
                    FOLD,
                    "null",
                    "Fold that validates; null: the last but one in sorted order.",
                ),
                key(
                    "test",
                    FOLD,
                    "null",
                    "Fold that tests; null: the last in sorted order.",
                ),
            ]],
        )
        .ours(),
    ],
};

const FOLD: Type = Type::Nullable(&Type::Either(&[TEXT, COUNT]));
const RATE: Type = Type::Nullable(&Type::Float {
    min: 0.0,
    max: 1.0,
    open: true,
});

pub(crate) static PREPROCESSING: Section = Section::of(&[&[
    key(
        "split",
        Type::Union(&SPLIT),
        "{}",
        "How rows are parted into training, validation and test part.",
    ),
    key(
        "sample_ratio",
        Type::Float {
            min: 0.0,
            max: 1.0,
            open: true,
        },
        "1.0",
        "Share of the rows that is used at all.",
    ),
    key(
        "sample_size",
        OPT_SIZE,
        "null",
        "Number of rows that is used at all; in place of sample_ratio.",
    ),
    key(
        "oversample_minority",
        RATE,
        "null",
        "Repeats rows of the rarer class up to this ratio.",
    )
    .later("use loss.positive_class_weight or loss.class_weights"),
    key(
        "undersample_majority",
        RATE,
        "null",
        "Leaves rows of the commoner class out, down to this ratio.",
    )
    .later("use loss.positive_class_weight or loss.class_weights"),
    key(
        "global_max_sequence_length",
        OPT_SIZE,
        "null",
        "Length that all sequence features share.",
    )
    .inert(),
    key(
        "cache_processed_dataset",
        BOOL,
        "true",
        "Whether prepared arrays are kept for the next run.",
    )
    .inert(),
    key(
        "weight_column",
        OPT_TEXT,
        "null",
        "Column of row weights: it weighs the loss and is no input.",
    )
    .ours(),
]]);

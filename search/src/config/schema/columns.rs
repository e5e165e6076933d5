//! `preprocessing` of each feature type: missing values, scaling, vocabularies.

use super::tokenizers::TOKENIZERS;
use super::types::{
    BOOL, COUNT, FLOAT, Key, Names, OPT_SIZE, OPT_TEXT, POSITIVE, SIZE, Section, TEXT, Type, key,
    optional,
};

macro_rules! missing {
    ($default:literal, $($word:literal),*; ours $($ours:literal),*) => {
        key("missing_value_strategy", Type::OneOf(&Names { words: &[$($word),*], ours: &[$($ours),*], later: &[] }),
            $default, "What stands in for a missing value.")
    };
}

/// Strategies every type knows.
pub(super) const ANY_MISSING: Key = missing!("\"fill_with_const\"", "fill_with_const", "fill_with_mode", "bfill", "ffill", "drop_row"; ours);
const NUMBER_MISSING: Key = missing!(
    "\"fill_with_const\"", "fill_with_const", "fill_with_mode", "bfill", "ffill", "drop_row", "fill_with_mean";
    ours "fill_with_median"
);
const BINARY_MISSING: Key = missing!(
    "\"fill_with_false\"", "fill_with_const", "fill_with_mode", "bfill", "ffill", "drop_row", "fill_with_false", "fill_with_true";
    ours
);
pub(super) const FILE_MISSING: Key =
    missing!("\"bfill\"", "fill_with_const", "fill_with_mode", "bfill", "ffill", "drop_row"; ours);
const DATE_MISSING: Key =
    missing!("\"fill_with_const\"", "fill_with_const", "bfill", "ffill", "drop_row"; ours);

/// Outputs drop rows without a target.
pub(super) const DROP: Key = missing!(
    "\"drop_row\"", "fill_with_const", "fill_with_mode", "bfill", "ffill", "drop_row", "fill_with_mean", "fill_with_false",
    "fill_with_true"; ours
)
.later("leave it drop_row: a target is never invented");

const FILL: Type = Type::Nullable(&Type::Either(&[FLOAT, TEXT, BOOL]));
pub(super) const COMPUTED: Key = optional(
    "computed_fill_value",
    FILL,
    "Written by Ludwig; read and ignored.",
)
.inert();
pub(super) const fn fill(default: &'static str) -> Key {
    key(
        "fill_value",
        FILL,
        default,
        "The constant of fill_with_const.",
    )
}

const NORMALIZATIONS: Names = Names {
    words: &["zscore", "minmax", "log1p", "iq"],
    ours: &["robust", "quantile"],
    later: &[],
};
const NORMALIZATION: Type = Type::Nullable(&Type::OneOf(&NORMALIZATIONS));
const OUTLIERS: Type = Type::Nullable(&Type::OneOf(&Names::of(&[
    "fill_with_const",
    "fill_with_mode",
    "fill_with_mean",
    "bfill",
    "ffill",
    "drop_row",
])));

const NUMBER_KEYS: &[Key] = &[
    NUMBER_MISSING,
    fill("0.0"),
    COMPUTED,
    key(
        "normalization",
        NORMALIZATION,
        "\"zscore\"",
        "Scaling, fitted on the training part: zscore, minmax, log1p, iq, robust, quantile or null.",
    ),
    key(
        "clip",
        BOOL,
        "false",
        "Whether scaled values pass the smooth clip x / sqrt(1 + (x / 3)^2), which tames outliers.",
    )
    .ours(),
    key(
        "missing_indicator",
        BOOL,
        "false",
        "Whether a column with missing values gets a 0/1 column beside it.",
    )
    .ours(),
    key(
        "outlier_strategy",
        OUTLIERS,
        "null",
        "What stands in for an outlier.",
    )
    .later("use normalization: robust with clip: true"),
    key(
        "outlier_threshold",
        Type::Nullable(&POSITIVE),
        "3.0",
        "Standard deviations from the mean that make an outlier.",
    )
    .inert(),
];
pub(crate) static NUMBER: Section = Section::of(&[NUMBER_KEYS]);
pub(crate) static NUMBER_OUT: Section = Section::of(&[
    NUMBER_KEYS,
    &[
        DROP,
        key(
            "normalization",
            NORMALIZATION,
            "null",
            "Scaling of the target while training; predictions are scaled back.",
        ),
        key("clip", BOOL, "false", "Smooth clip of the target.")
            .ours()
            .later("leave it false"),
        key("missing_indicator", BOOL, "false", "Of inputs only.")
            .ours()
            .later("leave it false"),
    ],
]);

const BINARY_KEYS: &[Key] = &[
    BINARY_MISSING,
    fill("null"),
    COMPUTED,
    key(
        "fallback_true_label",
        OPT_TEXT_OR,
        "null",
        "Value that counts as true when neither value is a usual boolean.",
    ),
];
const OPT_TEXT_OR: Type = Type::Nullable(&Type::Either(&[TEXT, FLOAT, BOOL]));
pub(crate) static BINARY: Section = Section::of(&[BINARY_KEYS]);
pub(crate) static BINARY_OUT: Section = Section::of(&[BINARY_KEYS, &[DROP]]);

const CATEGORY_KEYS: &[Key] = &[
    ANY_MISSING,
    fill("\"<UNK>\""),
    COMPUTED,
    key(
        "lowercase",
        BOOL,
        "false",
        "Whether values that differ in case only are one.",
    ),
    key(
        "most_common",
        SIZE,
        "10000",
        "How many values are kept, the most frequent first; the rest count as unseen.",
    ),
    key(
        "min_count",
        COUNT,
        "1",
        "Values seen fewer times in training count as unseen.",
    )
    .ours(),
    key(
        "cache_encoder_embeddings",
        BOOL,
        "false",
        "Of frozen encoders only.",
    )
    .inert(),
];
pub(crate) static CATEGORY: Section = Section::of(&[CATEGORY_KEYS]);
pub(crate) static CATEGORY_OUT: Section = Section::of(&[
    CATEGORY_KEYS,
    &[
        DROP,
        key(
            "vocab",
            Type::Nullable(&Type::List { of: &TEXT, min: 1 }),
            "null",
            "The classes, of category_distribution outputs.",
        )
        .later("leave it null"),
    ],
]);

pub(super) const fn tokenizer(default: &'static str) -> Key {
    key(
        "tokenizer",
        Type::OneOf(&TOKENIZERS),
        default,
        "How a text is cut into words; the hashed encoder has its own way.",
    )
}
pub(super) const PADDING: Type = Type::OneOf(&Names::of(&["left", "right"]));

static RETRIEVAL: Section = Section::of(&[&[
    key(
        "type",
        Type::Nullable(&Type::OneOf(&Names::of(&["random", "semantic"]))),
        "null",
        "How samples are found.",
    ),
    key("index_name", OPT_TEXT, "null", "Name of the index."),
    key("model_name", OPT_TEXT, "null", "Model that embeds samples."),
    key("k", COUNT, "0", "Samples that are put into the prompt."),
]]);
pub(crate) static PROMPT: Section = Section::of(&[&[
    key(
        "template",
        OPT_TEXT,
        "null",
        "The prompt, with {column} for values, {__task__}, {__sample__} and {__context__}.",
    ),
    key("task", OPT_TEXT, "null", "The task in words."),
    key(
        "retrieval",
        Type::Section(&RETRIEVAL),
        "{}",
        "Samples of the training part that are put into the prompt.",
    ),
]]);

const VOCABULARY: &[Key] = &[
    key("lowercase", BOOL, "false", "Whether case is ignored."),
    key(
        "most_common",
        SIZE,
        "20000",
        "How many words are kept, the most frequent first.",
    ),
    key(
        "max_sequence_length",
        OPT_SIZE,
        "256",
        "Words of a text that are used.",
    ),
    key(
        "sequence_length",
        OPT_SIZE,
        "null",
        "Exact number of words; the rest is padded.",
    ),
    key(
        "padding",
        PADDING,
        "\"right\"",
        "Where short texts are padded.",
    ),
    key(
        "padding_symbol",
        TEXT,
        "\"<PAD>\"",
        "What they are padded with.",
    ),
    key(
        "unknown_symbol",
        TEXT,
        "\"<UNK>\"",
        "What stands for unknown words.",
    ),
    key(
        "vocab_file",
        OPT_TEXT,
        "null",
        "File with the words that are kept.",
    ),
    key(
        "ngram_size",
        SIZE,
        "2",
        "Words of a term, of the tokenizer ngram.",
    ),
    key(
        "cache_encoder_embeddings",
        BOOL,
        "false",
        "Of frozen encoders only.",
    )
    .inert(),
];
const TEXT_KEYS: &[Key] = &[
    ANY_MISSING,
    fill("\"<UNK>\""),
    COMPUTED,
    tokenizer("\"space_punct\""),
];
const MODEL_KEYS: &[Key] = &[
    key(
        "compute_idf",
        BOOL,
        "false",
        "Whether inverse document frequencies are kept.",
    )
    .inert(),
    key(
        "pretrained_model_name_or_path",
        OPT_TEXT,
        "null",
        "Model whose tokenizer is used.",
    ),
    key(
        "prompt",
        Type::Section(&PROMPT),
        "{}",
        "Prompt that is put around the text.",
    ),
];
pub(crate) static TEXT_COLUMN: Section = Section::of(&[TEXT_KEYS, VOCABULARY, MODEL_KEYS]);
pub(crate) static TEXT_OUT: Section = Section::of(&[TEXT_KEYS, VOCABULARY, MODEL_KEYS, &[DROP]]);
const SEQUENCE_KEYS: &[Key] = &[
    ANY_MISSING,
    fill("\"<UNK>\""),
    COMPUTED,
    tokenizer("\"space\""),
];
pub(crate) static SEQUENCE: Section = Section::of(&[SEQUENCE_KEYS, VOCABULARY]);
pub(crate) static SEQUENCE_OUT: Section = Section::of(&[SEQUENCE_KEYS, VOCABULARY, &[DROP]]);

const BAG_KEYS: &[Key] = &[
    ANY_MISSING,
    fill("\"<UNK>\""),
    COMPUTED,
    tokenizer("\"space\""),
    key("lowercase", BOOL, "false", "Whether case is ignored."),
    key(
        "most_common",
        SIZE,
        "10000",
        "How many items are kept, the most frequent first.",
    ),
];
pub(crate) static BAG: Section = Section::of(&[BAG_KEYS]);
pub(crate) static SET_OUT: Section = Section::of(&[BAG_KEYS, &[DROP]]);

pub(crate) static DATE: Section = Section::of(&[&[
    DATE_MISSING,
    fill("\"\""),
    COMPUTED,
    key(
        "datetime_format",
        OPT_TEXT,
        "null",
        "Format as in strftime, %Y-%m-%d; null: found by a strict vote over the column.",
    ),
]]);

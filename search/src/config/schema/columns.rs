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
const ANY_MISSING: Key = missing!("\"fill_with_const\"", "fill_with_const", "fill_with_mode", "bfill", "ffill", "drop_row"; ours);
const NUMBER_MISSING: Key = missing!(
    "\"fill_with_const\"", "fill_with_const", "fill_with_mode", "bfill", "ffill", "drop_row", "fill_with_mean";
    ours "fill_with_median"
);
const BINARY_MISSING: Key = missing!(
    "\"fill_with_false\"", "fill_with_const", "fill_with_mode", "bfill", "ffill", "drop_row", "fill_with_false", "fill_with_true";
    ours
);
const FILE_MISSING: Key =
    missing!("\"bfill\"", "fill_with_const", "fill_with_mode", "bfill", "ffill", "drop_row"; ours);
const DATE_MISSING: Key =
    missing!("\"fill_with_const\"", "fill_with_const", "bfill", "ffill", "drop_row"; ours);

/// Outputs drop rows without a target.
const DROP: Key = missing!(
    "\"drop_row\"", "fill_with_const", "fill_with_mode", "bfill", "ffill", "drop_row", "fill_with_mean", "fill_with_false",
    "fill_with_true"; ours
)
.later("leave it drop_row: a target is never invented");

const FILL: Type = Type::Nullable(&Type::Either(&[FLOAT, TEXT, BOOL]));
const COMPUTED: Key = optional(
    "computed_fill_value",
    FILL,
    "Written by Ludwig; read and ignored.",
)
.inert();
const fn fill(default: &'static str) -> Key {
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

const fn tokenizer(default: &'static str) -> Key {
    key(
        "tokenizer",
        Type::OneOf(&TOKENIZERS),
        default,
        "How a text is cut into words; the hashed encoder has its own way.",
    )
}
const PADDING: Type = Type::OneOf(&Names::of(&["left", "right"]));

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

const IMAGE_KEYS: &[Key] = &[
    FILE_MISSING,
    fill("null"),
    COMPUTED,
    key(
        "height",
        OPT_SIZE,
        "null",
        "Height in pixels; null: inferred.",
    ),
    key(
        "width",
        OPT_SIZE,
        "null",
        "Width in pixels; null: inferred.",
    ),
    key(
        "num_channels",
        OPT_SIZE,
        "null",
        "Colour channels; null: inferred.",
    ),
    key(
        "num_classes",
        OPT_SIZE,
        "null",
        "Classes of a mask; null: inferred.",
    ),
    key(
        "resize_method",
        Type::OneOf(&Names::of(&["interpolate", "crop_or_pad"])),
        "\"interpolate\"",
        "How sizes are made equal.",
    ),
    key(
        "infer_image_num_channels",
        BOOL,
        "true",
        "Whether the channels are inferred from a sample.",
    ),
    key(
        "infer_image_dimensions",
        BOOL,
        "true",
        "Whether the size is inferred from a sample.",
    ),
    key(
        "infer_image_max_height",
        SIZE,
        "256",
        "Most that is inferred.",
    ),
    key(
        "infer_image_max_width",
        SIZE,
        "256",
        "Most that is inferred.",
    ),
    key("infer_image_sample_size", SIZE, "100", "Images looked at."),
    key(
        "infer_image_num_classes",
        BOOL,
        "false",
        "Whether the classes of a mask are inferred.",
    ),
    key(
        "standardize_image",
        Type::Nullable(&Type::OneOf(&Names::of(&["imagenet1k"]))),
        "null",
        "Statistics that channels are scaled by.",
    ),
    key(
        "in_memory",
        BOOL,
        "true",
        "Whether all images are kept in memory.",
    ),
    key("num_processes", SIZE, "1", "Processes that read images."),
    key(
        "requires_equal_dimensions",
        BOOL,
        "false",
        "Whether all images must have one size.",
    ),
];
pub(crate) static IMAGE: Section = Section::of(&[IMAGE_KEYS]);
pub(crate) static IMAGE_OUT: Section = Section::of(&[IMAGE_KEYS, &[DROP]]);

pub(crate) static AUDIO: Section = Section::of(&[&[
    FILE_MISSING,
    fill("null"),
    COMPUTED,
    key(
        "type",
        Type::OneOf(&Names::of(&[
            "fbank",
            "group_delay",
            "raw",
            "stft",
            "stft_phase",
        ])),
        "\"fbank\"",
        "Features of the sound.",
    ),
    key(
        "audio_file_length_limit_in_s",
        POSITIVE,
        "7.5",
        "Seconds of a file that are used.",
    ),
    key(
        "window_length_in_s",
        POSITIVE,
        "0.04",
        "Seconds of a window.",
    ),
    key(
        "window_shift_in_s",
        POSITIVE,
        "0.02",
        "Seconds from window to window.",
    ),
    key(
        "window_type",
        Type::OneOf(&Names::of(&["bartlett", "blackman", "hamming", "hann"])),
        "\"hamming\"",
        "Shape of a window.",
    ),
    key(
        "num_fft_points",
        OPT_SIZE,
        "null",
        "Points of the Fourier transform.",
    ),
    key("num_filter_bands", SIZE, "80", "Bands of the filter bank."),
    key(
        "padding_value",
        FLOAT,
        "0.0",
        "What short files are padded with.",
    ),
    key(
        "norm",
        Type::Nullable(&Type::OneOf(&Names::of(&["per_file", "global"]))),
        "null",
        "Scaling of the features.",
    ),
    key(
        "in_memory",
        BOOL,
        "true",
        "Whether all files are kept in memory.",
    ),
]]);

const TIMESERIES_KEYS: &[Key] = &[
    ANY_MISSING,
    fill("\"\""),
    COMPUTED,
    tokenizer("\"space\""),
    key(
        "timeseries_length_limit",
        SIZE,
        "256",
        "Steps of a series that are used.",
    ),
    key(
        "padding",
        PADDING,
        "\"right\"",
        "Where short series are padded.",
    ),
    key("padding_value", FLOAT, "0.0", "What they are padded with."),
    key(
        "window_size",
        COUNT,
        "0",
        "Rows before that make a series; 0: the column holds series.",
    ),
];
pub(crate) static TIMESERIES: Section = Section::of(&[TIMESERIES_KEYS]);
pub(crate) static TIMESERIES_OUT: Section = Section::of(&[
    TIMESERIES_KEYS,
    &[
        DROP,
        key("horizon", COUNT, "0", "Steps that are predicted."),
    ],
]);

const VECTOR_KEYS: &[Key] = &[
    ANY_MISSING,
    fill("\"\""),
    COMPUTED,
    key(
        "vector_size",
        OPT_SIZE,
        "null",
        "Length of the vectors; null: inferred.",
    ),
];
pub(crate) static VECTOR: Section = Section::of(&[VECTOR_KEYS]);
pub(crate) static VECTOR_OUT: Section = Section::of(&[VECTOR_KEYS, &[DROP]]);

pub(crate) static H3: Section =
    Section::of(&[&[ANY_MISSING, fill("576495936675512319"), COMPUTED]]);

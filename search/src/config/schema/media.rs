//! `preprocessing` of images, sounds, series, vectors and places: read and checked, not run.

use super::columns::{ANY_MISSING, COMPUTED, DROP, FILE_MISSING, PADDING, fill, tokenizer};
use super::types::{BOOL, COUNT, FLOAT, Key, Names, OPT_SIZE, POSITIVE, SIZE, Section, Type, key};

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

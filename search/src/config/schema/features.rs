//! Input and output features: a union by `type`, each with its preprocessing, encoder or decoder, and loss.

use super::types::{
    BOOL, Default, FLOAT, Key, Names, OPT_SIZE, OPT_TEXT, SHARE, SIZE, Section, TEXT, TEXTS, Type,
    Union, key, optional, required, variant,
};
use super::{columns, decoders, encoders, images, losses, media, sequences};

const NAME: Key = required("name", TEXT, "Name of the feature, unique in the config.");
const INPUT: &[Key] = &[
    NAME,
    key(
        "column",
        TEXT,
        "null",
        "Column of the table; the name, if it is not written.",
    )
    .or(Default::FeatureName),
    optional("proc_column", TEXT, "Written by Ludwig; read and ignored.").inert(),
    key(
        "tied",
        OPT_TEXT,
        "null",
        "Name of another input of this type whose encoder is shared.",
    )
    .later("leave it null"),
];
const AS_TRAINED: &[Key] =
    &[optional("active", BOOL, "Written by Ludwig; read and ignored.").inert()];
const OUTPUT: &[Key] = &[
    NAME,
    key(
        "column",
        TEXT,
        "null",
        "Column of the table; the name, if it is not written.",
    )
    .or(Default::FeatureName),
    optional("proc_column", TEXT, "Written by Ludwig; read and ignored.").inert(),
    key(
        "dependencies",
        TEXTS,
        "[]",
        "Other outputs whose last layer this one sees.",
    )
    .later("leave it empty"),
    key(
        "reduce_input",
        super::layers::REDUCE,
        "\"sum\"",
        "How a sequence becomes one vector.",
    )
    .inert(),
    key(
        "reduce_dependencies",
        super::layers::REDUCE,
        "\"sum\"",
        "How sequences of dependencies become one vector.",
    )
    .inert(),
    optional(
        "input_size",
        OPT_SIZE,
        "Written by Ludwig; read and ignored.",
    )
    .inert(),
    optional(
        "num_classes",
        OPT_SIZE,
        "Written by Ludwig; read and ignored.",
    )
    .inert(),
    optional(
        "default_validation_metric",
        TEXT,
        "Written by Ludwig; read and ignored.",
    )
    .inert(),
];

macro_rules! input {
    ($name:literal, $columns:expr, $encoders:expr $(, $extra:expr)?) => {
        variant($name, &[INPUT, &[
            key("preprocessing", Type::Section(&$columns), "{}", "How the column is read and filled."),
            key("encoder", Type::Union(&$encoders), "{}", "What turns the column into numbers."),
            $($extra,)?
        ], AS_TRAINED])
    };
}
const LEAVE: &str = "leave the column out";

/// Input features.
pub(crate) static INPUT_FEATURE: Union = Union {
    tag: "type",
    default: None,
    noun: "an input of type",
    doc: "An input.",
    variants: &[
        input!("number", columns::NUMBER, encoders::NUMBER),
        input!("category", columns::CATEGORY, encoders::CATEGORY),
        input!("binary", columns::BINARY, encoders::BINARY),
        input!("text", columns::TEXT_COLUMN, sequences::TEXT_INPUT),
        input!("date", columns::DATE, encoders::DATE),
        input!("sequence", columns::SEQUENCE, sequences::SEQUENCE_INPUT)
            .later("give the column type text, or leave it out"),
        input!(
            "image",
            media::IMAGE,
            images::IMAGE_INPUT,
            key(
                "augmentation",
                images::AUGMENTATIONS,
                "false",
                "Random changes of images in training."
            )
        )
        .later(LEAVE),
        input!("audio", media::AUDIO, sequences::AUDIO_INPUT).later(LEAVE),
        input!("timeseries", media::TIMESERIES, sequences::TIMESERIES_INPUT)
            .later("write the values as number columns"),
        input!("set", columns::BAG, encoders::SET_INPUT)
            .later("give the column type text, or leave it out"),
        input!("bag", columns::BAG, encoders::BAG_INPUT)
            .later("give the column type text, or leave it out"),
        input!("vector", media::VECTOR, encoders::VECTOR)
            .later("write each element as a number column"),
        input!("h3", media::H3, encoders::H3)
            .later("give the column type category, or leave it out"),
    ],
};

macro_rules! output {
    ($name:literal, $columns:expr, $decoders:expr, $losses:expr $(, $extra:expr)*) => {
        variant($name, &[OUTPUT, &[
            key("preprocessing", Type::Section(&$columns), "{}", "How the column is read."),
            key("decoder", Type::Union(&$decoders), "{}", "What turns the combined inputs into predictions."),
            key("loss", Type::Union(&$losses), "{}", "What training minimises."),
            $($extra,)*
        ], AS_TRAINED])
    };
}
const CALIBRATION: Key = key(
    "calibration",
    BOOL,
    "false",
    "Whether probabilities are calibrated after training.",
)
.later("leave it false");
const THRESHOLD: Key = key(
    "threshold",
    SHARE,
    "0.5",
    "Probability from which true is predicted.",
);
const TARGETS: &str = "binary, category and number targets can be trained";
const BOUNDS: Type = Type::Nullable(&Type::Either(&[
    Type::OneOf(&CLIP),
    Type::Tuple(&[FLOAT, FLOAT]),
]));
const CLIP: Names = Names {
    words: &[],
    ours: &["training_range"],
    later: &[],
};

/// Output features.
pub(crate) static OUTPUT_FEATURE: Union = Union {
    tag: "type",
    default: None,
    noun: "a target of type",
    doc: "A target.",
    variants: &[
        output!(
            "binary",
            columns::BINARY_OUT,
            decoders::BINARY,
            losses::BINARY,
            THRESHOLD,
            CALIBRATION
        ),
        output!(
            "category",
            columns::CATEGORY_OUT,
            decoders::CATEGORY,
            losses::CATEGORY,
            key(
                "top_k",
                SIZE,
                "3",
                "Guesses that count, of the metric hits_at_k."
            )
            .inert(),
            CALIBRATION
        ),
        output!(
            "number",
            columns::NUMBER_OUT,
            decoders::NUMBER,
            losses::NUMBER,
            key(
                "clip",
                BOUNDS,
                "null",
                "Bounds [min, max] on predictions, or training_range."
            )
        ),
        output!(
            "category_distribution",
            columns::CATEGORY_OUT,
            decoders::CATEGORY,
            losses::CATEGORY,
            key(
                "top_k",
                SIZE,
                "3",
                "Guesses that count, of the metric hits_at_k."
            )
            .inert(),
            CALIBRATION
        )
        .later(TARGETS),
        output!(
            "text",
            columns::TEXT_OUT,
            decoders::TEXT_OUT,
            losses::SEQUENCE,
            key(
                "class_similarities",
                Type::Nullable(&Type::Any),
                "null",
                "How like classes are."
            )
        )
        .later(TARGETS),
        output!(
            "sequence",
            columns::SEQUENCE_OUT,
            decoders::SEQUENCE,
            losses::SEQUENCE,
            key(
                "class_similarities",
                Type::Nullable(&Type::Any),
                "null",
                "How like classes are."
            )
        )
        .later(TARGETS),
        output!(
            "set",
            columns::SET_OUT,
            decoders::SET,
            losses::SET,
            THRESHOLD
        )
        .later(TARGETS),
        output!(
            "vector",
            media::VECTOR_OUT,
            decoders::VECTOR,
            losses::VECTOR,
            key("softmax", BOOL, "false", "Whether predictions sum to 1."),
            key("vector_size", OPT_SIZE, "null", "Length of the vectors.")
        )
        .later(TARGETS),
        output!(
            "timeseries",
            media::TIMESERIES_OUT,
            decoders::TIMESERIES,
            losses::TIMESERIES,
            key("horizon", OPT_SIZE, "null", "Steps that are predicted.")
        )
        .later(TARGETS),
        output!("image", media::IMAGE_OUT, decoders::IMAGE, losses::IMAGE).later(TARGETS),
    ],
};

macro_rules! defaults {
    ($static:ident, $columns:expr $(, encoder $encoders:expr)? $(, decoder $decoders:expr, $losses:expr)?) => {
        static $static: Section = Section::of(&[&[
            optional("preprocessing", Type::Section(&$columns), "Preprocessing of every input of this type."),
            $(optional("encoder", Type::Union(&$encoders), "Encoder of every input of this type."),)?
            $(optional("decoder", Type::Union(&$decoders), "Decoder of every output of this type."),
            optional("loss", Type::Union(&$losses), "Loss of every output of this type."),)?
        ]]);
    };
}
defaults!(NUMBER_DEFAULTS, columns::NUMBER, encoder encoders::NUMBER, decoder decoders::NUMBER, losses::NUMBER);
defaults!(CATEGORY_DEFAULTS, columns::CATEGORY, encoder encoders::CATEGORY, decoder decoders::CATEGORY, losses::CATEGORY);
defaults!(BINARY_DEFAULTS, columns::BINARY, encoder encoders::BINARY, decoder decoders::BINARY, losses::BINARY);
defaults!(TEXT_DEFAULTS, columns::TEXT_COLUMN, encoder sequences::TEXT_INPUT, decoder decoders::TEXT_OUT, losses::SEQUENCE);
defaults!(DATE_DEFAULTS, columns::DATE, encoder encoders::DATE);
defaults!(SEQUENCE_DEFAULTS, columns::SEQUENCE, encoder sequences::SEQUENCE_INPUT, decoder decoders::SEQUENCE, losses::SEQUENCE);
defaults!(IMAGE_DEFAULTS, media::IMAGE, encoder images::IMAGE_INPUT, decoder decoders::IMAGE, losses::IMAGE);
defaults!(AUDIO_DEFAULTS, media::AUDIO, encoder sequences::AUDIO_INPUT);
defaults!(TIMESERIES_DEFAULTS, media::TIMESERIES, encoder sequences::TIMESERIES_INPUT, decoder decoders::TIMESERIES, losses::TIMESERIES);
defaults!(SET_DEFAULTS, columns::BAG, encoder encoders::SET_INPUT, decoder decoders::SET, losses::SET);
defaults!(BAG_DEFAULTS, columns::BAG, encoder encoders::BAG_INPUT);
defaults!(VECTOR_DEFAULTS, media::VECTOR, encoder encoders::VECTOR, decoder decoders::VECTOR, losses::VECTOR);
defaults!(H3_DEFAULTS, media::H3, encoder encoders::H3);

/// What every feature of a type takes, unless it says otherwise.
pub(crate) static DEFAULTS: Section = Section::of(&[&[
    optional(
        "number",
        Type::Section(&NUMBER_DEFAULTS),
        "Defaults of number features.",
    ),
    optional(
        "category",
        Type::Section(&CATEGORY_DEFAULTS),
        "Defaults of category features.",
    ),
    optional(
        "binary",
        Type::Section(&BINARY_DEFAULTS),
        "Defaults of binary features.",
    ),
    optional(
        "text",
        Type::Section(&TEXT_DEFAULTS),
        "Defaults of text features.",
    ),
    optional(
        "date",
        Type::Section(&DATE_DEFAULTS),
        "Defaults of date features.",
    ),
    optional(
        "sequence",
        Type::Section(&SEQUENCE_DEFAULTS),
        "Defaults of sequence features.",
    ),
    optional(
        "image",
        Type::Section(&IMAGE_DEFAULTS),
        "Defaults of image features.",
    ),
    optional(
        "audio",
        Type::Section(&AUDIO_DEFAULTS),
        "Defaults of audio features.",
    ),
    optional(
        "timeseries",
        Type::Section(&TIMESERIES_DEFAULTS),
        "Defaults of timeseries features.",
    ),
    optional(
        "set",
        Type::Section(&SET_DEFAULTS),
        "Defaults of set features.",
    ),
    optional(
        "bag",
        Type::Section(&BAG_DEFAULTS),
        "Defaults of bag features.",
    ),
    optional(
        "vector",
        Type::Section(&VECTOR_DEFAULTS),
        "Defaults of vector features.",
    ),
    optional(
        "h3",
        Type::Section(&H3_DEFAULTS),
        "Defaults of h3 features.",
    ),
]]);

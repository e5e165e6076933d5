//! Decoders of output features.

use super::layers::{ACTIVATION, DECODER_FC, INITIALIZER, PROJECTION};
use super::types::{
    BOOL, COUNT, Key, Names, OPT_SIZE, OPT_TEXT, SHARE, SIZE, TEXT, Type, Union, Variant, key,
    optional, required, variant,
};

macro_rules! decoders {
    ($name:ident, $noun:literal, $default:literal, $variants:expr) => {
        pub(crate) static $name: Union = Union {
            tag: "type",
            default: Some($default),
            noun: concat!($noun, " decoder"),
            doc: "What turns the combined inputs into predictions.",
            variants: $variants,
        };
    };
}

const SIZES: &[Key] = &[
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
];
const LATER: &str = "use the default decoder with num_fc_layers";
const MLP: Variant = variant("mlp_classifier", &[DECODER_FC, PROJECTION, SIZES])
    .since("0.17")
    .later(LATER);
const REGRESSOR: Variant = variant("regressor", &[DECODER_FC, PROJECTION, SIZES]);
const CLASSIFIER: Variant = variant("classifier", &[DECODER_FC, PROJECTION, SIZES]);

decoders!(BINARY, "binary", "regressor", &[REGRESSOR, MLP]);
decoders!(CATEGORY, "category", "classifier", &[CLASSIFIER, MLP]);
decoders!(NUMBER, "number", "regressor", &[REGRESSOR]);

const OTHER: &str = "binary, category and number targets can be trained";
const STEPS: &[Key] = &[
    key(
        "vocab_size",
        OPT_SIZE,
        "null",
        "Words that can be predicted.",
    ),
    key(
        "max_sequence_length",
        OPT_SIZE,
        "null",
        "Most words that are predicted.",
    ),
];
const GENERATOR: Variant = variant(
    "generator",
    &[
        DECODER_FC,
        STEPS,
        &[
            key(
                "cell_type",
                Type::OneOf(&Names::of(&["rnn", "lstm", "gru"])),
                "\"gru\"",
                "Kind of cell.",
            ),
            key("input_size", SIZE, "256", "Units of the input."),
            key(
                "reduce_input",
                super::layers::REDUCE,
                "\"sum\"",
                "How a sequence becomes one vector.",
            ),
            key("num_layers", SIZE, "1", "Layers of cells."),
        ],
    ],
)
.later(OTHER);
const TAGGER: Variant = variant(
    "tagger",
    &[
        DECODER_FC,
        STEPS,
        &[
            key(
                "use_attention",
                BOOL,
                "false",
                "Whether words see each other.",
            ),
            key(
                "use_bias",
                BOOL,
                "true",
                "Whether the projection has a bias.",
            ),
            key(
                "attention_embedding_size",
                SIZE,
                "256",
                "Units of the attention.",
            ),
            key("attention_num_heads", SIZE, "8", "Heads of the attention."),
        ],
    ],
)
.later(OTHER);
decoders!(SEQUENCE, "sequence", "generator", &[GENERATOR, TAGGER]);
decoders!(
    TEXT_OUT,
    "text",
    "generator",
    &[GENERATOR, TAGGER, TEXT_EXTRACTOR, CATEGORY_EXTRACTOR]
);

const EXTRACTOR: &[Key] = &[
    key(
        "tokenizer",
        TEXT,
        "\"hf_tokenizer\"",
        "How the answer is cut into words.",
    ),
    key(
        "pretrained_model_name_or_path",
        OPT_TEXT,
        "null",
        "Model whose tokenizer is used.",
    ),
    key(
        "vocab_file",
        OPT_TEXT,
        "null",
        "File with the words that are kept.",
    ),
    key(
        "max_new_tokens",
        OPT_SIZE,
        "null",
        "Most words of an answer.",
    ),
    key(
        "input_size",
        OPT_SIZE,
        "null",
        "Written by Ludwig; read and ignored.",
    )
    .inert(),
];
const TEXT_EXTRACTOR: Variant = variant("text_extractor", &[EXTRACTOR]).later(OTHER);
static MATCH: Union = Union {
    tag: "type",
    default: None,
    noun: "match",
    doc: "How an answer is taken for a label.",
    variants: &[
        variant(
            "contains",
            &[&[required("value", TEXT, "Text that the answer contains.")]],
        ),
        variant(
            "regex",
            &[&[required("value", TEXT, "Pattern that the answer matches.")]],
        ),
    ],
};
const MATCHES: Type = Type::MapOf(&Type::Union(&MATCH));
const CATEGORY_EXTRACTOR: Variant = variant(
    "category_extractor",
    &[
        EXTRACTOR,
        &[
            key(
                "match",
                MATCHES,
                "{}",
                "Label -> how an answer is taken for it.",
            ),
            key(
                "fallback_label",
                OPT_TEXT,
                "null",
                "Label of an answer that nothing matches.",
            ),
            key(
                "str2idx",
                Type::Nullable(&Type::AnyMap),
                "null",
                "Written by Ludwig; read and ignored.",
            )
            .inert(),
        ],
    ],
)
.later(OTHER);
decoders!(
    LLM_CATEGORY,
    "category",
    "category_extractor",
    &[CATEGORY_EXTRACTOR, CLASSIFIER]
);
decoders!(
    LLM_TEXT,
    "text",
    "text_extractor",
    &[TEXT_EXTRACTOR, GENERATOR]
);

const PROJECTOR: Variant = variant(
    "projector",
    &[
        DECODER_FC,
        PROJECTION,
        SIZES,
        &[
            key(
                "activation",
                ACTIVATION,
                "null",
                "Function after the projection.",
            ),
            key(
                "multiplier",
                Type::Float {
                    min: f64::MIN,
                    max: f64::MAX,
                    open: false,
                },
                "1.0",
                "Factor on the output.",
            ),
            key(
                "clip",
                Type::Nullable(&Type::Any),
                "null",
                "Bounds on predictions.",
            ),
            key("output_size", OPT_SIZE, "null", "Length of the prediction."),
        ],
    ],
)
.later(OTHER);
decoders!(SET, "set", "classifier", &[CLASSIFIER.later(OTHER)]);
decoders!(VECTOR, "vector", "projector", &[PROJECTOR]);
decoders!(TIMESERIES, "timeseries", "projector", &[PROJECTOR]);

const PICTURE: &[Key] = &[
    key("height", OPT_SIZE, "null", "Height in pixels."),
    key("width", OPT_SIZE, "null", "Width in pixels."),
    key("num_channels", OPT_SIZE, "null", "Colour channels."),
    key("num_classes", OPT_SIZE, "null", "Classes of a mask."),
    key(
        "conv_norm",
        super::layers::NORM,
        "\"batch\"",
        "Normalisation of convolutions.",
    ),
    key(
        "fc_dropout",
        SHARE,
        "0.0",
        "Dropout of fully connected layers.",
    ),
    key("num_fc_layers", COUNT, "0", "Fully connected layers."),
    key(
        "weights_initializer",
        INITIALIZER,
        "\"xavier_uniform\"",
        "How weights begin.",
    ),
];
decoders!(
    IMAGE,
    "image",
    "unet",
    &[
        variant("unet", &[PICTURE]).later(OTHER),
        variant("fpn", &[PICTURE]).since("0.17").later(OTHER),
        variant("segformer", &[PICTURE]).since("0.17").later(OTHER),
    ]
);

//! Encoders of text, sequence, audio and timeseries inputs.

use super::attention::BLOCKS;
use super::encoders::{RNN_CELL, encoders};
use super::layers::{DENSE, EMBEDDING, ENCODER, FC, INITIALIZERS, REDUCE};
use super::pretrained::{ANY_MODEL, HF, model};
use super::types::{
    BOOL, COUNT, Key, Names, OPT_SIZE, OPT_TEXT, SHARE, SIZE, TEXT, Type, Variant, key, variant,
};

const TEXT_LATER: &str = "use tf_idf";
const OTHER_LATER: &str = "give the column type text with encoder tf_idf, or leave it out";

const REPRESENTATION: Key = key(
    "representation",
    Type::OneOf(&Names::of(&["dense", "sparse"])),
    "\"dense\"",
    "Learned vectors, or 0 and 1.",
);
const SUM: Key = key(
    "reduce_output",
    REDUCE,
    "\"sum\"",
    "How the words become one vector.",
);
const WORDS: &[Key] = &[
    key(
        "embedding_size",
        SIZE,
        "256",
        "Length of the learned vector of each word.",
    ),
    REPRESENTATION,
    key(
        "should_embed",
        BOOL,
        "true",
        "Whether the input is words, not vectors.",
    )
    .inert(),
    key(
        "max_sequence_length",
        OPT_SIZE,
        "null",
        "Words that are used.",
    )
    .inert(),
    key(
        "vocab",
        Type::Nullable(&Type::List { of: &TEXT, min: 0 }),
        "null",
        "Written by Ludwig; read and ignored.",
    )
    .inert(),
    SUM,
];
const LAYER: Type = Type::Nullable(&Type::List {
    of: &Type::AnyMap,
    min: 0,
});
const CONV: &[Key] = &[
    key("conv_layers", LAYER, "null", "Convolutions one by one."),
    key("num_conv_layers", OPT_SIZE, "null", "Convolutions."),
    key("num_filters", SIZE, "256", "Filters of each convolution."),
    key("filter_size", SIZE, "3", "Words that a filter sees."),
    key(
        "pool_function",
        Type::OneOf(&Names::of(&["max", "avg", "average", "mean"])),
        "\"max\"",
        "How neighbours are pooled.",
    ),
    key("pool_size", OPT_SIZE, "null", "Neighbours that are pooled."),
];
const STRIDES: &[Key] = &[
    key("strides", SIZE, "1", "Step of a filter."),
    key(
        "padding",
        Type::OneOf(&Names::of(&["valid", "same"])),
        "\"same\"",
        "Whether the ends are padded.",
    ),
    key(
        "dilation_rate",
        SIZE,
        "1",
        "Distance of the words that a filter sees.",
    ),
    key("pool_strides", OPT_SIZE, "null", "Step of the pooling."),
    key(
        "pool_padding",
        Type::OneOf(&Names::of(&["valid", "same"])),
        "\"same\"",
        "Whether the ends are padded.",
    ),
];
const FC_LATER: &[Key] = &[key(
    "num_fc_layers",
    OPT_COUNT,
    "null",
    "Fully connected layers at the end.",
)];
const OPT_COUNT: Type = Type::Nullable(&COUNT);
const STACKS: &[Key] = &[
    key(
        "stacked_layers",
        Type::Nullable(&Type::List {
            of: &Type::Any,
            min: 0,
        }),
        "null",
        "Stacks of convolutions.",
    ),
    key("num_stacked_layers", OPT_SIZE, "null", "Number of stacks."),
];
const RNN: &[Key] = &[
    key("state_size", SIZE, "256", "Units of the state."),
    key(
        "reduce_output",
        REDUCE,
        "\"last\"",
        "How the words become one vector.",
    ),
];
const ATTENTION: &[Key] = &[key(
    "reduce_output",
    REDUCE,
    "\"last\"",
    "How the words become one vector.",
)];

const EMBED: Variant = variant(
    "embed",
    &[
        ENCODER,
        EMBEDDING,
        WORDS,
        &[key("dropout", SHARE, "0.0", "Dropout on the vectors.")],
    ],
);
const PARALLEL_CNN: Variant = variant(
    "parallel_cnn",
    &[ENCODER, INITIALIZERS, FC, EMBEDDING, WORDS, CONV, FC_LATER],
);
const STACKED_CNN: Variant = variant(
    "stacked_cnn",
    &[
        ENCODER,
        INITIALIZERS,
        FC,
        EMBEDDING,
        WORDS,
        CONV,
        STRIDES,
        FC_LATER,
    ],
);
const STACKED_PARALLEL_CNN: Variant = variant(
    "stacked_parallel_cnn",
    &[
        ENCODER,
        INITIALIZERS,
        FC,
        EMBEDDING,
        WORDS,
        CONV,
        STACKS,
        FC_LATER,
    ],
);
const RNN_ENCODER: Variant = variant(
    "rnn",
    &[
        ENCODER,
        INITIALIZERS,
        FC,
        EMBEDDING,
        WORDS,
        RNN_CELL,
        RNN,
        FC_RNN,
    ],
);
const CNNRNN: Variant = variant(
    "cnnrnn",
    &[
        ENCODER,
        INITIALIZERS,
        FC,
        EMBEDDING,
        WORDS,
        CONV,
        STRIDES,
        RNN_CELL,
        RNN,
        FC_RNN,
    ],
);
const TRANSFORMER: Variant = variant(
    "transformer",
    &[
        ENCODER,
        INITIALIZERS,
        FC,
        EMBEDDING,
        WORDS,
        BLOCKS,
        ATTENTION,
        FC_RNN,
    ],
);
const FC_RNN: &[Key] = &[
    key(
        "fc_activation",
        super::layers::ACTIVATION,
        "\"relu\"",
        "Function after each fully connected layer.",
    ),
    key(
        "fc_dropout",
        SHARE,
        "0.0",
        "Dropout after each fully connected layer.",
    ),
];

/// Hashed TF-IDF: the text encoder that runs.
const TF_IDF: &[Key] = &[
    key(
        "n_features",
        Type::Int {
            min: 2,
            max: 1 << 24,
        },
        "16384",
        "Slots that terms are hashed into, a power of two. Fewer are faster and collide more.",
    )
    .ours(),
    key(
        "output_size",
        SIZE,
        "64",
        "Length of the dense vector that the text becomes.",
    )
    .ours(),
    key(
        "ngrams",
        Type::Int { min: 1, max: 2 },
        "2",
        "Longest run of words that counts as a term: 1 or 2.",
    )
    .ours(),
    key(
        "char_ngrams",
        BOOL,
        "false",
        "Whether runs of three to five characters count too: for codes, names and typing errors.",
    )
    .ours(),
    key(
        "word_dropout",
        SHARE,
        "0.0",
        "Share of a row's terms left out in training, others each time: against learning rows by heart.",
    )
    .ours(),
    key(
        "direct",
        BOOL,
        "false",
        "Whether each term also has a weight of its own for the output, past the combiner: a linear model beside the network.",
    )
    .ours(),
    key(
        "max_sequence_length",
        OPT_SIZE,
        "null",
        "Of no use here: all words count.",
    )
    .inert(),
    key(
        "vocab",
        Type::Nullable(&Type::List { of: &TEXT, min: 0 }),
        "null",
        "Written by Ludwig; read and ignored.",
    )
    .inert(),
];

/// A pretrained model.
const fn pretrained(name: &'static str, keys: &'static [&'static [Key]]) -> Variant {
    variant(name, keys).later(TEXT_LATER)
}

encoders!(
    TEXT_INPUT,
    "text",
    "parallel_cnn",
    &[
        PARALLEL_CNN.later(TEXT_LATER),
        EMBED.later(TEXT_LATER),
        STACKED_CNN.later(TEXT_LATER),
        STACKED_PARALLEL_CNN.later(TEXT_LATER),
        RNN_ENCODER.later(TEXT_LATER),
        CNNRNN.later(TEXT_LATER),
        TRANSFORMER.later(TEXT_LATER),
        variant("tf_idf", &[ENCODER, TF_IDF]),
        variant(
            "llm",
            &[
                ENCODER,
                HF,
                &[key("base_model", OPT_TEXT, "null", "Name of the model.")]
            ]
        )
        .later(TEXT_LATER),
        pretrained("bert", &[ENCODER, HF, &[model("\"bert-base-uncased\"")]]),
        pretrained("albert", &[ENCODER, HF, &[model("\"albert-base-v2\"")]]),
        pretrained(
            "distilbert",
            &[ENCODER, HF, &[model("\"distilbert-base-uncased\"")]]
        ),
        pretrained("roberta", &[ENCODER, HF, &[model("\"roberta-base\"")]]),
        pretrained(
            "deberta",
            &[
                ENCODER,
                HF,
                &[model("\"sileod/deberta-v3-base-tasksource-nli\"")]
            ]
        ),
        pretrained(
            "electra",
            &[
                ENCODER,
                HF,
                &[model("\"google/electra-small-discriminator\"")]
            ]
        ),
        pretrained("xlnet", &[ENCODER, HF, &[model("\"xlnet-base-cased\"")]]),
        pretrained(
            "xlmroberta",
            &[ENCODER, HF, &[model("\"xlm-roberta-base\"")]]
        ),
        pretrained("camembert", &[ENCODER, HF, &[model("\"camembert-base\"")]]),
        pretrained(
            "flaubert",
            &[ENCODER, HF, &[model("\"flaubert/flaubert_small_cased\"")]]
        ),
        pretrained("gpt", &[ENCODER, HF, &[model("\"openai-gpt\"")]]),
        pretrained("gpt2", &[ENCODER, HF, &[model("\"gpt2\"")]]),
        pretrained("t5", &[ENCODER, HF, &[model("\"t5-small\"")]]),
        pretrained(
            "longformer",
            &[ENCODER, HF, &[model("\"allenai/longformer-base-4096\"")]]
        ),
        pretrained(
            "transformer_xl",
            &[ENCODER, HF, &[model("\"transfo-xl-wt103\"")]]
        ),
        pretrained("auto_transformer", &[ENCODER, HF, &[ANY_MODEL]]),
    ]
);
encoders!(
    SEQUENCE_INPUT,
    "sequence",
    "embed",
    &[
        EMBED.later(OTHER_LATER),
        PARALLEL_CNN.later(OTHER_LATER),
        STACKED_CNN.later(OTHER_LATER),
        STACKED_PARALLEL_CNN.later(OTHER_LATER),
        RNN_ENCODER.later(OTHER_LATER),
        CNNRNN.later(OTHER_LATER),
        TRANSFORMER.later(OTHER_LATER),
        variant("passthrough", &[ENCODER, WORDS]).later(OTHER_LATER),
    ]
);
const AUDIO_LATER: &str = "leave the column out, or give it as numbers";
encoders!(
    AUDIO_INPUT,
    "audio",
    "parallel_cnn",
    &[
        PARALLEL_CNN.later(AUDIO_LATER),
        STACKED_CNN.later(AUDIO_LATER),
        STACKED_PARALLEL_CNN.later(AUDIO_LATER),
        RNN_ENCODER.later(AUDIO_LATER),
        CNNRNN.later(AUDIO_LATER),
        variant("passthrough", &[ENCODER, WORDS]).later(AUDIO_LATER),
    ]
);
encoders!(
    TIMESERIES_INPUT,
    "timeseries",
    "parallel_cnn",
    &[
        PARALLEL_CNN.later(AUDIO_LATER),
        STACKED_CNN.later(AUDIO_LATER),
        STACKED_PARALLEL_CNN.later(AUDIO_LATER),
        RNN_ENCODER.later(AUDIO_LATER),
        CNNRNN.later(AUDIO_LATER),
        TRANSFORMER.later(AUDIO_LATER),
        variant("passthrough", &[ENCODER, WORDS]).later(AUDIO_LATER),
        variant("dense", &[ENCODER, INITIALIZERS, DENSE]).later(AUDIO_LATER),
    ]
);

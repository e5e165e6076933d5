//! Losses of output features.

use super::types::{
    AMOUNT, BOOL, Key, OPT_POSITIVE, POSITIVE, SHARE, Type, Union, Variant, key, variant,
};

macro_rules! losses {
    ($name:ident, $noun:literal, $default:literal, $variants:expr) => {
        pub(crate) static $name: Union = Union {
            tag: "type",
            default: Some($default),
            noun: concat!($noun, " loss"),
            doc: "What training minimises.",
            variants: $variants,
        };
    };
}

const WEIGHT: &[Key] = &[key(
    "weight",
    AMOUNT,
    "1.0",
    "Weight beside the losses of other outputs.",
)
.inert()];
const NOISE: &[Key] = &[
    key(
        "robust_lambda",
        AMOUNT,
        "0",
        "Share of a uniform loss, against wrong labels.",
    )
    .later("use label_smoothing"),
    key(
        "confidence_penalty",
        AMOUNT,
        "0",
        "Penalty on sure predictions.",
    )
    .later("use label_smoothing"),
];
const SMOOTHING: &[Key] = &[key(
    "label_smoothing",
    SHARE,
    "0.0",
    "Share of the target that is spread over all classes. Helps accuracy, harms probabilities.",
)
.ours()];
const CLASS_WEIGHTS: Type = Type::Nullable(&Type::Either(&[
    Type::List {
        of: &AMOUNT,
        min: 1,
    },
    Type::MapOf(&AMOUNT),
]));
const BY_CLASS: Key = key(
    "class_weights",
    CLASS_WEIGHTS,
    "null",
    "Weight of each class, as a list in sorted order or a map from class to weight.",
);
const CLASSES: &[Key] = &[
    BY_CLASS,
    key(
        "class_similarities",
        Type::Nullable(&Type::Any),
        "null",
        "How like classes are.",
    )
    .later("leave it null"),
    key(
        "class_similarities_temperature",
        AMOUNT,
        "0",
        "How much the likeness counts.",
    )
    .later("leave it 0"),
];
const SOFTMAX: Variant = variant(
    "softmax_cross_entropy",
    &[WEIGHT, CLASSES, NOISE, SMOOTHING],
);
const BINARY_CROSS_ENTROPY: Variant = variant(
    "binary_weighted_cross_entropy",
    &[
        WEIGHT,
        &[key(
            "positive_class_weight",
            OPT_POSITIVE,
            "null",
            "Weight of the rows of the positive class.",
        )],
        NOISE,
        SMOOTHING,
    ],
);
const OTHER_NUMBER: &str = "use mean_squared_error";

const MSE: Variant = variant("mean_squared_error", &[WEIGHT]);
const MAE: Variant = variant("mean_absolute_error", &[WEIGHT]);
const MAPE: Variant = variant("mean_absolute_percentage_error", &[WEIGHT]);
const HUBER: Variant = variant(
    "huber",
    &[
        WEIGHT,
        &[key(
            "delta",
            POSITIVE,
            "1.0",
            "Error beyond which the loss grows linearly.",
        )],
    ],
);
const OTHER: &str = "binary, category and number targets can be trained";

losses!(
    BINARY,
    "binary",
    "binary_weighted_cross_entropy",
    &[BINARY_CROSS_ENTROPY]
);
losses!(
    CATEGORY,
    "category",
    "softmax_cross_entropy",
    &[
        SOFTMAX,
        variant("corn", &[WEIGHT]).later("use softmax_cross_entropy"),
    ]
);
losses!(
    NUMBER,
    "number",
    "mean_squared_error",
    &[
        MSE,
        MAE,
        MAPE,
        variant("root_mean_squared_error", &[WEIGHT]),
        variant("root_mean_squared_percentage_error", &[WEIGHT]),
        HUBER,
        variant(
            "quantile",
            &[WEIGHT, &[key("quantile", SHARE, "0.5", "The quantile.")]]
        )
        .since("0.17")
        .later(OTHER_NUMBER),
    ]
);
losses!(
    SEQUENCE,
    "sequence",
    "sequence_softmax_cross_entropy",
    &[
        variant(
            "sequence_softmax_cross_entropy",
            &[
                WEIGHT,
                CLASSES,
                NOISE,
                &[key(
                    "unique",
                    BOOL,
                    "false",
                    "Whether each word counts once."
                )]
            ]
        ),
        variant(
            "next_token_softmax_cross_entropy",
            &[
                WEIGHT,
                CLASSES,
                NOISE,
                &[key(
                    "unique",
                    BOOL,
                    "false",
                    "Whether each word counts once."
                )]
            ]
        ),
    ]
);
losses!(
    SET,
    "set",
    "sigmoid_cross_entropy",
    &[variant("sigmoid_cross_entropy", &[WEIGHT, &[BY_CLASS]]).later(OTHER),]
);
losses!(
    VECTOR,
    "vector",
    "mean_squared_error",
    &[MSE, MAE, MAPE, HUBER, SOFTMAX]
);
losses!(TIMESERIES, "timeseries", "huber", &[HUBER, MSE, MAE, MAPE]);
losses!(IMAGE, "image", "softmax_cross_entropy", &[SOFTMAX]);

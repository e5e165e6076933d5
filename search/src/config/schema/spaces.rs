//! Spaces of the search: a union by `space`.

use super::types::{FLOAT, Key, POSITIVE, Type, Union, key, optional, required, variant};

const INT: Type = Type::Int {
    min: i64::MIN,
    max: i64::MAX,
};
const BASE: Key = key(
    "base",
    POSITIVE,
    "10",
    "Base of the logarithm; it does not change what is drawn.",
);
const RANGE: &[Key] = &[
    required("lower", FLOAT, "Least value."),
    required("upper", FLOAT, "Greatest value."),
];
const INT_RANGE: &[Key] = &[
    required("lower", INT, "Least value."),
    required("upper", INT, "First value that is too large: never drawn."),
];
const STEP: &[Key] = &[required(
    "q",
    POSITIVE,
    "Values are rounded to multiples of this.",
)];
const NORMAL: &[Key] = &[
    key("mean", FLOAT, "0.0", "Middle of the values."),
    key("sd", POSITIVE, "1.0", "Standard deviation of the values."),
];
const LIST: Type = Type::List {
    of: &Type::Any,
    min: 1,
};

const WHEN: &[Key] = &[optional(
    "when",
    Type::AnyMap,
    "Values of other searched parameters, listed before it, beside which this one exists: {combiner.type: [tabnet]}.",
)
.ours()];

pub(crate) static SPACE: Union = Union {
    tag: "space",
    default: None,
    noun: "space",
    doc: "The values that one parameter may take.",
    variants: &[
        variant(
            "choice",
            &[
                &[required(
                    "categories",
                    LIST,
                    "The values, all equally likely.",
                )],
                WHEN,
            ],
        ),
        variant(
            "grid_search",
            &[
                &[required(
                    "values",
                    LIST,
                    "The values, each of which is tried.",
                )],
                WHEN,
            ],
        ),
        variant("uniform", &[RANGE, WHEN]),
        variant("quniform", &[RANGE, STEP, WHEN]),
        variant("loguniform", &[RANGE, &[BASE], WHEN]),
        variant("qloguniform", &[RANGE, STEP, &[BASE], WHEN]),
        variant("randn", &[NORMAL, WHEN]),
        variant("qrandn", &[NORMAL, STEP, WHEN]),
        variant("randint", &[INT_RANGE, WHEN]),
        variant("qrandint", &[INT_RANGE, STEP, WHEN]),
        variant("lograndint", &[INT_RANGE, &[BASE], WHEN]),
        variant("qlograndint", &[INT_RANGE, STEP, &[BASE], WHEN]),
    ],
};

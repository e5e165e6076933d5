//! Optimizers with their parameters, named and defaulted as in PyTorch.

use super::types::{AMOUNT, BOOL, Key, POSITIVE, SHARE, SIZE, Type, Union, Variant, key, variant};

const BETAS: Type = Type::Tuple(&[SHARE, SHARE]);
const DECAY: Key = key(
    "weight_decay",
    AMOUNT,
    "0.0",
    "Pull of all weights to 0. More resists overfitting.",
);
const EPS: Key = key(
    "eps",
    POSITIVE,
    "1e-8",
    "Added to the denominator; more damps steps of rarely seen weights.",
);
const BETA: Key = key(
    "betas",
    BETAS,
    "[0.9, 0.999]",
    "Memory of the mean and of the square of gradients.",
);
const AMSGRAD: Key = key(
    "amsgrad",
    BOOL,
    "false",
    "Whether the largest square so far counts.",
);

const SGD: &[Key] = &[
    DECAY,
    key(
        "momentum",
        AMOUNT,
        "0.0",
        "Share of the last step that is repeated.",
    ),
    key(
        "dampening",
        AMOUNT,
        "0.0",
        "Share of the gradient that momentum takes away.",
    ),
    key(
        "nesterov",
        BOOL,
        "false",
        "Whether the gradient is that after the momentum step.",
    ),
];
const LBFGS: &[Key] = &[
    key("max_iter", SIZE, "20", "Iterations of a step."),
    key(
        "max_eval",
        Type::Nullable(&SIZE),
        "null",
        "Evaluations of a step.",
    ),
    key(
        "tolerance_grad",
        POSITIVE,
        "1e-7",
        "Gradient that ends a step.",
    ),
    key(
        "tolerance_change",
        POSITIVE,
        "1e-9",
        "Change that ends a step.",
    ),
    key("history_size", SIZE, "100", "Steps remembered."),
    key(
        "line_search_fn",
        Type::Nullable(&Type::Text),
        "null",
        "strong_wolfe or null.",
    ),
];
const ADAM: &[Key] = &[BETA, EPS, DECAY, AMSGRAD];
const ADAMW: &[Key] = &[BETA, EPS, DECAY, AMSGRAD];
const ADADELTA: &[Key] = &[
    key("rho", SHARE, "0.9", "Memory of squares."),
    key("eps", POSITIVE, "1e-6", "Added to the denominator."),
    DECAY,
];
const ADAGRAD: &[Key] = &[
    key(
        "initial_accumulator_value",
        AMOUNT,
        "0",
        "Where sums of squares begin.",
    ),
    key(
        "lr_decay",
        AMOUNT,
        "0.0",
        "Decay of the learning rate a step.",
    ),
    DECAY,
    key("eps", POSITIVE, "1e-10", "Added to the denominator."),
];
const ADAMAX: &[Key] = &[BETA, EPS, DECAY];
const NADAM: &[Key] = &[
    BETA,
    EPS,
    DECAY,
    key("momentum_decay", AMOUNT, "0.004", "Decay of the momentum."),
];
const RMSPROP: &[Key] = &[
    key(
        "momentum",
        AMOUNT,
        "0.0",
        "Share of the last step that is repeated.",
    ),
    key("alpha", SHARE, "0.99", "Memory of squares."),
    EPS,
    key(
        "centered",
        BOOL,
        "false",
        "Whether squares are taken around the mean.",
    ),
    DECAY,
];
const LATER: &str = "use adam or adamw";
const BITS: &[Key] = &[
    key(
        "percentile_clipping",
        Type::Int { min: 1, max: 100 },
        "100",
        "Percentile of past norms that gradients are clipped to.",
    ),
    key(
        "block_wise",
        BOOL,
        "true",
        "Whether states are quantised block by block.",
    ),
];

const fn bits(name: &'static str, keys: &'static [&'static [Key]]) -> Variant {
    variant(name, keys).later(LATER)
}

pub(crate) static OPTIMIZER: Union = Union {
    tag: "type",
    default: Some("adam"),
    noun: "optimizer",
    doc: "What moves the weights.",
    variants: &[
        variant("adam", &[ADAM]),
        variant("adamw", &[ADAMW]),
        variant("sgd", &[SGD]),
        variant("nadam", &[NADAM]),
        variant("rmsprop", &[RMSPROP]),
        variant("adagrad", &[ADAGRAD]),
        variant("adadelta", &[ADADELTA]),
        variant("adamax", &[ADAMAX]),
        variant("lbfgs", &[LBFGS]).later(LATER),
        bits("adam_8bit", &[ADAM, BITS]),
        bits("paged_adam", &[ADAM, BITS]),
        bits("paged_adam_8bit", &[ADAM, BITS]),
        bits("adamw_8bit", &[ADAMW, BITS]),
        bits("paged_adamw", &[ADAMW, BITS]),
        bits("paged_adamw_8bit", &[ADAMW, BITS]),
        bits("sgd_8bit", &[SGD, BITS]),
        bits("adagrad_8bit", &[ADAGRAD, BITS]),
        bits("rmsprop_8bit", &[RMSPROP, BITS]),
        bits("lamb", &[ADAM, BITS]),
        bits("lamb_8bit", &[ADAM, BITS]),
        bits("lars", &[SGD, BITS]),
        bits("lars_8bit", &[SGD, BITS]),
        bits("lion", &[&[BETA, DECAY], BITS]),
        bits("lion_8bit", &[&[BETA, DECAY], BITS]),
        bits("paged_lion", &[&[BETA, DECAY], BITS]),
        bits("paged_lion_8bit", &[&[BETA, DECAY], BITS]),
        variant("adafactor", &[&[DECAY]]).since("0.17").later(LATER),
        variant("muon", &[&[DECAY]]).since("0.17").later(LATER),
        variant("radam", &[ADAMAX]).since("0.17").later(LATER),
        variant("schedule_free_adamw", &[ADAMAX])
            .since("0.17")
            .later(LATER),
    ],
};

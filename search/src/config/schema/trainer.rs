//! The `trainer` section of networks and of the linear baseline, and the learning rate schedule.

use super::optimizers::OPTIMIZER;
use super::types::{
    AMOUNT, BOOL, COUNT, Default, Key, Names, OPT_POSITIVE, OPT_SIZE, OPT_TEXT, POSITIVE, SHARE,
    SIZE, Section, TEXT, Type, key,
};

const AUTO: Type = Type::OneOf(&Names::of(&["auto"]));
const AUTO_SIZE: Type = Type::Either(&[SIZE, AUTO]);
const DECAYS: Names = Names {
    words: &["linear", "exponential", "cosine"],
    ours: &["coslog4"],
    later: &["one_cycle", "inverse_sqrt", "polynomial", "wsd"],
};
const SPLITS: Type = Type::OneOf(&Names::of(&["training", "validation", "test"]));
const PLATEAU: &str = "use decay in place of plateaus";

pub(crate) static SCHEDULER: Section = Section::of(&[&[
    key(
        "decay",
        Type::Nullable(&Type::OneOf(&DECAYS)),
        "null",
        "Shape of the learning rate over training: linear, exponential, cosine, coslog4; null: constant.",
    ),
    key(
        "decay_rate",
        POSITIVE,
        "0.96",
        "Factor of one exponential decay.",
    ),
    key(
        "decay_steps",
        SIZE,
        "10000",
        "Training steps of one exponential decay.",
    ),
    key(
        "staircase",
        BOOL,
        "false",
        "Whether exponential decay goes by whole steps of decay.",
    ),
    key(
        "warmup_fraction",
        SHARE,
        "0.0",
        "Share of training over which the rate climbs from 0.",
    ),
    key(
        "warmup_evaluations",
        COUNT,
        "0",
        "Epochs over which the rate climbs from 0.",
    )
    .later("use warmup_fraction"),
    key(
        "reduce_on_plateau",
        COUNT,
        "0",
        "How often the rate is cut when the score stands still.",
    )
    .later(PLATEAU),
    key(
        "reduce_on_plateau_patience",
        COUNT,
        "10",
        "Evaluations without improvement before a cut.",
    )
    .inert(),
    key("reduce_on_plateau_rate", AMOUNT, "0.1", "Factor of a cut.").inert(),
    key("reduce_eval_metric", TEXT, "\"loss\"", "What stands still.").inert(),
    key(
        "reduce_eval_split",
        SPLITS,
        "\"training\"",
        "Part on which it is measured.",
    )
    .inert(),
    key(
        "t_0",
        OPT_SIZE,
        "null",
        "Epochs of the first cosine wave; null: one half wave over all of training.",
    ),
    key("t_mult", SIZE, "1", "Growth of the length of cosine waves."),
    key("eta_min", AMOUNT, "0", "Least learning rate of the cosine."),
]]);

static CLIPPING: Section = Section::of(&[&[
    key(
        "clipglobalnorm",
        OPT_POSITIVE,
        "0.5",
        "Bound on the norm of all gradients together; null: none.",
    ),
    key(
        "clipnorm",
        OPT_POSITIVE,
        "null",
        "Bound on the norm of each gradient.",
    ),
    key(
        "clipvalue",
        OPT_POSITIVE,
        "null",
        "Bound on each value of the gradients.",
    ),
]]);
static PROFILER: Section = Section::of(&[&[
    key("wait", COUNT, "1", "Steps before."),
    key("warmup", COUNT, "1", "Steps not counted."),
    key("active", COUNT, "3", "Steps measured."),
    key("repeat", COUNT, "5", "Rounds."),
    key("skip_first", COUNT, "0", "Steps skipped."),
]]);
pub(crate) const EARLY_STOP: Type = Type::Int {
    min: -1,
    max: i64::MAX,
};

const SCHEDULE_TYPE: Type = Type::Nullable(&Type::Section(&SCHEDULER));
const CLIPPING_TYPE: Type = Type::Nullable(&Type::Section(&CLIPPING));
const PROFILER_TYPE: Type = Type::Nullable(&Type::Section(&PROFILER));
const TRAINER: &[Key] = &[
    key(
        "epochs",
        SIZE,
        "100",
        "Passes over the training part; the schedule spans them.",
    ),
    key(
        "train_steps",
        OPT_SIZE,
        "null",
        "Steps of training, in place of epochs.",
    )
    .later("use epochs"),
    key(
        "eval_steps",
        OPT_SIZE,
        "null",
        "Steps of an evaluation; null: the whole part.",
    )
    .later("leave it null"),
    key(
        "steps_per_checkpoint",
        COUNT,
        "0",
        "Steps between evaluations; 0: one evaluation an epoch.",
    )
    .later("leave it 0"),
    key(
        "checkpoints_per_epoch",
        COUNT,
        "0",
        "Evaluations of an epoch; 0: one.",
    )
    .later("leave it 0"),
    key(
        "batch_size",
        AUTO_SIZE,
        "\"auto\"",
        "Rows of a step; auto: 128 below 5,000 rows, 256 below 50,000, else 512.",
    ),
    key(
        "max_batch_size",
        SIZE,
        "1099511627776",
        "Bound on an automatic batch size.",
    )
    .inert(),
    key(
        "effective_batch_size",
        AUTO_SIZE,
        "\"auto\"",
        "Rows of a step over all workers.",
    )
    .later("use batch_size"),
    key(
        "gradient_accumulation_steps",
        AUTO_SIZE,
        "\"auto\"",
        "Batches of a step.",
    )
    .later("use batch_size"),
    key(
        "eval_batch_size",
        Type::Nullable(&AUTO_SIZE),
        "null",
        "Rows of a step of evaluation; changes speed only.",
    ),
    key(
        "drop_last_batch",
        BOOL,
        "false",
        "Whether the last batch of an epoch is left out when it is not full.",
    )
    .ours(),
    key(
        "early_stop",
        EARLY_STOP,
        "5",
        "Evaluations without improvement after which training stops; -1: never.",
    ),
    key(
        "evaluate_training_set",
        BOOL,
        "false",
        "Whether the training part is scored too, which costs time.",
    ),
    key(
        "skip_all_evaluation",
        BOOL,
        "false",
        "Whether nothing is evaluated.",
    )
    .later("leave it false: trials are chosen by their scores"),
    key(
        "validation_field",
        TEXT,
        "null",
        "Output that is judged; the first, if it is not written.",
    )
    .or(Default::FirstOutput),
    key(
        "validation_metric",
        TEXT,
        "null",
        "What picks the best epoch.",
    )
    .or(Default::OutputMetric),
    key(
        "learning_rate",
        Type::Either(&[POSITIVE, AUTO]),
        "0.001",
        "Size of the steps; the value to tune first. auto: by combiner and target.",
    ),
    key(
        "learning_rate_scaling",
        Type::OneOf(&Names::of(&["constant", "sqrt", "linear"])),
        "\"linear\"",
        "How the rate grows with workers.",
    )
    .inert(),
    key(
        "learning_rate_scheduler",
        SCHEDULE_TYPE,
        "{}",
        "How the learning rate moves over training.",
    ),
    key(
        "optimizer",
        Type::Union(&OPTIMIZER),
        "{}",
        "What moves the weights.",
    ),
    key(
        "regularization_type",
        Type::Nullable(&Type::OneOf(&Names::of(&["l1", "l2", "l1_l2"]))),
        "\"l2\"",
        "Kind of penalty on weights.",
    ),
    key(
        "regularization_lambda",
        AMOUNT,
        "0.0",
        "Strength of the penalty on weights, added to the loss.",
    ),
    key(
        "gradient_clipping",
        CLIPPING_TYPE,
        "{}",
        "Bounds on gradients.",
    ),
    key(
        "should_shuffle",
        BOOL,
        "true",
        "Whether rows are shuffled each epoch.",
    ),
    key(
        "bucketing_field",
        OPT_TEXT,
        "null",
        "Text feature by whose length batches are made.",
    )
    .later("leave it null"),
    key(
        "increase_batch_size_on_plateau",
        COUNT,
        "0",
        "How often the batch grows when the score stands still.",
    )
    .later(PLATEAU),
    key(
        "increase_batch_size_on_plateau_patience",
        COUNT,
        "5",
        "Evaluations without improvement before it grows.",
    )
    .inert(),
    key(
        "increase_batch_size_on_plateau_rate",
        AMOUNT,
        "2.0",
        "Factor of the growth.",
    )
    .inert(),
    key(
        "increase_batch_size_eval_metric",
        TEXT,
        "\"loss\"",
        "What stands still.",
    )
    .inert(),
    key(
        "increase_batch_size_eval_split",
        SPLITS,
        "\"training\"",
        "Part on which it is measured.",
    )
    .inert(),
    key(
        "use_mixed_precision",
        BOOL,
        "false",
        "Half precision where it is safe.",
    )
    .inert(),
    key(
        "compile",
        BOOL,
        "false",
        "Whether PyTorch compiles the network.",
    )
    .inert(),
    key(
        "enable_gradient_checkpointing",
        BOOL,
        "false",
        "Less memory, more time.",
    )
    .inert(),
    key(
        "layers_to_freeze_regex",
        OPT_TEXT,
        "null",
        "Layers that are not trained.",
    )
    .later("leave it null"),
    key(
        "enable_profiling",
        BOOL,
        "false",
        "Whether steps are profiled.",
    )
    .inert(),
    key("profiler", PROFILER_TYPE, "{}", "Which steps are profiled.").inert(),
];
pub(crate) static ECD_TRAINER: Section = Section::of(&[TRAINER]);

/// Trainer of `model_type: llm`.
pub(crate) const FINETUNE: &[&[Key]] = &[
    TRAINER,
    &[
        key("batch_size", AUTO_SIZE, "1", "Rows of a step."),
        key(
            "eval_batch_size",
            Type::Nullable(&AUTO_SIZE),
            "2",
            "Rows of a step of evaluation.",
        ),
        key(
            "base_learning_rate",
            AMOUNT,
            "0.0",
            "Learning rate before scaling.",
        ),
    ],
];
/// Trainer of a language model that is only asked.
pub(crate) const ZERO_SHOT: &[&[Key]] = &[
    TRAINER,
    &[
        key("epochs", SIZE, "3", "Passes over the training part."),
        key("batch_size", AUTO_SIZE, "1", "Rows of a step."),
        key(
            "eval_batch_size",
            Type::Nullable(&AUTO_SIZE),
            "2",
            "Rows of a step of evaluation.",
        ),
        key(
            "learning_rate",
            Type::Either(&[POSITIVE, AUTO]),
            "0.0002",
            "Size of the steps.",
        ),
        key(
            "early_stop",
            EARLY_STOP,
            "-1",
            "Evaluations without improvement after which training stops.",
        ),
        key(
            "base_learning_rate",
            AMOUNT,
            "0.0",
            "Learning rate before scaling.",
        ),
    ],
];

pub(crate) static LINEAR_TRAINER: Section = Section::of(&[&[
    key(
        "l2",
        AMOUNT,
        "0.001",
        "Strength of the penalty on squared weights, per row.",
    )
    .ours(),
    key("validation_field", TEXT, "null", "Output that is judged.").or(Default::FirstOutput),
    key(
        "validation_metric",
        TEXT,
        "null",
        "What the model is judged by.",
    )
    .or(Default::OutputMetric),
]]);

//! The `hyperopt` section: what is searched, what trials are judged by, how much is run.

use super::samplers::SEARCH_ALG;
use super::schedulers::SCHEDULER;
use super::spaces::SPACE;
use super::types::{
    AMOUNT, COUNT, Default, Key, Names, OPT_SIZE, OPT_TEXT, POSITIVE, SIZE, Section, TEXT, Type,
    Union, key, variant,
};

const AUTO_COUNT: Type = Type::Nullable(&Type::Either(&[SIZE, Type::OneOf(&Names::of(&["auto"]))]));
static DRIVER: Section = Section::of(&[&[
    key("CPU", AMOUNT, "1", "Cores."),
    key("GPU", AMOUNT, "0", "GPUs."),
]]);
const EXECUTOR: &[Key] = &[
    key(
        "num_samples",
        OPT_SIZE,
        "null",
        "Trials at most; null: as many as the time allows.",
    )
    .or(Default::NumSamples),
    key(
        "time_budget_s",
        Type::Nullable(&POSITIVE),
        "3600",
        "Seconds for the whole search; null: no bound.",
    ),
    key(
        "trial_driver_resources",
        Type::Section(&DRIVER),
        "{}",
        "Of Ray only.",
    )
    .inert(),
    key(
        "cpu_resources_per_trial",
        SIZE,
        "1",
        "Of Ray only: slots share out all cores.",
    )
    .inert(),
    key(
        "gpu_resources_per_trial",
        COUNT,
        "0",
        "Of Ray only: a slot has one GPU.",
    )
    .inert(),
    key("kubernetes_namespace", OPT_TEXT, "null", "Of Ray only.").inert(),
    key(
        "max_concurrent_trials",
        AUTO_COUNT,
        "\"auto\"",
        "Trials at once; auto: as many as there are slots.",
    ),
    key(
        "scheduler",
        Type::Union(&SCHEDULER),
        "{}",
        "What stops or pauses trials.",
    ),
];
pub(crate) static EXECUTORS: Union = Union {
    tag: "type",
    default: Some("local"),
    noun: "executor",
    doc: "Where trials run.",
    variants: &[
        variant("local", &[EXECUTOR]).ours(),
        variant("ray", &[EXECUTOR]),
        variant(
            "optuna",
            &[
                EXECUTOR,
                &[
                    key(
                        "sampler",
                        Type::OneOf(&Names::of(&["auto", "tpe", "gp", "cmaes", "random"])),
                        "\"auto\"",
                        "Sampler of Optuna.",
                    )
                    .inert(),
                    key(
                        "pruner",
                        Type::Nullable(&Type::OneOf(&Names::of(&["hyperband", "median"]))),
                        "null",
                        "Pruner of Optuna.",
                    )
                    .inert(),
                    key("storage", OPT_TEXT, "null", "Database of Optuna.").inert(),
                ],
            ],
        )
        .since("0.17")
        .later("use local"),
    ],
};

const PARTS: Type = Type::OneOf(&Names::of(&["training", "validation", "test"]));
pub(crate) static HYPEROPT: Section = Section::of(&[&[
    key(
        "goal",
        Type::OneOf(&Names::of(&["minimize", "maximize"])),
        "\"minimize\"",
        "Whether the metric is made small or large.",
    ),
    key(
        "output_feature",
        TEXT,
        "\"combined\"",
        "Output that is judged; combined: the loss of all.",
    ),
    key("metric", TEXT, "\"loss\"", "What trials are judged by."),
    key(
        "split",
        PARTS,
        "\"validation\"",
        "Part on which they are judged.",
    ),
    key(
        "eval_split",
        Type::Nullable(&PARTS),
        "null",
        "Written by Ludwig; read and ignored.",
    )
    .inert(),
    key(
        "parameters",
        Type::MapOf(&Type::Union(&SPACE)),
        "{}",
        "Dotted path of a key -> the values it may take.",
    ),
    key(
        "search_alg",
        Type::Union(&SEARCH_ALG),
        "{}",
        "What proposes configs.",
    ),
    key(
        "executor",
        Type::Union(&EXECUTORS),
        "{}",
        "How much is run, and where.",
    ),
]]);

//! The `hyperopt` section: what is searched, by what, for how long, and what stops trials.

use super::spaces::SPACE;
use super::types::{
    AMOUNT, BOOL, COUNT, Default, FLOAT, Key, Names, OPT_SIZE, OPT_TEXT, POSITIVE, SHARE, SIZE,
    Section, TEXT, Type, Union, Variant, key, required, variant,
};

const SAMPLERS: &str = "use sobol, random or variant_generator";
const OPT_COUNT: Type = Type::Nullable(&COUNT);
const POINTS: Key = key(
    "points_to_evaluate",
    Type::Nullable(&Type::List {
        of: &Type::AnyMap,
        min: 0,
    }),
    "null",
    "Assignments that are tried first, each a map from parameter to value.",
);
const REWARDS: Key = key(
    "evaluated_rewards",
    Type::Nullable(&Type::List { of: &FLOAT, min: 0 }),
    "null",
    "Known scores of these points.",
)
.inert();
const SEED: Key = key(
    "seed",
    OPT_COUNT,
    "null",
    "Seed of the draws; null: that of the run.",
);
const STATE: Key = key(
    "random_state",
    OPT_COUNT,
    "null",
    "Seed of the draws; null: that of the run.",
);
const CONCURRENT: Key = key("max_concurrent", COUNT, "0", "Trials at once; 0: no bound.").inert();
const DRAWS: &[Key] = &[
    POINTS,
    CONCURRENT,
    key(
        "constant_grid_search",
        BOOL,
        "false",
        "Whether each grid is gone through with the same draws.",
    )
    .inert(),
    STATE,
];
const fn sampler(name: &'static str, keys: &'static [&'static [Key]]) -> Variant {
    variant(name, keys).later(SAMPLERS)
}

pub(crate) static SEARCH_ALG: Union = Union {
    tag: "type",
    default: Some("variant_generator"),
    noun: "search algorithm",
    doc: "What proposes configs.",
    variants: &[
        variant("variant_generator", &[DRAWS]),
        variant("random", &[DRAWS]),
        variant("sobol", &[&[POINTS, SEED]]).ours(),
        sampler(
            "hyperopt",
            &[&[
                POINTS,
                key(
                    "n_initial_points",
                    SIZE,
                    "20",
                    "Random trials before the model.",
                ),
                key(
                    "gamma",
                    SHARE,
                    "0.25",
                    "Share of trials that counts as good.",
                ),
                key("random_state_seed", OPT_COUNT, "null", "Seed of the draws."),
                key("max_concurrent", OPT_SIZE, "null", "Trials at once."),
            ]],
        ),
        sampler(
            "optuna",
            &[&[
                POINTS,
                REWARDS,
                SEED,
                key("sampler", OPT_TEXT, "null", "Sampler of Optuna."),
            ]],
        ),
        sampler(
            "bayesopt",
            &[&[
                POINTS,
                STATE,
                key(
                    "random_search_steps",
                    SIZE,
                    "10",
                    "Random trials before the model.",
                ),
                key(
                    "patience",
                    SIZE,
                    "5",
                    "Repeated proposals before one is taken.",
                ),
                key(
                    "skip_duplicate",
                    BOOL,
                    "true",
                    "Whether known points are skipped.",
                ),
                key("verbose", COUNT, "0", "How much is said.").inert(),
                key(
                    "analysis",
                    Type::Nullable(&Type::Any),
                    "null",
                    "An earlier search.",
                )
                .inert(),
                key(
                    "utility_kwargs",
                    Type::Nullable(&Type::AnyMap),
                    "null",
                    "Parameters of the utility.",
                ),
            ]],
        ),
        sampler(
            "bohb",
            &[&[
                POINTS,
                SEED,
                CONCURRENT,
                key(
                    "bohb_config",
                    Type::Nullable(&Type::AnyMap),
                    "null",
                    "Parameters of the sampler.",
                ),
            ]],
        ),
        sampler(
            "hebo",
            &[&[
                POINTS,
                REWARDS,
                key("random_state_seed", OPT_COUNT, "null", "Seed of the draws."),
                key("max_concurrent", SIZE, "8", "Trials at once."),
            ]],
        ),
        sampler(
            "ax",
            &[&[
                POINTS,
                key("max_concurrent", OPT_SIZE, "null", "Trials at once."),
                key(
                    "parameter_constraints",
                    Type::Nullable(&Type::List { of: &TEXT, min: 0 }),
                    "null",
                    "Constraints between parameters.",
                ),
                key(
                    "outcome_constraints",
                    Type::Nullable(&Type::List { of: &TEXT, min: 0 }),
                    "null",
                    "Constraints on outcomes.",
                ),
            ]],
        ),
        sampler(
            "blendsearch",
            &[&[POINTS, REWARDS, LOW_COST, SEED, TIME_BUDGET]],
        ),
        sampler("cfo", &[&[POINTS, REWARDS, LOW_COST, SEED, TIME_BUDGET]]),
        sampler(
            "dragonfly",
            &[&[
                POINTS,
                REWARDS,
                key("random_state_seed", OPT_COUNT, "null", "Seed of the draws."),
                key("optimizer", OPT_TEXT, "null", "Optimizer of Dragonfly."),
                key("domain", OPT_TEXT, "null", "Domain of the optimizer."),
            ]],
        ),
        sampler(
            "nevergrad",
            &[&[
                POINTS,
                key("optimizer", OPT_TEXT, "null", "Optimizer of Nevergrad."),
                key(
                    "optimizer_kwargs",
                    Type::Nullable(&Type::AnyMap),
                    "null",
                    "Its parameters.",
                ),
                key("budget", OPT_SIZE, "null", "Trials at most."),
            ]],
        ),
        sampler(
            "skopt",
            &[&[
                POINTS,
                REWARDS,
                key(
                    "optimizer",
                    Type::Nullable(&Type::Any),
                    "null",
                    "Optimizer of scikit-optimize.",
                ),
                key(
                    "optimizer_kwargs",
                    Type::Nullable(&Type::AnyMap),
                    "null",
                    "Its parameters.",
                ),
                key(
                    "convert_to_python",
                    BOOL,
                    "true",
                    "Whether values are plain.",
                ),
            ]],
        ),
        sampler(
            "zoopt",
            &[&[
                POINTS,
                key("algo", TEXT, "\"asracos\"", "Algorithm of ZOOpt."),
                key("budget", OPT_SIZE, "null", "Trials at most."),
                key("parallel_num", SIZE, "1", "Trials at once."),
            ]],
        ),
        sampler("tpe", &[MODEL_BASED]).ours(),
        sampler("gp", &[MODEL_BASED]).ours(),
        sampler(
            "evolution",
            &[&[
                POINTS,
                SEED,
                key("population", SIZE, "20", "Trials that may be parents."),
            ]],
        )
        .ours(),
    ],
};
const MODEL_BASED: &[Key] = &[
    POINTS,
    SEED,
    key(
        "n_initial_points",
        SIZE,
        "16",
        "Trials before the model proposes.",
    ),
];
const LOW_COST: Key = key(
    "low_cost_partial_config",
    Type::Nullable(&Type::AnyMap),
    "null",
    "Cheap values to begin from.",
);
const TIME_BUDGET: Key = key(
    "time_budget_s",
    OPT_AMOUNT,
    "null",
    "Seconds that the sampler plans for.",
);
const OPT_AMOUNT: Type = Type::Nullable(&AMOUNT);

const TIME_ATTR: Type = Type::OneOf(&Names::of(&["training_iteration", "time_total_s"]));
const fn time_attr(default: &'static str) -> Key {
    key(
        "time_attr",
        TIME_ATTR,
        default,
        "What is counted: training_iteration (epochs) or time_total_s (seconds of training).",
    )
}
const fn max_t(default: &'static str) -> Key {
    key(
        "max_t",
        Type::Nullable(&POSITIVE),
        default,
        "Length of a full trial, in the unit of time_attr; null: chosen by the run.",
    )
}
const fn factor(default: &'static str) -> Key {
    key(
        "reduction_factor",
        Type::Float {
            min: 1.0,
            max: f64::MAX,
            open: true,
        },
        default,
        "One in this many trials passes a rung.",
    )
}
const METRIC: &[Key] = &[
    key(
        "metric",
        OPT_TEXT,
        "null",
        "Written by Ludwig; read and ignored.",
    )
    .inert(),
    key(
        "mode",
        Type::Nullable(&Type::OneOf(&Names::of(&["min", "max"]))),
        "null",
        "Written by Ludwig; read and ignored.",
    )
    .inert(),
];
const SCHEDULERS: &str = "use fifo or async_hyperband";
const STOP_LAST: Key = key(
    "stop_last_trials",
    BOOL,
    "true",
    "Whether trials stop at max_t.",
);
const POPULATION: &[Key] = &[
    time_attr("\"time_total_s\""),
    key(
        "perturbation_interval",
        POSITIVE,
        "60",
        "Time between perturbations.",
    ),
    key("burn_in_period", AMOUNT, "60", "Time before the first."),
    key(
        "quantile_fraction",
        SHARE,
        "0.25",
        "Share of trials replaced.",
    ),
    key(
        "require_attrs",
        BOOL,
        "true",
        "Whether reports must carry time_attr.",
    ),
    key(
        "log_config",
        BOOL,
        "true",
        "Whether perturbations are logged.",
    ),
    key(
        "synch",
        BOOL,
        "false",
        "Whether trials wait for each other.",
    ),
];
const MUTATIONS: &[Key] = &[
    key(
        "hyperparam_mutations",
        Type::Nullable(&Type::AnyMap),
        "null",
        "Parameters that are perturbed.",
    ),
    key(
        "resample_probability",
        SHARE,
        "0.25",
        "Probability of a fresh draw.",
    ),
    key(
        "perturbation_factors",
        Type::Tuple(&[POSITIVE, POSITIVE]),
        "[1.2, 0.8]",
        "Factors of a perturbation.",
    ),
    key("custom_explore_fn", OPT_TEXT, "null", "Of Python only.").inert(),
];
const VARIANT: Key = key(
    "variant",
    Type::OneOf(&Names { words: &[], ours: &["stopping", "promotion"], later: &[] }),
    "\"stopping\"",
    "stopping: judged once, at a rung; promotion: pauses at a rung and goes on when it stands among the best.",
)
.ours();

pub(crate) static SCHEDULER: Union = Union {
    tag: "type",
    default: Some("fifo"),
    noun: "scheduler",
    doc: "What stops or pauses trials.",
    variants: &[
        variant("fifo", &[METRIC]),
        variant("async_hyperband", &[METRIC, &[
            VARIANT,
            time_attr("\"training_iteration\""),
            max_t("100"),
            key("grace_period", Type::Nullable(&POSITIVE), "1", "Where the first rung lies, in the unit of time_attr; null: chosen by the run."),
            factor("4"),
            key("brackets", SIZE, "1", "Sets of rungs, each with a later first rung than the one before."),
            STOP_LAST,
        ]]).aliased(&["asynchyperband", "asha"]),
        variant("hyperband", &[METRIC, &[time_attr("\"training_iteration\""), max_t("81"), factor("3"), STOP_LAST]]).later(SCHEDULERS),
        variant("median_stopping_rule", &[METRIC, &[
            time_attr("\"time_total_s\""),
            key("grace_period", AMOUNT, "60", "Time before a trial is judged."),
            key("min_samples_required", SIZE, "3", "Trials before any is judged."),
            key("min_time_slice", AMOUNT, "0", "Time between judgements."),
            key("hard_stop", BOOL, "true", "Whether trials stop, not pause."),
        ]]).aliased(&["medianstopping", "medianstoppingrule"]).later(SCHEDULERS),
        variant("pbt", &[METRIC, POPULATION, MUTATIONS]).later(SCHEDULERS),
        variant("pbt_replay", &[METRIC, &[required("policy_file", TEXT, "Log of the trial that is repeated.")]]).later(SCHEDULERS),
        variant("pb2", &[METRIC, POPULATION, &[
            key("hyperparam_bounds", Type::Nullable(&Type::AnyMap), "null", "Bounds of the parameters that are perturbed."),
            key("custom_explore_fn", OPT_TEXT, "null", "Of Python only.").inert(),
        ]]).later(SCHEDULERS),
        variant("hb_bohb", &[METRIC, &[time_attr("\"training_iteration\""), max_t("81"), factor("3"), STOP_LAST]]).later(SCHEDULERS),
        variant("resource_changing", &[METRIC, &[
            key("base_scheduler", Type::Nullable(&Type::Any), "null", "What stops trials."),
            key("resources_allocation_function", OPT_TEXT, "null", "Of Python only.").inert(),
        ]]).later(SCHEDULERS),
    ],
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
    key("cpu_resources_per_trial", SIZE, "1", "Cores of a trial."),
    key("gpu_resources_per_trial", COUNT, "0", "GPUs of a trial."),
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

//! Schedulers: what stops or pauses trials.

use super::types::{
    AMOUNT, BOOL, Key, Names, OPT_TEXT, POSITIVE, SHARE, SIZE, TEXT, Type, Union, key, required,
    variant,
};

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
            min: 2.0,
            max: f64::MAX,
            open: false,
        },
        default,
        "One in this many trials passes a rung; a whole number.",
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
const SCHEDULERS: &str = "use fifo, async_hyperband, hyperband or median_stopping_rule";
const STOP_LAST: Key = key(
    "stop_last_trials",
    BOOL,
    "true",
    "Whether trials stop at max_t.",
)
.later("leave it true: max_t is the length of a full trial");
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

const GUARD: Key = key(
    "guard",
    BOOL,
    "true",
    "Some trials start in a second bracket, to measure the first rung, which is given up where it misleads. false: as Ludwig.",
)
.ours();
const CAP: Key = key(
    "cap",
    Type::OneOf(&Names { words: &[], ours: &["full", "progressive"], later: &[] }),
    "\"full\"",
    "full: all rungs are open; progressive: the upper ones open when the order of trials still changes (PASHA).",
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
            GUARD,
            CAP,
            STOP_LAST,
        ]]).aliased(&["asynchyperband", "asha"]),
        variant("hyperband", &[METRIC, &[time_attr("\"training_iteration\""), max_t("81"), factor("3"), STOP_LAST]]),
        variant("median_stopping_rule", &[METRIC, &[
            time_attr("\"time_total_s\""),
            key("grace_period", AMOUNT, "60", "Time before a trial is judged."),
            key("min_samples_required", SIZE, "3", "Trials before any is judged."),
            key("min_time_slice", AMOUNT, "0", "Time that a paused trial gets when it runs again.").later("leave it 0: trials stop, and are not paused"),
            key("hard_stop", BOOL, "true", "Whether trials stop, not pause.").later("leave it true, or use async_hyperband with variant: promotion"),
        ]]).aliased(&["medianstopping", "medianstoppingrule"]),
        variant("pbt", &[METRIC, POPULATION, MUTATIONS]).later(SCHEDULERS),
        variant("pbt_replay", &[METRIC, &[required("policy_file", TEXT, "Log of the trial that is repeated.")]]).later(SCHEDULERS),
        variant("pb2", &[METRIC, POPULATION, &[
            key("hyperparam_bounds", Type::Nullable(&Type::AnyMap), "null", "Bounds of the parameters that are perturbed."),
            key("custom_explore_fn", OPT_TEXT, "null", "Of Python only.").inert(),
        ]]).later(SCHEDULERS),
        variant("hb_bohb", &[METRIC, &[time_attr("\"training_iteration\""), max_t("81"), factor("3"), STOP_LAST]]),
        variant("resource_changing", &[METRIC, &[
            key("base_scheduler", Type::Nullable(&Type::Any), "null", "What stops trials."),
            key("resources_allocation_function", OPT_TEXT, "null", "Of Python only.").inert(),
        ]]).later(SCHEDULERS),
    ],
};

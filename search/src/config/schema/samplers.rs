//! Search algorithms: what proposes configs.

use super::types::{
    AMOUNT, BOOL, COUNT, FLOAT, Key, OPT_SIZE, OPT_TEXT, SHARE, SIZE, TEXT, Type, Union, Variant,
    key, variant,
};

const SAMPLERS: &str = "use tpe, evolution, sobol or random";
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
        variant(
            "hyperopt",
            &[&[
                POINTS,
                key(
                    "n_initial_points",
                    SIZE,
                    "20",
                    "Trials before the model proposes.",
                ),
                key(
                    "gamma",
                    SHARE,
                    "0.25",
                    "How many trials count as good: this times the root of their number.",
                )
                .inert(),
                key("random_state_seed", OPT_COUNT, "null", "Seed of the draws."),
                key("max_concurrent", OPT_SIZE, "null", "Trials at once.").inert(),
            ]],
        ),
        variant(
            "optuna",
            &[&[
                POINTS,
                REWARDS,
                SEED,
                key("sampler", OPT_TEXT, "null", "Sampler of Optuna.").inert(),
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
        variant(
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
                )
                .inert(),
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
        variant("tpe", &[MODEL_BASED, TPE]).ours(),
        sampler("gp", &[MODEL_BASED]).ours(),
        variant(
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
        "8",
        "Points of even cover before the model proposes; rounded up to a power of two.",
    ),
];
const TPE: &[Key] = &[key(
    "gamma",
    OPEN_SHARE,
    "0.07",
    "Share of trials that counts as good.",
)];
/// A share that is neither nothing nor all.
const OPEN_SHARE: Type = Type::Float {
    min: 0.0,
    max: 0.9,
    open: true,
};
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

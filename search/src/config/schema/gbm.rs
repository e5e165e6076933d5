//! The `trainer` section of boosted trees, `model_type: gbm`: LightGBM by its own names, as Ludwig up to 0.10 had it.

use super::trainer::EARLY_STOP;
use super::types::{
    AMOUNT, BOOL, COUNT, Default, FLOAT, Names, POSITIVE, SHARE, SIZE, Section, TEXT, Type, key,
};

const OPT_FLOAT: Type = Type::Nullable(&FLOAT);
pub(crate) static GBM_TRAINER: Section = Section::of(&[&[
    key("learning_rate", POSITIVE, "0.03", "Weight of each tree."),
    key("num_boost_round", SIZE, "1000", "Trees at most."),
    key(
        "boosting_rounds_per_checkpoint",
        SIZE,
        "50",
        "Trees between evaluations.",
    ),
    key("num_leaves", SIZE, "82", "Leaves of a tree at most."),
    key(
        "max_depth",
        Type::Int {
            min: -1,
            max: i64::MAX,
        },
        "18",
        "Depth of a tree at most; -1: no bound.",
    ),
    key("min_data_in_leaf", COUNT, "20", "Rows of a leaf at least."),
    key(
        "feature_fraction",
        SHARE,
        "0.75",
        "Share of the columns a tree sees.",
    ),
    key(
        "feature_fraction_bynode",
        SHARE,
        "1.0",
        "Share of the columns a split sees.",
    ),
    key(
        "bagging_fraction",
        SHARE,
        "0.8",
        "Share of the rows a tree sees.",
    ),
    key(
        "pos_bagging_fraction",
        SHARE,
        "1.0",
        "Share of the positive rows a tree sees.",
    ),
    key(
        "neg_bagging_fraction",
        SHARE,
        "1.0",
        "Share of the negative rows a tree sees.",
    ),
    key("bagging_freq", COUNT, "1", "Trees between draws of rows."),
    key("bagging_seed", COUNT, "3", "Seed of the draws of rows."),
    key(
        "feature_fraction_seed",
        COUNT,
        "2",
        "Seed of the draws of columns.",
    ),
    key("lambda_l1", AMOUNT, "0.25", "Penalty on leaf values."),
    key(
        "lambda_l2",
        AMOUNT,
        "0.2",
        "Penalty on squared leaf values.",
    ),
    key("linear_lambda", AMOUNT, "0.0", "Penalty of linear leaves."),
    key(
        "min_gain_to_split",
        AMOUNT,
        "0.03",
        "Gain of a split at least.",
    ),
    key(
        "min_sum_hessian_in_leaf",
        AMOUNT,
        "0.001",
        "Weight of a leaf at least.",
    ),
    key("max_bin", SIZE, "255", "Bins of a column at most."),
    key("min_data_in_bin", SIZE, "3", "Rows of a bin at least."),
    key(
        "boosting_type",
        Type::OneOf(&Names::of(&["gbdt", "dart", "rf", "goss"])),
        "\"gbdt\"",
        "Kind of boosting.",
    ),
    key(
        "tree_learner",
        Type::OneOf(&Names::of(&["serial", "feature", "data", "voting"])),
        "\"serial\"",
        "How machines share the work.",
    ),
    key(
        "drop_rate",
        SHARE,
        "0.1",
        "Share of trees dropped, of dart.",
    ),
    key(
        "max_drop",
        Type::Int {
            min: -1,
            max: i64::MAX,
        },
        "50",
        "Trees dropped at most, of dart.",
    ),
    key(
        "skip_drop",
        SHARE,
        "0.5",
        "Probability of dropping none, of dart.",
    ),
    key(
        "uniform_drop",
        BOOL,
        "false",
        "Whether all trees are dropped alike, of dart.",
    ),
    key(
        "xgboost_dart_mode",
        BOOL,
        "false",
        "Whether dart works as in XGBoost.",
    ),
    key(
        "top_rate",
        SHARE,
        "0.2",
        "Share of large gradients that is kept, of goss.",
    ),
    key(
        "other_rate",
        SHARE,
        "0.1",
        "Share of small gradients that is kept, of goss.",
    ),
    key(
        "extra_trees",
        BOOL,
        "false",
        "Whether thresholds are drawn at random.",
    ),
    key("extra_seed", COUNT, "6", "Seed of the thresholds."),
    key("drop_seed", COUNT, "4", "Seed of dropping, of dart."),
    key("data_random_seed", COUNT, "1", "Seed of the data."),
    key("objective_seed", COUNT, "5", "Seed of the objective."),
    key(
        "min_data_per_group",
        SIZE,
        "100",
        "Rows of a category at least.",
    ),
    key(
        "max_cat_threshold",
        SIZE,
        "32",
        "Splits of a category column at most.",
    ),
    key("cat_l2", AMOUNT, "10.0", "Penalty of splits by category."),
    key(
        "cat_smooth",
        AMOUNT,
        "10.0",
        "Smoothing of splits by category.",
    ),
    key(
        "max_cat_to_onehot",
        SIZE,
        "4",
        "Categories up to which each is tried alone.",
    ),
    key("cegb_tradeoff", AMOUNT, "1.0", "Weight of the costs."),
    key("cegb_penalty_split", AMOUNT, "0.0", "Cost of a split."),
    key(
        "path_smooth",
        AMOUNT,
        "0.0",
        "Smoothing of leaf values along the path.",
    ),
    key(
        "max_delta_step",
        AMOUNT,
        "0.0",
        "Bound on leaf values; 0: none.",
    ),
    key("refit_decay_rate", SHARE, "0.9", "Decay when refitted."),
    key(
        "verbose",
        Type::Int { min: -1, max: 10 },
        "-1",
        "How much is said.",
    )
    .inert(),
    key(
        "verbosity",
        Type::Int { min: -1, max: 10 },
        "-1",
        "How much is said.",
    )
    .inert(),
    key(
        "early_stop",
        EARLY_STOP,
        "5",
        "Evaluations without improvement after which training stops; -1: never.",
    ),
    key(
        "eval_batch_size",
        SIZE,
        "1048576",
        "Rows of a step of evaluation.",
    ),
    key(
        "evaluate_training_set",
        BOOL,
        "false",
        "Whether the training part is scored too.",
    ),
    key(
        "skip_all_evaluation",
        BOOL,
        "false",
        "Whether nothing is evaluated.",
    ),
    key("validation_field", TEXT, "null", "Output that is judged.").or(Default::FirstOutput),
    key(
        "validation_metric",
        TEXT,
        "null",
        "What picks the best round.",
    )
    .or(Default::OutputMetric),
    key("max_batch_size", SIZE, "1099511627776", "Of networks only.").inert(),
    key(
        "feature_contri",
        OPT_FLOAT,
        "null",
        "Weight of each column.",
    )
    .inert(),
]]);

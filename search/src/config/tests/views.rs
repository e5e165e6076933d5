//! The typed views, and what is refused on the way.

use serde_json::json;

use super::{SMALL, config, lines, small};
use crate::config::hyperopt::{Goal, SearchKind};
use crate::config::layers::{Activation, FcLayer, Initializer, Norm};
use crate::config::model::{
    CategoryEncoder, ClassWeights, Combiner, FillValue, InputKind, Missing, Model, Normalization,
    OutputKind, Realmlp,
};
use crate::config::preparation::{ColumnKind, Sample, Split};
use crate::config::scheduler::{
    AsyncHyperband, Cap, Hyperband, MedianStopping, Scheduler, TimeAttr, Variant,
};
use crate::config::trainer::{BatchSize, Optimizer, Regularization, Schedule};
use crate::metric::{Metric, TargetKind};

#[track_caller]
fn network(text: &str) -> crate::config::model::Network {
    match config(text).model() {
        Ok(Model::Network(network)) => network,
        Ok(Model::Linear(_)) => panic!("a network"),
        Err(errors) => panic!("{}", lines(&errors)),
    }
}

#[test]
fn the_realmlp_recipe_arrives_in_full() {
    let network = network(include_str!("files/realmlp.yaml"));
    assert_eq!(
        network.combiner,
        Combiner::Realmlp(Realmlp {
            hidden: vec![256, 256, 256],
            activation: Activation::Selu,
            dropout: 0.0,
            ntk: true,
            scale_layer: true,
            scale_lr_factor: 6.0,
            bias_lr_factor: 0.1,
            zero_init_last: true,
        })
    );
    let trainer = &network.trainer;
    assert_eq!(
        (trainer.epochs, trainer.batch_size, trainer.drop_last_batch),
        (256, BatchSize::Rows(256), true)
    );
    assert_eq!(
        (trainer.schedule, trainer.warmup_fraction),
        (Schedule::Coslog4, 0.0)
    );
    assert_eq!(
        trainer.optimizer,
        Optimizer::Adam {
            betas: (0.9, 0.95),
            eps: 1e-8,
            amsgrad: false,
            weight_decay: 0.0
        }
    );
    assert_eq!(trainer.gradient_clipping.global_norm, None);
    assert_eq!(trainer.early_stop, None);
    assert_eq!(trainer.validation_metric, Metric::RocAuc);
    assert_eq!(trainer.regularization, Regularization::None);
    let InputKind::Number {
        normalization,
        clip,
        ..
    } = &network.inputs[0].kind
    else {
        panic!("age is a number")
    };
    assert_eq!((*normalization, *clip), (Normalization::Robust, true));
    assert!(matches!(
        network.inputs[1].kind,
        InputKind::Category {
            encoder: CategoryEncoder::Onehot,
            ..
        }
    ));
    assert!(matches!(
        network.output.kind,
        OutputKind::Binary {
            label_smoothing: 0.1,
            threshold: 0.5,
            ..
        }
    ));
}

#[test]
fn plain_ludwig_has_ludwigs_defaults() {
    let network = network(SMALL);
    assert_eq!(
        network.combiner,
        Combiner::Concat(crate::config::layers::FcStack::default())
    );
    let trainer = &network.trainer;
    assert_eq!(
        (trainer.epochs, trainer.learning_rate, trainer.batch_size),
        (100, 0.001, BatchSize::Auto)
    );
    assert_eq!(
        (trainer.early_stop, trainer.gradient_clipping.global_norm),
        (Some(5), Some(0.5))
    );
    assert_eq!(
        (trainer.schedule, trainer.drop_last_batch),
        (Schedule::Constant, false)
    );
    assert_eq!(
        network.inputs[0].missing,
        Missing::Const(FillValue::Number(0.0))
    );
    assert_eq!(
        network.inputs[1].missing,
        Missing::Const(FillValue::Text("<UNK>".to_owned()))
    );
    assert!(matches!(
        network.inputs[1].kind,
        InputKind::Category {
            most_common: 10_000,
            encoder: CategoryEncoder::Dense {
                embedding_size: 50,
                ..
            },
            ..
        }
    ));
}

#[test]
fn layers_of_a_list_take_from_beside_it_what_they_do_not_say() {
    let text = format!(
        "{SMALL}combiner: {{activation: mish, dropout: 0.2, residual: true, fc_layers: [{{output_size: 8}}, {{output_size: 4, dropout: 0, norm: layer, activation: null}}]}}\n"
    );
    let Combiner::Concat(stack) = network(&text).combiner else {
        panic!("concat")
    };
    let first = FcLayer {
        output_size: 8,
        activation: Activation::Mish,
        dropout: 0.2,
        norm: None,
        use_bias: true,
        weights_initializer: Initializer::XavierUniform,
        bias_initializer: Initializer::Zeros,
    };
    let second = FcLayer {
        output_size: 4,
        activation: Activation::Identity,
        dropout: 0.0,
        norm: Some(Norm::Layer),
        ..first.clone()
    };
    assert_eq!((stack.layers, stack.residual), (vec![first, second], true));
}

#[test]
fn an_automatic_learning_rate_goes_by_combiner_and_target() {
    let rate = |rest: &str| {
        network(&format!("{SMALL}{rest}trainer: {{learning_rate: auto}}\n"))
            .trainer
            .learning_rate
    };
    assert_eq!((rate(""), rate("combiner: realmlp\n")), (0.001, 0.04));
    let number = SMALL.replace("type: binary", "type: number");
    let trainer = network(&format!(
        "{number}combiner: realmlp\ntrainer: {{learning_rate: auto}}\n"
    ))
    .trainer;
    assert_eq!(
        (trainer.learning_rate, trainer.batch_size),
        (0.07, BatchSize::Auto)
    );
}

#[test]
fn an_automatic_batch_goes_by_rows() {
    let rows = |n| BatchSize::Auto.rows(n);
    assert_eq!(
        (rows(4_999), rows(5_000), rows(49_999), rows(50_000)),
        (128, 256, 256, 512)
    );
    assert_eq!(BatchSize::Rows(7).rows(1), 7);
}

#[test]
fn the_linear_baseline_is_a_model_of_its_own() {
    let config = small("model_type: linear\ntrainer: {l2: 0.5}\n");
    let Ok(Model::Linear(linear)) = config.model() else {
        panic!("linear")
    };
    assert_eq!(
        (linear.l2, linear.inputs.len(), linear.output.target()),
        (0.5, 2, TargetKind::Binary)
    );
}

#[test]
fn class_weights_are_read_in_both_forms() {
    let weights = |text: &str| {
        let text = format!(
            "{}    loss: {{class_weights: {text}}}\n",
            SMALL.replace("type: binary", "type: category")
        );
        let OutputKind::Category { class_weights, .. } = network(&text).output.kind else {
            panic!("category")
        };
        class_weights
    };
    assert_eq!(weights("[1, 2.5]"), ClassWeights::ByIndex(vec![1.0, 2.5]));
    assert_eq!(
        weights("{0: 1, yes: 3}"),
        ClassWeights::ByClass([("0".to_owned(), 1.0), ("yes".to_owned(), 3.0)].into())
    );
    assert_eq!(weights("null"), ClassWeights::Equal);
}

#[test]
fn what_cannot_run_yet_is_refused_by_line_with_what_can() {
    let refused = |text: &str| lines(&config(text).model().unwrap_err());
    assert_eq!(
        refused(include_str!("files/adult_tabnet.yaml")),
        "test.yaml:18: combiner.type: combiner tabnet cannot run yet; hint: use concat or realmlp"
    );
    assert_eq!(
        refused(include_str!("files/gbm.yaml")),
        "test.yaml:1: model_type: gbm cannot be trained yet; hint: use ecd with combiner realmlp, or linear"
    );
    assert_eq!(
        refused(include_str!("files/llm_finetune.yaml")),
        "test.yaml:1: model_type: llm cannot be trained yet; hint: use ecd with text encoder tf_idf"
    );
    insta::assert_snapshot!(
        "refused_multimodal",
        refused(include_str!("files/multimodal.yaml"))
    );
    let text =
        "input_features: [{name: t, type: text}]\noutput_features: [{name: y, type: number}]\n";
    assert_eq!(
        refused(text),
        "test.yaml:1: input_features[0].encoder.type: text encoder parallel_cnn cannot run yet; hint: use tf_idf"
    );
    let text =
        format!("{SMALL}trainer: {{train_steps: 10, learning_rate_scheduler: {{decay: wsd}}}}\n");
    assert_eq!(
        refused(&text),
        "test.yaml:9: trainer.train_steps: cannot be used yet; hint: use epochs\n\
         test.yaml:9: trainer.learning_rate_scheduler.decay: wsd cannot be used yet; hint: use linear, exponential, \
         cosine or coslog4"
    );
    let text = "input_features: [{name: a, type: number, column: y}]\noutput_features: [{name: y, type: number}]\n";
    assert_eq!(
        refused(text),
        "test.yaml:1: input_features[0].name: column \"y\" is an input and the output: it would predict itself; hint: \
         leave it out of the inputs"
    );
    let text = "input_features: [{name: t, type: text, encoder: {type: tf_idf, n_features: 1000}}]\noutput_features: [{name: y, type: number}]\n";
    assert_eq!(
        refused(text),
        "test.yaml:1: input_features[0].encoder.n_features: 1000 is no power of two; hint: use 1024"
    );
}

#[test]
fn a_preparation_knows_columns_kinds_and_split() {
    let text = "\
input_features:
  - {name: a, column: A col, type: number, preprocessing: {missing_value_strategy: bfill}}
  - {name: d, type: date, preprocessing: {datetime_format: '%Y'}}
  - {name: t, type: text, encoder: {type: tf_idf, ngrams: 1, char_ngrams: true}, preprocessing: {lowercase: true}}
output_features:
  - {name: y, type: binary, preprocessing: {fallback_true_label: 1}}
preprocessing:
  weight_column: w
  sample_size: 100
  split: {type: folds, column: f, test: 4}
";
    let preparation = config(text).preparation().unwrap();
    assert_eq!(
        (
            preparation.inputs[0].column.as_str(),
            &preparation.inputs[0].missing
        ),
        ("A col", &Missing::BackFill)
    );
    assert_eq!(
        preparation.inputs[1].kind,
        ColumnKind::Date {
            format: Some("%Y".to_owned())
        }
    );
    assert_eq!(
        preparation.inputs[2].kind,
        ColumnKind::Text {
            lowercase: true,
            ngrams: 1,
            char_ngrams: true
        }
    );
    assert_eq!(preparation.target.fallback_true_label.as_deref(), Some("1"));
    assert_eq!(
        preparation.split,
        Split::Folds {
            column: "f".to_owned(),
            validation: None,
            test: Some("4".to_owned())
        }
    );
    assert_eq!(
        (preparation.sample, preparation.weight_column.as_deref()),
        (Sample::Rows(100), Some("w"))
    );
}

#[test]
fn the_key_of_a_preparation_changes_with_what_prepare_does_alone() {
    let key = |rest: &str| small(rest).preparation().unwrap().key();
    let base = key("");
    assert_eq!(base.len(), 16);
    assert_eq!(
        key("trainer: {epochs: 3}\ncombiner: {type: realmlp}\n"),
        base
    );
    assert_eq!(
        key("preprocessing: {split: {type: random, probabilities: [0.7, 0.1, 0.2]}}\n"),
        base
    );
    assert_ne!(
        key("preprocessing: {split: {type: stratify, column: income}}\n"),
        base
    );
    assert_ne!(key("preprocessing: {weight_column: w}\n"), base);
}

#[test]
fn a_weight_column_is_no_feature() {
    let errors = small("preprocessing:\n  weight_column: age\n")
        .preparation()
        .unwrap_err();
    assert_eq!(
        lines(&errors),
        "test.yaml:10: preprocessing.weight_column: it is the column of input_features[0]; hint: a column of weights \
         is neither input nor output"
    );
}

#[test]
fn a_search_arrives_in_full() {
    let search = config(include_str!("files/realmlp.yaml"))
        .hyperopt()
        .unwrap()
        .unwrap();
    assert_eq!(
        (search.metric, search.goal, search.output_feature.as_str()),
        (Metric::RocAuc, Goal::Maximize, "income")
    );
    assert_eq!(search.search.search_alg.kind, SearchKind::Sobol);
    assert_eq!(search.search.executor.num_samples, None);
    assert_eq!(search.search.executor.time_budget_s, Some(60.0));
    assert_eq!(
        search.search.parameters["trainer.learning_rate"]["lower"],
        json!(0.02)
    );
    assert_eq!(
        search.search.scheduler,
        Scheduler::AsyncHyperband(AsyncHyperband {
            variant: Variant::Promotion,
            time_attr: TimeAttr::TrainingIteration,
            max_t: Some(256),
            grace_period: None,
            reduction_factor: 3,
            brackets: 1,
            guard: true,
            cap: Cap::Full,
        })
    );
    assert_eq!(small("").hyperopt(), Ok(None));
}

#[test]
fn a_bare_search_has_ludwigs_defaults() {
    let search = small("hyperopt:\n").hyperopt();
    assert!(search.is_ok_and(|s| s.is_none()), "an empty search is none");
    let search = small("hyperopt: {goal: minimize}\n")
        .hyperopt()
        .unwrap()
        .unwrap();
    assert_eq!(
        (search.metric, search.goal, search.output_feature.as_str()),
        (Metric::LogLoss, Goal::Minimize, "income")
    );
    assert_eq!(
        (search.search.scheduler, search.search.search_alg.kind),
        (Scheduler::Fifo, SearchKind::Random)
    );
    assert_eq!(
        (
            search.search.executor.num_samples,
            search.search.executor.time_budget_s
        ),
        (Some(10), Some(3600.0))
    );
    let grid = small(
        "hyperopt: {parameters: {combiner.dropout: {space: grid_search, values: [0, 0.1]}}}\n",
    );
    assert_eq!(
        grid.hyperopt()
            .unwrap()
            .unwrap()
            .search
            .executor
            .num_samples,
        Some(1)
    );
}

#[test]
fn a_sampler_is_read_with_its_keys_and_one_of_another_library_as_the_nearest_of_ours() {
    let kind = |search_alg: &str| {
        let search = small(&format!("hyperopt: {{search_alg: {search_alg}}}\n"));
        search.hyperopt().unwrap().unwrap().search.search_alg
    };
    let tpe = |n_initial_points, gamma| SearchKind::Tpe {
        n_initial_points,
        gamma,
    };
    for (written, is) in [
        ("variant_generator", SearchKind::Random),
        ("random", SearchKind::Random),
        ("sobol", SearchKind::Sobol),
        ("tpe", tpe(8, 0.07)),
        (
            "{type: tpe, n_initial_points: 16, gamma: 0.2}",
            tpe(16, 0.2),
        ),
        ("hyperopt", tpe(20, 0.07)),
        ("optuna", tpe(8, 0.07)),
        ("bohb", tpe(8, 0.07)),
        (
            "{type: evolution, population: 12}",
            SearchKind::Evolution { population: 12 },
        ),
    ] {
        assert_eq!(kind(written).kind, is, "{written}");
    }
    for (written, seed) in [
        ("{type: tpe, seed: 7}", Some(7)),
        ("{type: hyperopt, random_state_seed: 7}", Some(7)),
        ("{type: random, random_state: 7}", Some(7)),
        ("optuna", None),
    ] {
        assert_eq!(kind(written).seed, seed, "{written}");
    }
    let warned = |search_alg: &str| {
        let text = format!(
            "input_features: [{{name: age, type: number}}]\noutput_features: [{{name: income, type: binary}}]\n\
             hyperopt: {{search_alg: {search_alg}}}\n"
        );
        let (_, warnings) = crate::config::Config::parse(&text, "test.yaml").unwrap();
        warnings
            .iter()
            .map(ToString::to_string)
            .collect::<Vec<_>>()
            .join("\n")
    };
    assert_eq!(warned("tpe"), "");
    assert!(
        warned("optuna").contains("hyperopt.search_alg.type: read as tpe"),
        "{}",
        warned("optuna")
    );
    assert!(warned("{type: hyperopt}").contains("read as tpe"));
    assert!(
        warned("{type: bohb, bohb_config: {eta: 3}}").contains("bohb_config: has no effect here"),
        "{}",
        warned("{type: bohb, bohb_config: {eta: 3}}")
    );
}

#[test]
fn samplers_and_schedulers_that_cannot_run_are_refused() {
    let errors = small("hyperopt: {search_alg: zoopt}\n")
        .hyperopt()
        .unwrap_err();
    assert_eq!(
        lines(&errors),
        "test.yaml:9: hyperopt.search_alg.type: search algorithm zoopt cannot run yet; hint: use tpe, evolution, sobol \
         or random"
    );
    let errors = small("hyperopt: {executor: {scheduler: {type: pbt}}}\n")
        .hyperopt()
        .unwrap_err();
    assert_eq!(
        lines(&errors),
        "test.yaml:9: hyperopt.executor.scheduler.type: scheduler pbt cannot run yet; hint: use fifo, async_hyperband, hyperband \
         or median_stopping_rule"
    );
}

/// The scheduler of a search, or what is wrong with it.
fn scheduler(yaml: &str) -> Result<Scheduler, String> {
    let text = format!("hyperopt: {{executor: {{scheduler: {yaml}}}}}\n");
    let search = small(&text).hyperopt().map_err(|errors| lines(&errors))?;
    Ok(search.expect("there is a search").search.scheduler)
}

#[test]
fn schedulers_have_ludwigs_names_and_defaults() {
    let asha = AsyncHyperband {
        variant: Variant::Stopping,
        time_attr: TimeAttr::TrainingIteration,
        max_t: Some(100),
        grace_period: Some(1),
        reduction_factor: 4,
        brackets: 1,
        guard: true,
        cap: Cap::Full,
    };
    for name in ["async_hyperband", "asynchyperband", "asha"] {
        let found = scheduler(&format!("{{type: {name}}}"));
        assert_eq!(found, Ok(Scheduler::AsyncHyperband(asha.clone())));
    }
    // As Ludwig's AutoML writes it.
    let automl = "{type: async_hyperband, time_attr: time_total_s, max_t: 7200, grace_period: 72, reduction_factor: 5}";
    let expected = AsyncHyperband {
        time_attr: TimeAttr::TimeTotalS,
        max_t: Some(7200),
        grace_period: Some(72),
        reduction_factor: 5,
        ..asha
    };
    assert_eq!(scheduler(automl), Ok(Scheduler::AsyncHyperband(expected)));
    let hyperband = Hyperband {
        max_t: Some(81),
        reduction_factor: 3,
    };
    for name in ["hyperband", "hb_bohb"] {
        assert_eq!(
            scheduler(&format!("{{type: {name}}}")),
            Ok(Scheduler::Hyperband(hyperband.clone()))
        );
    }
    let median = MedianStopping {
        time_attr: TimeAttr::TimeTotalS,
        grace_period: 60,
        min_samples_required: 3,
    };
    for name in [
        "median_stopping_rule",
        "medianstoppingrule",
        "medianstopping",
    ] {
        assert_eq!(
            scheduler(&format!("{{type: {name}}}")),
            Ok(Scheduler::MedianStopping(median.clone()))
        );
    }
}

#[test]
fn what_a_scheduler_cannot_do_is_refused_with_its_path() {
    let check = |yaml: &str, key: &str, what: &str| {
        let found = scheduler(yaml).expect_err(yaml);
        let path = format!("hyperopt.executor.scheduler.{key}: {what}");
        assert!(found.contains(&path), "{yaml}: {found}");
    };
    check(
        "{type: asha, grace_period: 200}",
        "grace_period",
        "the first rung 200 lies beyond max_t 100; hint: make it less",
    );
    check(
        "{type: asha, grace_period: 100}",
        "grace_period",
        "with the first rung at max_t 100 there is no rung under it",
    );
    check(
        "{type: asha, reduction_factor: 2.5}",
        "reduction_factor",
        "2.5 is not a whole number; hint: write 3",
    );
    check(
        "{type: asha, max_t: 10.5}",
        "max_t",
        "10.5 is not a whole number",
    );
    check(
        "{type: asha, variant: promotion, time_attr: time_total_s}",
        "time_attr",
        "promotion pauses trials",
    );
    check(
        "{type: asha, time_attr: time_total_s, max_t: null}",
        "max_t",
        "seconds cannot be chosen by the run",
    );
    check(
        "{type: asha, cap: progressive}",
        "cap",
        "a trial that stops at a rung cannot wait",
    );
    check(
        "{type: asha, stop_last_trials: false}",
        "stop_last_trials",
        "cannot be used yet; hint: leave it true",
    );
    check(
        "{type: hyperband, time_attr: time_total_s}",
        "time_attr",
        "HyperBand pauses trials",
    );
    check(
        "{type: hyperband, max_t: 1}",
        "max_t",
        "with a full trial of one epoch there is no rung under it",
    );
    check(
        "{type: medianstopping, hard_stop: false}",
        "hard_stop",
        "cannot be used yet; hint: leave it true",
    );
    check(
        "{type: medianstopping, min_time_slice: 9}",
        "min_time_slice",
        "cannot be used yet",
    );
    for name in [
        "pbt",
        "pbt_replay, policy_file: log.txt",
        "pb2",
        "resource_changing",
    ] {
        check(&format!("{{type: {name}}}"), "type", "scheduler");
    }
}

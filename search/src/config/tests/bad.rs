//! Bad configs and the exact words they are answered with.

use super::{SMALL, lines};
use crate::config::Config;

#[track_caller]
fn bad(text: &str, expected: &str) {
    match Config::parse(text, "base.yaml") {
        Ok(_) => panic!("accepted:\n{text}"),
        Err(errors) => assert_eq!(lines(&errors), expected, "{text}"),
    }
}

/// The small config has 8 lines; what follows begins on line 9.
#[track_caller]
fn bad_rest(rest: &str, expected: &str) {
    bad(&format!("{SMALL}{rest}"), expected);
}

#[test]
fn a_misspelt_key_is_named_with_its_line_and_the_nearest_name() {
    bad_rest(
        "trainer:\n  epoch: 3\n",
        "base.yaml:10: trainer.epoch: unknown key; hint: did you mean \"epochs\"?",
    );
    bad_rest(
        "trianer: {}\n",
        "base.yaml:9: trianer: unknown key; hint: did you mean \"trainer\"?",
    );
    bad(
        "input_features:\n  - {name: a, type: number, preprocesing: {}}\noutput_features:\n  - {name: b, type: number}\n",
        "base.yaml:2: input_features[0].preprocesing: unknown key; hint: did you mean \"preprocessing\"?",
    );
    bad_rest(
        "preprocessing:\n  split: {type: random, probabilitys: [0.7, 0.1, 0.2]}\n",
        "base.yaml:10: preprocessing.split.probabilitys: unknown key; hint: did you mean \"probabilities\"?",
    );
    bad_rest(
        "learning_rate: 0.1\n",
        "base.yaml:9: learning_rate: unknown key; hint: did you mean \"trainer.learning_rate\"?",
    );
    bad_rest(
        "combiner: {type: concat, num_steps: 3}\n",
        "base.yaml:9: combiner.num_steps: unknown key; hint: \"num_steps\" belongs to type tabnet, and this is type concat",
    );
    bad_rest(
        "preprocessing: {split: {type: fixed, zebra: 1}}\n",
        "base.yaml:9: preprocessing.split.zebra: unknown key; hint: known keys: type, column",
    );
}

#[test]
fn a_misspelt_type_is_named_with_the_nearest_one() {
    bad(
        "input_features:\n  - name: a\n    type: numeric\noutput_features:\n  - {name: b, type: binry}\n",
        "base.yaml:3: input_features[0].type: unknown type \"numeric\"; hint: did you mean \"number\"?\n\
         base.yaml:5: output_features[0].type: unknown type \"binry\"; hint: did you mean \"binary\"?",
    );
    bad_rest(
        "combiner:\n  type: realmpl\n",
        "base.yaml:10: combiner.type: unknown type \"realmpl\"; hint: did you mean \"realmlp\"?",
    );
    bad_rest(
        "model_type: trees\n",
        "base.yaml:9: model_type: unknown model_type \"trees\"; hint: known: ecd, linear, gbm, llm, program",
    );
    bad_rest(
        "trainer: {optimizer: adan}\n",
        "base.yaml:9: trainer.optimizer.type: unknown type \"adan\"; hint: did you mean \"adam\"?",
    );
}

#[test]
fn a_value_of_the_wrong_kind_says_what_is_expected_and_what_was_found() {
    bad_rest(
        "trainer:\n  epochs: many\n",
        "base.yaml:10: trainer.epochs: expected a whole number from 1, found \"many\"; hint: the default is 100",
    );
    bad_rest(
        "trainer: {epochs: 0}\n",
        "base.yaml:9: trainer.epochs: expected a whole number from 1, found 0; hint: the default is 100",
    );
    bad_rest(
        "trainer: {epochs: 2.5}\n",
        "base.yaml:9: trainer.epochs: expected a whole number from 1, found 2.5; hint: the default is 100",
    );
    bad_rest(
        "trainer: {learning_rate: -1}\n",
        "base.yaml:9: trainer.learning_rate: expected a number above 0 or auto, found -1; hint: the default is 0.001",
    );
    bad_rest(
        "trainer: {learning_rate: atuo}\n",
        "base.yaml:9: trainer.learning_rate: unknown value \"atuo\"; hint: did you mean \"auto\"?",
    );
    bad_rest(
        "trainer: {epochs: '10'}\n",
        "base.yaml:9: trainer.epochs: expected a whole number from 1, found \"10\"; hint: write the number without quotes",
    );
    bad_rest(
        "combiner: {dropout: 1.5}\n",
        "base.yaml:9: combiner.dropout: expected a number from 0 to 1, found 1.5; hint: the default is 0.0",
    );
    bad_rest(
        "trainer: 3\n",
        "base.yaml:9: trainer: expected a map, found 3; hint: how the network is trained",
    );
    bad_rest(
        "combiner: {norm: bach}\n",
        "base.yaml:9: combiner.norm: unknown value \"bach\"; hint: did you mean \"batch\"?",
    );
    bad_rest(
        "trainer: {should_shuffle: maybe}\n",
        "base.yaml:9: trainer.should_shuffle: expected true or false, found \"maybe\"; hint: the default is true",
    );
}

#[test]
fn a_feature_that_is_only_a_name_is_no_feature() {
    bad(
        "input_features: [age]\noutput_features:\n  - {name: y, type: number}\n",
        "base.yaml:1: input_features[0]: expected a map with type, found \"age\"; hint: write it as {name: NAME, type: number}",
    );
}

#[test]
fn what_must_be_there_is_asked_for() {
    bad(
        "input_features: []\n",
        "base.yaml:1: input_features: expected a list that is not empty, found a list of 0; hint: columns that are learned from\n\
         base.yaml:1: \"output_features\" is missing; hint: columns that are predicted",
    );
    bad(
        "input_features:\n  - type: number\noutput_features:\n  - name: b\n",
        "base.yaml:2: input_features[0]: \"name\" is missing; hint: name of the feature, unique in the config\n\
         base.yaml:4: output_features[0]: \"type\" is missing; hint: add \"type\": binary, category, number, \
         category_distribution, text, sequence, set, vector, timeseries or image",
    );
    bad(
        "",
        "base.yaml:1: the config is empty; hint: `autotune init` writes one",
    );
    bad(
        "- a\n",
        "base.yaml:1: a config is a map of sections; hint: begin with `input_features:` and `output_features:`",
    );
    bad_rest(
        "preprocessing: {split: stratify}\n",
        "base.yaml:9: preprocessing.split: \"column\" is missing; hint: column whose values get the same shares in every part; the target as a rule",
    );
}

#[test]
fn all_errors_come_at_once_in_the_order_of_the_lines() {
    bad_rest(
        "trainer:\n  epochs: -1\n  lerning_rate: 1\ncombiner: {type: nope}\n",
        "base.yaml:10: trainer.epochs: expected a whole number from 1, found -1; hint: the default is 100\n\
         base.yaml:11: trainer.lerning_rate: unknown key; hint: did you mean \"learning_rate\"?\n\
         base.yaml:12: combiner.type: unknown type \"nope\"; hint: known: concat, realmlp, tabnet, transformer, \
         tabtransformer, project_aggregate, comparator, sequence, sequence_concat, ft_transformer, cross_attention, \
         perceiver, gated_fusion, hypernetwork, tabpfn_v2, tabm, resnet",
    );
}

#[test]
fn text_that_is_no_yaml_says_where() {
    bad(
        "a: [1,\n",
        "base.yaml:2: this is not YAML: while parsing a node, did not find expected node content; \
         hint: check the indent, the colons and the quotes on this line and the one above",
    );
    bad(
        "a: 1\na: 2\n",
        "base.yaml:2: key \"a\" stands here twice, first on line 1; hint: keep one of them",
    );
}

#[test]
fn contradictions_between_keys_are_found() {
    bad(
        "input_features:\n  - {name: a, type: number}\n  - {name: a, type: number}\noutput_features:\n  - {name: b, type: number}\n",
        "base.yaml:3: input_features[1].name: the name \"a\" is taken by input_features[0]; hint: give one of them \
         another name, and name the table's column under `column`",
    );
    bad(
        "input_features:\n  - {name: a, type: number, tied: c}\n  - {name: c, type: category}\noutput_features:\n  - {name: b, type: number}\n",
        "base.yaml:2: input_features[0].tied: \"c\" is of another type; hint: tie features of one type",
    );
    bad_rest(
        "trainer: {steps_per_checkpoint: 10, checkpoints_per_epoch: 2}\n",
        "base.yaml:9: trainer.checkpoints_per_epoch: steps_per_checkpoint and checkpoints_per_epoch exclude each other; \
         hint: keep one of them",
    );
    bad_rest(
        "trainer: {validation_field: incme}\n",
        "base.yaml:9: trainer.validation_field: no output is called \"incme\"; hint: did you mean \"income\"?",
    );
    bad_rest(
        "trainer: {validation_metric: r2}\n",
        "base.yaml:9: trainer.validation_metric: r2 does not judge a target of type binary; hint: known: roc_auc, \
         log_loss, accuracy, balanced_accuracy, f1, f_beta_2, precision, recall, mcc, average_precision",
    );
    bad_rest(
        "trainer: {validation_metric: roc_acu}\n",
        "base.yaml:9: trainer.validation_metric: unknown metric \"roc_acu\"; hint: did you mean \"roc_auc\"?",
    );
    bad_rest(
        "preprocessing: {sample_ratio: 0.5, sample_size: 100}\n",
        "base.yaml:9: preprocessing.sample_size: sample_size and sample_ratio exclude each other; hint: keep one of them",
    );
    bad_rest(
        "preprocessing: {split: {probabilities: [0.7, 0.2, 0.2]}}\n",
        "base.yaml:9: preprocessing.split.probabilities: the three shares sum to 1.0999999999999999, not to 1; hint: \
         training, validation and test share, as [0.7, 0.1, 0.2]",
    );
    bad_rest(
        "preprocessing: {split: {type: stratify, column: age}}\n",
        "base.yaml:9: preprocessing.split.column: input_features[0] is of type number; this split needs a column of \
         type binary; hint: name another column, or use type: random",
    );
    bad_rest(
        "preprocessing: {oversample_minority: 0.5, undersample_majority: 0.5}\n",
        "base.yaml:9: preprocessing.undersample_majority: oversample_minority and undersample_majority exclude each \
         other; hint: keep one of them",
    );
    bad_rest(
        "combiner: {type: comparator, entity_1: [age], entity_2: [jbo]}\n",
        "base.yaml:9: combiner: input \"job\" stands in the two entities 0 times; hint: each input belongs to one of \
         entity_1 and entity_2\n\
         base.yaml:9: combiner: no input is called \"jbo\"; hint: did you mean \"job\"?",
    );
    bad_rest(
        "combiner: {type: sequence_concat}\n",
        "base.yaml:9: combiner.type: this combiner needs an input that is a sequence; hint: add a text, sequence, \
         audio or timeseries input, or use concat",
    );
    bad_rest(
        "combiner: {type: transformer, hidden_size: 100}\n",
        "base.yaml:9: combiner.hidden_size: hidden_size 100 is no multiple of num_heads 8; hint: choose one that \
         divides the other",
    );
}

#[test]
fn a_search_is_checked_against_the_keys_it_searches() {
    let hyper = |rest: &str, expected: &str| {
        bad_rest(&format!("hyperopt:\n  parameters:\n{rest}"), expected)
    };
    for (path, why) in [
        ("hyperopt.metric", "it is the search itself"),
        (
            "output_features.0.name",
            "all trials learn from the same columns",
        ),
        (
            "input_features.0.type",
            "all trials learn from the same columns",
        ),
        (
            "preprocessing.split",
            "all trials are judged on the same rows",
        ),
    ] {
        hyper(
            &format!("    {path}: {{space: choice, categories: [a, b]}}\n"),
            &format!(
                "base.yaml:11: hyperopt.parameters.{path}: \"{path}\" cannot be searched: {why}; hint: search a key of the \
                 trainer, the combiner, or of a feature's encoder, preprocessing or decoder"
            ),
        );
    }
    hyper(
        "    trainer.lerning_rate: {space: uniform, lower: 0.1, upper: 1}\n",
        "base.yaml:11: hyperopt.parameters.trainer.lerning_rate: no key stands at \"trainer.lerning_rate\"; hint: did \
         you mean \"learning_rate\"?",
    );
    hyper(
        "    aeg.preprocessing.normalization: {space: choice, categories: [zscore]}\n",
        "base.yaml:11: hyperopt.parameters.aeg.preprocessing.normalization: \"aeg\" is neither a section nor a \
         feature; hint: did you mean \"age.preprocessing.normalization\"?",
    );
    hyper(
        "    trainer.batch_size:\n      space: choice\n      categories: [64, large]\n",
        "base.yaml:13: hyperopt.parameters.trainer.batch_size.categories[1]: unknown value \"large\"; hint: known: auto",
    );
    hyper(
        "    trainer.learning_rate: {space: loguniform, lower: 0, upper: 1}\n",
        "base.yaml:11: hyperopt.parameters.trainer.learning_rate.lower: expected a number above 0 or auto, found 0; \
         hint: the default is 0.001",
    );
    hyper(
        "    combiner.dropout: {space: unifrm, lower: 0, upper: 1}\n",
        "base.yaml:11: hyperopt.parameters.combiner.dropout.space: unknown space \"unifrm\"; hint: did you mean \"uniform\"?",
    );
    hyper(
        "    combiner.dropout: {space: uniform, lower: 0}\n",
        "base.yaml:11: hyperopt.parameters.combiner.dropout: \"upper\" is missing; hint: greatest value",
    );
    hyper(
        "    .:\n      space: choice\n      categories:\n        - {trainer: {epochs: 0}}\n",
        "base.yaml:14: hyperopt.parameters...categories[0]: makes trainer.epochs: expected a whole number from 1, \
         found 0; hint: the default is 100",
    );
    bad_rest(
        "hyperopt:\n  goal: minimize\n  metric: accuracy\n  output_feature: income\n",
        "base.yaml:10: hyperopt.goal: accuracy is not to be minimized; hint: write goal: maximize",
    );
    bad_rest(
        "hyperopt: {output_feature: incom}\n",
        "base.yaml:9: hyperopt.output_feature: no output is called \"incom\"; hint: did you mean \"income\"?",
    );
    bad_rest(
        "hyperopt: {metric: accuracy}\n",
        "base.yaml:9: hyperopt.metric: the outputs together have no metric but loss, not \"accuracy\"; hint: name an \
         output, or use metric: loss",
    );
    bad_rest(
        "hyperopt:\n  parameters: {combiner.dropout: {space: uniform, lower: 0, upper: 1}}\n  search_alg:\n    \
         points_to_evaluate:\n      - {combiner.dropot: 0.1}\n      - {combiner.dropout: 2}\n",
        "base.yaml:13: hyperopt.search_alg.points_to_evaluate[0]: \"combiner.dropot\" is not among the searched \
         parameters; hint: did you mean \"combiner.dropout\"?\n\
         base.yaml:14: hyperopt.search_alg.points_to_evaluate[1]: makes combiner.dropout: expected a number from 0 to \
         1, found 2; hint: the default is 0.0",
    );
}

#[test]
fn conditions_of_parameters_are_checked_before_any_work() {
    let hyper = |when: &str, expected: &str| {
        bad_rest(
            &format!(
                "hyperopt:\n  parameters:\n    combiner.type: {{space: choice, categories: [concat, tabnet]}}\n    \
                 combiner.dropout:\n      space: uniform\n      lower: 0\n      upper: 1\n      when: {when}\n    \
                 trainer.batch_size: {{space: randint, lower: 8, upper: 65}}\n"
            ),
            expected,
        );
    };
    let at = "base.yaml:16: hyperopt.parameters.combiner.dropout.when";
    hyper(
        "{combiner.typ: tabnet}",
        &format!(
            "{at}.combiner.typ: \"combiner.typ\" is not among the searched parameters; hint: did you mean \
             \"combiner.type\"?"
        ),
    );
    hyper(
        "{combiner.type: [tabnett]}",
        &format!(
            "{at}.combiner.type: \"tabnett\" is not among the values of \"combiner.type\"; hint: did you mean \
             \"tabnet\"?"
        ),
    );
    hyper(
        "{trainer.batch_size: 8}",
        &format!(
            "{at}.trainer.batch_size: \"trainer.batch_size\" is listed after the parameter that depends on it; hint: \
             move \"trainer.batch_size\" up, before \"combiner.dropout\""
        ),
    );
    hyper(
        "{combiner.dropout: 0.5}",
        &format!(
            "{at}.combiner.dropout: a parameter cannot depend on itself; hint: name another parameter"
        ),
    );
    hyper(
        "{}",
        &format!(
            "{at}: expected a map from parameters to values, found {{}}; hint: write it as when: {{combiner.type: \
             [tabnet]}}"
        ),
    );
}

#[test]
fn a_range_that_holds_nothing_is_an_error() {
    let text = format!(
        "{SMALL}hyperopt: {{parameters: {{combiner.dropout: {{space: uniform, lower: 0.5, upper: 0.1}}}}}}\n"
    );
    let errors = Config::parse(&text, "base.yaml").expect_err("lower is above upper");
    assert_eq!(errors.len(), 1);
    assert_eq!(
        (errors[0].line, errors[0].path.as_str()),
        (Some(9), "hyperopt.parameters.combiner.dropout")
    );
}

#[test]
fn models_other_than_networks_are_checked_too() {
    bad(
        "model_type: gbm\ninput_features:\n  - {name: a, type: number}\noutput_features:\n  - {name: b, type: number}\n  - {name: c, type: text}\n\
         trainer: {num_leafs: 3}\n",
        "base.yaml:4: output_features: model_type gbm predicts one output, found 2; hint: keep one of them, or use \
         model_type: ecd\n\
         base.yaml:6: output_features[1].type: model_type gbm does not predict text; hint: binary, category or number\n\
         base.yaml:7: trainer.num_leafs: unknown key; hint: did you mean \"num_leaves\"?",
    );
    bad(
        "model_type: llm\ninput_features:\n  - {name: a, type: number}\noutput_features:\n  - {name: b, type: category}\n\
         trainer: {type: finetune}\nprompt: {template: '{__task__} {a}'}\n",
        "base.yaml:1: \"base_model\" is missing; hint: name of the model, or its folder\n\
         base.yaml:2: input_features: model_type llm takes exactly one input, of type text; hint: join the columns in \
         prompt.template\n\
         base.yaml:5: output_features[0].type: finetuning needs an output of type text; hint: use type: text, or \
         trainer.type: none\n\
         base.yaml:7: prompt.template: the template uses {__task__}, but there is no task; hint: add prompt.task",
    );
}

#[test]
fn what_no_scheduler_may_say_is_an_error_with_its_path_and_the_nearest_name() {
    let check = |scheduler: &str, expected: &str| {
        let text = format!("{SMALL}hyperopt: {{executor: {{scheduler: {scheduler}}}}}\n");
        let errors = Config::parse(&text, "base.yaml").expect_err(scheduler);
        let found: Vec<String> = errors.iter().map(crate::ConfigError::one_line).collect();
        assert_eq!(
            found,
            [format!(
                "base.yaml:9: hyperopt.executor.scheduler.{expected}"
            )]
        );
    };
    check(
        "{type: asha, reduction_factor: 1}",
        "reduction_factor: expected a number from 2, found 1; hint: the default is 4",
    );
    check(
        "{type: hyperband, reduction_factor: 1.5}",
        "reduction_factor: expected a number from 2, found 1.5; hint: the default is 3",
    );
    check(
        "{type: asha, grace_periods: 1}",
        "grace_periods: unknown key; hint: did you mean \"grace_period\"?",
    );
    check(
        "{type: hyperbnad}",
        "type: unknown type \"hyperbnad\"; hint: did you mean \"hyperband\"?",
    );
    check(
        "{type: asha, brackets: 0}",
        "brackets: expected a whole number from 1, found 0; hint: the default is 1",
    );
}

//! Whole configs: good ones, bad ones, views, changes.

mod bad;
mod change;
mod good;
mod round;
mod views;

use super::Config;

/// A small config that every test can vary.
pub(super) const SMALL: &str = "\
input_features:
  - name: age
    type: number
  - name: job
    type: category
output_features:
  - name: income
    type: binary
";

pub(super) fn config(text: &str) -> Config {
    match Config::parse(text, "test.yaml") {
        Ok((config, _)) => config,
        Err(errors) => panic!("{text}\n{}", lines(&errors)),
    }
}

/// The small config with more sections.
pub(super) fn small(rest: &str) -> Config {
    config(&format!("{SMALL}{rest}"))
}

pub(super) fn lines(errors: &[crate::ConfigError]) -> String {
    errors
        .iter()
        .map(crate::ConfigError::one_line)
        .collect::<Vec<_>>()
        .join("\n")
}

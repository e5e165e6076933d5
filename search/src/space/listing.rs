//! The assignments of a finite space, counted and one by one.
//!
//! Parameters that depend on one another form a block; blocks are independent, so their sizes multiply.
//! Within a block the choices of parents are walked through.

use super::Parameter;
use super::space::Assignment;
use crate::error::ConfigError;

/// Combinations of the values of parents in one block that are walked through at most: 10 ms.
const MAX_COMBINATIONS: u64 = 1 << 16;

/// The blocks of a space.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Listing {
    /// Axes that depend on one another, ascending; in the order of their first axes.
    blocks: Vec<Vec<usize>>,
    /// Whether other parameters depend on the one of an axis.
    is_parent: Vec<bool>,
}

impl Listing {
    /// # Errors
    /// When one block has too many combinations to be counted.
    pub(super) fn new(parameters: &[Parameter]) -> Result<Self, ConfigError> {
        let mut block: Vec<usize> = (0..parameters.len()).collect();
        let mut is_parent = vec![false; parameters.len()];
        for (axis, parameter) in parameters.iter().enumerate() {
            for condition in &parameter.when {
                is_parent[condition.parent] = true;
                let (from, to) = (block[axis], block[condition.parent]);
                let (low, high) = (from.min(to), from.max(to));
                for label in block.iter_mut().filter(|label| **label == high) {
                    *label = low;
                }
            }
        }
        let blocks: Vec<Vec<usize>> = (0..parameters.len())
            .map(|label| {
                (0..parameters.len())
                    .filter(|axis| block[*axis] == label)
                    .collect()
            })
            .filter(|axes: &Vec<usize>| !axes.is_empty())
            .collect();
        for axes in &blocks {
            let combinations =
                axes.iter()
                    .filter(|axis| is_parent[**axis])
                    .fold(1, |n: u64, axis| {
                        n.saturating_mul(parameters[*axis].domain.size().unwrap_or(u64::MAX))
                    });
            if combinations > MAX_COMBINATIONS {
                return Err(ConfigError {
                    file: String::new(),
                    line: None,
                    path: format!("hyperopt.parameters.{}", parameters[axes[0]].name),
                    what: format!("{combinations} combinations of values are depended on"),
                    hint: Some(format!(
                        "at most {MAX_COMBINATIONS}: search fewer parents together"
                    )),
                });
            }
        }
        Ok(Self { blocks, is_parent })
    }

    /// How many assignments there are; saturating; nothing when there is no end of them.
    pub(super) fn size(&self, parameters: &[Parameter]) -> Option<u128> {
        self.blocks.iter().try_fold(1, |product: u128, axes| {
            let n = self.count(parameters, axes, &mut vec![None; parameters.len()])?;
            Some(product.saturating_mul(n))
        })
    }

    /// The `i`-th assignment, the last block turning fastest; nothing past the end.
    pub(super) fn nth(&self, parameters: &[Parameter], mut i: u128) -> Option<Assignment> {
        let mut assignment = Assignment::new();
        for axes in self.blocks.iter().rev() {
            let mut chosen = vec![None; parameters.len()];
            let n = self.count(parameters, axes, &mut chosen)?;
            self.pick(parameters, axes, i % n, &mut chosen, &mut assignment)?;
            i /= n;
        }
        (i == 0).then_some(assignment)
    }

    /// Assignments of these axes beside the choices made before them.
    fn count(
        &self,
        parameters: &[Parameter],
        axes: &[usize],
        chosen: &mut Vec<Option<usize>>,
    ) -> Option<u128> {
        let Some((&axis, rest)) = axes.split_first() else {
            return Some(1);
        };
        if !exists(&parameters[axis], chosen) {
            chosen[axis] = None;
            return self.count(parameters, rest, chosen);
        }
        let size = parameters[axis].domain.size()?;
        if !self.is_parent[axis] {
            let n = self.count(parameters, rest, chosen)?;
            return Some(n.saturating_mul(u128::from(size)));
        }
        let mut sum: u128 = 0;
        for choice in 0..usize::try_from(size).ok()? {
            chosen[axis] = Some(choice);
            sum = sum.saturating_add(self.count(parameters, rest, chosen)?);
        }
        chosen[axis] = None;
        Some(sum)
    }

    /// Puts the `i`-th assignment of these axes into `into`.
    fn pick(
        &self,
        parameters: &[Parameter],
        axes: &[usize],
        mut i: u128,
        chosen: &mut Vec<Option<usize>>,
        into: &mut Assignment,
    ) -> Option<()> {
        let Some((&axis, rest)) = axes.split_first() else {
            return Some(());
        };
        let parameter = &parameters[axis];
        if !exists(parameter, chosen) {
            return self.pick(parameters, rest, i, chosen, into);
        }
        let mut choice = 0;
        if self.is_parent[axis] {
            loop {
                chosen[axis] = Some(usize::try_from(choice).ok()?);
                let n = self.count(parameters, rest, chosen)?;
                if i < n {
                    break;
                }
                i -= n;
                choice += 1;
            }
        } else {
            let n = self.count(parameters, rest, chosen)?;
            choice = u64::try_from(i / n).ok()?;
            i %= n;
        }
        into.insert(parameter.name.clone(), parameter.domain.nth(choice)?);
        self.pick(parameters, rest, i, chosen, into)
    }
}

/// Whether a parameter exists beside these choices.
fn exists(parameter: &Parameter, chosen: &[Option<usize>]) -> bool {
    parameter.when.iter().all(|condition| {
        chosen[condition.parent].is_some_and(|choice| condition.choices.contains(&choice))
    })
}

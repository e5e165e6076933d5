//! Which rows make up each step.

use crate::model::stream::Stream;

/// The rows of every step, as a function of the seed and the step: nothing to save.
///
/// Steps run through passes over the training rows. A pass is shuffled by its own stream; an epoch is a
/// number of steps, a pass or less.
#[derive(Debug)]
pub struct Order {
    rows: Vec<u32>,
    batch: usize,
    steps_a_pass: u64,
    steps_an_epoch: u64,
    /// The seed, when rows are shuffled.
    seed: Option<u64>,
    /// The pass that `shuffled` is of.
    pass: Option<u64>,
    shuffled: Vec<u32>,
}

/// How rows are cut into steps.
#[derive(Debug, Clone, Copy)]
pub struct Cut {
    /// Rows of a step; fewer where there are not so many.
    pub batch: usize,
    /// Whether an incomplete last step is left out; never the only one.
    pub drop_last: bool,
    /// Rows of an epoch when it is less than a pass.
    pub epoch_rows: Option<u64>,
}

impl Order {
    /// `rows` are at least one.
    pub fn new(rows: Vec<u32>, cut: Cut, seed: Option<u64>) -> Self {
        let batch = cut.batch.clamp(1, rows.len().max(1));
        let steps = if cut.drop_last {
            rows.len() / batch
        } else {
            rows.len().div_ceil(batch)
        };
        let steps_a_pass = (steps as u64).max(1);
        let steps_an_epoch = match cut.epoch_rows {
            Some(n) => (n / batch as u64).clamp(1, steps_a_pass),
            None => steps_a_pass,
        };
        Self {
            rows,
            batch,
            steps_a_pass,
            steps_an_epoch,
            seed,
            pass: None,
            shuffled: Vec::new(),
        }
    }

    /// Steps of an epoch.
    pub fn steps_an_epoch(&self) -> u64 {
        self.steps_an_epoch
    }

    /// Rows of a full step.
    pub fn batch(&self) -> usize {
        self.batch
    }

    /// The rows of a step, counted from 0 since the training began.
    pub fn rows(&mut self, step: u64) -> &[u32] {
        let pass = step / self.steps_a_pass;
        if self.pass != Some(pass) {
            self.shuffled.clone_from(&self.rows);
            if let Some(seed) = self.seed {
                Stream::new(seed, "rows", pass).shuffle(&mut self.shuffled);
            }
            self.pass = Some(pass);
        }
        let place = usize::try_from(step % self.steps_a_pass).expect("a pass fits into memory");
        let rows = &self.shuffled[place * self.batch..];
        &rows[..rows.len().min(self.batch)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn epoch(order: &mut Order, epoch: u64) -> Vec<Vec<u32>> {
        let steps = order.steps_an_epoch();
        (epoch * steps..(epoch + 1) * steps)
            .map(|step| order.rows(step).to_vec())
            .collect()
    }

    fn check(n_rows: u32, cut: Cut, sizes: &[usize]) {
        let mut order = Order::new((0..n_rows).collect(), cut, Some(1));
        let got: Vec<usize> = epoch(&mut order, 0).iter().map(Vec::len).collect();
        assert_eq!(got, sizes, "{n_rows} rows, {cut:?}");
    }

    #[test]
    fn batches_shrink_to_the_table_and_only_a_last_one_is_dropped() {
        let cut = |batch, drop_last, epoch_rows| Cut {
            batch,
            drop_last,
            epoch_rows,
        };
        check(10, cut(4, false, None), &[4, 4, 2]);
        check(10, cut(4, true, None), &[4, 4]);
        check(5, cut(256, true, None), &[5]);
        check(1, cut(256, true, None), &[1]);
        check(10, cut(4, true, Some(5)), &[4]);
        check(10, cut(4, false, Some(1)), &[4]);
        check(10, cut(4, false, Some(1_000)), &[4, 4, 2]);
    }

    #[test]
    fn a_pass_has_every_row_once_and_passes_differ() {
        let cut = Cut {
            batch: 3,
            drop_last: false,
            epoch_rows: None,
        };
        let mut order = Order::new((10..30).collect(), cut, Some(7));
        let (first, second) = (epoch(&mut order, 0).concat(), epoch(&mut order, 1).concat());
        for pass in [&first, &second] {
            let mut sorted = pass.clone();
            sorted.sort_unstable();
            assert_eq!(sorted, (10..30).collect::<Vec<_>>());
        }
        assert_ne!(first, second);
        assert_eq!(epoch(&mut order, 0).concat(), first);
    }

    #[test]
    fn epochs_shorter_than_a_pass_go_on_where_the_last_one_ended() {
        let cut = Cut {
            batch: 2,
            drop_last: false,
            epoch_rows: Some(6),
        };
        let mut order = Order::new((0..12).collect(), cut, Some(7));
        let mut both = [epoch(&mut order, 0).concat(), epoch(&mut order, 1).concat()].concat();
        both.sort_unstable();
        assert_eq!(both, (0..12).collect::<Vec<_>>());
    }
}

//! Rows as the slots of a layout: the matrix that a linear model is fitted on.

/// Rows as a linear model sees them.
pub(super) struct Design {
    pub(super) n_dense: usize,
    /// The first slots, of which all pairs are summed up.
    pub(super) n_core: usize,
    pub(super) n_slots: usize,
    /// Row-major, `n_dense` a row.
    pub(super) dense: Vec<f32>,
    /// Where each row begins in the other two.
    pub(super) starts: Vec<usize>,
    pub(super) slots: Vec<u32>,
    pub(super) values: Vec<f32>,
}

impl Design {
    /// Rows of dense slots alone.
    #[cfg(test)]
    pub(super) fn of_dense(n_core: usize, rows: &[Vec<f32>]) -> Self {
        let n_dense = rows[0].len();
        Self {
            n_dense,
            n_core,
            n_slots: n_dense,
            dense: rows.concat(),
            starts: vec![0; rows.len() + 1],
            slots: vec![],
            values: vec![],
        }
    }

    pub(super) fn n_rows(&self) -> usize {
        self.starts.len() - 1
    }

    /// Adds a slot to the row being filled.
    pub(super) fn put(&mut self, slot: u32, value: f32) {
        if value != 0.0 {
            self.slots.push(slot);
            self.values.push(value);
        }
    }

    /// The dense slots of a row.
    pub(super) fn dense(&self, row: usize) -> &[f32] {
        &self.dense[row * self.n_dense..][..self.n_dense]
    }

    /// The other slots of a row that are not zero.
    pub(super) fn sparse(&self, row: usize) -> impl Iterator<Item = (usize, f64)> + '_ {
        let range = self.starts[row]..self.starts[row + 1];
        self.slots[range.clone()]
            .iter()
            .zip(&self.values[range])
            .map(|(&slot, &value)| (slot as usize, f64::from(value)))
    }

    /// Adds `weights` (`n_slots` x `width`, row-major) times a row to `out`, of length `width`.
    pub(super) fn multiply(&self, row: usize, weights: &[f64], out: &mut [f64]) {
        let width = out.len();
        let mut add = |slot: usize, value: f64| {
            for (sum, weight) in out.iter_mut().zip(&weights[slot * width..][..width]) {
                *sum += value * weight;
            }
        };
        self.dense(row)
            .iter()
            .enumerate()
            .for_each(|(slot, &value)| add(slot, f64::from(value)));
        self.sparse(row).for_each(|(slot, value)| add(slot, value));
    }

    /// Adds a row times each of `factors` to `sums` (`n_slots` x the number of factors, row-major).
    pub(super) fn spread(&self, row: usize, factors: &[f64], sums: &mut [f64]) {
        let width = factors.len();
        let mut add = |slot: usize, value: f64| {
            for (sum, factor) in sums[slot * width..][..width].iter_mut().zip(factors) {
                *sum += value * factor;
            }
        };
        self.dense(row)
            .iter()
            .enumerate()
            .for_each(|(slot, &value)| add(slot, f64::from(value)));
        self.sparse(row).for_each(|(slot, value)| add(slot, value));
    }
}

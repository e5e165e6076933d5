//! A set that counts up to a limit and then only knows that it is "many".

/// At most `N` distinct values, or the fact that there are more.
#[derive(Debug, Clone)]
pub(super) struct Few<T, const N: usize>(Option<Vec<T>>);

impl<T, const N: usize> Default for Few<T, N> {
    fn default() -> Self {
        Self(Some(Vec::new()))
    }
}

impl<T: PartialEq, const N: usize> Few<T, N> {
    /// The values, or `None` when they are many.
    pub(super) fn get(&self) -> Option<&[T]> {
        self.0.as_deref()
    }

    /// Whether nothing more can be learned.
    pub(super) fn is_many(&self) -> bool {
        self.0.is_none()
    }

    /// Adds a value.
    pub(super) fn add(&mut self, value: T) {
        let Some(values) = &mut self.0 else { return };
        if values.contains(&value) {
            return;
        }
        if values.len() == N {
            self.0 = None;
        } else {
            values.push(value);
        }
    }

    /// Adds every value of another set.
    pub(super) fn merge(&mut self, other: Self) {
        match other.0 {
            None => self.0 = None,
            Some(values) => values.into_iter().for_each(|value| self.add(value)),
        }
    }
}

//! A sorted set that knows ranks: insert, rank and k-th, each in O(log n).
//!
//! A B+ tree whose inner nodes count what lies under each child. Nothing is ever taken out. A sorted vector
//! would shift megabytes for each of a hundred thousand scores.

/// Items of a leaf, and children of an inner node, at most. A leaf of scores is then 2 KiB, an inner node's
/// counts four cache lines.
const WIDTH: usize = 64;

/// Distinct items in order.
#[derive(Clone, Debug)]
pub struct Ranked<T> {
    root: Node<T>,
    len: usize,
}

#[derive(Clone, Debug)]
enum Node<T> {
    /// Sorted.
    Leaf(Vec<T>),
    Inner(Inner<T>),
}

#[derive(Clone, Debug)]
struct Inner<T> {
    children: Vec<Node<T>>,
    /// The smallest item under each child.
    firsts: Vec<T>,
    /// Items under each child.
    counts: Vec<usize>,
}

impl<T: Ord + Copy> Default for Ranked<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T: Ord + Copy> Ranked<T> {
    /// No items.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            root: Node::Leaf(Vec::new()),
            len: 0,
        }
    }

    /// How many there are.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.len
    }

    /// Whether there is none.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Puts an item in. It must not be there yet, or it is there twice.
    pub fn insert(&mut self, item: T) {
        self.len += 1;
        let Some(split) = self.root.insert(item) else {
            return;
        };
        let lower = std::mem::replace(&mut self.root, Node::Leaf(Vec::new()));
        let children = vec![lower, split];
        self.root = Node::Inner(Inner {
            firsts: children.iter().map(Node::first).collect(),
            counts: children.iter().map(Node::count).collect(),
            children,
        });
    }

    /// How many items are less than this one, which need not be there.
    #[must_use]
    pub fn n_less(&self, item: &T) -> usize {
        let (mut node, mut before) = (&self.root, 0);
        loop {
            match node {
                Node::Leaf(items) => return before + items.partition_point(|other| other < item),
                Node::Inner(inner) => {
                    let child = inner.child_of(item);
                    before += inner.counts[..child].iter().sum::<usize>();
                    node = &inner.children[child];
                }
            }
        }
    }

    /// The item with so many before it.
    #[must_use]
    pub fn nth(&self, mut n: usize) -> Option<&T> {
        let mut node = &self.root;
        loop {
            match node {
                Node::Leaf(items) => return items.get(n),
                Node::Inner(inner) => {
                    let mut child = 0;
                    while child + 1 < inner.counts.len() && n >= inner.counts[child] {
                        n -= inner.counts[child];
                        child += 1;
                    }
                    node = &inner.children[child];
                }
            }
        }
    }

    /// The smallest ones, in order.
    pub fn iter(&self) -> impl Iterator<Item = &T> {
        (0..self.len).filter_map(|n| self.nth(n))
    }
}

impl<T: Ord + Copy> Inner<T> {
    /// The child under which an item belongs.
    fn child_of(&self, item: &T) -> usize {
        self.firsts
            .partition_point(|first| first <= item)
            .saturating_sub(1)
    }
}

impl<T: Ord + Copy> Node<T> {
    fn first(&self) -> T {
        match self {
            Self::Leaf(items) => items[0],
            Self::Inner(inner) => inner.firsts[0],
        }
    }

    fn count(&self) -> usize {
        match self {
            Self::Leaf(items) => items.len(),
            Self::Inner(inner) => inner.counts.iter().sum(),
        }
    }

    /// Returns the upper half of a node that has become too wide.
    fn insert(&mut self, item: T) -> Option<Self> {
        match self {
            Self::Leaf(items) => {
                let place = items.partition_point(|other| *other < item);
                items.insert(place, item);
                (items.len() > WIDTH).then(|| Self::Leaf(items.split_off(WIDTH / 2)))
            }
            Self::Inner(inner) => {
                let child = inner.child_of(&item);
                inner.counts[child] += 1;
                inner.firsts[child] = inner.firsts[child].min(item);
                let split = inner.children[child].insert(item)?;
                inner.counts[child] -= split.count();
                inner.counts.insert(child + 1, split.count());
                inner.firsts.insert(child + 1, split.first());
                inner.children.insert(child + 1, split);
                (inner.children.len() > WIDTH).then(|| {
                    Self::Inner(Inner {
                        children: inner.children.split_off(WIDTH / 2),
                        firsts: inner.firsts.split_off(WIDTH / 2),
                        counts: inner.counts.split_off(WIDTH / 2),
                    })
                })
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_hundred_thousand_items_are_in_order_whatever_order_they_came_in() {
        // 65,537 is a prime: every residue comes once. Then all of them backwards, shifted.
        let mut ranked = Ranked::new();
        for i in 0..65_537_u32 {
            ranked.insert(i * 40_503 % 65_537);
        }
        for i in (65_537..100_000).rev() {
            ranked.insert(i);
        }
        assert_eq!(ranked.len(), 100_000);
        for i in (0..100_000_u32).step_by(37) {
            assert_eq!(ranked.nth(i as usize), Some(&i));
            assert_eq!(ranked.n_less(&i), i as usize);
        }
        assert_eq!(
            (ranked.nth(100_000), ranked.n_less(&200_000)),
            (None, 100_000)
        );
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn it_agrees_with_a_sorted_vector(items in prop::collection::btree_set(0..5_000_u32, 0..700).prop_map(|set| set.into_iter().collect::<Vec<_>>()).prop_shuffle()) {
            let (mut ranked, mut sorted) = (Ranked::new(), Vec::new());
            for item in items {
                prop_assert_eq!(ranked.n_less(&item), sorted.partition_point(|other| *other < item));
                ranked.insert(item);
                sorted.insert(sorted.partition_point(|other| *other < item), item);
                let middle = sorted.len() / 3;
                prop_assert_eq!(ranked.nth(middle), sorted.get(middle));
            }
            prop_assert_eq!(ranked.iter().copied().collect::<Vec<_>>(), sorted);
        }
    }
}

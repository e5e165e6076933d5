//! Who holds which slot.

use std::collections::BTreeMap;

use crate::ids::{SlotId, TrialId};

/// The slots of a run. Invariant: a slot has at most one holder, and a trial at most one slot.
#[derive(Clone, Debug, Default)]
pub struct Slots(BTreeMap<SlotId, Holder>);

/// Who holds a slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Holder {
    /// Nobody.
    Free,
    /// The process of a trial.
    Trial(TrialId),
    /// The probe.
    Probe,
}

impl Slots {
    /// Adds slots; those known already stay as they are.
    pub fn open(&mut self, slots: impl IntoIterator<Item = SlotId>) {
        for slot in slots {
            self.0.entry(slot).or_insert(Holder::Free);
        }
    }

    /// Forgets all slots.
    pub fn clear(&mut self) {
        self.0.clear();
    }

    /// The lowest free slot.
    #[must_use]
    pub fn free(&self) -> Option<SlotId> {
        self.0
            .iter()
            .find(|(_, holder)| **holder == Holder::Free)
            .map(|(slot, _)| *slot)
    }

    /// How many are free.
    #[must_use]
    pub fn n_free(&self) -> usize {
        self.0
            .values()
            .filter(|holder| **holder == Holder::Free)
            .count()
    }

    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Gives a free slot to a holder.
    pub fn hold(&mut self, slot: SlotId, holder: Holder) {
        let before = self.0.insert(slot, holder);
        debug_assert_eq!(
            before,
            Some(Holder::Free),
            "Invariant: a slot has at most one holder"
        );
    }

    /// Frees whatever this holder holds.
    pub fn release(&mut self, holder: Holder) {
        for held in self.0.values_mut().filter(|held| **held == holder) {
            *held = Holder::Free;
        }
    }

    /// Trials that hold a slot, by slot.
    pub fn trials(&self) -> impl Iterator<Item = TrialId> + '_ {
        self.0.values().filter_map(|holder| match holder {
            Holder::Trial(trial) => Some(*trial),
            Holder::Free | Holder::Probe => None,
        })
    }

    /// Whether the probe holds one.
    #[must_use]
    pub fn is_probing(&self) -> bool {
        self.0.values().any(|holder| *holder == Holder::Probe)
    }
}

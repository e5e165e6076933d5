//! Texts to codes: each distinct text once, coded in order of first appearance.

use xxhash_rust::xxh3::xxh3_64;

/// A set of texts with a code for each, open addressing over one arena of bytes.
#[derive(Debug, Default)]
pub(crate) struct Interner {
    /// Code + 1, or 0 for free; a power of two, at most half full.
    slots: Vec<u32>,
    hashes: Vec<u64>,
    ends: Vec<u64>,
    bytes: Vec<u8>,
}

impl Interner {
    /// Distinct texts.
    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    /// Bytes of all texts together.
    pub(crate) fn n_bytes(&self) -> usize {
        self.bytes.len()
    }

    /// Where each text ends in `bytes`.
    pub(crate) fn ends(&self) -> &[u64] {
        &self.ends
    }

    /// The texts, end to end.
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The bytes of a code's text.
    pub(crate) fn text(&self, code: usize) -> &[u8] {
        let start = if code == 0 { 0 } else { self.ends[code - 1] };
        &self.bytes[place(start)..place(self.ends[code])]
    }

    /// The code of `text`, a new one when it is new.
    pub(crate) fn code(&mut self, text: &[u8]) -> u32 {
        if 2 * (self.ends.len() + 1) > self.slots.len() {
            self.grow();
        }
        let hash = xxh3_64(text);
        let mask = self.slots.len() - 1;
        let mut slot = place(hash) & mask;
        loop {
            match self.slots[slot] {
                0 => break,
                next => {
                    let code = next as usize - 1;
                    if self.hashes[code] == hash && self.text(code) == text {
                        return next - 1;
                    }
                }
            }
            slot = (slot + 1) & mask;
        }
        let code =
            u32::try_from(self.ends.len()).expect("a dictionary is cut off long before 2^32 texts");
        self.slots[slot] = code + 1;
        self.hashes.push(hash);
        self.bytes.extend_from_slice(text);
        self.ends.push(self.bytes.len() as u64);
        code
    }

    fn grow(&mut self) {
        let n = (2 * self.slots.len()).max(64);
        self.slots.clear();
        self.slots.resize(n, 0);
        for (code, &hash) in (1..).zip(&self.hashes) {
            let mut slot = place(hash) & (n - 1);
            while self.slots[slot] != 0 {
                slot = (slot + 1) & (n - 1);
            }
            self.slots[slot] = code;
        }
    }
}

/// A 64-bit number as a place in memory; this program runs on 64-bit machines.
fn place(number: u64) -> usize {
    usize::try_from(number).expect("a 64-bit machine")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_follow_first_appearance_and_texts_come_back() {
        let mut set = Interner::default();
        let texts: Vec<String> = (0..5_000).map(|i| format!("level {}", i % 1_000)).collect();
        for (i, text) in texts.iter().enumerate() {
            assert_eq!(set.code(text.as_bytes()) as usize, i % 1_000);
        }
        assert_eq!(set.len(), 1_000);
        assert!((0..1_000).all(|code| set.text(code) == texts[code].as_bytes()));
        assert_eq!(set.code(b""), 1_000, "an empty text is a text");
    }
}

//! Text: hashed words and pairs of words, weighted by TF-IDF.
//!
//! Words are lower-case runs of letters and digits (Unicode), an apostrophe inside a word kept; a character
//! of a script that is written without spaces is a word of its own, so that pairs of them stand for words.
//! Each word, and each pair of neighbours, is hashed to 32 bits; a trial folds the hash into as many
//! features as it wants, so that another number of features needs no new pass over the text.

use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::{Xxh3, xxh3_64};

use super::precision::narrow;

/// Hashed terms of the rows of a text column, in compressed rows.
#[derive(Debug, Clone, Copy)]
pub struct TextRows<'a> {
    /// Where each row begins in the other two; one more entry than rows.
    pub indptr: &'a [u64],
    /// Hashes, ascending within a row, each once.
    pub hash: &'a [u32],
    /// How often each occurs in its row.
    pub count: &'a [f32],
}

impl<'a> TextRows<'a> {
    /// Rows in all.
    pub fn n_rows(&self) -> usize {
        self.indptr.len().saturating_sub(1)
    }

    /// The hashes of a row and their counts.
    pub fn row(&self, row: usize) -> (&'a [u32], &'a [f32]) {
        let range = place(self.indptr[row])..place(self.indptr[row + 1]);
        (&self.hash[range.clone()], &self.count[range])
    }
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "a place in a slice that is mapped into memory"
)]
fn place(offset: u64) -> usize {
    offset as usize
}

/// What the terms of a text column are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Terms {
    /// Whether case is ignored.
    pub lowercase: bool,
    /// Whether pairs of neighbouring words are terms too.
    pub pairs: bool,
    /// Whether runs of three to five characters of a word, with its borders, are terms too.
    pub characters: bool,
}

impl Terms {
    /// Calls `term` with the hash of each term of `text`.
    pub fn of(self, text: &str, mut term: impl FnMut(u32)) {
        let mut previous: Option<u64> = None;
        self.words(text, |word| {
            let hash = xxh3_64(word.as_bytes());
            term(low_half(hash));
            if let Some(previous) = previous.filter(|_| self.pairs) {
                term(low_half(pair(previous, hash)));
            }
            previous = Some(hash);
            if self.characters {
                character_runs(word, &mut term);
            }
        });
    }

    /// Calls `each` with every word.
    fn words(self, text: &str, mut each: impl FnMut(&str)) {
        let mut word = String::new();
        let mut end = |word: &mut String| {
            if !word.is_empty() {
                each(word);
                word.clear();
            }
        };
        let mut chars = text.chars().peekable();
        while let Some(c) = chars.next() {
            if is_written_without_spaces(c) {
                end(&mut word);
                word.push(c);
                end(&mut word);
            } else if c.is_alphanumeric() {
                if self.lowercase {
                    word.extend(c.to_lowercase())
                } else {
                    word.push(c)
                }
            } else if matches!(c, '\'' | '’')
                && !word.is_empty()
                && chars.peek().is_some_and(|next| next.is_alphabetic())
            {
                word.push('\'');
            } else {
                end(&mut word);
            }
        }
        end(&mut word);
    }
}

/// Calls `term` with the hash of each run of 3 to 5 characters of ` word `.
fn character_runs(word: &str, term: &mut impl FnMut(u32)) {
    let padded = format!(" {word} ");
    let borders: Vec<usize> = padded
        .char_indices()
        .map(|(at, _)| at)
        .chain([padded.len()])
        .collect();
    for n in 3..=5 {
        for run in borders.windows(n + 1) {
            // A length in the hash, so that a run is not taken for a word.
            term(low_half(pair(
                n as u64,
                xxh3_64(&padded.as_bytes()[run[0]..run[n]]),
            )));
        }
    }
}

fn pair(first: u64, second: u64) -> u64 {
    let mut hash = Xxh3::new();
    hash.update(&first.to_le_bytes());
    hash.update(&second.to_le_bytes());
    hash.digest()
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "the low half of a hash is a hash"
)]
fn low_half(hash: u64) -> u32 {
    hash as u32
}

/// Kana, Han, Thai, Lao, Khmer and Burmese.
fn is_written_without_spaces(c: char) -> bool {
    matches!(c, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{f900}'..='\u{faff}'
        | '\u{20000}'..='\u{2fa1f}' | '\u{e00}'..='\u{eff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17ff}')
        && c.is_alphabetic()
}

/// A fitted text column: the weight of each folded feature.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TextCoding {
    /// ln((1 + rows) / (1 + rows with the feature)) + 1, one per feature (scikit-learn's smooth idf).
    pub idf: Vec<f32>,
}

impl TextCoding {
    /// Fits the weights of `n_features` features (at least 1) on `rows`.
    pub fn fit(text: TextRows<'_>, rows: &[u32], n_features: usize) -> Self {
        let n_features = n_features.max(1);
        let mut n_with = vec![0_u32; n_features];
        let mut seen_in = vec![u32::MAX; n_features];
        for (at, &row) in (0..).zip(rows) {
            for &hash in text.row(row as usize).0 {
                let feature = fold(hash, n_features);
                if seen_in[feature] != at {
                    seen_in[feature] = at;
                    n_with[feature] += 1;
                }
            }
        }
        let n = rows.len() as f64;
        Self {
            idf: n_with
                .into_iter()
                .map(|with| narrow(((1.0 + n) / (1.0 + f64::from(with))).ln() + 1.0))
                .collect(),
        }
    }

    /// How many features there are.
    pub fn n_features(&self) -> usize {
        self.idf.len()
    }

    /// Replaces `out` by the features of a row, ascending, each once, with weights (1 + ln count) idf scaled
    /// to a Euclidean length of 1. A row without words has none.
    pub fn apply(&self, (hashes, counts): (&[u32], &[f32]), out: &mut Vec<(u32, f32)>) {
        out.clear();
        out.extend(
            hashes
                .iter()
                .zip(counts)
                .map(|(&hash, &count)| (fold_u32(hash, self.idf.len()), count)),
        );
        out.sort_unstable_by_key(|&(feature, _)| feature);
        out.dedup_by(|later, first| {
            let same = later.0 == first.0;
            if same {
                first.1 += later.1;
            }
            same
        });
        for (feature, weight) in out.iter_mut() {
            *weight = (1.0 + weight.max(1.0).ln()) * self.idf[*feature as usize];
        }
        let length = out
            .iter()
            .map(|(_, weight)| weight * weight)
            .sum::<f32>()
            .sqrt();
        out.iter_mut().for_each(|(_, weight)| *weight /= length);
    }
}

fn fold(hash: u32, n_features: usize) -> usize {
    hash as usize % n_features
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "the remainder of a u32 is one"
)]
fn fold_u32(hash: u32, n_features: usize) -> u32 {
    fold(hash, n_features) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hashes(text: &str) -> Vec<u32> {
        of(
            Terms {
                lowercase: true,
                pairs: true,
                characters: false,
            },
            text,
        )
    }

    fn of(terms: Terms, text: &str) -> Vec<u32> {
        let mut all = Vec::new();
        terms.of(text, |hash| all.push(hash));
        all
    }

    #[test]
    fn case_space_and_punctuation_are_of_no_account() {
        assert_eq!(hashes("The  quick, FOX!"), hashes("the quick fox"));
        assert_eq!(hashes("ÄRGER"), hashes("ärger"));
        assert_eq!(hashes("don’t"), hashes("don't"));
        assert_ne!(hashes("dont"), hashes("don't"));
        assert!(hashes(" -- ' ").is_empty());
    }

    #[test]
    fn words_and_pairs_of_neighbours_are_terms() {
        let (ab, ba) = (hashes("a b"), hashes("b a"));
        assert_eq!((ab.len(), ba.len()), (3, 3));
        assert!(ba.contains(&ab[0]) && ba.contains(&ab[1]) && !ba.contains(&ab[2]));
    }

    #[test]
    fn scripts_without_spaces_are_cut_into_characters() {
        assert_eq!(hashes("今日は").len(), 5);
        assert_eq!(hashes("abc今").len(), 3);
    }

    #[test]
    fn case_pairs_and_characters_are_as_asked() {
        let plain = Terms {
            lowercase: false,
            pairs: false,
            characters: false,
        };
        assert_eq!(of(plain, "a b c").len(), 3);
        assert_ne!(of(plain, "Fox"), of(plain, "fox"));
        // " cat ": 3 runs of three, 2 of four, 1 of five, beside the word.
        assert_eq!(
            of(
                Terms {
                    characters: true,
                    ..plain
                },
                "cat"
            )
            .len(),
            7
        );
        assert_eq!(
            of(
                Terms {
                    characters: true,
                    ..plain
                },
                "ñ"
            )
            .len(),
            2
        );
    }

    #[test]
    fn weights_are_those_of_scikit_learn() {
        // TfidfTransformer(sublinear_tf=True) on counts [[1, 2, 0], [0, 1, 1], [3, 0, 0]].
        let text = TextRows {
            indptr: &[0, 2, 4, 5],
            hash: &[0, 1, 1, 2, 0],
            count: &[1.0, 2.0, 1.0, 1.0, 3.0],
        };
        let coding = TextCoding::fit(text, &[0, 1, 2], 3);
        let expected: [&[(u32, f32)]; 3] = [
            &[(0, 0.508_542), (1, 0.861_037)],
            &[(1, 0.605_349), (2, 0.795_961)],
            &[(0, 1.0)],
        ];
        let mut out = Vec::new();
        for (row, expected) in expected.iter().enumerate() {
            coding.apply(text.row(row), &mut out);
            let near = out
                .iter()
                .zip(*expected)
                .all(|(a, b)| a.0 == b.0 && (a.1 - b.1).abs() < 1e-5);
            assert!(near && out.len() == expected.len(), "row {row}: {out:?}");
        }
    }

    #[test]
    fn folding_adds_what_falls_together_and_an_empty_row_stays_empty() {
        let text = TextRows {
            indptr: &[0, 3, 3],
            hash: &[0, 2, 5],
            count: &[1.0, 1.0, 1.0],
        };
        let coding = TextCoding::fit(text, &[0, 1], 2);
        let mut out = Vec::new();
        coding.apply(text.row(0), &mut out);
        assert_eq!(
            out.iter().map(|&(feature, _)| feature).collect::<Vec<_>>(),
            [0, 1]
        );
        coding.apply(text.row(1), &mut out);
        assert!(out.is_empty());
    }
}

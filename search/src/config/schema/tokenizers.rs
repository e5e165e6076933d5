//! The tokenizers of texts: general ones, and six for each language.

use super::types::Names;

macro_rules! tokenizers {
    ($($language:literal),*) => {
        &[
            "characters", "space", "space_punct", "ngram", "underscore", "comma", "untokenized", "stripped",
            "sentencepiece", "clip", "bert", "gpt2bpe", "hf_tokenizer",
            $(
                concat!($language, "_tokenize"),
                concat!($language, "_tokenize_filter"),
                concat!($language, "_tokenize_remove_stopwords"),
                concat!($language, "_lemmatize"),
                concat!($language, "_lemmatize_filter"),
                concat!($language, "_lemmatize_remove_stopwords"),
            )*
        ]
    };
}

/// Every tokenizer by name.
pub(crate) const TOKENIZERS: Names = Names::of(tokenizers!(
    "english",
    "italian",
    "spanish",
    "german",
    "french",
    "portuguese",
    "dutch",
    "greek",
    "norwegian",
    "lithuanian",
    "danish",
    "polish",
    "romanian",
    "japanese",
    "chinese",
    "multi"
));

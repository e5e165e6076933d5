//! What the text of one cell means: missing, a number, or words. The one place that decides it.

/// Whether the text of a cell stands for a missing value: nothing but spaces, or one of
/// `NA`, `N/A`, `#N/A`, `NaN`, `nan`, `null`, `NULL`, `?`. Any other word, such as `None`, is a value.
pub(crate) fn is_missing(text: &[u8]) -> bool {
    match text.len() {
        0 => true,
        1 => matches!(text, b"?") || text[0].is_ascii_whitespace(),
        2 => text == b"NA" || is_blank(text),
        3 => matches!(text, b"N/A" | b"NaN" | b"nan") || is_blank(text),
        4 => matches!(text, b"#N/A" | b"null" | b"NULL") || is_blank(text),
        _ => text[0].is_ascii_whitespace() && is_blank(text),
    }
}

fn is_blank(text: &[u8]) -> bool {
    text.iter().all(u8::is_ascii_whitespace)
}

/// The number that the whole text is, exponents and `inf` included; `None` for anything else, for `nan`
/// too. Separators of thousands and decimal commas are not guessed.
pub(crate) fn number(text: &[u8]) -> Option<f64> {
    let first = *text.first()?;
    if !(first.is_ascii_digit() || matches!(first, b'-' | b'+' | b'.' | b'i' | b'I')) {
        return None;
    }
    fast_float2::parse::<f64, _>(text)
        .ok()
        .filter(|value| !value.is_nan())
}

/// Whether the text is a whole number written with leading zeros, as codes are: `02134`, not `0` or `0.5`.
pub(crate) fn has_leading_zero(text: &[u8]) -> bool {
    text.len() > 1
        && text[0] == b'0'
        && text[1].is_ascii_digit()
        && text.iter().all(u8::is_ascii_digit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_listed_tokens_and_blanks_are_missing_and_nothing_else() {
        for text in [
            "", " ", "\t ", "     ", "NA", "N/A", "#N/A", "NaN", "nan", "null", "NULL", "?",
        ] {
            assert!(is_missing(text.as_bytes()), "{text:?}");
        }
        for text in [
            "None", "none", "na", "n/a", "-", "0", "??", "NAN", "Null", "unknown", " x",
        ] {
            assert!(!is_missing(text.as_bytes()), "{text:?}");
        }
    }

    #[test]
    fn numbers_are_read_strictly() {
        for (text, value) in [
            ("0", 0.0),
            ("-1.5", -1.5),
            ("+2", 2.0),
            ("1e-3", 1e-3),
            ("1E5", 1e5),
            (".5", 0.5),
            ("5.", 5.0),
            ("inf", f64::INFINITY),
            ("-Infinity", f64::NEG_INFINITY),
            ("007", 7.0),
        ] {
            assert_eq!(number(text.as_bytes()), Some(value), "{text}");
        }
        for text in [
            "", "1,000", "1 000", "1_000", "0x10", "5%", "$5", "nan", "-nan", "1.2.3", "e5",
            "infx", "1-2", "½", "-",
        ] {
            assert_eq!(number(text.as_bytes()), None, "{text}");
        }
    }

    #[test]
    fn leading_zeros_mark_codes() {
        for (text, expected) in [
            ("02134", true),
            ("00", true),
            ("0", false),
            ("0.5", false),
            ("10", false),
            ("00.5", false),
            ("0a", false),
        ] {
            assert_eq!(has_leading_zero(text.as_bytes()), expected, "{text}");
        }
    }
}

//! Text of unknown origin (names of columns, values, paths) made fit for a terminal: nothing in it moves the cursor, and
//! nothing is longer than anybody reads.

/// Characters of a word that are shown: a long path still fits.
const LONGEST_WORD: usize = 300;
/// Characters of a line that are shown.
const LONGEST_LINE: usize = 2000;

/// Text of one or several lines.
pub(crate) fn plain(text: &str) -> String {
    let line = |line: &str| {
        let words = line.split(' ').map(one_word);
        shortened(words.collect::<Vec<_>>().join(" "), LONGEST_LINE)
    };
    text.split('\n').map(line).collect::<Vec<_>>().join("\n")
}

/// Text that must stay on its line, such as a cell of a table.
pub(crate) fn one_line(text: &str) -> String {
    shortened(escaped(text), LONGEST_WORD)
}

fn one_word(word: &str) -> String {
    shortened(escaped(word), LONGEST_WORD)
}

/// Control characters, and those that turn the direction of writing, as `\u{1b}`.
fn escaped(text: &str) -> String {
    let is_odd =
        |c: char| c.is_control() || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    if !text.contains(is_odd) {
        return text.to_owned();
    }
    let mut out = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        if is_odd(c) {
            out.extend(c.escape_default());
        } else {
            out.push(c);
        }
    }
    out
}

fn shortened(text: String, most: usize) -> String {
    // Bytes are counted first: they are never fewer than characters.
    if text.len() <= most || text.chars().count() <= most {
        return text;
    }
    text.chars().take(most - 1).chain(['…']).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_would_move_the_cursor_is_written_out_and_what_is_long_is_cut() {
        for (text, expected) in [
            ("größe of 3 rows\nnext", "größe of 3 rows\nnext"),
            ("a\u{1b}[31mred\u{7}", "a\\u{1b}[31mred\\u{7}"),
            ("a\rb\tc", "a\\rb\\tc"),
            ("\u{202e}gnp", "\\u{202e}gnp"),
        ] {
            assert_eq!(plain(text), expected);
        }
        let long = format!("column {} is odd", "x".repeat(70_000));
        assert_eq!(
            plain(&long).chars().count(),
            "column  is odd".len() + LONGEST_WORD
        );
        assert_eq!(
            plain(&"many words ".repeat(10_000)).chars().count(),
            LONGEST_LINE
        );
        assert_eq!(one_line("two\nlines"), "two\\nlines");
    }
}

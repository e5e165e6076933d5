//! Plain text tables: columns side by side, cut to the width of a terminal, uncut elsewhere.

use super::plain::one_line;

/// The side a column leans to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Align {
    /// For words.
    Left,
    /// For numbers.
    Right,
}

/// Rows of cells under a header.
#[derive(Debug, Clone)]
pub(crate) struct Table {
    columns: Vec<(&'static str, Align)>,
    rows: Vec<Vec<String>>,
}

impl Table {
    /// An empty table with these columns.
    pub(crate) fn new(columns: &[(&'static str, Align)]) -> Self {
        Self {
            columns: columns.to_vec(),
            rows: Vec::new(),
        }
    }

    /// Adds a row; a cell that is missing is empty.
    pub(crate) fn row(&mut self, cells: impl IntoIterator<Item = String>) {
        self.rows
            .push(cells.into_iter().map(|cell| one_line(&cell)).collect());
    }

    /// The table as text. With a width, lines are cut there, an ellipsis saying so.
    pub(crate) fn render(&self, width: Option<usize>) -> String {
        let cell = |row: &[String], at: usize| row.get(at).cloned().unwrap_or_default();
        let widths: Vec<usize> = (0..self.columns.len())
            .map(|at| {
                self.rows
                    .iter()
                    .map(|row| cell(row, at).chars().count())
                    .chain([self.columns[at].0.chars().count()])
                    .max()
                    .unwrap_or(0)
            })
            .collect();
        let header: Vec<String> = self
            .columns
            .iter()
            .map(|(name, _)| (*name).to_owned())
            .collect();
        let mut text = String::new();
        for row in std::iter::once(&header).chain(&self.rows) {
            let cells: Vec<String> = self
                .columns
                .iter()
                .enumerate()
                .map(|(at, (_, align))| pad(&cell(row, at), widths[at], *align))
                .collect();
            text.push_str(&cut(cells.join("  ").trim_end(), width));
            text.push('\n');
        }
        text
    }
}

/// The width of the terminal that stdout is; none when it is none.
pub(crate) fn terminal_width() -> Option<usize> {
    terminal_size::terminal_size_of(std::io::stdout()).map(|(width, _)| usize::from(width.0))
}

fn pad(text: &str, width: usize, align: Align) -> String {
    let blank = " ".repeat(width.saturating_sub(text.chars().count()));
    match align {
        Align::Left => format!("{text}{blank}"),
        Align::Right => format!("{blank}{text}"),
    }
}

/// A line cut to a width.
pub(crate) fn cut(line: &str, width: Option<usize>) -> String {
    match width {
        Some(width) if line.chars().count() > width => line
            .chars()
            .take(width.saturating_sub(1))
            .chain(['…'])
            .collect(),
        Some(_) | None => line.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_stand_side_by_side_and_long_lines_are_cut_on_a_terminal_only() {
        let mut table = Table::new(&[("trial", Align::Right), ("what", Align::Left)]);
        table.row(["3".to_owned(), "größe".to_owned()]);
        table.row(["12".to_owned(), "a longer text".to_owned()]);
        assert_eq!(
            table.render(None),
            "trial  what\n    3  größe\n   12  a longer text\n"
        );
        assert_eq!(
            table.render(Some(12)),
            "trial  what\n    3  größe\n   12  a lo…\n"
        );
    }
}

//! Data on stdout. A reader that has gone away (`| head`) ends the output, not the command.

use std::io::{self, BufWriter, Write};

/// The one writer to stdout.
pub(crate) struct Data(BufWriter<io::Stdout>);

impl Data {
    /// A writer to this process's stdout.
    pub(crate) fn new() -> Self {
        Self(BufWriter::new(io::stdout()))
    }

    /// Writes text and the end of its line, if it has none.
    pub(crate) fn line(&mut self, text: &str) {
        // stdout that cannot be written has nobody left to tell.
        let _ = self.0.write_all(text.as_bytes());
        if !text.ends_with('\n') {
            let _ = self.0.write_all(b"\n");
        }
    }

    /// Writes one JSON value on a line.
    pub(crate) fn json(&mut self, value: &serde_json::Value) {
        self.line(&value.to_string());
    }
}

impl Drop for Data {
    fn drop(&mut self) {
        let _ = self.0.flush();
    }
}

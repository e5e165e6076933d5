//! Data on stdout. A reader that has gone away (`| head`) ends the output, not the command; any other fault is kept and
//! told at the end.

use std::io::{self, BufWriter, Write};

/// The one writer to stdout.
pub(crate) struct Data {
    out: BufWriter<Box<dyn Write>>,
    /// The first fault; nothing is written after it.
    fault: Option<io::Error>,
}

impl Data {
    /// A writer to this process's stdout.
    pub(crate) fn new() -> Self {
        Self::to(Box::new(io::stdout()))
    }

    fn to(out: Box<dyn Write>) -> Self {
        Self {
            out: BufWriter::new(out),
            fault: None,
        }
    }

    /// Writes text and the end of its line, if it has none.
    pub(crate) fn line(&mut self, text: &str) {
        let end = if text.ends_with('\n') { "" } else { "\n" };
        self.attempt(|out| {
            out.write_all(text.as_bytes())?;
            out.write_all(end.as_bytes())
        });
    }

    /// Writes one JSON value on a line.
    pub(crate) fn json(&mut self, value: &serde_json::Value) {
        self.line(&value.to_string());
    }

    /// Writes what is left, for a reader that waits for it.
    pub(crate) fn flush(&mut self) {
        self.attempt(Write::flush);
    }

    /// Writes what is left, and says whether all was written that somebody wanted to read.
    pub(crate) fn finish(mut self) -> io::Result<()> {
        self.attempt(Write::flush);
        match self.fault.take() {
            Some(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(error),
            Some(_) | None => Ok(()),
        }
    }

    fn attempt(&mut self, write: impl FnOnce(&mut BufWriter<Box<dyn Write>>) -> io::Result<()>) {
        if self.fault.is_none() {
            self.fault = write(&mut self.out).err();
        }
    }
}

impl Drop for Data {
    fn drop(&mut self) {
        self.attempt(Write::flush);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Refuses everything in one way.
    struct Refusing(io::ErrorKind);

    impl Write for Refusing {
        fn write(&mut self, _: &[u8]) -> io::Result<usize> {
            Err(self.0.into())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn a_full_disk_is_told_and_a_reader_that_left_is_not() {
        for (kind, is_told) in [
            (io::ErrorKind::StorageFull, true),
            (io::ErrorKind::BrokenPipe, false),
        ] {
            let mut data = Data::to(Box::new(Refusing(kind)));
            data.line("a summary");
            assert_eq!(data.finish().is_err(), is_told, "{kind}");
        }
    }
}

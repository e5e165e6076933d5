//! Messages as lines, with limits: a process that talks nonsense costs an error, never memory.

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::VERSION;
use crate::error::{Error, Result};

/// The longest line either side accepts, its line break not counted. A report of fifty metrics is 2 kB.
pub const MAX_LINE_BYTES: usize = 64 * 1024;

/// One message as a line, with its line break.
///
/// # Errors
/// When it cannot be written as JSON, or is longer than the other side would accept.
pub fn encode<T: Serialize>(message: &T) -> Result<Vec<u8>> {
    let mut line = serde_json::to_vec(message).map_err(Error::Encode)?;
    if line.len() > MAX_LINE_BYTES {
        return Err(Error::LineTooLong {
            limit: MAX_LINE_BYTES,
        });
    }
    line.push(b'\n');
    Ok(line)
}

/// One message from a line, with or without its line break.
///
/// # Errors
/// When the line is too long, or is no such message.
pub fn decode<T: DeserializeOwned>(line: &[u8]) -> Result<T> {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    if line.len() > MAX_LINE_BYTES {
        return Err(Error::LineTooLong {
            limit: MAX_LINE_BYTES,
        });
    }
    serde_json::from_slice(line).map_err(Error::Decode)
}

/// Refuses every version but ours.
///
/// # Errors
/// When the versions differ.
pub const fn check_version(theirs: u32) -> Result<()> {
    if theirs == VERSION {
        Ok(())
    } else {
        Err(Error::WrongVersion {
            ours: VERSION,
            theirs,
        })
    }
}

/// Cuts what arrives on a pipe into lines. Take messages until there is none before pushing more.
#[derive(Debug, Default)]
pub struct Lines {
    /// What has arrived.
    buffer: Vec<u8>,
    /// How much of the front of `buffer` was taken already.
    taken: usize,
    /// The start of a line that was too long has been dropped, and its end is still to come.
    dropping: bool,
}

impl Lines {
    /// Adds what was read.
    pub fn push(&mut self, bytes: &[u8]) {
        self.buffer.drain(..self.taken);
        self.taken = 0;
        self.buffer.extend_from_slice(bytes);
    }

    /// The next whole line as a message; `None` when more must be read first.
    ///
    /// After an error the line at fault is gone, and the next call goes on behind it.
    ///
    /// # Errors
    /// When a line is too long, or is no such message.
    pub fn next_message<T: DeserializeOwned>(&mut self) -> Result<Option<T>> {
        loop {
            let rest = &self.buffer[self.taken..];
            let Some(end) = rest.iter().position(|byte| *byte == b'\n') else {
                return if self.dropping || rest.len() > MAX_LINE_BYTES {
                    self.drop_rest()
                } else {
                    Ok(None)
                };
            };
            let start = self.taken;
            self.taken += end + 1;
            if !std::mem::take(&mut self.dropping) {
                return decode(&self.buffer[start..start + end]).map(Some);
            }
        }
    }

    /// Forgets the start of a line without an end; says so once a line.
    fn drop_rest<T>(&mut self) -> Result<Option<T>> {
        self.buffer.clear();
        self.taken = 0;
        if std::mem::replace(&mut self.dropping, true) {
            return Ok(None);
        }
        Err(Error::LineTooLong {
            limit: MAX_LINE_BYTES,
        })
    }

    /// Bytes of an unfinished line: more than 0 at end of file means that the writer died in mid-word.
    #[must_use]
    pub fn pending(&self) -> usize {
        self.buffer.len() - self.taken
    }
}

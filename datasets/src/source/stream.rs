//! The text of a source as a stream of UTF-8: decompressed and transcoded on the way, never whole in memory.
//!
//! Text that is UTF-8 already is passed on unchecked; the blocks of the reader check it side by side.

use std::fs::File;
use std::io::{self, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use encoding_rs::{Decoder, DecoderResult, Encoding, UTF_8, UTF_16BE, UTF_16LE};
use flate2::read::MultiGzDecoder;

use super::{Compression, Source};
use crate::{Error, Result};

/// Bytes decoded at once.
const PIECE: usize = 64 << 10;

/// The encoding of that name (a WHATWG label: `latin1`, `utf-16le`, `shift_jis`).
pub(crate) fn encoding(name: &str) -> Result<&'static Encoding> {
    Encoding::for_label(name.as_bytes()).ok_or_else(|| Error::UnknownEncoding(name.to_owned()))
}

/// Why a stream stopped: bytes that are no text in its encoding. Found inside an `io::Error`.
#[derive(Debug, thiserror::Error)]
#[error("byte {offset} is not valid {encoding}")]
pub(crate) struct BadText {
    /// Place in the decompressed file.
    pub(crate) offset: u64,
    /// The encoding's name.
    pub(crate) encoding: &'static str,
}

/// A source's text, read in order.
pub(crate) struct TextStream {
    inner: Box<dyn Read + Send>,
    consumed: Arc<AtomicU64>,
    /// Bytes of a mark at the head of the file that were left out of the text.
    pub(crate) mark_bytes: u64,
}

impl TextStream {
    /// Opens the text of `source`, without its byte order mark.
    pub(crate) fn open(source: &Source) -> Result<Self> {
        let file = File::open(&source.path).map_err(Error::io("read", &source.path))?;
        let consumed = Arc::new(AtomicU64::new(0));
        let counted = Counted {
            file,
            consumed: Arc::clone(&consumed),
        };
        let mut raw: Box<dyn Read + Send> = match source.compression {
            Compression::None => Box::new(counted),
            Compression::Gzip => Box::new(MultiGzDecoder::new(io::BufReader::with_capacity(
                PIECE, counted,
            ))),
        };
        let mut head = [0; 3];
        let n = read_full(&mut raw, &mut head).map_err(|error| unreadable(source, error))?;
        let (marked, mark) = match &head[..n] {
            [0xef, 0xbb, 0xbf] => (UTF_8, 3),
            [0xff, 0xfe, ..] => (UTF_16LE, 2),
            [0xfe, 0xff, ..] => (UTF_16BE, 2),
            _ => (UTF_8, 0),
        };
        let encoding = match &source.options.encoding {
            Some(name) => encoding(name)?,
            None => marked,
        };
        // A mark of another encoding than the one asked for is text of that encoding.
        let mark = if encoding == marked { mark } else { 0 };
        let rest = io::Cursor::new(head[mark..n].to_vec()).chain(raw);
        let inner: Box<dyn Read + Send> = if encoding == UTF_8 {
            Box::new(rest)
        } else {
            Box::new(Transcoder::new(rest, encoding, mark as u64))
        };
        Ok(Self {
            inner,
            consumed,
            mark_bytes: if encoding == UTF_8 { mark as u64 } else { 0 },
        })
    }

    /// Bytes of the file read so far; a clone of the handle follows the stream from another thread.
    pub(crate) fn consumed(&self) -> Arc<AtomicU64> {
        Arc::clone(&self.consumed)
    }
}

impl Read for TextStream {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.inner.read(buffer)
    }
}

/// Reads until `buffer` is full or the stream ends.
pub(crate) fn read_full(stream: &mut impl Read, buffer: &mut [u8]) -> io::Result<usize> {
    let mut filled = 0;
    while filled < buffer.len() {
        match stream.read(&mut buffer[filled..]) {
            Ok(0) => break,
            Ok(n) => filled += n,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(filled)
}

/// An I/O error of a stream as ours: a broken archive is the data's fault, the rest the machine's.
pub(crate) fn unreadable(source: &Source, error: io::Error) -> Error {
    let damaged = matches!(
        error.kind(),
        io::ErrorKind::UnexpectedEof | io::ErrorKind::InvalidInput | io::ErrorKind::InvalidData
    );
    if damaged && source.compression == Compression::Gzip {
        return Error::Damaged {
            path: source.path.clone(),
            why: format!("the gzip stream breaks off ({error})"),
        };
    }
    Error::io("read", &source.path)(error)
}

struct Counted {
    file: File,
    consumed: Arc<AtomicU64>,
}

impl Read for Counted {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let n = self.file.read(buffer)?;
        self.consumed.fetch_add(n as u64, Ordering::Relaxed);
        Ok(n)
    }
}

/// Turns text of another encoding into UTF-8, and refuses bytes that are none.
struct Transcoder<R> {
    inner: R,
    encoding: &'static Encoding,
    decoder: Decoder,
    raw: Vec<u8>,
    raw_at: usize,
    raw_len: usize,
    /// Place in the stream of `raw[0]`.
    raw_offset: u64,
    ended: bool,
    text: Vec<u8>,
    text_at: usize,
    text_len: usize,
    bad: Option<u64>,
}

impl<R: Read> Transcoder<R> {
    fn new(inner: R, encoding: &'static Encoding, offset: u64) -> Self {
        Self {
            inner,
            encoding,
            decoder: encoding.new_decoder_without_bom_handling(),
            raw: vec![0; PIECE],
            raw_at: 0,
            raw_len: 0,
            raw_offset: offset,
            ended: false,
            text: vec![0; 3 * PIECE],
            text_at: 0,
            text_len: 0,
            bad: None,
        }
    }

    /// Decodes the next piece into `text`.
    fn refill(&mut self) -> io::Result<()> {
        if self.raw_at == self.raw_len {
            self.raw_offset += self.raw_len as u64;
            self.raw_len = read_full(&mut self.inner, &mut self.raw)?;
            self.raw_at = 0;
            self.ended = self.raw_len < self.raw.len();
        }
        let (result, read, written) = self.decoder.decode_to_utf8_without_replacement(
            &self.raw[self.raw_at..self.raw_len],
            &mut self.text,
            self.ended,
        );
        self.raw_at += read;
        (self.text_at, self.text_len) = (0, written);
        if let DecoderResult::Malformed(bytes, behind) = result {
            let behind = u64::from(bytes) + u64::from(behind);
            self.bad = Some((self.raw_offset + self.raw_at as u64).saturating_sub(behind));
        }
        Ok(())
    }
}

impl<R: Read> Read for Transcoder<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.text_at == self.text_len {
            if let Some(offset) = self.bad {
                let bad = BadText {
                    offset,
                    encoding: self.encoding.name(),
                };
                return Err(io::Error::new(io::ErrorKind::InvalidData, bad));
            }
            if self.ended && self.raw_at == self.raw_len {
                return Ok(0);
            }
            self.refill()?;
        }
        let n = buffer.len().min(self.text_len - self.text_at);
        buffer[..n].copy_from_slice(&self.text[self.text_at..self.text_at + n]);
        self.text_at += n;
        Ok(n)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decoded(bytes: &[u8], encoding: &'static Encoding) -> io::Result<String> {
        let mut text = String::new();
        Transcoder::new(bytes, encoding, 0).read_to_string(&mut text)?;
        Ok(text)
    }

    #[test]
    fn latin1_and_utf16_become_utf8() {
        assert_eq!(
            decoded(b"caf\xe9;\xfc", encoding("latin1").unwrap()).unwrap(),
            "café;ü"
        );
        let wide: Vec<u8> = "a,ß\n"
            .repeat(50_000)
            .encode_utf16()
            .flat_map(u16::to_le_bytes)
            .collect();
        assert_eq!(decoded(&wide, UTF_16LE).unwrap(), "a,ß\n".repeat(50_000));
    }

    #[test]
    fn bytes_that_are_no_text_are_named_by_their_place() {
        // An unpaired surrogate is the third unit.
        let error = decoded(b"a\0b\0\x00\xd8c\0d\0", UTF_16LE).unwrap_err();
        let bad = error
            .get_ref()
            .and_then(|e| e.downcast_ref::<BadText>())
            .expect("a BadText");
        assert_eq!((bad.offset, bad.encoding), (4, "UTF-16LE"));
    }

    #[test]
    fn an_unknown_encoding_is_refused() {
        assert!(
            matches!(encoding("utf-99"), Err(Error::UnknownEncoding(name)) if name == "utf-99")
        );
    }
}

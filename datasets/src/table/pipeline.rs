//! Text to columns, block by block: one thread reads and cuts, some decode, the caller takes blocks in order.
//!
//! Memory is bounded by the number of buffers, which go round: no more blocks are under way than there
//! are buffers. A record longer than a block makes its buffer grow, up to a limit.

use std::collections::BTreeMap;
use std::io::{self, Read};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex};

use super::build::ColumnChunk;
use super::csv::Whole;

/// A record may not be longer.
const MAX_BLOCK: usize = 64 << 20;

/// One block, decoded.
#[derive(Debug)]
pub(super) struct Block {
    pub(super) columns: Vec<ColumnChunk>,
    pub(super) n_rows: usize,
    /// Records that the sample leaves out.
    pub(super) n_left_out: u64,
    pub(super) n_lines: u64,
}

/// What is wrong with a text, and on which line of its block (counted from 0).
#[derive(Debug)]
pub(super) struct Fault {
    pub(super) line: u64,
    pub(super) trouble: Trouble,
}

impl Fault {
    /// A fault at the place `at` of a block.
    pub(super) fn at(text: &[u8], at: usize, trouble: Trouble) -> Self {
        Self {
            line: memchr::memchr_iter(b'\n', &text[..at]).count() as u64,
            trouble,
        }
    }
}

/// What can be wrong with a text.
#[derive(Debug)]
pub(super) enum Trouble {
    /// A record of another number of fields.
    Ragged { seen: usize },
    /// Bytes that are no text, in this column, at this place in the file.
    BadText {
        column: usize,
        offset: u64,
        encoding: &'static str,
    },
    /// A quoted field without an end.
    OpenQuote,
    /// A record without an end.
    LongRecord,
    /// A line that is no flat object.
    Json(String),
    /// A value in a JSON line that is an array or object, in the column of that name.
    Nested(String, &'static str),
    /// The stream broke off behind this part of a record.
    Stream { error: io::Error, record: Vec<u8> },
}

/// Which records are kept: those whose place in the text hashes below a threshold, so that the choice
/// depends on nothing but the file.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sample {
    threshold: Option<u64>,
}

impl Sample {
    /// Every record.
    pub(super) const ALL: Self = Self { threshold: None };

    /// About one record in so many.
    pub(super) fn one_in(n: u32) -> Self {
        Self {
            threshold: (n > 1).then(|| u64::MAX / u64::from(n)),
        }
    }

    /// Whether the record that begins at `offset` is kept.
    pub(super) fn keeps(self, offset: u64) -> bool {
        self.threshold
            .is_none_or(|threshold| xxhash_rust::xxh3::xxh3_64(&offset.to_le_bytes()) < threshold)
    }
}

/// A part of the text that begins and ends with whole records.
struct Piece {
    index: u64,
    buffer: Vec<u8>,
    len: usize,
    offset: u64,
}

type Decoded = (u64, Result<Block, Fault>, Option<Vec<u8>>);

/// Decodes a text of whole records, which begins at a place in the stream.
pub(super) type Parse<'a> = dyn Fn(&[u8], u64) -> Result<Block, Fault> + Sync + 'a;

/// How to run.
pub(super) struct Plan<'a> {
    /// Threads that decode.
    pub(super) threads: usize,
    /// Bytes of a block.
    pub(super) block_bytes: usize,
    /// Place in the text where the stream begins.
    pub(super) offset: u64,
    /// Finds the whole records of a text.
    pub(super) cut: &'a (dyn Fn(&[u8]) -> Whole + Sync),
    /// Decodes whole records at a place.
    pub(super) parse: &'a Parse<'a>,
}

/// Why a run ended early.
pub(super) enum Stop<E> {
    /// A fault of the text, on this line of the stream (counted from 0).
    Text(Fault),
    /// The caller's own.
    Taker(E),
}

/// Reads `stream` to its end and gives its blocks to `take`, in order.
pub(super) fn run<E>(
    stream: impl Read + Send,
    plan: &Plan<'_>,
    mut take: impl FnMut(Block) -> Result<(), E>,
) -> Result<(), Stop<E>> {
    let block_bytes = plan.block_bytes.clamp(1, MAX_BLOCK);
    let threads = plan.threads.max(1);
    let n_buffers = 2 * threads + 1;
    // Bounded: `n_buffers` buffers exist, and every message but the reader's last holds one.
    let (give_back, free) = sync_channel::<Vec<u8>>(n_buffers);
    let (send_piece, pieces) = sync_channel::<Piece>(n_buffers);
    let (send_block, blocks) = sync_channel::<Decoded>(n_buffers + 1);
    for _ in 0..n_buffers {
        give_back
            .send(vec![0; block_bytes])
            .expect("the channel has room for every buffer");
    }
    let pieces = Arc::new(Mutex::new(pieces));
    std::thread::scope(|scope| {
        let failed = send_block.clone();
        scope.spawn(move || read(stream, plan, &free, &send_piece, &failed));
        for _ in 0..threads {
            let (pieces, send_block) = (Arc::clone(&pieces), send_block.clone());
            scope.spawn(move || decode(plan, &pieces, &send_block));
        }
        drop(send_block);
        let result = in_order(&blocks, &give_back, &mut take);
        // The threads end when their channels do.
        drop((blocks, give_back, pieces));
        result
    })
}

/// Takes pieces from the reader until there are no more.
fn decode(plan: &Plan<'_>, pieces: &Mutex<Receiver<Piece>>, send: &SyncSender<Decoded>) {
    loop {
        let next = pieces
            .lock()
            .expect("no decoder panics while it waits")
            .recv();
        let Ok(piece) = next else { return };
        let block = (plan.parse)(&piece.buffer[..piece.len], piece.offset);
        if send.send((piece.index, block, Some(piece.buffer))).is_err() {
            return;
        }
    }
}

/// Puts the blocks back in order and gives them to the caller.
fn in_order<E>(
    blocks: &Receiver<Decoded>,
    give_back: &SyncSender<Vec<u8>>,
    take: &mut impl FnMut(Block) -> Result<(), E>,
) -> Result<(), Stop<E>> {
    let mut waiting = BTreeMap::new();
    let (mut next, mut lines) = (0, 0);
    for (index, block, buffer) in blocks {
        waiting.insert(index, (block, buffer));
        while let Some((block, buffer)) = waiting.remove(&next) {
            let block = block.map_err(|fault| {
                Stop::Text(Fault {
                    line: lines + fault.line,
                    ..fault
                })
            })?;
            lines += block.n_lines;
            take(block).map_err(Stop::Taker)?;
            if let Some(buffer) = buffer {
                // The reader may have ended already.
                let _ = give_back.send(buffer);
            }
            next += 1;
        }
    }
    Ok(())
}

/// Reads the stream into free buffers, cuts each behind its last whole record, and sends it on.
fn read(
    mut stream: impl Read,
    plan: &Plan<'_>,
    free: &Receiver<Vec<u8>>,
    send: &SyncSender<Piece>,
    failed: &SyncSender<Decoded>,
) {
    let mut carry: Vec<u8> = Vec::new();
    let mut offset = plan.offset;
    for index in 0.. {
        let Ok(mut buffer) = free.recv() else { return };
        if buffer.len() < carry.len() + 1 {
            buffer.resize((2 * carry.len()).max(64), 0);
        }
        buffer[..carry.len()].copy_from_slice(&carry);
        match fill(&mut stream, plan, &mut buffer, carry.len()) {
            Err(fault) => {
                // The caller may have stopped already.
                let _ = failed.send((index, Err(fault), None));
                return;
            }
            Ok(Filled { len: 0, .. }) => return,
            Ok(Filled { len, end, ended }) => {
                carry.clear();
                carry.extend_from_slice(&buffer[end..len]);
                if send
                    .send(Piece {
                        index,
                        buffer,
                        len: end,
                        offset,
                    })
                    .is_err()
                    || ended
                {
                    return;
                }
                offset += end as u64;
            }
        }
    }
}

/// A buffer's bytes: how many, how many of them are whole records, and whether the stream has ended.
struct Filled {
    len: usize,
    end: usize,
    ended: bool,
}

/// Fills a buffer that holds `len` bytes until it is full and holds a whole record, or the stream ends.
fn fill(
    stream: &mut impl Read,
    plan: &Plan<'_>,
    buffer: &mut Vec<u8>,
    mut len: usize,
) -> Result<Filled, Fault> {
    loop {
        while len < buffer.len() {
            match stream.read(&mut buffer[len..]) {
                Ok(0) => return last(plan, buffer, len),
                Ok(n) => len += n,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => {
                    let end = (plan.cut)(&buffer[..len]).end;
                    let record = buffer[end..len].to_vec();
                    return Err(Fault::at(buffer, len, Trouble::Stream { error, record }));
                }
            }
        }
        let whole = (plan.cut)(&buffer[..len]);
        if whole.end > 0 {
            return Ok(Filled {
                len,
                end: whole.end,
                ended: false,
            });
        }
        if buffer.len() >= MAX_BLOCK {
            let trouble = if whole.open_quote.is_some() {
                Trouble::OpenQuote
            } else {
                Trouble::LongRecord
            };
            return Err(Fault { line: 0, trouble });
        }
        buffer.resize((2 * buffer.len()).min(MAX_BLOCK), 0);
    }
}

/// The end of the stream: what stands behind the last line feed is a record too.
fn last(plan: &Plan<'_>, buffer: &mut Vec<u8>, len: usize) -> Result<Filled, Fault> {
    let whole = (plan.cut)(&buffer[..len]);
    if let Some(quote) = whole.open_quote {
        return Err(Fault::at(buffer, quote, Trouble::OpenQuote));
    }
    let mut len = len;
    if whole.end < len {
        buffer.truncate(len);
        buffer.push(b'\n');
        len += 1;
    }
    Ok(Filled {
        len,
        end: len,
        ended: true,
    })
}

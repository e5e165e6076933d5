//! A fingerprint of a file: equal content gives equal prepared arrays, so that they can be reused.

use std::fs::{File, Metadata};
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;
use std::time::UNIX_EPOCH;

use xxhash_rust::xxh3::Xxh3;

use super::ReadOptions;
use crate::{Error, Result};

/// Files up to this size are hashed whole; larger ones by size, time of change and samples.
const WHOLE_UP_TO: u64 = 64 << 20;
/// Samples of a large file.
const SAMPLES: u64 = 64;
/// Bytes of one sample.
const SAMPLE_BYTES: usize = 64 << 10;

/// A hash of the content and of how it is read, as 16 hex digits.
pub(super) fn fingerprint(
    path: &Path,
    metadata: &Metadata,
    options: &ReadOptions,
) -> Result<String> {
    fingerprint_with(path, metadata, options, WHOLE_UP_TO)
}

fn fingerprint_with(
    path: &Path,
    metadata: &Metadata,
    options: &ReadOptions,
    whole_up_to: u64,
) -> Result<String> {
    let mut hash = Xxh3::new();
    hash.update(format!("{options:?}").as_bytes());
    let mut file = File::open(path).map_err(Error::io("read", path))?;
    let mut buffer = vec![0; SAMPLE_BYTES];
    let size = metadata.len();
    if size <= whole_up_to {
        loop {
            match file.read(&mut buffer).map_err(Error::io("read", path))? {
                0 => break,
                n => hash.update(&buffer[..n]),
            }
        }
    } else {
        hash.update(&size.to_le_bytes());
        let changed = metadata
            .modified()
            .ok()
            .and_then(|time| time.duration_since(UNIX_EPOCH).ok());
        hash.update(&changed.map_or(0, |since| since.as_nanos()).to_le_bytes());
        let step = (size - SAMPLE_BYTES.min(usize::try_from(size).unwrap_or(SAMPLE_BYTES)) as u64)
            / (SAMPLES - 1);
        for sample in 0..SAMPLES {
            file.seek(SeekFrom::Start(sample * step))
                .map_err(Error::io("read", path))?;
            let n = file.read(&mut buffer).map_err(Error::io("read", path))?;
            hash.update(&buffer[..n]);
        }
    }
    Ok(format!("{:016x}", hash.digest()))
}

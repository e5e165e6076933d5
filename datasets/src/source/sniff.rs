//! Tells the format of a file by its first bytes, and by its name where bytes do not tell.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use flate2::read::MultiGzDecoder;

use super::{Compression, Format, ReadOptions};
use crate::{Error, Result};

/// Bytes looked at.
const HEAD_BYTES: u64 = 64 << 10;

/// The format and compression of the file at `path`.
pub(super) fn format(path: &Path, options: &ReadOptions) -> Result<(Format, Compression)> {
    let file = || File::open(path).map_err(Error::io("read", path));
    let mut head = Vec::new();
    file()?
        .take(HEAD_BYTES)
        .read_to_end(&mut head)
        .map_err(Error::io("read", path))?;
    let compression = if head.starts_with(&[0x1f, 0x8b]) {
        Compression::Gzip
    } else {
        Compression::None
    };
    if compression == Compression::Gzip {
        head.clear();
        MultiGzDecoder::new(file()?)
            .take(HEAD_BYTES)
            .read_to_end(&mut head)
            .map_err(|error| Error::Damaged {
                path: path.to_owned(),
                why: error.to_string(),
            })?;
        if head.is_empty() {
            return Err(Error::Empty {
                path: path.to_owned(),
                what: "is empty",
            });
        }
    }
    let format =
        of_head(&head, &extension(path), options).map_err(|(what, hint)| Error::NotATable {
            path: path.to_owned(),
            what,
            hint,
        })?;
    if compression == Compression::Gzip && matches!(format, Format::Parquet | Format::Ipc) {
        let (what, hint) = (
            "a gzipped Parquet or Arrow file",
            "unpack it first; both formats compress inside",
        );
        return Err(Error::NotATable {
            path: path.to_owned(),
            what,
            hint,
        });
    }
    Ok((format, compression))
}

/// The extension in lower case, without a `.gz` behind it.
fn extension(path: &Path) -> String {
    let name = path
        .file_name()
        .map(|name| name.to_string_lossy().to_lowercase())
        .unwrap_or_default();
    let name = name.strip_suffix(".gz").unwrap_or(&name);
    name.rsplit_once('.')
        .map(|(_, extension)| extension.to_owned())
        .unwrap_or_default()
}

/// First bytes of files that are no table, with what they are and what to do.
const STRANGERS: &[(&[u8], &str, &str)] = &[
    (
        b"PK\x03\x04",
        "a zip archive or spreadsheet",
        "unpack it, or save the sheet as CSV",
    ),
    (
        b"\xd0\xcf\x11\xe0",
        "an old spreadsheet",
        "save the sheet as CSV",
    ),
    (
        b"\x28\xb5\x2f\xfd",
        "compressed with zstd",
        "unpack it first with `zstd -d`",
    ),
    (
        b"BZh",
        "compressed with bzip2",
        "unpack it first with `bunzip2`",
    ),
    (
        b"\xfd7zXZ\0",
        "compressed with xz",
        "unpack it first with `unxz`",
    ),
    (b"7z\xbc\xaf\x27\x1c", "a 7z archive", "unpack it first"),
    (
        b"%PDF",
        "a PDF document",
        "give a CSV, Parquet, JSON lines or Arrow IPC file",
    ),
    (
        b"SQLite format 3\0",
        "a SQLite database",
        "export the table as CSV",
    ),
    (
        b"\x89HDF",
        "an HDF5 file",
        "export the table as Parquet or CSV",
    ),
];

type Stranger = (&'static str, &'static str);

fn of_head(
    head: &[u8],
    extension: &str,
    options: &ReadOptions,
) -> std::result::Result<Format, Stranger> {
    if head.starts_with(b"PAR1") {
        return Ok(Format::Parquet);
    }
    if head.starts_with(b"ARROW1") {
        return Ok(Format::Ipc);
    }
    if let Some((_, what, hint)) = STRANGERS
        .iter()
        .find(|(magic, _, _)| head.starts_with(magic))
    {
        return Err((what, hint));
    }
    match extension {
        "parquet" => {
            return Err((
                "named as Parquet but does not begin as one",
                "copy or download it again",
            ));
        }
        "arrow" | "feather" | "ipc" => {
            return Err((
                "named as Arrow IPC but does not begin as one",
                "write it as an Arrow file (Feather 2), not as a stream",
            ));
        }
        _ => {}
    }
    let wide = head.starts_with(&[0xff, 0xfe])
        || head.starts_with(&[0xfe, 0xff])
        || options.encoding.is_some();
    if !wide && head.contains(&0) {
        return Err((
            "a binary file",
            "give a CSV, Parquet, JSON lines or Arrow IPC file; for UTF-16 text say `--encoding utf-16le`",
        ));
    }
    let text = head
        .strip_prefix(b"\xef\xbb\xbf")
        .unwrap_or(head)
        .trim_ascii_start();
    let lower: Vec<u8> = text.iter().take(15).map(u8::to_ascii_lowercase).collect();
    if lower.starts_with(b"<!doctype html") || lower.starts_with(b"<html") {
        return Err((
            "a web page",
            "download the file itself, not the page about it",
        ));
    }
    if text.starts_with(b"{")
        && (text
            .get(1..)
            .is_some_and(|rest| rest.trim_ascii_start().starts_with(b"\""))
            || is_json(extension))
    {
        return Ok(Format::JsonLines);
    }
    if is_json(extension) {
        return Err((
            "a JSON array, or no JSON",
            "write one flat object a line (JSON lines)",
        ));
    }
    Ok(Format::Csv)
}

fn is_json(extension: &str) -> bool {
    matches!(extension, "jsonl" | "ndjson" | "json")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn content_tells_the_format_and_strangers_are_named() {
        for (head, extension, expected) in [
            (&b"PAR1\x15\x04"[..], "csv", Ok(Format::Parquet)),
            (b"ARROW1\0\0", "", Ok(Format::Ipc)),
            (b"a,b\n1,2\n", "csv", Ok(Format::Csv)),
            (b"a\tb\n1\t2\n", "data", Ok(Format::Csv)),
            (b"\xef\xbb\xbfa,b\n", "txt", Ok(Format::Csv)),
            (b"{\"a\": 1}\n", "txt", Ok(Format::JsonLines)),
            (b"{ \"a\": 1}\n", "json", Ok(Format::JsonLines)),
            (b"{x},y\n", "csv", Ok(Format::Csv)),
            (b"[{\"a\": 1}]", "json", Err("a JSON array, or no JSON")),
            (
                b"PK\x03\x04rest",
                "csv",
                Err("a zip archive or spreadsheet"),
            ),
            (b"<!DOCTYPE html><html>", "csv", Err("a web page")),
            (b"a,b\n1,\0\n", "csv", Err("a binary file")),
            (
                b"a,b\n",
                "parquet",
                Err("named as Parquet but does not begin as one"),
            ),
        ] {
            let seen = of_head(head, extension, &ReadOptions::default()).map_err(|(what, _)| what);
            assert_eq!(seen, expected, "{:?}", String::from_utf8_lossy(head));
        }
    }

    #[test]
    fn wide_text_is_no_binary_file() {
        assert_eq!(
            of_head(b"\xff\xfea\0,\0", "csv", &ReadOptions::default()),
            Ok(Format::Csv)
        );
        let options = ReadOptions {
            encoding: Some("utf-16le".into()),
            ..ReadOptions::default()
        };
        assert_eq!(of_head(b"a\0,\0", "csv", &options), Ok(Format::Csv));
    }

    #[test]
    fn the_extension_before_gz_counts() {
        assert_eq!(extension(Path::new("/x/Table.CSV.gz")), "csv");
        assert_eq!(extension(Path::new("table")), "");
    }
}

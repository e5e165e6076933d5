//! What a dataset's name means: a table of the registry, an address, or a local file.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use datasets::registry::{self, Entry, Origin};
use datasets::source::ReadOptions;
use sha2::{Digest, Sha256};

use super::{Download, Patience, Progress, download};
use crate::error::{Error, Result};

/// A dataset that is a local file by now.
#[derive(Debug, Clone)]
pub struct Located {
    /// A short name for it, fit for a folder's name.
    pub label: String,
    /// The file.
    pub path: PathBuf,
    /// How it is read.
    pub options: ReadOptions,
    /// What the registry knows of it.
    pub entry: Option<&'static Entry>,
}

/// Finds the local file of a dataset, and fetches it when it is elsewhere.
///
/// A plain word is first a name of the registry, then a file; `./word` is always a file.
pub fn locate(
    dataset: &str,
    encoding: Option<&str>,
    cache: &Path,
    progress: &mut Progress<'_>,
) -> Result<Located> {
    let with_encoding = |options: ReadOptions| ReadOptions {
        encoding: encoding.map(str::to_owned),
        ..options
    };
    if let Some(entry) = registry::find(dataset) {
        let path = fetch_entry(entry, cache, progress)?;
        return Ok(Located {
            label: entry.name.to_owned(),
            path,
            options: with_encoding(entry.read_options()),
            entry: Some(entry),
        });
    }
    let path = if is_address(dataset) {
        fetch_address(dataset, cache, progress)?
    } else {
        local(dataset)?
    };
    Ok(Located {
        label: label(dataset),
        path,
        options: with_encoding(ReadOptions::default()),
        entry: None,
    })
}

/// Where a table of the registry stands, fetched if need be.
pub fn fetch_entry(entry: &Entry, cache: &Path, progress: &mut Progress<'_>) -> Result<PathBuf> {
    let cache = tables(cache);
    if let Some(path) = entry.materialise(&cache)? {
        return Ok(path);
    }
    let to = entry.local_path(&cache);
    match entry.origin {
        Origin::Url {
            url,
            sha256,
            size_bytes,
        } => download(
            &Download {
                url,
                to: &to,
                sha256,
                bytes: size_bytes,
            },
            &Patience::default(),
            progress,
        )?,
        Origin::Login { page, file } if !to.exists() => {
            return Err(Error::environment(
                format!("{} needs a login and is not here yet", entry.name),
                format!("get {file} from {page} and put it at {}", to.display()),
            ));
        }
        Origin::Login { .. } | Origin::Embedded(_) => {}
    }
    Ok(to)
}

/// Whether a dataset is an address.
pub(crate) fn is_address(dataset: &str) -> bool {
    dataset.starts_with("http://") || dataset.starts_with("https://")
}

/// A short name for a dataset, of letters, digits, `-`, `_` and `.` only.
pub(crate) fn label(dataset: &str) -> String {
    let name = dataset
        .split(['?', '#'])
        .next()
        .unwrap_or(dataset)
        .trim_end_matches('/')
        .rsplit(['/', '\\'])
        .next()
        .unwrap_or(dataset);
    let stem = name
        .trim_start_matches('.')
        .split('.')
        .next()
        .unwrap_or(name);
    let clean: String = stem
        .chars()
        .map(|c| {
            if c.is_ascii_alphanumeric() || c == '-' || c == '_' {
                c
            } else {
                '-'
            }
        })
        .take(40)
        .collect();
    let clean = clean.trim_matches('-');
    if clean.is_empty() {
        "table".to_owned()
    } else {
        clean.to_owned()
    }
}

fn tables(cache: &Path) -> PathBuf {
    cache.join("tables")
}

/// An address is kept under its own hash: two addresses may end in the same name.
fn fetch_address(url: &str, cache: &Path, progress: &mut Progress<'_>) -> Result<PathBuf> {
    let hash: String = Sha256::digest(url)
        .iter()
        .take(8)
        .map(|byte| format!("{byte:02x}"))
        .collect();
    let name = url
        .split(['?', '#'])
        .next()
        .and_then(|path| path.rsplit('/').next())
        .filter(|name| !name.is_empty())
        .unwrap_or("table");
    let to = tables(cache).join("by-address").join(hash).join(name);
    download(
        &Download {
            url,
            to: &to,
            sha256: None,
            bytes: None,
        },
        &Patience::default(),
        progress,
    )?;
    Ok(to)
}

/// A local file, or what to do when there is none.
pub(crate) fn local(dataset: &str) -> Result<PathBuf> {
    let path = PathBuf::from(dataset);
    if path.exists() {
        return Ok(path);
    }
    let names = registry::all().iter().map(|entry| entry.name);
    let near = datasets::nearest::nearest(dataset, names);
    let word = !dataset.contains(['/', '\\', '.']);
    let what = if word {
        format!("no table is named \"{dataset}\", and no file")
    } else {
        format!("no file at {dataset}")
    };
    let hint = match near {
        Some(name) if word => {
            format!("did you mean {name}? `autotune datasets list` shows the known tables")
        }
        _ => "check the path; `autotune datasets list` shows the tables known by name".to_owned(),
    };
    Err(Error::usage(what, hint))
}

/// For callers that have nobody to tell of progress.
pub fn silently(_done: u64, _of: Option<u64>) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_label_is_fit_for_a_folder() {
        for (dataset, expected) in [
            ("adult", "adult"),
            ("/data/My Table.csv.gz", "My-Table"),
            ("https://example.org/a/b/higgs.csv?x=1#y", "higgs"),
            ("../..", "table"),
            ("größe.csv", "gr--e"),
            (".hidden.csv", "hidden"),
        ] {
            assert_eq!(label(dataset), expected);
        }
    }

    #[test]
    fn what_is_nowhere_is_said_with_what_to_do() {
        let cache = tempfile::tempdir().unwrap();
        for (dataset, what) in [
            ("nowhere.csv", "no file at nowhere.csv"),
            ("no/such/file", "no file at no/such/file"),
            ("qqqq", "no table is named \"qqqq\""),
        ] {
            let error = locate(dataset, None, cache.path(), &mut silently).unwrap_err();
            assert!(error.to_string().contains(what), "{error}");
            assert_eq!(error.exit(), crate::Exit::Usage);
            assert!(error.hint().contains("datasets list"));
        }
    }
}

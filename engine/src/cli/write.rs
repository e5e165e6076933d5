//! Files written for the user.

use std::fs::OpenOptions;
use std::io::{ErrorKind, Write};
use std::path::Path;

use crate::error::{Error, Result};

/// Writes a file that is not there yet; what a user may have edited is never replaced.
pub(crate) fn write_new(path: &Path, text: &str) -> Result<()> {
    let file = OpenOptions::new().write(true).create_new(true).open(path);
    let mut file = file.map_err(|source| {
        if source.kind() == ErrorKind::AlreadyExists {
            Error::usage(
                format!("{} is there already", path.display()),
                "choose another name, or remove it first",
            )
        } else {
            Error::file("create", path)(source)
        }
    })?;
    file.write_all(text.as_bytes())
        .map_err(Error::file("write", path))
}

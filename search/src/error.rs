//! What can be wrong with a config, and where.
//!
//! An error is a value with its place and a hint; all errors of a file are found in one pass.

use std::fmt;

/// One fault of a config: where it stands, what is wrong, what to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConfigError {
    /// The file as the user named it; empty for a config that was built, not read.
    pub file: String,
    /// Line in the file, from 1.
    pub line: Option<usize>,
    /// Dotted path of the key, as in `input_features[3].type`; empty for the whole file.
    pub path: String,
    /// What is wrong: a lowercase fragment without a full stop.
    pub what: String,
    /// What to do about it.
    pub hint: Option<String>,
}

impl ConfigError {
    /// What to do about it, to be printed on a line of its own.
    pub fn hint(&self) -> Option<&str> {
        self.hint.as_deref()
    }

    /// The error and its hint on one line: `base.yaml:14: trainer.epoch: unknown key; hint: did you mean "epochs"?`.
    pub fn one_line(&self) -> String {
        match &self.hint {
            Some(hint) => format!("{self}; hint: {hint}"),
            None => self.to_string(),
        }
    }
}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        place(f, &self.file, self.line, &self.path)?;
        f.write_str(&self.what)
    }
}

impl std::error::Error for ConfigError {}

/// Something in a config that was accepted, but not as it was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Warning {
    /// The file as the user named it.
    pub file: String,
    /// Line in the file, from 1.
    pub line: Option<usize>,
    /// Dotted path of the key, as the user wrote it.
    pub path: String,
    /// What was found and how it is read.
    pub what: String,
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        place(f, &self.file, self.line, &self.path)?;
        f.write_str(&self.what)
    }
}

/// `file:line: path: `, each part left out where there is none.
fn place(f: &mut fmt::Formatter<'_>, file: &str, line: Option<usize>, path: &str) -> fmt::Result {
    match (file, line) {
        ("", _) => {}
        (file, Some(line)) => write!(f, "{file}:{line}: ")?,
        (file, None) => write!(f, "{file}: ")?,
    }
    if !path.is_empty() {
        write!(f, "{path}: ")?;
    }
    Ok(())
}

/// The known name that a misspelt one most likely means, if one is near enough.
pub(crate) fn nearest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let lower = name.to_lowercase();
    let mut best: Option<(f64, &str)> = None;
    for candidate in known {
        let likeness = strsim::damerau_levenshtein(&lower, &candidate.to_lowercase());
        let length = lower.chars().count().max(candidate.chars().count()).max(1);
        // A third of the letters may be wrong; a known beginning of four letters or more also counts.
        let prefix = lower.len().min(candidate.len()) >= 4
            && (candidate.starts_with(&lower) || lower.starts_with(candidate));
        #[expect(clippy::cast_precision_loss, reason = "lengths of names are small")]
        let share = likeness as f64 / length as f64;
        let share = if prefix { share.min(0.3) } else { share };
        if share <= 0.34 && best.is_none_or(|(least, _)| share < least) {
            best = Some((share, candidate));
        }
    }
    best.map(|(_, candidate)| candidate)
}

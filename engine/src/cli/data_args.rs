//! The flags that name a table and say what its columns are; shared by the verbs that read one.

use std::collections::BTreeMap;

use clap::Args;
use datasets::Kind;

/// A table and its columns.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Data")]
pub(crate) struct DataArgs {
    /// The table: a name (`autotune datasets list`), a path, or an http(s) address.
    #[arg(long, short, value_name = "DATASET")]
    pub(crate) dataset: String,
    /// The column to predict; guessed where there is a good reason, and the reason is said.
    #[arg(long, short, value_name = "COLUMN")]
    pub(crate) target: Option<String>,
    /// Columns to leave out, with commas between; may be given more than once.
    #[arg(long, value_name = "COLUMNS", value_delimiter = ',')]
    pub(crate) ignore: Vec<String>,
    /// What a column is: number, category, binary, date or text; may be given more than once.
    #[arg(long = "type", value_name = "COLUMN=TYPE", value_parser = column_type)]
    pub(crate) types: Vec<(String, Kind)>,
    /// The text encoding of the table: latin1, utf-16le, ...; found out where not given.
    #[arg(long, value_name = "ENCODING")]
    pub(crate) encoding: Option<String>,
}

impl DataArgs {
    /// The types by column.
    pub(crate) fn types(&self) -> BTreeMap<String, Kind> {
        self.types.iter().cloned().collect()
    }
}

/// Reads `COLUMN=TYPE`; a column's name may hold `=` itself.
fn column_type(text: &str) -> Result<(String, Kind), String> {
    let Some((column, kind)) = text.rsplit_once('=') else {
        return Err("write COLUMN=TYPE, as in age=number".to_owned());
    };
    let kind = kind.parse::<Kind>().map_err(|error| match error.hint() {
        Some(hint) => format!("{error}; {hint}"),
        None => error.to_string(),
    })?;
    if column.is_empty() {
        return Err("the column has no name".to_owned());
    }
    Ok((column.to_owned(), kind))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_type_is_read_from_the_last_equals_sign() {
        assert_eq!(
            column_type("age=number"),
            Ok(("age".to_owned(), Kind::Number))
        );
        assert_eq!(column_type("a=b=Text"), Ok(("a=b".to_owned(), Kind::Text)));
        assert!(column_type("age").unwrap_err().contains("COLUMN=TYPE"));
        assert!(column_type("age=numbr").unwrap_err().contains("number"));
        assert!(column_type("=number").is_err());
    }
}

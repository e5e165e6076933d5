//! Small tables in, columns out: one check per promise of the reader.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::PathBuf;

use proptest::prelude::*;

use super::*;
use crate::source::{ReadOptions, Source};
use crate::{Error, Finding, Kind, What};

/// A folder with one file in it.
struct Case {
    dir: tempfile::TempDir,
    path: PathBuf,
}

impl Case {
    fn new(name: &str, bytes: &[u8]) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        Self { dir, path }
    }

    fn csv(text: &str) -> Self {
        Self::new("table.csv", text.as_bytes())
    }

    fn read(
        &self,
        read: &ReadOptions,
        options: &IngestOptions,
    ) -> crate::Result<(Table, Vec<Finding>)> {
        let dir = self.dir.path().join("columns");
        let _ = std::fs::remove_dir_all(&dir);
        Table::ingest(&Source::open(&self.path, read)?, &dir, options, &mut |_| {})
    }

    fn table(&self) -> (Table, Vec<Finding>) {
        self.read(&ReadOptions::default(), &IngestOptions::new(2))
            .unwrap()
    }

    fn error(&self) -> Error {
        self.read(&ReadOptions::default(), &IngestOptions::new(2))
            .unwrap_err()
    }
}

/// A table as text: a line a column, its name, its storage and its values.
fn shown(table: &Table) -> String {
    let mut out = String::new();
    for column in table.columns() {
        let values = column.values();
        let storage = match values {
            Values::Number(_) => "number",
            Values::Text(TextColumn::Coded { .. }) => "coded",
            Values::Text(TextColumn::Plain(_)) => "plain",
            Values::Time(_) => "time",
            Values::Bool(_) => "bool",
        };
        let cells: Vec<_> = (0..table.n_rows())
            .map(|row| {
                values
                    .level(row)
                    .map_or("·".into(), |level| level.replace('\n', "⏎"))
            })
            .collect();
        writeln!(out, "{} {storage}: {}", column.name(), cells.join(" | ")).unwrap();
        let missing = (0..table.n_rows())
            .filter(|&row| values.level(row).is_none())
            .count() as u64;
        assert_eq!(
            column.n_missing(),
            missing,
            "the count of missing values of {}",
            column.name()
        );
    }
    out
}

#[track_caller]
fn check(text: &str, expected: &str) {
    let (table, _) = Case::csv(text).table();
    assert_eq!(shown(&table), expected, "{text:?}");
}

#[test]
fn columns_are_numbers_where_every_value_is_one() {
    check(
        "a,b,c\n1,x,\n2.50,y,3\n-1e3,,NA\n",
        "a number: 1 | 2.5 | -1000\nb coded: x | y | ·\nc number: · | 3 | ·\n",
    );
}

#[test]
fn quotes_line_breaks_padding_and_line_ends_are_read() {
    check(
        "\u{feff}a, b \r\n\"x, y\", \"two\nlines\" \r\n\r\n5'8\" tall,\"say \"\"hi\"\"\"",
        "a coded: x, y | 5'8\" tall\nb coded: two⏎lines | say \"hi\"\n",
    );
}

#[test]
fn missing_tokens_are_missing_and_none_is_a_level() {
    check(
        "a,b\n?,None\n1,none\nnan,?\n2, \n",
        "a number: · | 1 | · | 2\nb coded: None | none | · | ·\n",
    );
}

#[test]
fn codes_with_leading_zeros_keep_their_text() {
    check(
        "zip,n\n02134,0\n10001,0.5\n",
        "zip coded: 02134 | 10001\nn number: 0 | 0.5\n",
    );
}

#[test]
fn infinite_numbers_are_kept() {
    check(
        "a\n1\ninf\n-inf\n1e999\n",
        "a number: 1 | inf | -inf | inf\n",
    );
}

#[test]
fn a_column_without_values_is_a_column_of_missing_numbers() {
    check("a,b\n1,\n2,\n", "a number: 1 | 2\nb number: · | ·\n");
}

/// A column of many numbers with a few words, and one of codes.
fn long(rows: usize, word_at: &[usize]) -> String {
    let mut text = "n,code\n".to_owned();
    for row in 0..rows {
        let word = if word_at.contains(&row) {
            "unknown".to_owned()
        } else {
            format!("{row}.5")
        };
        writeln!(
            text,
            "{word},{}",
            if row % 50 == 49 {
                "V7".to_owned()
            } else {
                (row % 9).to_string()
            }
        )
        .unwrap();
    }
    text
}

#[test]
fn a_few_words_among_many_numbers_are_missing_and_said() {
    let (table, findings) = Case::csv(&long(200, &[7, 90])).table();
    let n = table.column("n").unwrap();
    assert!(matches!(n.values(), Values::Number(_)));
    assert_eq!((n.n_missing(), n.n_unread()), (2, 2));
    assert_eq!(findings.len(), 1);
    assert_eq!(findings[0].what, What::NotANumber);
    assert_eq!(
        findings[0].text,
        "2 values (\"unknown\") in a column of numbers are read as missing"
    );
    // Few different numbers beside a word are codes.
    assert!(matches!(
        table.column("code").unwrap().values(),
        Values::Text(_)
    ));
}

#[test]
fn a_type_asked_for_decides_how_a_column_is_read() {
    let case = Case::csv("a,b\n1,20121002\nx,20121003\n");
    let mut options = IngestOptions::new(1);
    options.types = [("a".to_owned(), Kind::Number), ("b".to_owned(), Kind::Date)].into();
    let (table, findings) = case.read(&ReadOptions::default(), &options).unwrap();
    assert_eq!(
        shown(&table),
        "a number: 1 | ·\nb coded: 20121002 | 20121003\n"
    );
    assert_eq!(
        findings[0].text,
        "1 values (\"x\") in a column of numbers are read as missing"
    );
}

#[test]
fn many_distinct_texts_are_stored_plain() {
    let mut text = "id,k\n".to_owned();
    (0..70_000).for_each(|row| writeln!(text, "key {row},{}", ["x", "", "y"][row % 3]).unwrap());
    let case = Case::csv(&text);
    let mut options = IngestOptions::new(2);
    options.block_bytes = 100_000;
    let (table, _) = case.read(&ReadOptions::default(), &options).unwrap();
    let Values::Text(ids @ TextColumn::Plain(_)) = table.column("id").unwrap().values() else {
        panic!("plain text")
    };
    assert!(
        ids.iter()
            .enumerate()
            .all(|(row, id)| id == Some(format!("key {row}").as_str()))
    );
    let Values::Text(TextColumn::Coded { codes, dictionary }) = table.column("k").unwrap().values()
    else {
        panic!("codes")
    };
    assert_eq!(
        (codes[..3].to_vec(), dictionary.iter().collect::<Vec<_>>()),
        (vec![0, MISSING_CODE, 1], vec!["x", "y"])
    );
}

#[test]
fn headerless_and_named_files_are_read() {
    let case = Case::csv("1,2\n3,4\n");
    let (table, findings) = case.table();
    assert_eq!(
        shown(&table),
        "column_1 number: 1 | 3\ncolumn_2 number: 2 | 4\n"
    );
    assert_eq!(findings[0].what, What::NoHeader);
    let names = Some(vec!["x".to_owned(), "y".to_owned()]);
    let read = ReadOptions {
        header: Some(false),
        column_names: names,
        ..ReadOptions::default()
    };
    let (table, findings) = case.read(&read, &IngestOptions::new(1)).unwrap();
    assert_eq!(shown(&table), "x number: 1 | 3\ny number: 2 | 4\n");
    assert!(findings.is_empty());
}

fn gzipped(bytes: &[u8]) -> Vec<u8> {
    let mut out = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    out.write_all(bytes).unwrap();
    out.finish().unwrap()
}

#[test]
fn gzip_in_several_members_and_other_encodings_are_read() {
    let two = [gzipped(b"a,b\n1,x\n"), gzipped(b"2,y\n")].concat();
    let (table, _) = Case::new("table.csv.gz", &two).table();
    assert_eq!(shown(&table), "a number: 1 | 2\nb coded: x | y\n");
    let wide: Vec<u8> = "\u{feff}größe;b\n1;ß\n"
        .encode_utf16()
        .flat_map(u16::to_le_bytes)
        .collect();
    let (table, _) = Case::new("table.csv", &wide).table();
    assert_eq!(shown(&table), "größe number: 1\nb coded: ß\n");
    let latin = ReadOptions {
        encoding: Some("latin1".to_owned()),
        ..ReadOptions::default()
    };
    let (table, _) = Case::new("t.csv", b"a,b\n1,\xfc\n")
        .read(&latin, &IngestOptions::new(1))
        .unwrap();
    assert_eq!(shown(&table), "a number: 1\nb coded: ü\n");
}

#[test]
fn json_lines_are_read_with_keys_that_come_late() {
    let text = "{\"a\": 1, \"b\": \"x\"}\n\n{\"b\": null, \"c\": true, \"a\": 2.5}\n{\"c\": false, \"b\": \"y\\n\"}\n";
    let (table, _) = Case::new("t.jsonl", text.as_bytes()).table();
    assert_eq!(
        shown(&table),
        "a number: 1 | 2.5 | ·\nb coded: x | · | y⏎\nc coded: · | true | false\n"
    );
}

#[test]
fn a_finished_folder_is_opened_again_and_another_source_replaces_it() {
    let case = Case::csv("a\n1\n");
    let dir = case.dir.path().join("columns");
    let read = |source: &Source| {
        Table::ingest(source, &dir, &IngestOptions::new(1), &mut |_| {})
            .unwrap()
            .0
    };
    let source = Source::open(&case.path, &ReadOptions::default()).unwrap();
    read(&source);
    let written = std::fs::metadata(dir.join("table.json"))
        .unwrap()
        .modified()
        .unwrap();
    read(&source);
    assert_eq!(
        std::fs::metadata(dir.join("table.json"))
            .unwrap()
            .modified()
            .unwrap(),
        written
    );
    assert_eq!(shown(&Table::open(&dir).unwrap()), "a number: 1\n");
    std::fs::write(&case.path, "a\n2\n").unwrap();
    let changed = Source::open(&case.path, &ReadOptions::default()).unwrap();
    assert_ne!(changed.fingerprint, source.fingerprint);
    assert_eq!(shown(&read(&changed)), "a number: 2\n");
}

#[test]
fn a_folder_that_was_damaged_is_read_anew() {
    let case = Case::csv("a,b\nx,1\ny,2\n");
    let dir = case.dir.path().join("columns");
    let source = Source::open(&case.path, &ReadOptions::default()).unwrap();
    let read = || {
        let table = Table::ingest(&source, &dir, &IngestOptions::new(1), &mut |_| {});
        shown(&table.unwrap().0)
    };
    let whole = read();
    let codes = std::fs::read_dir(&dir)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .find(|path| path.extension().is_some_and(|end| end == "codes"))
        .expect("a column of codes");
    std::fs::write(&codes, [7; 8]).unwrap();
    assert!(Table::open(&dir).is_err(), "no text has such a code");
    assert_eq!(read(), whole);
}

#[test]
fn faults_are_errors_with_their_place() {
    for (name, bytes, expected) in [
        (
            "t.csv",
            &b"a,b\n1,2\n\n1,2,3\n4,5\n"[..],
            "t.csv:4: expected 2 fields, saw 3",
        ),
        (
            "t.csv",
            b"a,b\n\"two\nlines\",2\n1\n",
            "t.csv:4: expected 2 fields, saw 1",
        ),
        (
            "t.csv",
            b"a,b\n1,2\n3,\"x\n5,6\n",
            "t.csv:3: the quoted field that opens here is never closed",
        ),
        (
            "t.csv",
            b"a,b\n1,2\n3,caf\xe9\n",
            "t.csv:3: byte 13 (column \"b\") is not valid UTF-8",
        ),
        ("t.csv", b"a,b\n", "t.csv has a header but no rows"),
        (
            "t.csv",
            b"a,b\r1,2\r3,4\r",
            "t.csv is text whose lines end in a carriage return alone",
        ),
        ("t.csv", b"", "t.csv is empty"),
        ("t.csv", b"\n\n", "t.csv is empty"),
        (
            "t.csv",
            b"a,b\n1,\0\n",
            "t.csv is a binary file, not a table",
        ),
        (
            "t.jsonl",
            b"{\"a\": 1}\n{\"a\": 2\n",
            "t.jsonl:2: not a JSON object (EOF while parsing an object at line 1 column 7)",
        ),
        (
            "t.jsonl",
            b"{\"a\": 1}\n{\"a\": [2]}\n",
            "column \"a\" of t.jsonl holds lists, which no model reads",
        ),
        (
            "t.parquet",
            b"PAR1 and no more",
            "t.parquet is cut short or damaged: ",
        ),
    ] {
        let case = Case::new(name, bytes);
        let error = case.error();
        let shown = error
            .to_string()
            .replace(&format!("{}/", case.dir.path().display()), "");
        assert!(
            shown.starts_with(expected),
            "{:?} gives {shown:?}",
            String::from_utf8_lossy(bytes)
        );
        assert!(
            error.hint().is_some_and(|hint| !hint.is_empty()),
            "{shown} has a hint"
        );
        let left: Vec<_> = std::fs::read_dir(case.dir.path())
            .unwrap()
            .map(|entry| entry.unwrap().file_name())
            .collect();
        assert_eq!(left, [name], "nothing half-written is left");
    }
}

#[test]
fn a_broken_gzip_stream_and_bad_wide_text_are_named() {
    let whole = gzipped("a,b\n1,2\n".repeat(10_000).as_bytes());
    let error = Case::new("t.csv.gz", &whole[..whole.len() / 2]).error();
    assert!(matches!(error, Error::Damaged { .. }), "{error}");
    let mut wide: Vec<u8> = "\u{feff}a,b\n1,2\n3,"
        .encode_utf16()
        .flat_map(u16::to_le_bytes)
        .collect();
    wide.extend_from_slice(b"\x00\xd8x\0\n\0");
    let error = Case::new("t.csv", &wide).error();
    let Error::Encoding {
        line,
        offset,
        column,
        encoding,
        ..
    } = &error
    else {
        panic!("{error}")
    };
    assert_eq!(
        (*line, *offset, column.as_str(), encoding.as_str()),
        (3, 22, "\"b\"", "UTF-16LE")
    );
}

#[test]
fn a_sample_is_about_as_large_as_asked_and_does_not_depend_on_blocks() {
    let mut text = "a,b\n".to_owned();
    (0..20_000).for_each(|row| writeln!(text, "{row},w{}", row % 7).unwrap());
    let case = Case::csv(&text);
    let read = |block_bytes: usize| {
        let options = IngestOptions {
            one_in: 10,
            block_bytes,
            ..IngestOptions::new(2)
        };
        case.read(&ReadOptions::default(), &options).unwrap()
    };
    let (table, findings) = read(1 << 20);
    assert!(
        (1_700..2_300).contains(&table.n_rows()),
        "{}",
        table.n_rows()
    );
    assert_eq!(findings[0].what, What::Sampled);
    let Values::Number(rows) = table.column("a").unwrap().values() else {
        panic!("numbers")
    };
    assert!(
        rows[rows.len() / 2] > 8_000.0 && rows[rows.len() / 2] < 12_000.0,
        "drawn evenly"
    );
    let first = shown(&table);
    assert_eq!(shown(&read(700).0), first);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]
    /// Cells of every sort, in blocks of every size: the same table.
    #[test]
    fn the_table_does_not_depend_on_the_size_of_blocks(
        cells in prop::collection::vec(prop::sample::select(vec![
            "1", "2.5", "-3e4", "", "NA", "?", "x", "None", "\"a,b\"", "\"two\nlines\"", "007", "inf", "word \"q\"", " 8 ", "é",
        ]), 3..180),
        block_bytes in 1usize..90,
        threads in 1usize..4,
    ) {
        // The first column takes the cells as they come, the second mostly numbers, the third only numbers.
        let mut text = "a,b,c\n".to_owned();
        for (row, cell) in cells.iter().enumerate() {
            let rare = if row % 40 == 39 { (*cell).to_owned() } else { format!("{}.25", row % 31) };
            writeln!(text, "{cell},{rare},{row}").unwrap();
        }
        let case = Case::csv(&text);
        let read = |block_bytes, threads| {
            let options = IngestOptions { block_bytes, ..IngestOptions::new(threads) };
            let (table, findings) = case.read(&ReadOptions::default(), &options).unwrap();
            (shown(&table), findings)
        };
        prop_assert_eq!(read(block_bytes, threads), read(8 << 20, 1));
    }
}

#[test]
fn what_a_killed_process_left_half_done_goes_with_the_next_table() {
    let case = Case::csv("a,b\n1,2\n");
    // No process has this number: it is above the largest that Linux gives.
    let left = case.dir.path().join("other.part-4194305");
    let alive = case.dir.path().join("other.part-1");
    for dir in [&left, &alive] {
        std::fs::create_dir(dir).unwrap();
    }
    case.read(&ReadOptions::default(), &IngestOptions::new(1))
        .unwrap();
    assert!(!left.exists());
    assert!(alive.exists());
}

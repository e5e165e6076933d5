//! The tables, sorted by name.

use super::columns::{FOREST, HIGGS};
use super::{Entry, Origin, Split, Task};

/// Every table, sorted by name.
#[must_use]
pub fn all() -> &'static [Entry] {
    TABLES
}

/// The table of that name, in any case.
#[must_use]
pub fn find(name: &str) -> Option<&'static Entry> {
    TABLES
        .iter()
        .find(|entry| entry.name.eq_ignore_ascii_case(name))
}

const UCI: &str = "CC BY 4.0 (UCI Machine Learning Repository)";
const KAGGLE: &str = "rules of the Kaggle competition";
const SPLIT: Split = Split::Random([0.7, 0.1, 0.2]);

const fn url(url: &'static str) -> Origin {
    Origin::Url {
        url,
        sha256: None,
        size_bytes: None,
    }
}

const fn login(page: &'static str, file: &'static str) -> Origin {
    Origin::Login { page, file }
}

/// Sorted by name. Rows and columns of tables that are not `verified` are as published.
static TABLES: &[Entry] = &[
    Entry {
        name: "adult",
        about: "Adult Census Income: does a person earn more than 50,000 dollars a year",
        task: Task::Binary,
        target: "class",
        origin: Origin::Embedded(include_bytes!("../../data/adult.csv.gz")),
        rows: 48_842,
        columns: 15,
        split: Split::Random([0.6, 0.0667, 0.3333]),
        licence: UCI,
        header: true,
        column_names: &[],
        ignore: &[],
        verified: true,
    },
    Entry {
        name: "allstate",
        about: "Allstate Claims Severity: the cost of an insurance claim",
        task: Task::Number,
        target: "loss",
        origin: login(
            "https://www.kaggle.com/c/allstate-claims-severity/data",
            "train.csv",
        ),
        rows: 188_318,
        columns: 132,
        split: SPLIT,
        licence: KAGGLE,
        header: true,
        column_names: &[],
        ignore: &["id"],
        verified: false,
    },
    Entry {
        name: "ames_housing",
        about: "House Prices: the sale price of houses in Ames, Iowa",
        task: Task::Number,
        target: "SalePrice",
        origin: login(
            "https://www.kaggle.com/c/house-prices-advanced-regression-techniques/data",
            "train.csv",
        ),
        rows: 1_460,
        columns: 81,
        split: SPLIT,
        licence: "De Cock 2011; rules of the Kaggle competition",
        header: true,
        column_names: &[],
        ignore: &["Id"],
        verified: false,
    },
    Entry {
        name: "bnp_paribas",
        about: "BNP Paribas Cardif Claims: can a claim be settled at once",
        task: Task::Binary,
        target: "target",
        origin: login(
            "https://www.kaggle.com/c/bnp-paribas-cardif-claims-management/data",
            "train.csv.zip",
        ),
        rows: 114_321,
        columns: 133,
        split: SPLIT,
        licence: KAGGLE,
        header: true,
        column_names: &[],
        ignore: &["ID"],
        verified: false,
    },
    Entry {
        name: "connect4",
        about: "Connect-4: who wins from a position of the game",
        task: Task::Category,
        target: "winner",
        origin: login(
            "https://www.kaggle.com/datasets/tbrewer/connect-4",
            "c4_game_database.csv",
        ),
        rows: 376_640,
        columns: 43,
        split: SPLIT,
        licence: "as stated on Kaggle",
        header: true,
        column_names: &[],
        ignore: &[],
        verified: false,
    },
    Entry {
        name: "forest_cover",
        about: "Forest Cover: the kind of forest on a patch of land",
        task: Task::Category,
        target: "Cover_Type",
        origin: url(
            "https://archive.ics.uci.edu/ml/machine-learning-databases/covtype/covtype.data.gz",
        ),
        rows: 581_012,
        columns: 55,
        split: SPLIT,
        licence: UCI,
        header: false,
        column_names: &FOREST,
        ignore: &[],
        verified: false,
    },
    Entry {
        name: "higgs",
        about: "Higgs: does a collision produce a Higgs boson (simulated)",
        task: Task::Binary,
        target: "label",
        origin: url("https://archive.ics.uci.edu/ml/machine-learning-databases/00280/HIGGS.csv.gz"),
        rows: 11_000_000,
        columns: 29,
        split: Split::InOrder([10_000_000, 500_000, 500_000]),
        licence: UCI,
        header: false,
        column_names: &HIGGS,
        ignore: &[],
        verified: false,
    },
    Entry {
        name: "ieee_fraud",
        about: "IEEE-CIS Fraud Detection: is an online payment fraud",
        task: Task::Binary,
        target: "isFraud",
        origin: login(
            "https://www.kaggle.com/c/ieee-fraud-detection/data",
            "train.csv",
        ),
        rows: 590_540,
        columns: 434,
        split: SPLIT,
        licence: KAGGLE,
        header: true,
        column_names: &[],
        ignore: &["TransactionID"],
        verified: false,
    },
    Entry {
        name: "mercedes",
        about: "Mercedes-Benz Greener Manufacturing: time a car spends on the test bench",
        task: Task::Number,
        target: "y",
        origin: login(
            "https://www.kaggle.com/c/mercedes-benz-greener-manufacturing/data",
            "train.csv.zip",
        ),
        rows: 4_209,
        columns: 378,
        split: SPLIT,
        licence: KAGGLE,
        header: true,
        column_names: &[],
        ignore: &["ID"],
        verified: false,
    },
    Entry {
        name: "mushroom",
        about: "Mushroom Edibility: is a mushroom edible or poisonous",
        task: Task::Binary,
        target: "class",
        origin: Origin::Embedded(include_bytes!("../../data/mushroom.csv.gz")),
        rows: 8_124,
        columns: 23,
        split: SPLIT,
        licence: UCI,
        header: true,
        column_names: &[],
        ignore: &[],
        verified: true,
    },
    Entry {
        name: "naval",
        about: "Naval Propulsion: decay of a ship's gas turbine compressor",
        task: Task::Number,
        target: "gtcdsc",
        origin: login(
            "https://archive.ics.uci.edu/dataset/316/condition+based+maintenance+of+naval+propulsion+plants",
            "naval.csv",
        ),
        rows: 11_934,
        columns: 18,
        split: SPLIT,
        licence: UCI,
        header: true,
        column_names: &[],
        ignore: &[],
        verified: false,
    },
    Entry {
        name: "numerai28pt6",
        about: "Numerai 28.6: encrypted stock market data",
        task: Task::Binary,
        target: "attribute_21",
        origin: login("https://www.openml.org/d/23517", "numerai28pt6.csv"),
        rows: 96_320,
        columns: 22,
        split: SPLIT,
        licence: "public, as stated on OpenML",
        header: true,
        column_names: &[],
        ignore: &[],
        verified: false,
    },
    Entry {
        name: "otto",
        about: "Otto Group Product Classification: the kind of a product",
        task: Task::Category,
        target: "target",
        origin: login(
            "https://www.kaggle.com/c/otto-group-product-classification-challenge/data",
            "train.csv",
        ),
        rows: 61_878,
        columns: 95,
        split: SPLIT,
        licence: KAGGLE,
        header: true,
        column_names: &[],
        ignore: &["id"],
        verified: false,
    },
    Entry {
        name: "poker_hand",
        about: "Poker Hand: the value of a hand of five cards",
        task: Task::Category,
        target: "hand",
        origin: url(
            "https://archive.ics.uci.edu/ml/machine-learning-databases/poker/poker-hand-training-true.data",
        ),
        rows: 25_010,
        columns: 11,
        split: Split::Random([0.9, 0.1, 0.0]),
        licence: UCI,
        header: false,
        column_names: &[
            "S1", "C1", "S2", "C2", "S3", "C3", "S4", "C4", "S5", "C5", "hand",
        ],
        ignore: &[],
        verified: false,
    },
    Entry {
        name: "porto_seguro",
        about: "Porto Seguro Safe Driver: will a driver file a claim next year",
        task: Task::Binary,
        target: "target",
        origin: login(
            "https://www.kaggle.com/c/porto-seguro-safe-driver-prediction/data",
            "train.csv",
        ),
        rows: 595_212,
        columns: 59,
        split: SPLIT,
        licence: KAGGLE,
        header: true,
        column_names: &[],
        ignore: &["id"],
        verified: false,
    },
    Entry {
        name: "protein",
        about: "Physicochemical Properties of Protein Tertiary Structure (CASP): the error of a predicted fold",
        task: Task::Number,
        target: "RMSD",
        origin: url("https://archive.ics.uci.edu/ml/machine-learning-databases/00265/CASP.csv"),
        rows: 45_730,
        columns: 10,
        split: SPLIT,
        licence: UCI,
        header: true,
        column_names: &[],
        ignore: &[],
        verified: false,
    },
    Entry {
        name: "santander_satisfaction",
        about: "Santander Customer Satisfaction: is a customer unhappy",
        task: Task::Binary,
        target: "TARGET",
        origin: login(
            "https://www.kaggle.com/c/santander-customer-satisfaction/data",
            "train.csv",
        ),
        rows: 76_020,
        columns: 371,
        split: SPLIT,
        licence: KAGGLE,
        header: true,
        column_names: &[],
        ignore: &["ID"],
        verified: false,
    },
    Entry {
        name: "santander_transaction",
        about: "Santander Customer Transaction: will a customer make a transaction",
        task: Task::Binary,
        target: "target",
        origin: login(
            "https://www.kaggle.com/c/santander-customer-transaction-prediction/data",
            "train.csv",
        ),
        rows: 200_000,
        columns: 202,
        split: SPLIT,
        licence: KAGGLE,
        header: true,
        column_names: &[],
        ignore: &["ID_code"],
        verified: false,
    },
    Entry {
        name: "sarcos",
        about: "Sarcos: the torque of a robot arm's first joint",
        task: Task::Number,
        target: "torque_1",
        origin: login("https://gaussianprocess.org/gpml/data/", "sarcos.csv"),
        rows: 44_484,
        columns: 22,
        split: Split::Random([0.9, 0.1, 0.0]),
        licence: "not stated with the data",
        header: true,
        column_names: &[],
        ignore: &[],
        verified: false,
    },
    Entry {
        name: "synthetic_fraud",
        about: "PaySim: is a mobile payment fraud (simulated)",
        task: Task::Binary,
        target: "isFraud",
        origin: login(
            "https://www.kaggle.com/datasets/ealaxi/paysim1",
            "PS_20174392719_1491204439457_log.csv",
        ),
        rows: 6_362_620,
        columns: 11,
        split: SPLIT,
        licence: "CC BY-SA 4.0, as stated on Kaggle",
        header: true,
        column_names: &[],
        ignore: &[],
        verified: false,
    },
    Entry {
        name: "walmart",
        about: "Walmart Recruiting: the type of a shopping trip",
        task: Task::Category,
        target: "TripType",
        origin: login(
            "https://www.kaggle.com/c/walmart-recruiting-trip-type-classification/data",
            "train.csv.zip",
        ),
        rows: 647_054,
        columns: 7,
        split: SPLIT,
        licence: KAGGLE,
        header: true,
        column_names: &[],
        ignore: &[],
        verified: false,
    },
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::Source;
    use crate::table::{IngestOptions, Table};

    #[test]
    fn names_are_sorted_and_found_in_any_case() {
        assert!(TABLES.windows(2).all(|pair| pair[0].name < pair[1].name));
        assert_eq!(TABLES.len(), 21, "nine and twelve");
        assert_eq!(find("HIGGS").map(|entry| entry.rows), Some(11_000_000));
        assert!(find("titanic").is_none());
    }

    #[test]
    fn named_columns_hold_the_target_and_are_as_many_as_stated() {
        for entry in TABLES.iter().filter(|entry| !entry.column_names.is_empty()) {
            assert_eq!(
                entry.column_names.len(),
                entry.columns as usize,
                "{}",
                entry.name
            );
            assert!(entry.column_names.contains(&entry.target), "{}", entry.name);
            assert!(!entry.header, "{}", entry.name);
        }
    }

    #[test]
    fn embedded_tables_are_what_the_registry_says() {
        let dir = tempfile::tempdir().unwrap();
        let embedded: Vec<&Entry> = TABLES
            .iter()
            .filter(|entry| matches!(entry.origin, Origin::Embedded(_)))
            .collect();
        assert_eq!(
            embedded.iter().map(|entry| entry.name).collect::<Vec<_>>(),
            ["adult", "mushroom"]
        );
        for entry in embedded {
            let path = entry.materialise(dir.path()).unwrap().expect("embedded");
            assert_eq!(
                entry.materialise(dir.path()).unwrap(),
                Some(path.clone()),
                "twice is once"
            );
            let source = Source::open(&path, &entry.read_options()).unwrap();
            let options = IngestOptions::new(1);
            let (table, findings) =
                Table::ingest(&source, &dir.path().join("t"), &options, &mut |_| {}).unwrap();
            assert_eq!(
                (table.n_rows() as u64, table.columns().len()),
                (entry.rows, entry.columns as usize)
            );
            assert!(
                table.column(entry.target).is_some() && findings.is_empty(),
                "{findings:?}"
            );
        }
    }
}

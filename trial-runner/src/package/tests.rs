//! A folder is read back as written, and a hostile one is an error.

use std::fs;
use std::path::Path;

use datasets::encode::{Feature, RowFill, Schema, Slot, Target, TargetKind};
use proptest::prelude::*;

use super::*;
use crate::error::Error;

fn package() -> Package {
    let data: Vec<u8> = [0.25f32, 0.75]
        .iter()
        .flat_map(|v| v.to_le_bytes())
        .collect();
    let view =
        safetensors::tensor::TensorView::new(safetensors::Dtype::F32, vec![2], &data).unwrap();
    let schema = Schema {
        features: vec![Feature {
            name: "alter".into(),
            column: "Alter ü".into(),
            missing: RowFill::Keep,
            slot: Slot::Number {
                at: 0,
                recode: None,
            },
        }],
        n_numbers: 1,
        n_categories: 0,
        n_texts: 0,
        target: Target {
            name: "class".into(),
            column: "class".into(),
            kind: TargetKind::Binary,
            classes: vec!["no".into(), "yes".into()],
            recode: None,
        },
    };
    let about = About::new(Family::Constant, &schema);
    Package {
        about: About {
            metric: Some("roc_auc".into()),
            scores: [("roc_auc".to_owned(), 0.5)].into(),
            trial: Some(0),
            ..about
        },
        config: "model_type: ecd\n".into(),
        encodings: serde_json::json!({ "schema": schema }),
        weights: safetensors::serialize([("probabilities", view)], None).unwrap(),
    }
}

#[test]
fn a_folder_is_read_back_as_written_and_replaced_as_a_whole() {
    let root = tempfile::tempdir().unwrap();
    let dir = root.path().join("model");
    let first = package();
    first.write(&dir, Durability::PowerCut).unwrap();
    assert_eq!(Package::read(&dir).unwrap(), first);

    let second = Package {
        config: "model_type: linear\n".into(),
        ..package()
    };
    fs::write(dir.join("left over"), "x").unwrap();
    second.write(&dir, Durability::Kill).unwrap();
    assert_eq!(Package::read(&dir).unwrap(), second);
    assert!(!dir.join("left over").exists());
    assert_eq!(
        fs::read_dir(root.path()).unwrap().count(),
        1,
        "nothing is left beside it"
    );
}

#[test]
fn a_folder_from_before_numbers_were_recoded_is_read() {
    let root = tempfile::tempdir().unwrap();
    let dir = root.path().join("model");
    package().write(&dir, Durability::Kill).unwrap();
    let about = fs::read_to_string(dir.join("model.json")).unwrap();
    let encodings = fs::read_to_string(dir.join("encodings.json")).unwrap();
    assert!(!about.contains("recode") && !encodings.contains("recode"));
    let older = about.replacen("\"format\": 2", "\"format\": 1", 1);
    assert_ne!(older, about);
    fs::write(dir.join("model.json"), older).unwrap();
    assert_eq!(Package::read(&dir).unwrap(), package());
}

#[test]
fn a_half_written_folder_beside_is_no_obstacle() {
    let root = tempfile::tempdir().unwrap();
    let dir = root.path().join("model");
    fs::create_dir(root.path().join("model.new")).unwrap();
    fs::write(root.path().join("model.new/model.json"), "{").unwrap();
    package().write(&dir, Durability::Kill).unwrap();
    assert_eq!(Package::read(&dir).unwrap(), package());
}

#[test]
fn a_folder_that_is_not_ours_is_one_clear_error() {
    let edit = |dir: &Path, from: &str, to: &str| {
        let path = dir.join("model.json");
        let text = fs::read_to_string(&path).unwrap();
        assert!(text.contains(from), "{text}");
        fs::write(path, text.replacen(from, to, 1)).unwrap();
    };
    type Spoil<'a> = &'a dyn Fn(&Path);
    let cases: [(&str, Spoil<'_>, &str); 7] = [
        (
            "newer",
            &|d| edit(d, "\"format\": 2", "\"format\": 3"),
            "has version 3, and this program reads version 2",
        ),
        (
            "no description",
            &|d| fs::remove_file(d.join("model.json")).unwrap(),
            "cannot read",
        ),
        (
            "no weights",
            &|d| fs::remove_file(d.join("weights.safetensors")).unwrap(),
            "weights.safetensors",
        ),
        (
            "cut weights",
            &|d| fs::write(d.join("weights.safetensors"), b"xx").unwrap(),
            "the content is not the one",
        ),
        (
            "long config",
            &|d| fs::write(d.join("config.yaml"), vec![b'a'; 4096]).unwrap(),
            "not a plain file of at most",
        ),
        (
            "another class",
            &|d| edit(d, "\"yes\"", "\"ja\""),
            "its schema is not the one of model.json",
        ),
        (
            "another kind of target",
            &|d| edit(d, "\"binary\"", "\"number\""),
            "its schema is not the one of model.json",
        ),
    ];
    for (name, spoil, expected) in cases {
        let root = tempfile::tempdir().unwrap();
        package()
            .write(&root.path().join("model"), Durability::Kill)
            .unwrap();
        spoil(&root.path().join("model"));
        let error = Package::read(&root.path().join("model")).unwrap_err();
        assert!(error.to_string().contains(expected), "{name}: {error}");
        assert!(
            matches!(
                error,
                Error::Corrupt { .. } | Error::Read { .. } | Error::WrongVersion { .. }
            ),
            "{name}"
        );
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    /// Whatever happens to one byte or to the end of any file, reading never panics, and
    /// what it returns is either the model or an error.
    #[test]
    fn a_spoilt_file_never_panics(which in 0usize..4, at in any::<prop::sample::Index>(), to in any::<u8>(), cut in any::<bool>()) {
        let root = tempfile::tempdir().unwrap();
        let dir = root.path().join("model");
        package().write(&dir, Durability::Kill).unwrap();
        let name = ["model.json", "config.yaml", "encodings.json", "weights.safetensors"][which];
        let mut bytes = fs::read(dir.join(name)).unwrap();
        let at = at.index(bytes.len());
        let same = !cut && bytes[at] == to;
        if cut { bytes.truncate(at) } else { bytes[at] = to }
        fs::write(dir.join(name), &bytes).unwrap();
        match Package::read(&dir) {
            Ok(read) => prop_assert!(same || which == 0, "{name} was changed and read as {read:?}"),
            Err(error) => prop_assert!(!error.to_string().is_empty()),
        }
    }
}

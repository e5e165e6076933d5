//! Predictions as columns, with Ludwig's names.

use datasets::encode::Target;
use datasets::sink::{Cells, Sink};

use crate::error::Result;
use crate::metric::Predictions;

/// The columns of a prediction: `<target>_predictions`, and for classes
/// `<target>_probabilities_<class>` for each and `<target>_probability`, that of the
/// predicted one.
pub(super) fn names(target: &Target) -> Vec<String> {
    let name = &target.name;
    let mut names = vec![format!("{name}_predictions")];
    if !target.classes.is_empty() {
        names.extend(
            target
                .classes
                .iter()
                .map(|class| format!("{name}_probabilities_{class}")),
        );
        names.push(format!("{name}_probability"));
    }
    names
}

/// Writes the predictions of some rows.
pub(super) fn write(sink: &mut Sink, target: &Target, predictions: &Predictions) -> Result<()> {
    let values = predictions.values();
    let classes = predictions.classes();
    let probabilities: Vec<Vec<f32>> = match predictions {
        Predictions::Number { recode: None, .. } => {
            return Ok(sink.write(&[Cells::Number(values)])?);
        }
        Predictions::Number { .. } => {
            return Ok(sink.write(&[Cells::Real(&predictions.in_unit())])?);
        }
        Predictions::Binary { .. } => {
            vec![values.iter().map(|p| 1.0 - p).collect(), values.to_vec()]
        }
        Predictions::Category { n_classes, .. } => (0..*n_classes)
            .map(|class| {
                values
                    .iter()
                    .skip(class)
                    .step_by(*n_classes)
                    .copied()
                    .collect()
            })
            .collect(),
    };
    let of_predicted: Vec<f32> = classes
        .iter()
        .enumerate()
        .map(|(row, &class)| probabilities[class as usize][row])
        .collect();
    let mut block = vec![Cells::Name {
        codes: &classes,
        names: &target.classes,
    }];
    block.extend(probabilities.iter().map(|column| Cells::Number(column)));
    block.push(Cells::Number(&of_predicted));
    Ok(sink.write(&block)?)
}

#[cfg(test)]
mod tests {
    use datasets::encode::{Recode, TargetKind};

    use super::*;

    fn check(kind: TargetKind, classes: &[&str], predictions: &Predictions, expected: &str) {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("out.csv");
        let classes = classes.iter().map(|&class| class.to_owned()).collect();
        let target = Target {
            name: "y".into(),
            column: "Y".into(),
            kind,
            classes,
            recode: None,
        };
        let mut sink = Sink::file(&path, names(&target)).unwrap();
        write(&mut sink, &target, predictions).unwrap();
        sink.finish().unwrap();
        assert_eq!(std::fs::read_to_string(path).unwrap(), expected);
    }

    #[test]
    fn columns_have_ludwigs_names() {
        check(
            TargetKind::Number,
            &[],
            &Predictions::Number {
                values: vec![0.1, -3.0],
                recode: None,
            },
            "y_predictions\n0.1\n-3\n",
        );
        check(
            TargetKind::Number,
            &[],
            &Predictions::Number {
                values: vec![0.5, -1.0],
                recode: Some(Recode {
                    offset: 1_600_000_050.0,
                    scale: 0.015625,
                }),
            },
            "y_predictions\n1600000082\n1599999986\n",
        );
        check(
            TargetKind::Binary,
            &["<=50K", ">50K"],
            &Predictions::Binary {
                probability: vec![0.25, 0.75],
                threshold: 0.5,
            },
            "y_predictions,y_probabilities_<=50K,y_probabilities_>50K,y_probability\n<=50K,0.75,0.25,0.75\n>50K,0.25,0.75,0.75\n",
        );
        check(
            TargetKind::Category,
            &["a", "b", "c"],
            &Predictions::Category {
                probabilities: vec![0.2, 0.4, 0.4],
                n_classes: 3,
            },
            "y_predictions,y_probabilities_a,y_probabilities_b,y_probabilities_c,y_probability\nb,0.2,0.4,0.4,0.4\n",
        );
    }
}

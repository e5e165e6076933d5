//! The words' own path to the output.

use datasets::store::Part;
use tch::Device;

use super::fixture::{Of, network, table};
use crate::model::decoder::Targets;
use crate::model::pass::Training;
use crate::model::stream::Stream;
use crate::model::{Arrays, Codings, Network};

/// By central differences of the loss.
#[test]
fn the_direct_path_of_words_has_the_slope_of_the_loss_and_is_part_of_predictions() {
    let data = table(96, Of::Three);
    let config = network(
        "
input_features: [{name: words, type: text, encoder: {type: tf_idf, n_features: 64, output_size: 4, direct: true}}]
output_features: [{name: y, type: category}]
combiner: {type: realmlp, hidden: [8], dropout: 0.0, zero_init_last: false}
",
    );
    let arrays = Arrays::from(&data.prepared);
    let rows = data.prepared.part(Part::Train);
    let schema = &data.prepared.manifest().schema;
    let target = data.prepared.target();
    let codings = Codings::fit(&config, schema, &arrays, target, rows).unwrap();
    let mut network = Network::new(&config, codings, 1, Device::Cpu).unwrap();
    let targets = Targets {
        values: rows.iter().map(|&row| target[row as usize]).collect(),
        weights: Vec::new(),
    };
    let loss = |network: &mut Network, flat: &[f32]| {
        network.parameters_mut().set(flat);
        let training = Training { done: 0.0 };
        network.step(
            &arrays,
            rows,
            &targets,
            training,
            &mut Stream::new(1, "test", 0),
        )
    };
    const NAME: &str = "words.encoder.direct.weight";
    let start = network.parameters().to_vec();
    loss(&mut network, &start);
    let gradients = Vec::<f32>::try_from(network.parameters().gradients()).unwrap();
    let (_, slopes) = network
        .parameters()
        .named(&gradients)
        .find(|(entry, _)| entry.name == NAME)
        .unwrap();
    let slopes = slopes.to_vec();
    assert_eq!(slopes.len(), 64 * 3);
    assert!(slopes.iter().filter(|slope| slope.abs() > 1e-3).count() >= 9);
    let moved = |network: &Network, at: usize, by: f32| {
        let mut flat = start.clone();
        network.parameters().named_mut(&mut flat, |entry, values| {
            if entry.name == NAME {
                values[at] += by;
            }
            true
        });
        flat
    };
    let before = network.predict(&arrays, rows);
    for (at, slope) in slopes.iter().enumerate() {
        let [up, down] = [0.05, -0.05].map(|by| {
            let flat = moved(&network, at, by);
            loss(&mut network, &flat)
        });
        let expected = (up - down) / 0.1;
        assert!(
            (f64::from(*slope) - expected).abs() < 1e-3,
            "{at}: {slope} {expected}"
        );
    }
    let steepest = (0..slopes.len())
        .max_by(|&a, &b| slopes[a].abs().total_cmp(&slopes[b].abs()))
        .unwrap();
    let flat = moved(&network, steepest, 1.0);
    network.parameters_mut().set(&flat);
    assert!(network.predict(&arrays, rows).values() != before.values());
}

//! Old names in features: types, flat encoders and decoders, missing values, texts, audio, images.

use super::moves::{drop, nest, rename, reword, within};
use crate::config::check::{Log, join};
use crate::config::schema::features::{INPUT_FEATURE, OUTPUT_FEATURE};
use crate::config::schema::images::{RESNET_LEGACY, VIT_LEGACY};
use crate::config::schema::types::{Keys, Structure, Union};
use crate::config::yaml::node::{Data, Node};

/// Keys that files still carry and no schema knows.
const FORGOTTEN: &[&str] = &[
    "bn_virtual_divider",
    "use_keras_batch_norm",
    "fc_size",
    "weight_regularization",
    "shuffle_buffer_size",
];

/// Drops what no schema knows any more.
pub(super) fn forget(log: &mut Log, node: &mut Node, path: &str) {
    for name in FORGOTTEN {
        drop(log, node, path, name, "no Ludwig since 0.5 knows this key");
    }
}

/// Every feature of one list.
pub(super) fn upgrade_list(log: &mut Log, root: &mut Node, list: &str) {
    let union = if list == "input_features" {
        &INPUT_FEATURE
    } else {
        &OUTPUT_FEATURE
    };
    let Some(features) = root.get_mut(list) else {
        return;
    };
    for (n, feature) in features.as_list_mut().iter_mut().enumerate() {
        upgrade(log, feature, &format!("{list}[{n}]"), union);
    }
}

fn upgrade(log: &mut Log, feature: &mut Node, path: &str, union: &'static Union) {
    reword(log, feature, path, "type", &[("numerical", "number")]);
    rename(log, feature, path, "tied_weights", "tied");
    rename(log, feature, path, "bias", "use_bias");
    forget(log, feature, path);
    flat_parts(log, feature, path, union);
    for part in ["encoder", "decoder"] {
        within(log, feature, path, part, |log, part, path| {
            rename(log, part, path, "bias", "use_bias");
            forget(log, part, path);
            layers(log, part, path);
        });
    }
    within(log, feature, path, "loss", |log, loss, path| {
        let line = loss.line_of("class_weights").unwrap_or(0);
        if let Some(weights) = loss.get_mut("class_weights")
            && matches!(&weights.data, Data::Number(n) if n.as_f64() == Some(1.0))
        {
            weights.data = Data::Null;
            log.warn(
                line,
                &join(path, "class_weights"),
                "1 is an old form, read as null: equal weights",
            );
        }
    });
    within(log, feature, path, "preprocessing", upgrade_preprocessing);
    if feature.text_of("type") == Some("image") {
        old_image_encoder(log, feature, path);
    }
}

/// The `bias` of single layers.
pub(super) fn layers(log: &mut Log, node: &mut Node, path: &str) {
    within(log, node, path, "fc_layers", |log, list, path| {
        for (n, layer) in list.as_list_mut().iter_mut().enumerate() {
            rename(log, layer, &format!("{path}[{n}]"), "bias", "use_bias");
            rename(
                log,
                layer,
                &format!("{path}[{n}]"),
                "fc_size",
                "output_size",
            );
        }
    });
}

/// Preprocessing of a feature, or of all features of a type.
pub(super) fn upgrade_preprocessing(log: &mut Log, node: &mut Node, path: &str) {
    reword(
        log,
        node,
        path,
        "missing_value_strategy",
        &[("backfill", "bfill"), ("pad", "ffill")],
    );
    for (old, new) in [
        ("word_tokenizer", "tokenizer"),
        ("word_sequence_length_limit", "max_sequence_length"),
        ("sequence_length_limit", "max_sequence_length"),
        ("word_most_common", "most_common"),
        ("word_vocab_file", "vocab_file"),
    ] {
        rename(log, node, path, old, new);
    }
    for old in [
        "char_tokenizer",
        "char_vocab_file",
        "char_sequence_length_limit",
        "char_most_common",
    ] {
        drop(log, node, path, old, "texts are read by word");
    }
    if let Some(audio) = node.take("audio_feature") {
        let here = join(path, "audio_feature");
        log.warn(
            audio.line,
            &here,
            "old place, its keys are read one level up",
        );
        for entry in audio.node.entries() {
            node.put(&entry.key, entry.line, entry.node.clone());
        }
    }
}

/// Keys that stand beside `encoder` and belong into it, and the same for decoders.
fn flat_parts(log: &mut Log, feature: &mut Node, path: &str, union: &'static Union) {
    let Some(variant) = feature.text_of("type").and_then(|t| union.variant(t)) else {
        return;
    };
    let own = Keys(variant.keys);
    let names: Vec<String> = feature.entries().iter().map(|e| e.key.clone()).collect();
    for name in names
        .iter()
        .filter(|n| own.find(n).is_none() && *n != "type")
    {
        for (part, fc) in [("encoder", false), ("decoder", false), ("decoder", true)] {
            // The layers of decoders were once named without `fc_`.
            let inner = if fc {
                format!("fc_{name}")
            } else {
                name.clone()
            };
            if has_key(own, part, &inner)
                && !(part == "decoder" && !fc && has_key(own, part, &format!("fc_{name}")))
            {
                nest(log, feature, path, name, part, &inner);
                break;
            }
        }
    }
}

/// Whether any form of a part has a key.
fn has_key(feature: Keys, part: &str, name: &str) -> bool {
    match feature.find(part).and_then(|k| k.ty.structure()) {
        Some(Structure::Union(union)) => union
            .variants
            .iter()
            .any(|v| Keys(v.keys).find(name).is_some()),
        Some(Structure::Section(section)) => Keys(section.keys).find(name).is_some(),
        None => false,
    }
}

/// `resnet` and `vit` with the parameters of Ludwig 0.5 are the encoders now called legacy.
fn old_image_encoder(log: &mut Log, feature: &mut Node, path: &str) {
    within(log, feature, path, "encoder", |log, encoder, path| {
        let has = |keys: Keys| {
            encoder
                .entries()
                .iter()
                .any(|e| keys.find(&e.key).is_some())
        };
        let name = match encoder.text_of("type") {
            Some("resnet") if has(Keys(&[RESNET_LEGACY])) => "_resnet_legacy",
            Some("vit") if has(Keys(&[VIT_LEGACY])) => "_vit_legacy",
            Some(_) | None => return,
        };
        let line = encoder.line_of("type").unwrap_or(0);
        log.warn(
            line,
            &join(path, "type"),
            format!("with these parameters it is read as \"{name}\""),
        );
        if let Some(tag) = encoder.get_mut("type") {
            tag.data = Data::Text(name.to_owned());
        }
    });
}

//! Fully connected layers: a list of layers, or a number of equal ones.

use super::view::View;
use crate::config::layers::{Activation, FcLayer, FcStack, Initializer, Norm};
use crate::error::ConfigError;

/// The keys of a stack, which differ between encoders, combiners and decoders.
pub(super) struct Names {
    pub(super) count: &'static str,
    /// `fc_` in decoders, else nothing.
    pub(super) prefix: &'static str,
}

/// Keys of combiners and of encoders with layers after something.
pub(super) const FC: Names = Names {
    count: "num_fc_layers",
    prefix: "",
};
/// Keys of dense encoders.
pub(super) const DENSE: Names = Names {
    count: "num_layers",
    prefix: "",
};
/// Keys of decoders.
pub(super) const DECODER: Names = Names {
    count: "num_fc_layers",
    prefix: "fc_",
};

/// Layers of a stack at most: more is a slip of the keyboard.
const MAX_LAYERS: i64 = 1_000;

/// The layers of a section.
pub(super) fn stack(view: &View<'_>, names: &Names) -> Result<FcStack, ConfigError> {
    let key = |name: &str| format!("{}{name}", names.prefix);
    let base = FcLayer {
        output_size: view.whole(&key("output_size")),
        activation: activation(view.opt_text(&key("activation"))),
        dropout: view.number(&key("dropout")),
        norm: norm(view.opt_text(&key("norm"))),
        use_bias: view.flag(&key("use_bias")),
        weights_initializer: initializer(view, &key("weights_initializer"))?,
        bias_initializer: initializer(view, &key("bias_initializer"))?,
    };
    let written = view.at("fc_layers").items();
    let layers = if view.at("fc_layers").value().is_array() {
        written
            .iter()
            .map(|layer| one_layer(layer, &base))
            .collect::<Result<_, _>>()?
    } else {
        let n = view.whole(names.count);
        if n > MAX_LAYERS {
            return Err(view.error(
                names.count,
                &format!("{n} layers are more than {MAX_LAYERS}"),
                None,
            ));
        }
        (0..n).map(|_| base.clone()).collect()
    };
    let residual = view
        .value()
        .get("residual")
        .and_then(serde_json::Value::as_bool)
        .unwrap_or(false);
    Ok(FcStack { layers, residual })
}

/// A layer of a list: what it does not say is taken from the keys beside the list.
fn one_layer(layer: &View<'_>, base: &FcLayer) -> Result<FcLayer, ConfigError> {
    let has = |key: &str| layer.value().get(key).is_some();
    Ok(FcLayer {
        output_size: layer.opt_whole("output_size").unwrap_or(base.output_size),
        activation: if has("activation") {
            activation(layer.opt_text("activation"))
        } else {
            base.activation
        },
        dropout: layer.opt_number("dropout").unwrap_or(base.dropout),
        norm: if has("norm") {
            norm(layer.opt_text("norm"))
        } else {
            base.norm
        },
        use_bias: layer
            .value()
            .get("use_bias")
            .and_then(serde_json::Value::as_bool)
            .unwrap_or(base.use_bias),
        weights_initializer: if has("weights_initializer") {
            initializer(layer, "weights_initializer")?
        } else {
            base.weights_initializer
        },
        bias_initializer: if has("bias_initializer") {
            initializer(layer, "bias_initializer")?
        } else {
            base.bias_initializer
        },
    })
}

/// An activation by its name; null is none.
pub(super) fn activation(name: Option<&str>) -> Activation {
    match name {
        Some("relu") => Activation::Relu,
        Some("elu") => Activation::Elu,
        Some("leakyRelu") => Activation::LeakyRelu,
        Some("logSigmoid") => Activation::LogSigmoid,
        Some("sigmoid") => Activation::Sigmoid,
        Some("tanh") => Activation::Tanh,
        Some("softmax") => Activation::Softmax,
        Some("selu") => Activation::Selu,
        Some("mish") => Activation::Mish,
        Some(_) | None => Activation::Identity,
    }
}

fn norm(name: Option<&str>) -> Option<Norm> {
    match name {
        Some("batch") => Some(Norm::Batch),
        Some("layer") => Some(Norm::Layer),
        Some(_) | None => None,
    }
}

fn initializer(view: &View<'_>, key: &str) -> Result<Initializer, ConfigError> {
    let value = view.at(key);
    let name = value.value().as_str().or_else(|| value.opt_text("type"));
    let bare = value.value().as_object().is_none_or(|map| map.len() == 1);
    match name {
        Some("xavier_uniform") if bare => Ok(Initializer::XavierUniform),
        Some("xavier_normal") if bare => Ok(Initializer::XavierNormal),
        Some("kaiming_uniform") if bare => Ok(Initializer::KaimingUniform),
        Some("kaiming_normal") if bare => Ok(Initializer::KaimingNormal),
        Some("uniform") if bare => Ok(Initializer::Uniform),
        Some("normal") if bare => Ok(Initializer::Normal),
        Some("zeros") if bare => Ok(Initializer::Zeros),
        Some("ones") if bare => Ok(Initializer::Ones),
        Some(_) | None => Err(view.error(
            key,
            "this initializer cannot be used yet",
            Some("name one without parameters, as xavier_uniform"),
        )),
    }
}

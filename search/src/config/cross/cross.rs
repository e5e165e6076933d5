//! All checks between keys, in order.
//!
//! Run on the tree after the schema check, so types may still be wrong: what is not understood is passed over.

use super::{features, language, network, program, search};
use crate::config::check::Log;
use crate::config::schema::root::PROGRAM;
use crate::config::yaml::node::{Data, Node};

/// Every contradiction between keys.
pub(crate) fn check(log: &mut Log, root: &Node) {
    features::check(log, root);
    network::check(log, root);
    if root.text_of("model_type") == Some("llm") {
        language::check(log, root);
    }
    if root.text_of("model_type") == Some(PROGRAM) {
        program::check(log, root);
    } else {
        search::check(log, root);
    }
}

/// Whether a key is written with a value other than null, 0 and false.
pub(super) fn is_set(node: &Node, key: &str) -> bool {
    match node.get(key).map(|n| &n.data) {
        None | Some(Data::Null | Data::Bool(false)) => false,
        Some(Data::Number(n)) => n.as_f64() != Some(0.0),
        Some(Data::Bool(true) | Data::Text(_) | Data::List(_) | Data::Map(_)) => true,
    }
}

/// A number under a key.
pub(super) fn number(node: &Node, key: &str) -> Option<f64> {
    match &node.get(key)?.data {
        Data::Number(n) => n.as_f64(),
        Data::Null | Data::Bool(_) | Data::Text(_) | Data::List(_) | Data::Map(_) => None,
    }
}

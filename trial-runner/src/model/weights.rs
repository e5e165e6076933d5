//! Parameters as safetensors, by their dotted names.

use std::collections::BTreeMap;

use safetensors::tensor::{Dtype, SafeTensors, TensorView};

use super::parameters::{Entry, Parameters};
use crate::error::{Error, Result};

/// The parameters in a flat copy made by `Parameters::to_vec`, as the bytes of a safetensors file.
pub fn save(parameters: &Parameters, flat: &[f32]) -> Result<Vec<u8>> {
    let tensors: BTreeMap<&str, (Vec<usize>, Vec<u8>)> = parameters
        .named(flat)
        .map(|(entry, values)| (entry.name.as_str(), (shape(entry), to_bytes(values))))
        .collect();
    let views = tensors
        .iter()
        .map(|(name, (shape, bytes))| {
            Ok((*name, TensorView::new(Dtype::F32, shape.clone(), bytes)?))
        })
        .collect::<std::result::Result<Vec<_>, safetensors::SafeTensorError>>()
        .map_err(|error| Error::Bug(format!("cannot lay out weights: {error}")))?;
    safetensors::serialize(views, None)
        .map_err(|error| Error::Bug(format!("cannot write weights: {error}")))
}

/// Sets all parameters. Names, shapes and types must be those of the network, no more and no fewer.
pub fn load(parameters: &mut Parameters, bytes: &[u8]) -> Result<()> {
    let flat = read(parameters, bytes).map_err(|what| Error::Data {
        what: format!("weights do not fit the network: {what}"),
        hint: Some(
            "a model folder goes with its own config; do not mix files of two models".to_owned(),
        ),
    })?;
    parameters.set(&flat);
    Ok(())
}

fn read(parameters: &Parameters, bytes: &[u8]) -> std::result::Result<Vec<f32>, String> {
    let file = SafeTensors::deserialize(bytes)
        .map_err(|error| format!("it is no safetensors file: {error}"))?;
    let mut tensors: BTreeMap<String, TensorView<'_>> = file.tensors().into_iter().collect();
    let mut flat = parameters.to_vec();
    let mut fault = None;
    parameters.named_mut(&mut flat, |entry, values| {
        fault = tensors.remove(&entry.name).map_or_else(
            || Some(format!("there is no \"{}\"", entry.name)),
            |tensor| copy(entry, &tensor, values).err(),
        );
        fault.is_none()
    });
    if let Some(fault) = fault {
        return Err(fault);
    }
    match tensors.keys().next() {
        Some(name) => Err(format!("the network has no \"{name}\"")),
        None => Ok(flat),
    }
}

fn copy(
    entry: &Entry,
    tensor: &TensorView<'_>,
    values: &mut [f32],
) -> std::result::Result<(), String> {
    if tensor.dtype() != Dtype::F32 {
        return Err(format!(
            "\"{}\" holds {:?}, not F32",
            entry.name,
            tensor.dtype()
        ));
    }
    if tensor.shape() != shape(entry) {
        return Err(format!(
            "\"{}\" has shape {:?}, not {:?}",
            entry.name,
            tensor.shape(),
            shape(entry)
        ));
    }
    for (value, bytes) in values.iter_mut().zip(tensor.data().chunks_exact(4)) {
        *value = f32::from_le_bytes(bytes.try_into().expect("four bytes"));
    }
    Ok(())
}

fn shape(entry: &Entry) -> Vec<usize> {
    entry
        .shape
        .iter()
        .map(|&n| usize::try_from(n).expect("shapes are not negative"))
        .collect()
}

fn to_bytes(values: &[f32]) -> Vec<u8> {
    values
        .iter()
        .flat_map(|value| value.to_le_bytes())
        .collect()
}

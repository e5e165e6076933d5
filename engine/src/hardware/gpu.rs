//! GPUs, by NVML, which is loaded at run time where the driver brought it.
//!
//! Having none is the normal case, not an error.

use nvml_wrapper::Nvml;
use nvml_wrapper::error::NvmlError;
use serde::{Deserialize, Serialize};

/// One NVIDIA GPU.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Gpu {
    /// Its number in NVML's order, that of `nvidia-smi`.
    pub index: u32,
    /// Its unique name; safe in `CUDA_VISIBLE_DEVICES` whatever CUDA's own order is.
    pub uuid: String,
    /// The product.
    pub name: String,
    /// Its memory.
    pub memory_bytes: u64,
    /// Its memory not in use now.
    pub memory_free_bytes: u64,
}

/// How the search for GPUs ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum GpuSearch {
    /// The driver answered.
    Found,
    /// No driver is installed.
    NoDriver,
    /// A driver is installed and refused.
    Failed {
        /// In the driver's words.
        why: String,
    },
}

/// Lists the GPUs; none where there is no driver.
pub(super) fn find() -> (Vec<Gpu>, GpuSearch) {
    match list() {
        Ok(gpus) => (gpus, GpuSearch::Found),
        Err(
            NvmlError::LibloadingError(_) | NvmlError::LibraryNotFound | NvmlError::DriverNotLoaded,
        ) => (Vec::new(), GpuSearch::NoDriver),
        Err(error) => (
            Vec::new(),
            GpuSearch::Failed {
                why: error.to_string(),
            },
        ),
    }
}

fn list() -> Result<Vec<Gpu>, NvmlError> {
    let nvml = Nvml::init()?;
    (0..nvml.device_count()?)
        .map(|index| {
            let device = nvml.device_by_index(index)?;
            let memory = device.memory_info()?;
            Ok(Gpu {
                index,
                uuid: device.uuid()?,
                name: device.name()?,
                memory_bytes: memory.total,
                memory_free_bytes: memory.free,
            })
        })
        .collect()
}

//! What this machine lets this process use: cores, memory, GPUs, disk.
//!
//! Read first: [`Hardware`].

mod cgroup;
mod cpu;
mod disk;
mod gpu;
mod memory;
mod report;

pub use disk::{check_room, free_bytes};
pub use gpu::{Gpu, GpuSearch};
pub use report::Hardware;

//! What this machine has: cores, memory, GPUs, disk.

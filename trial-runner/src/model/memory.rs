//! The one place of this crate's training code with `unsafe`: slices of a tensor's memory, and
//! loops compiled for AVX2.

use tch::{Device, Kind, Tensor};

/// The values of a tensor, row by row.
///
/// # Panics
/// Unless the tensor lies in main memory, holds `f32` and is contiguous: callers make it so.
pub fn floats(tensor: &Tensor) -> &[f32] {
    check(tensor);
    #[expect(unsafe_code, reason = "tch offers no slice of a tensor")]
    // SAFETY: `check` has established that `numel` consecutive `f32` start at `data_ptr` in main
    // memory. The storage lives as long as `tensor`, which the result borrows. Other handles to the
    // same storage stay in one network and one thread, and none is written while this slice lives:
    // a kernel takes all its slices, runs, and drops them before the next tensor operation.
    unsafe {
        std::slice::from_raw_parts(tensor.data_ptr().cast::<f32>(), tensor.numel())
    }
}

/// The values of a tensor, to be changed in place.
///
/// # Panics
/// As [`floats`].
pub fn floats_mut(tensor: &mut Tensor) -> &mut [f32] {
    check(tensor);
    #[expect(unsafe_code, reason = "tch offers no slice of a tensor")]
    // SAFETY: as in `floats`; and no other slice of this memory lives meanwhile, because distinct
    // parameters and buffers do not overlap and a kernel names each of them once.
    unsafe {
        std::slice::from_raw_parts_mut(tensor.data_ptr().cast::<f32>(), tensor.numel())
    }
}

fn check(tensor: &Tensor) {
    assert!(
        tensor.device() == Device::Cpu && tensor.kind() == Kind::Float && tensor.is_contiguous(),
        "the tensor is contiguous f32 in main memory"
    );
}

/// Runs a loop with AVX2 and FMA where the processor has them. The loop must be inlined, so pass a
/// closure whose callees are `#[inline(always)]`.
#[inline]
pub fn fast<R>(body: impl FnOnce() -> R) -> R {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx2") && std::arch::is_x86_feature_detected!("fma") {
        #[target_feature(enable = "avx2,fma")]
        fn with_avx2<R>(body: impl FnOnce() -> R) -> R {
            body()
        }
        #[expect(unsafe_code, reason = "a call into code for a newer processor")]
        // SAFETY: the processor has both features, as just detected.
        return unsafe { with_avx2(body) };
    }
    body()
}

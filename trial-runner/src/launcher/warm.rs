//! What the launcher does once, so that its children need not.

use tch::{Kind, Tensor, no_grad};

/// Brings the parts of libtorch that a training step touches into memory: tables of
/// kernels, symbols bound at first use, the first memory of the allocator.
///
/// Forward operations only, on one thread. A parallel region would start a pool, which
/// the children would inherit dead, and the first backward pass marks the process so
/// that a child's backward passes are refused.
pub fn warm() {
    tch::set_num_threads(1);
    no_grad(|| {
        let x = Tensor::ones([4, 4], (Kind::Float, tch::Device::Cpu));
        let y = x.matmul(&x).relu() + &x;
        let _ = y
            .log_softmax(-1, Kind::Float)
            .sum(Kind::Float)
            .double_value(&[]);
    });
}

//! From double precision, in which is reckoned, to single precision, in which tensors and predictions are.

#[expect(
    clippy::cast_possible_truncation,
    reason = "single precision is what is wanted"
)]
#[inline(always)]
pub(crate) fn narrow(x: f64) -> f32 {
    x as f32
}

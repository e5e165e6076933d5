//! From double precision, in which is reckoned, to single precision, in which the arrays are.

#[expect(
    clippy::cast_possible_truncation,
    reason = "the arrays hold single precision"
)]
pub(super) fn narrow(x: f64) -> f32 {
    x as f32
}

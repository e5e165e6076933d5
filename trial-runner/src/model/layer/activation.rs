//! Activation functions and their slopes, as loops for the CPU and as tensor operations.

pub use search::config::layers::Activation;
use tch::{Kind, Tensor};

/// alpha and lambda of SELU (Klambauer et al., "Self-Normalizing Neural Networks", 2017).
const SELU_ALPHA: f32 = 1.673_263_2;
const SELU_LAMBDA: f32 = 1.050_701;
/// The slope of leaky ReLU below zero, as in PyTorch.
const LEAK: f32 = 0.01;

/// A function of one number with its slope; `u` is the input and `y` the output.
pub trait Curve {
    /// The value at `u`.
    fn value(u: f32) -> f32;
    /// The derivative at `u`, where the value is `y`.
    fn slope(u: f32, y: f32) -> f32;
}

/// `e^x` within 2 units in the last place, in a form that compiles to vector instructions
/// (Cephes `expf`: split off a power of two, polynomial for the rest).
#[inline(always)]
pub fn exp(x: f32) -> f32 {
    /// Adding 1.5 * 2^23 rounds to an integer and leaves it in the lowest bits.
    const ROUND: f32 = 12_582_912.0;
    let x = x.clamp(-87.0, 88.0);
    let shifted = x.mul_add(std::f32::consts::LOG2_E, ROUND);
    let n = shifted - ROUND;
    let r = n.mul_add(2.121_944_4e-4, n.mul_add(-0.693_359_4, x));
    let p = 1.987_569_1e-4_f32;
    let p = p.mul_add(r, 1.398_2e-3);
    let p = p.mul_add(r, 8.333_452e-3);
    let p = p.mul_add(r, 4.166_579_6e-2);
    let p = p.mul_add(r, 1.666_666_5e-1);
    let p = p.mul_add(r, 0.5);
    let y = p.mul_add(r * r, r + 1.0);
    f32::from_bits(y.to_bits().wrapping_add(shifted.to_bits() << 23))
}

/// `1 / (1 + e^-x)`.
#[inline(always)]
pub fn sigmoid(x: f32) -> f32 {
    1.0 / (1.0 + exp(-x))
}

macro_rules! curve {
    ($(#[$doc:meta])* $name:ident, |$u:ident| $value:expr, |$v:ident, $y:ident| $slope:expr) => {
        $(#[$doc])*
        pub struct $name;
        impl Curve for $name {
            #[inline(always)]
            fn value($u: f32) -> f32 {
                $value
            }
            #[inline(always)]
            fn slope($v: f32, $y: f32) -> f32 {
                $slope
            }
        }
    };
}

curve!(
    /// The input itself.
    Identity, |u| u, |_u, _y| 1.0
);
curve!(
    /// max(u, 0).
    Relu, |u| u.max(0.0), |u, _y| if u > 0.0 { 1.0 } else { 0.0 }
);
curve!(
    /// ReLU with a small slope below zero.
    LeakyRelu, |u| if u > 0.0 { u } else { LEAK * u }, |u, _y| if u > 0.0 { 1.0 } else { LEAK }
);
curve!(
    /// u above zero, e^u - 1 below.
    Elu, |u| if u > 0.0 { u } else { exp(u) - 1.0 }, |u, y| if u > 0.0 { 1.0 } else { y + 1.0 }
);
curve!(
    /// ELU scaled so that activations keep mean 0 and variance 1.
    Selu,
    |u| SELU_LAMBDA * if u > 0.0 { u } else { SELU_ALPHA * (exp(u) - 1.0) },
    |u, y| if u > 0.0 { SELU_LAMBDA } else { y + SELU_LAMBDA * SELU_ALPHA }
);
curve!(
    /// 1 / (1 + e^-u).
    Sigmoid, |u| sigmoid(u), |_u, y| y * (1.0 - y)
);
curve!(
    /// Hyperbolic tangent.
    Tanh, |u| 2.0 * sigmoid(2.0 * u) - 1.0, |_u, y| 1.0 - y * y
);
curve!(
    /// u tanh(ln(1 + e^u)) (Misra, "Mish", 2019), with tanh(ln(1 + e^u)) = w / (w + 2) for w = e^u (e^u + 2).
    Mish,
    |u| { let e = exp(u.min(20.0)); let w = e * (e + 2.0); u * (w / (w + 2.0)) },
    |u, _y| {
        let e = exp(u.min(20.0));
        let w = e * (e + 2.0);
        let t = w / (w + 2.0);
        t + u * (1.0 - t * t) * (e / (1.0 + e))
    }
);
curve!(
    /// The logarithm of the sigmoid.
    LogSigmoid, |u| u.min(0.0) - (1.0 + exp(-u.abs())).ln(), |_u, y| 1.0 - exp(y)
);

/// The value, by tensor operations.
pub fn value(activation: Activation, u: &Tensor) -> Tensor {
    match activation {
        Activation::Identity => u.shallow_clone(),
        Activation::Relu => u.relu(),
        Activation::LeakyRelu => u.leaky_relu(),
        Activation::Elu => u.elu(),
        Activation::Selu => u.selu(),
        Activation::Sigmoid => u.sigmoid(),
        Activation::Tanh => u.tanh(),
        Activation::Mish => u.mish(),
        Activation::LogSigmoid => u.log_sigmoid(),
        Activation::Softmax => u.softmax(-1, Kind::Float),
    }
}

/// The gradient at the input `u` from that at the output `y`, by tensor operations.
pub fn pull_back(activation: Activation, gradient: &Tensor, u: &Tensor, y: &Tensor) -> Tensor {
    let below = |slope: Tensor, above: f64| slope.where_self(&u.le(0.0), &(u.ones_like() * above));
    match activation {
        Activation::Identity => gradient.shallow_clone(),
        Activation::Relu => gradient * u.gt(0.0),
        Activation::LeakyRelu => gradient * below(u.ones_like() * f64::from(LEAK), 1.0),
        Activation::Elu => gradient * below(y + 1.0, 1.0),
        Activation::Selu => {
            gradient
                * below(
                    y + f64::from(SELU_LAMBDA * SELU_ALPHA),
                    f64::from(SELU_LAMBDA),
                )
        }
        Activation::Sigmoid => gradient * (y * (1.0 - y)),
        Activation::Tanh => gradient * (1.0 - y * y),
        Activation::Mish => {
            let t = u.softplus().tanh();
            gradient * (&t + u * (1.0 - &t * &t) * u.sigmoid())
        }
        Activation::LogSigmoid => gradient * (1.0 - y.exp()),
        Activation::Softmax => {
            (gradient - (gradient * y).sum_dim_intlist(-1, true, Kind::Float)) * y
        }
    }
}

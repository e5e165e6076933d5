//! Pieces of networks that encoders, combiners and decoders share.

/// A function applied between layers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Activation {
    /// The value as it is (YAML: `null`).
    Identity,
    /// `max(0, x)`.
    Relu,
    /// `x` above 0, `exp(x) - 1` below.
    Elu,
    /// `x` above 0, `0.01 x` below.
    LeakyRelu,
    /// `ln(1 / (1 + exp(-x)))`.
    LogSigmoid,
    /// `1 / (1 + exp(-x))`.
    Sigmoid,
    /// Hyperbolic tangent.
    Tanh,
    /// Softmax over the last dimension.
    Softmax,
    /// Scaled ELU.
    Selu,
    /// `x tanh(ln(1 + exp(x)))`.
    Mish,
}

/// A normalisation between a linear layer and its activation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Norm {
    /// Batch normalisation.
    Batch,
    /// Layer normalisation.
    Layer,
}

/// How the weights of a layer begin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Initializer {
    /// Uniform, Glorot and Bengio (2010). Ludwig's default for weights.
    XavierUniform,
    /// Normal, Glorot and Bengio (2010).
    XavierNormal,
    /// Uniform, He et al. (2015).
    KaimingUniform,
    /// Normal, He et al. (2015).
    KaimingNormal,
    /// Uniform in 0 to 1.
    Uniform,
    /// Standard normal.
    Normal,
    /// All 0. Ludwig's default for biases.
    Zeros,
    /// All 1.
    Ones,
}

/// One fully connected layer: linear, normalisation, activation, dropout, in this order.
#[derive(Debug, Clone, PartialEq)]
pub struct FcLayer {
    /// Units.
    pub output_size: i64,
    /// Applied after the normalisation.
    pub activation: Activation,
    /// Share of units dropped in training, in 0 to 1.
    pub dropout: f64,
    /// Between linear and activation.
    pub norm: Option<Norm>,
    /// Whether the linear part has a bias.
    pub use_bias: bool,
    /// How the weights begin.
    pub weights_initializer: Initializer,
    /// How the bias begins.
    pub bias_initializer: Initializer,
}

/// Fully connected layers, one after another; none means the input passes as it is.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct FcStack {
    /// First layer first.
    pub layers: Vec<FcLayer>,
    /// Whether each layer of equal input and output size adds its input to its output.
    pub residual: bool,
}

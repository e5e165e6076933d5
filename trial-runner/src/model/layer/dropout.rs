//! Dropout, with masks from our own stream.

use tch::Tensor;

use crate::model::memory::floats_mut;
use crate::model::parameters::Buffer;
use crate::model::pass::Pass;

/// How the rate goes over the training.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Course {
    /// The same throughout.
    Flat,
    /// Flat for the first half, then half a cosine to 0 (`flat_cos` of RealMLP).
    FlatCosine,
}

impl Course {
    /// The share of the rate that applies when `done` of the training is done.
    pub fn at(self, done: f64) -> f64 {
        match self {
            Self::Flat => 1.0,
            Self::FlatCosine if done < 0.5 => 1.0,
            Self::FlatCosine => 0.5 + 0.5 * (std::f64::consts::TAU * (done - 0.5)).cos(),
        }
    }
}

/// Sets a share of the values to 0 in training, and scales the others so that the mean stays.
#[derive(Debug)]
pub struct Dropout {
    rate: f64,
    course: Course,
    mask: Buffer,
    active: bool,
}

impl Dropout {
    /// `rate` in [0, 1).
    pub fn new(rate: f64, course: Course) -> Self {
        Self {
            rate,
            course,
            mask: Buffer::default(),
            active: false,
        }
    }

    /// Any shape. Gives a new tensor: the activation's slope still needs its output as it was.
    pub fn forward(&mut self, pass: &mut Pass<'_>, x: Tensor) -> Tensor {
        let rate = pass
            .training
            .map_or(0.0, |t| self.rate * self.course.at(t.done));
        self.active = rate > 0.0;
        if !self.active {
            return x;
        }
        let mask = self.mask.of(&x.size(), tch::Device::Cpu);
        // 16 random bits a value are enough: rates are set by hand, in hundredths.
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "rate is in [0, 1)"
        )]
        let threshold = (rate * 65_536.0) as u64;
        #[expect(clippy::cast_possible_truncation, reason = "a factor near 1")]
        let keep = (1.0 / (1.0 - rate)) as f32;
        for four in floats_mut(mask).chunks_mut(4) {
            let mut bits = pass.stream.next_u64();
            for value in four {
                *value = if bits & 0xFFFF < threshold { 0.0 } else { keep };
                bits >>= 16;
            }
        }
        x * self.mask.get().to_device(pass.device())
    }

    /// The same mask on the gradient, in place.
    pub fn backward(&mut self, mut gradient: Tensor) -> Tensor {
        if self.active {
            let _ = gradient.g_mul_(&self.mask.get().to_device(gradient.device()));
        }
        gradient
    }
}

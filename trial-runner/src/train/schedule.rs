//! The learning rate over the training, as a pure function of the step.

use search::config::trainer::Schedule;

/// A learning rate that depends on nothing but the step, so that a resumed training has the same.
#[derive(Debug, Clone, Copy)]
pub struct Rate {
    /// The highest rate.
    pub peak: f64,
    /// How it moves.
    pub schedule: Schedule,
    /// Share of all steps over which it climbs linearly from 0.
    pub warmup_fraction: f64,
    /// Steps of the full training: what the schedule spans.
    pub full: u64,
    /// Steps of an epoch.
    pub epoch: u64,
}

impl Rate {
    /// The rate of a step, counted from 0.
    pub fn at(&self, step: u64) -> f64 {
        let warmup = self.warmup_fraction * self.full as f64;
        if (step as f64) < warmup {
            return self.peak * (step as f64 + 1.0) / warmup.max(1.0);
        }
        let done = self.done(step);
        match self.schedule {
            Schedule::Constant => self.peak,
            Schedule::Linear => self.peak * (1.0 - done).max(0.0),
            Schedule::Exponential {
                decay_rate,
                decay_steps,
                staircase,
            } => {
                let exponent = step as f64 / decay_steps.max(1) as f64;
                self.peak
                    * decay_rate.powf(if staircase {
                        exponent.floor()
                    } else {
                        exponent
                    })
            }
            Schedule::Cosine {
                t_0,
                t_mult,
                eta_min,
            } => {
                let turn = match t_0 {
                    Some(t_0) => since_restart(
                        step as f64 / self.epoch as f64,
                        f64::from(t_0),
                        f64::from(t_mult),
                    ),
                    None => done.min(1.0),
                };
                eta_min + (self.peak - eta_min) * 0.5 * (1.0 + (std::f64::consts::PI * turn).cos())
            }
            Schedule::Coslog4 => {
                self.peak * 0.5 * (1.0 - (std::f64::consts::TAU * (1.0 + 15.0 * done).log2()).cos())
            }
        }
    }

    /// The share of the full training that is done before a step.
    pub fn done(&self, step: u64) -> f64 {
        step as f64 / self.full.max(1) as f64
    }
}

/// Share of the present cosine that is done; each is `growth` times as long as the one before.
fn since_restart(epochs: f64, first: f64, growth: f64) -> f64 {
    let (mut start, mut length) = (0.0, first.max(1.0));
    while epochs >= start + length {
        start += length;
        length *= growth.max(1.0);
    }
    (epochs - start) / length
}

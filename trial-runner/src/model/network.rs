//! A network: encoders, combiner, decoder and their parameters.

use search::config::model as config;
use tch::Device;

use super::arrays::Arrays;
use super::combiner::Combiner;
use super::decoder::{Decoder, Targets};
use super::encoder::{Codings, Inputs, Style};
use super::parameters::{Layout, Parameters};
use super::pass::{Pass, Training};
use super::stream::Stream;
use super::weights;
use crate::error::Result;
use crate::metric::Predictions;

/// Rows of a step of evaluation: as many as keep the buffers of a layer in the cache.
const EVALUATION_ROWS: usize = 1024;

/// A network that trains and predicts.
#[derive(Debug)]
pub struct Network {
    parameters: Parameters,
    codings: Codings,
    inputs: Inputs,
    combiner: Combiner,
    decoder: Decoder,
    /// What passes that train nothing draw from: nothing.
    idle: Stream,
}

impl Network {
    /// Builds the network of a config and draws its first weights from `seed`.
    pub fn new(
        config: &config::Network,
        codings: Codings,
        seed: u64,
        device: Device,
    ) -> Result<Self> {
        let style = match config.combiner {
            config::Combiner::Concat(_) => Style::Plain,
            config::Combiner::Realmlp(_) => Style::Signed,
        };
        let mut layout = Layout::default();
        let n_outputs = Decoder::n_outputs(&config.output, &codings);
        let inputs = Inputs::new(&mut layout, &config.inputs, &codings, style, n_outputs)?;
        let combiner = Combiner::new(&mut layout, &config.combiner, inputs.n_out());
        let decoder = Decoder::new(
            &mut layout,
            &config.output,
            &config.combiner,
            combiner.n_out(),
            &codings,
        )?;
        let parameters = Parameters::new(layout, seed, device);
        Ok(Self {
            parameters,
            codings,
            inputs,
            combiner,
            decoder,
            idle: Stream::new(seed, "idle", 0),
        })
    }

    /// A network that was trained before: its codings and `weights.safetensors`.
    pub fn load(
        config: &config::Network,
        codings: Codings,
        bytes: &[u8],
        device: Device,
    ) -> Result<Self> {
        let mut network = Self::new(config, codings, 0, device)?;
        weights::load(&mut network.parameters, bytes)?;
        Ok(network)
    }

    /// What was fitted before training.
    pub fn codings(&self) -> &Codings {
        &self.codings
    }

    /// All parameters.
    pub fn parameters(&self) -> &Parameters {
        &self.parameters
    }

    /// All parameters, for the optimizer.
    pub fn parameters_mut(&mut self) -> &mut Parameters {
        &mut self.parameters
    }

    /// One forward and backward pass over a batch: gives the mean loss and leaves the gradients.
    pub fn step(
        &mut self,
        arrays: &Arrays<'_>,
        rows: &[u32],
        targets: &Targets,
        training: Training,
        stream: &mut Stream,
    ) -> f64 {
        let loops = self.parameters.values().device() == Device::Cpu;
        let mut pass = Pass {
            parameters: &mut self.parameters,
            stream,
            loops,
            training: Some(training),
        };
        let x = self.inputs.forward(&mut pass, arrays, rows);
        let x = self.combiner.forward(&mut pass, &x);
        let outputs = self.decoder.forward(&mut pass, &x);
        let outputs = self.inputs.add_direct(&mut pass, arrays, rows, outputs);
        let (loss, gradient) = self.decoder.loss(&outputs, targets);
        self.inputs.direct_backward(&mut pass, &gradient);
        let gradient = self.decoder.backward(&mut pass, gradient);
        let wants_input = self.inputs.is_learned();
        if let Some(gradient) = self.combiner.backward(&mut pass, gradient, wants_input) {
            self.inputs.backward(&mut pass, &gradient);
        }
        loss
    }

    /// Predictions for rows of the arrays, in their order.
    pub fn predict(&mut self, arrays: &Arrays<'_>, rows: &[u32]) -> Predictions {
        let _no_gradients = tch::no_grad_guard();
        let loops = self.parameters.values().device() == Device::Cpu;
        let mut predictions = self.decoder.no_predictions();
        for rows in rows.chunks(EVALUATION_ROWS) {
            let mut pass = Pass {
                parameters: &mut self.parameters,
                stream: &mut self.idle,
                loops,
                training: None,
            };
            let x = self.inputs.forward(&mut pass, arrays, rows);
            let x = self.combiner.forward(&mut pass, &x);
            let outputs = self.decoder.forward(&mut pass, &x);
            let outputs = self.inputs.add_direct(&mut pass, arrays, rows, outputs);
            self.decoder.predict(&outputs, &mut predictions);
        }
        predictions
    }
}

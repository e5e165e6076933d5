//! All encoders of a network side by side: from rows of the arrays to one matrix.

use datasets::encode::NumberCoding;
use search::config::layers::FcStack;
use search::config::model as config;
use tch::{Device, Tensor};

use super::binary::Binary;
use super::category::{Category, Index, Onehot};
use super::coding::Coding;
use super::columns::{Columns, Sheet};
use super::number::Numbers;
use super::text::Text;
use super::{Codings, date};
use crate::error::{Error, Result};
use crate::model::arrays::Arrays;
use crate::model::layer::dropout::Course;
use crate::model::layer::{Dropout, Embedding, Stack};
use crate::model::memory::floats_mut;
use crate::model::parameters::{Buffer, Init, Layout, Treatment};
use crate::model::pass::Pass;

/// What the combiner wants of its inputs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Style {
    /// As Ludwig: 0 and 1.
    Plain,
    /// As RealMLP: two values are -1 and +1, and a missing one is 0.
    Signed,
}

/// Plain columns first, then what is learned, each block in the order of the config.
#[derive(Debug)]
pub struct Inputs {
    plain: Vec<Box<dyn Columns>>,
    n_plain: usize,
    learned: Vec<Learned>,
    n_out: usize,
    sheet: Buffer,
    output: Buffer,
}

/// An encoder with parameters, and how many columns it gives.
#[derive(Debug)]
struct Learned {
    kind: Kind,
    n_out: usize,
}

#[derive(Debug)]
enum Kind {
    /// Layers on plain columns.
    Layers {
        columns: Box<dyn Columns>,
        sheet: Buffer,
        stack: Stack,
    },
    /// A vector a category.
    Vector {
        category: Category,
        embedding: Embedding,
        dropout: Dropout,
    },
    /// Numbers and vectors of the parts of a time, then layers.
    Date {
        at: usize,
        numbers: Numbers,
        sheet: Buffer,
        embedding: Embedding,
        stack: Stack,
    },
    /// The weighted sum of the vectors of a text's terms.
    Text { text: Text, embedding: Embedding },
}

impl Inputs {
    /// Declares the encoders of `inputs`, whose codings are in the same order. Parameters are named after
    /// the feature: `age.encoder.layer_0.weight`.
    pub fn new(
        layout: &mut Layout,
        inputs: &[config::Input],
        codings: &Codings,
        style: Style,
    ) -> Result<Self> {
        if inputs.len() != codings.inputs.len() {
            return Err(Error::Config(format!(
                "the config has {} input features, and the encodings {}",
                inputs.len(),
                codings.inputs.len()
            )));
        }
        let mut build = Build {
            layout,
            style,
            numbers: Numbers::default(),
            plain: Vec::new(),
            learned: Vec::new(),
        };
        for (input, coding) in inputs.iter().zip(&codings.inputs) {
            build.add(input, coding)?;
        }
        let mut plain: Vec<Box<dyn Columns>> = Vec::new();
        if build.numbers.width() > 0 {
            plain.push(Box::new(build.numbers));
        }
        plain.append(&mut build.plain);
        let n_plain = plain.iter().map(|columns| columns.width()).sum();
        let n_out = n_plain
            + build
                .learned
                .iter()
                .map(|learned| learned.n_out)
                .sum::<usize>();
        if n_out == 0 {
            return Err(Error::data(
                "no input feature has anything to learn from: each is constant or missing",
            ));
        }
        let learned = build.learned;
        Ok(Self {
            plain,
            n_plain,
            learned,
            n_out,
            sheet: Buffer::default(),
            output: Buffer::default(),
        })
    }

    /// Columns that the combiner sees.
    pub fn n_out(&self) -> i64 {
        to_i64(self.n_out)
    }

    /// Whether the combiner's gradient is of use here.
    pub fn is_learned(&self) -> bool {
        !self.learned.is_empty()
    }

    /// `rows -> [rows, n_out]`.
    pub fn forward(&mut self, pass: &mut Pass<'_>, arrays: &Arrays<'_>, rows: &[u32]) -> Tensor {
        let plain = sheet(&mut self.sheet, self.n_plain, &self.plain, arrays, rows)
            .to_device(pass.device());
        if self.learned.is_empty() {
            return plain;
        }
        let output = self
            .output
            .of(&[to_i64(rows.len()), to_i64(self.n_out)], pass.device());
        output.narrow(1, 0, to_i64(self.n_plain)).copy_(&plain);
        let mut at = self.n_plain;
        for learned in &mut self.learned {
            let block = learned.kind.forward(pass, arrays, rows);
            output
                .narrow(1, to_i64(at), to_i64(learned.n_out))
                .copy_(&block);
            at += learned.n_out;
        }
        output.shallow_clone()
    }

    /// The gradients of what is learned.
    pub fn backward(&mut self, pass: &mut Pass<'_>, gradient: &Tensor) {
        let mut at = self.n_plain;
        for learned in &mut self.learned {
            // A copy: layers change their gradient in place, and this one is a view.
            let block = gradient.narrow(1, to_i64(at), to_i64(learned.n_out)).copy();
            learned.kind.backward(pass, block);
            at += learned.n_out;
        }
    }
}

/// Fills a buffer in main memory with plain columns.
fn sheet<'a>(
    buffer: &'a mut Buffer,
    width: usize,
    columns: &[Box<dyn Columns>],
    arrays: &Arrays<'_>,
    rows: &[u32],
) -> &'a Tensor {
    let tensor = buffer.of(&[to_i64(rows.len()), to_i64(width)], Device::Cpu);
    let mut at = 0;
    for block in columns {
        block.write(
            arrays,
            rows,
            Sheet {
                values: floats_mut(tensor),
                width,
                at,
            },
        );
        at += block.width();
    }
    tensor
}

impl Kind {
    fn forward(&mut self, pass: &mut Pass<'_>, arrays: &Arrays<'_>, rows: &[u32]) -> Tensor {
        match self {
            Self::Layers {
                columns,
                sheet,
                stack,
            } => {
                let x = fill(sheet, columns.as_ref(), arrays, rows).to_device(pass.device());
                stack.forward(pass, &x)
            }
            Self::Vector {
                category,
                embedding,
                dropout,
            } => {
                category.fill(arrays, rows, embedding.bags());
                let y = embedding.forward(pass);
                dropout.forward(pass, y)
            }
            Self::Date {
                at,
                numbers,
                sheet,
                embedding,
                stack,
            } => {
                date::fill(*at, arrays, rows, embedding.bags());
                let vectors = embedding.forward(pass).view([to_i64(rows.len()), -1]);
                let numbers = fill(sheet, numbers, arrays, rows).to_device(pass.device());
                stack.forward(pass, &Tensor::cat(&[numbers, vectors], 1))
            }
            Self::Text { text, embedding } => {
                text.fill(arrays, rows, embedding.bags());
                embedding.forward(pass)
            }
        }
    }

    fn backward(&mut self, pass: &mut Pass<'_>, gradient: Tensor) {
        match self {
            Self::Layers { stack, .. } => {
                stack.backward(pass, gradient, false);
            }
            Self::Vector {
                embedding, dropout, ..
            } => {
                let gradient = dropout.backward(gradient);
                embedding.backward(pass, &gradient);
            }
            Self::Date {
                numbers,
                embedding,
                stack,
                ..
            } => {
                if let Some(gradient) = stack.backward(pass, gradient, true) {
                    let n = to_i64(numbers.width());
                    let vectors = gradient.narrow(1, n, gradient.size()[1] - n).contiguous();
                    embedding.backward(
                        pass,
                        &vectors.view([vectors.size()[0] * to_i64(date::N_VECTORS), -1]),
                    );
                }
            }
            Self::Text { embedding, .. } => embedding.backward(pass, &gradient),
        }
    }
}

fn fill<'a>(
    buffer: &'a mut Buffer,
    columns: &dyn Columns,
    arrays: &Arrays<'_>,
    rows: &[u32],
) -> &'a Tensor {
    let width = columns.width();
    let tensor = buffer.of(&[to_i64(rows.len()), to_i64(width)], Device::Cpu);
    columns.write(
        arrays,
        rows,
        Sheet {
            values: floats_mut(tensor),
            width,
            at: 0,
        },
    );
    tensor
}

/// The encoders being put together.
struct Build<'a> {
    layout: &'a mut Layout,
    style: Style,
    /// All numbers that pass as they are: one block, so that they are scaled in one loop.
    numbers: Numbers,
    plain: Vec<Box<dyn Columns>>,
    learned: Vec<Learned>,
}

impl Build<'_> {
    fn add(&mut self, input: &config::Input, coding: &Coding) -> Result<()> {
        let path = format!("{}.encoder", input.name);
        match (&input.kind, coding) {
            (config::InputKind::Number { encoder, .. }, Coding::Number { at, coding }) => {
                match encoder {
                    config::NumberEncoder::Passthrough => self.numbers.push(*at, coding),
                    config::NumberEncoder::Dense(fc) => {
                        let mut numbers = Numbers::default();
                        numbers.push(*at, coding);
                        self.layers(&path, Box::new(numbers), fc);
                    }
                }
            }
            (config::InputKind::Binary { encoder }, &Coding::Binary { at, fill }) => {
                let values = match self.style {
                    Style::Plain => [0.0, 1.0, fill],
                    Style::Signed => [-1.0, 1.0, 0.0],
                };
                let column = Box::new(Binary { at, values });
                match encoder {
                    config::BinaryEncoder::Passthrough => self.plain.push(column),
                    config::BinaryEncoder::Dense(fc) => self.layers(&path, column, fc),
                }
            }
            (
                config::InputKind::Category { encoder, .. },
                Coding::Category {
                    at,
                    coding,
                    missing,
                    occurs,
                },
            ) => {
                let category = Category {
                    at: *at,
                    coding: coding.clone(),
                    missing: *missing,
                };
                self.category(&path, encoder, category, occurs);
            }
            (config::InputKind::Date { encoder }, Coding::Date { at, parts }) => {
                self.date(&path, encoder, *at, parts);
            }
            (config::InputKind::Text { encoder }, Coding::Text { at, coding }) => {
                let &config::TextEncoder::TfIdf { output_size, .. } = encoder;
                self.text(&path, Text::new(*at, coding.clone()), output_size);
            }
            (
                config::InputKind::Number { .. }
                | config::InputKind::Binary { .. }
                | config::InputKind::Category { .. }
                | config::InputKind::Date { .. }
                | config::InputKind::Text { .. },
                _,
            ) => {
                return Err(Error::Config(format!(
                    "the encodings have another type for input feature \"{}\"",
                    input.name
                )));
            }
        }
        Ok(())
    }

    /// Layers on plain columns; without layers the columns pass as they are.
    fn layers(&mut self, path: &str, columns: Box<dyn Columns>, fc: &FcStack) {
        if fc.layers.is_empty() {
            self.plain.push(columns);
            return;
        }
        let stack = Stack::new(self.layout, path, to_i64(columns.width()), fc);
        let n_out = to_usize(stack.n_out());
        self.learned.push(Learned {
            kind: Kind::Layers {
                columns,
                sheet: Buffer::default(),
                stack,
            },
            n_out,
        });
    }

    fn category(
        &mut self,
        path: &str,
        encoder: &config::CategoryEncoder,
        category: Category,
        occurs: &[bool],
    ) {
        match *encoder {
            config::CategoryEncoder::Onehot | config::CategoryEncoder::Sparse => {
                self.plain.push(Box::new(Onehot::new(
                    category,
                    occurs,
                    self.style == Style::Signed,
                )));
            }
            config::CategoryEncoder::Passthrough => self.plain.push(Box::new(Index(category))),
            config::CategoryEncoder::Dense {
                embedding_size,
                dropout,
            } => {
                let n_codes = to_i64(category.coding.n_slots());
                let size = embedding_size.clamp(1, n_codes);
                let embedding = self.vectors(path, n_codes, size);
                let dropout = Dropout::new(dropout, Course::Flat);
                self.learned.push(Learned {
                    kind: Kind::Vector {
                        category,
                        embedding,
                        dropout,
                    },
                    n_out: to_usize(size),
                });
            }
        }
    }

    /// Vectors that start in plus or minus 1 as Ludwig's, or as unit normal ones for RealMLP.
    fn vectors(&mut self, path: &str, n_codes: i64, size: i64) -> Embedding {
        let init = match self.style {
            Style::Plain => Init::Uniform(1.0),
            Style::Signed => Init::Normal(1.0),
        };
        Embedding::new(self.layout, path, n_codes, size, init, Treatment::WEIGHT)
    }

    fn date(
        &mut self,
        path: &str,
        encoder: &config::DateEncoder,
        at: usize,
        parts: &[NumberCoding],
    ) {
        let mut numbers = Numbers::default();
        for (place, coding) in parts.iter().enumerate() {
            numbers.push(at + place, coding);
        }
        match encoder {
            config::DateEncoder::Wave { fc } => self.layers(path, Box::new(numbers), fc),
            config::DateEncoder::Embed { embedding_size, fc } => {
                let embedding = self.vectors(path, i64::from(date::n_codes()), *embedding_size);
                let n_in = to_i64(numbers.width()) + to_i64(date::N_VECTORS) * embedding_size;
                let stack = Stack::new(self.layout, path, n_in, fc);
                let n_out = to_usize(stack.n_out());
                let kind = Kind::Date {
                    at,
                    numbers,
                    sheet: Buffer::default(),
                    embedding,
                    stack,
                };
                self.learned.push(Learned { kind, n_out });
            }
        }
    }

    /// A text's weights have length 1, so that vectors of unit normal values give columns of variance 1.
    fn text(&mut self, path: &str, text: Text, output_size: i64) {
        let n_codes = to_i64(text.coding.n_features());
        let embedding = Embedding::new(
            self.layout,
            path,
            n_codes,
            output_size,
            Init::Normal(TEXT_SD),
            Treatment::WEIGHT,
        );
        self.learned.push(Learned {
            kind: Kind::Text { text, embedding },
            n_out: to_usize(output_size),
        });
    }
}

/// Vectors of terms start small, so that what is learned soon outweighs what was drawn.
const TEXT_SD: f64 = 0.1;

fn to_i64(n: usize) -> i64 {
    i64::try_from(n).expect("sizes fit into i64")
}

fn to_usize(n: i64) -> usize {
    usize::try_from(n).expect("widths are not negative")
}

//! Encoders with parameters: from rows of the arrays to columns that are learned.

use tch::{Device, Tensor};

use super::category::Category;
use super::columns::{Columns, Sheet};
use super::date;
use super::number::Numbers;
use super::text::Text;
use crate::model::arrays::Arrays;
use crate::model::layer::{Dropout, Embedding, Periodic, Stack};
use crate::model::memory::floats_mut;
use crate::model::parameters::{Buffer, to_i64};
use crate::model::pass::Pass;

/// An encoder with parameters, and how many columns it gives.
#[derive(Debug)]
pub(super) struct Learned {
    pub(super) kind: Kind,
    pub(super) n_out: usize,
}

#[derive(Debug)]
pub(super) enum Kind {
    /// Layers on plain columns.
    Layers {
        columns: Box<dyn Columns>,
        sheet: Buffer,
        stack: Stack,
    },
    /// Waves of numbers.
    Periodic {
        numbers: Numbers,
        sheet: Buffer,
        periodic: Periodic,
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
    /// The weighted sum of the vectors of a text's terms; beside it, where there is one, the terms' own path
    /// to the output.
    Text {
        text: Text,
        embedding: Embedding,
        direct: Option<Embedding>,
    },
}

impl Kind {
    pub(super) fn forward(
        &mut self,
        pass: &mut Pass<'_>,
        arrays: &Arrays<'_>,
        rows: &[u32],
    ) -> Tensor {
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
            Self::Periodic {
                numbers,
                sheet,
                periodic,
            } => {
                let x = fill(sheet, numbers, arrays, rows).to_device(pass.device());
                periodic.forward(pass, &x)
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
            Self::Text {
                text, embedding, ..
            } => {
                let stream = pass.training.map(|_| &mut *pass.stream);
                text.fill(arrays, rows, embedding.bags(), stream);
                embedding.forward(pass)
            }
        }
    }

    /// What goes past the combiner: columns to add to the output, for the rows of the last `forward`.
    pub(super) fn direct(
        &mut self,
        pass: &mut Pass<'_>,
        arrays: &Arrays<'_>,
        rows: &[u32],
    ) -> Option<Tensor> {
        match self {
            Self::Text {
                text,
                direct: Some(direct),
                ..
            } => {
                text.fill(arrays, rows, direct.bags(), None);
                Some(direct.forward(pass))
            }
            Self::Text { direct: None, .. }
            | Self::Layers { .. }
            | Self::Periodic { .. }
            | Self::Vector { .. }
            | Self::Date { .. } => None,
        }
    }

    /// From the gradient of the output.
    pub(super) fn direct_backward(&mut self, pass: &mut Pass<'_>, gradient: &Tensor) {
        match self {
            Self::Text {
                direct: Some(direct),
                ..
            } => direct.backward(pass, gradient),
            Self::Text { direct: None, .. }
            | Self::Layers { .. }
            | Self::Periodic { .. }
            | Self::Vector { .. }
            | Self::Date { .. } => {}
        }
    }

    pub(super) fn backward(&mut self, pass: &mut Pass<'_>, gradient: Tensor) {
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
            Self::Periodic { periodic, .. } => periodic.backward(pass, &gradient),
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

//! All parameters of a network in one flat buffer, their gradients in a second.
//!
//! Layers declare what they need in a [`Layout`] and keep a [`Slot`]; the buffers are allocated
//! once, and a slot then names a view of them. One flat buffer makes an optimizer one loop, the best
//! weights one copy, and a checkpoint a few arrays.

use tch::{Device, Kind, Tensor};

use super::memory;
use super::stream::Stream;

/// Entries start at multiples of this many values (64 bytes), as matrix kernels like it.
const ALIGN: usize = 16;

/// How a parameter starts.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Init {
    /// All the same value.
    Constant(f64),
    /// Normal with mean 0 and this standard deviation.
    Normal(f64),
    /// Uniform in plus or minus this bound.
    Uniform(f64),
    /// Uniform between two bounds.
    Range(f64, f64),
}

/// How the optimizer treats a parameter.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Treatment {
    /// Multiplies the learning rate. 0 marks what is not learned, such as running means.
    pub lr_factor: f32,
    /// Whether weight decay applies.
    pub decays: bool,
    /// Times half the sum of squares it is added to the loss, whatever the optimizer and its decay.
    pub penalty: f32,
}

impl Treatment {
    /// A weight: full rate, decays.
    pub const WEIGHT: Self = Self {
        lr_factor: 1.0,
        decays: true,
        penalty: 0.0,
    };
    /// A bias, scale or shift: full rate, no decay.
    pub const BIAS: Self = Self {
        lr_factor: 1.0,
        decays: false,
        penalty: 0.0,
    };
    /// Kept and saved, never learned.
    pub const STATE: Self = Self {
        lr_factor: 0.0,
        decays: false,
        penalty: 0.0,
    };

    /// The same with another rate.
    #[must_use]
    pub fn at(self, lr_factor: f64) -> Self {
        #[expect(clippy::cast_possible_truncation, reason = "a factor near 1")]
        let lr_factor = lr_factor as f32;
        Self { lr_factor, ..self }
    }
}

/// Names a parameter within its network.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Slot(usize);

/// One declared parameter.
#[derive(Debug, Clone)]
pub struct Entry {
    /// Dotted path, such as `combiner.layer_0.weight`.
    pub name: String,
    /// Its shape.
    pub shape: Vec<i64>,
    init: Init,
    treatment: Treatment,
    offset: usize,
}

impl Entry {
    /// The number of values.
    pub fn len(&self) -> usize {
        usize::try_from(self.shape.iter().product::<i64>()).expect("shapes are not negative")
    }

    /// Whether it has no values.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// What the layers of a network need, in the order they are made.
#[derive(Debug, Default)]
pub struct Layout {
    entries: Vec<Entry>,
    end: usize,
}

impl Layout {
    /// Declares a parameter.
    pub fn add(
        &mut self,
        name: impl Into<String>,
        shape: &[i64],
        init: Init,
        treatment: Treatment,
    ) -> Slot {
        let entry = Entry {
            name: name.into(),
            shape: shape.to_vec(),
            init,
            treatment,
            offset: self.end,
        };
        assert!(
            self.entries.iter().all(|e| e.name != entry.name),
            "{} is declared once",
            entry.name
        );
        self.end = (self.end + entry.len()).next_multiple_of(ALIGN);
        self.entries.push(entry);
        Slot(self.entries.len() - 1)
    }
}

/// A stretch of the flat buffer that the optimizer treats alike.
#[derive(Debug, Clone, PartialEq)]
pub struct Group {
    /// Positions in the flat buffer.
    pub range: std::ops::Range<usize>,
    /// How it is treated.
    pub treatment: Treatment,
}

/// The parameters of a network.
#[derive(Debug)]
pub struct Parameters {
    entries: Vec<Entry>,
    groups: Vec<Group>,
    values: Tensor,
    gradients: Tensor,
    value_views: Vec<Tensor>,
    gradient_views: Vec<Tensor>,
}

impl Parameters {
    /// Allocates the buffers and draws the first values. Each parameter has a stream of its own, by
    /// its name: adding a layer does not change how the others start.
    pub fn new(layout: Layout, seed: u64, device: Device) -> Self {
        let mut flat = vec![0.0f32; layout.end];
        for entry in &layout.entries {
            let mut stream = Stream::new(seed, &entry.name, 0);
            for value in &mut flat[entry.offset..entry.offset + entry.len()] {
                #[expect(clippy::cast_possible_truncation, reason = "parameters are f32")]
                let drawn = match entry.init {
                    Init::Constant(c) => c,
                    Init::Normal(sd) => sd * stream.normal(),
                    Init::Uniform(bound) => bound * (2.0 * stream.uniform() - 1.0),
                    Init::Range(low, high) => low + (high - low) * stream.uniform(),
                } as f32;
                *value = drawn;
            }
        }
        let values = Tensor::from_slice(&flat).to_device(device);
        let gradients = values.zeros_like();
        let view = |flat: &Tensor, entry: &Entry| {
            flat.narrow(0, to_i64(entry.offset), to_i64(entry.len()))
                .view(entry.shape.as_slice())
        };
        Self {
            groups: groups(&layout.entries),
            value_views: layout.entries.iter().map(|e| view(&values, e)).collect(),
            gradient_views: layout.entries.iter().map(|e| view(&gradients, e)).collect(),
            values,
            gradients,
            entries: layout.entries,
        }
    }

    /// The declared parameters in order.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// The stretches that the optimizer treats alike, without what is not learned.
    pub fn groups(&self) -> &[Group] {
        &self.groups
    }

    /// The number of learned values.
    pub fn n_learned(&self) -> usize {
        self.entries
            .iter()
            .filter(|e| e.treatment.lr_factor > 0.0)
            .map(Entry::len)
            .sum()
    }

    /// The value of a parameter.
    pub fn value(&self, slot: Slot) -> &Tensor {
        &self.value_views[slot.0]
    }

    /// The gradient of a parameter, to be overwritten by the layer that owns it.
    pub fn gradient(&self, slot: Slot) -> &Tensor {
        &self.gradient_views[slot.0]
    }

    /// The value of a parameter, to be changed in place.
    pub fn value_mut(&mut self, slot: Slot) -> &mut Tensor {
        &mut self.value_views[slot.0]
    }

    /// The gradient of a parameter, to be written through slices.
    pub fn gradient_mut(&mut self, slot: Slot) -> &mut Tensor {
        &mut self.gradient_views[slot.0]
    }

    /// Each learned parameter's gradient in turn.
    pub fn each_gradient(&mut self, mut of: impl FnMut(&mut Tensor)) {
        for (entry, gradient) in self.entries.iter().zip(&mut self.gradient_views) {
            if entry.treatment.lr_factor > 0.0 {
                of(gradient);
            }
        }
    }

    /// All values.
    pub fn values(&self) -> &Tensor {
        &self.values
    }

    /// All gradients.
    pub fn gradients(&self) -> &Tensor {
        &self.gradients
    }

    /// Values and gradients as slices; on the CPU only.
    pub fn flat_mut(&mut self) -> (&mut [f32], &[f32]) {
        (
            memory::floats_mut(&mut self.values),
            memory::floats(&self.gradients),
        )
    }

    /// A copy of all values in main memory.
    pub fn to_vec(&self) -> Vec<f32> {
        let on_cpu = self.values.to_device(Device::Cpu);
        memory::floats(&on_cpu).to_vec()
    }

    /// Overwrites all values.
    ///
    /// # Panics
    /// When the length differs from that of `to_vec`.
    pub fn set(&mut self, flat: &[f32]) {
        self.values.copy_(&Tensor::from_slice(flat));
    }

    /// Each parameter by name, in a flat copy made by `to_vec`.
    pub fn named<'a>(&'a self, flat: &'a [f32]) -> impl Iterator<Item = (&'a Entry, &'a [f32])> {
        self.entries
            .iter()
            .map(|e| (e, &flat[e.offset..e.offset + e.len()]))
    }

    /// Each parameter by name, in a flat buffer that `set` will take.
    pub fn named_mut<'a>(
        &self,
        flat: &'a mut [f32],
        mut each: impl FnMut(&Entry, &'a mut [f32]) -> bool,
    ) -> bool {
        let mut rest = flat;
        let mut at = 0;
        for entry in &self.entries {
            let (_, tail) = rest.split_at_mut(entry.offset - at);
            let (mine, tail) = tail.split_at_mut(entry.len());
            if !each(entry, mine) {
                return false;
            }
            at = entry.offset + entry.len();
            rest = tail;
        }
        true
    }
}

/// A size as libtorch has it.
pub(super) fn to_i64(n: usize) -> i64 {
    i64::try_from(n).expect("sizes fit into i64")
}

/// Joins neighbours that are treated alike; padding belongs to the entry before it.
fn groups(entries: &[Entry]) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    for entry in entries.iter().filter(|e| e.treatment.lr_factor > 0.0) {
        let range = entry.offset..entry.offset + entry.len();
        match groups.last_mut() {
            Some(last)
                if last.treatment == entry.treatment
                    && last.range.end.next_multiple_of(ALIGN) == range.start =>
            {
                last.range.end = range.end;
            }
            Some(_) | None => groups.push(Group {
                range,
                treatment: entry.treatment,
            }),
        }
    }
    groups
}

/// An uninitialised buffer of a batch, reused from step to step while its shape stays.
#[derive(Debug, Default)]
pub struct Buffer(Option<Tensor>);

impl Buffer {
    /// The buffer in this shape. Its content is whatever was in it.
    pub fn of(&mut self, shape: &[i64], device: Device) -> &mut Tensor {
        if self.0.as_ref().is_none_or(|t| t.size() != shape) {
            self.0 = Some(Tensor::empty(shape, (Kind::Float, device)));
        }
        self.0.as_mut().expect("filled above")
    }

    /// What was written last.
    ///
    /// # Panics
    /// Before the first `of`.
    pub fn get(&self) -> &Tensor {
        self.0
            .as_ref()
            .expect("a forward pass has filled the buffer")
    }
}

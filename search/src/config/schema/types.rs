//! What the schema is written in: keys, types, sections, and unions told apart by a `type`.

use serde_json::Value;

/// One key of a section.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Key {
    pub(crate) name: &'static str,
    pub(crate) ty: Type,
    pub(crate) default: Default,
    /// One line that helps a user to choose a value.
    pub(crate) doc: &'static str,
    pub(crate) origin: Origin,
    pub(crate) use_: Use,
}

/// What stands for a key that is not written.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Default {
    /// The key must be written.
    Required,
    /// Nothing: the section is not there unless it is written.
    Absent,
    /// This value, as JSON.
    Json(&'static str),
    /// The name of the feature.
    FeatureName,
    /// The name of the first output feature.
    FirstOutput,
    /// The default metric of the first output feature.
    OutputMetric,
    /// 10 trials, 1 when a `grid_search` is among the parameters.
    NumSamples,
}

/// Where a key or value comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Origin {
    /// Ludwig 0.10.
    Ludwig,
    /// This Ludwig, 0.11 or later.
    Since(&'static str),
    /// Ours: marked `# autotune` when written.
    Autotune,
}

/// What a key or value does when a trial runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Use {
    /// What its documentation says.
    Runs,
    /// Nothing: it changes no result here.
    Inert,
    /// Refused when run, unless it has its default. Holds what can be used instead.
    Later(&'static str),
}

/// What a value may be.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Type {
    Bool,
    Int {
        min: i64,
        max: i64,
    },
    /// From `min` (itself allowed unless `open`) to `max`.
    Float {
        min: f64,
        max: f64,
        open: bool,
    },
    Text,
    OneOf(&'static Names),
    /// Anything; what it means is known to others only.
    Any,
    /// A map of anything.
    AnyMap,
    /// A list of at least `min` items.
    List {
        of: &'static Type,
        min: usize,
    },
    /// A list of exactly these.
    Tuple(&'static [Type]),
    /// A map from any text to this.
    MapOf(&'static Type),
    /// Null or this.
    Nullable(&'static Type),
    /// The first that fits.
    Either(&'static [Type]),
    Section(&'static Section),
    Union(&'static Union),
}

/// The words that a value may be.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Names {
    pub(crate) words: &'static [&'static str],
    /// Words of ours.
    pub(crate) ours: &'static [&'static str],
    /// Words that are refused when run.
    pub(crate) later: &'static [&'static str],
}

impl Names {
    pub(crate) const fn of(words: &'static [&'static str]) -> Names {
        Names {
            words,
            ours: &[],
            later: &[],
        }
    }

    /// Every word that may be written.
    pub(crate) fn all(&self) -> impl Iterator<Item = &'static str> {
        self.words
            .iter()
            .chain(self.ours)
            .chain(self.later)
            .copied()
    }

    /// Every word that can be run.
    pub(crate) fn running(&self) -> impl Iterator<Item = &'static str> {
        self.words
            .iter()
            .chain(self.ours)
            .copied()
            .filter(|w| !self.later.contains(w))
    }
}

/// A map with known keys, in groups that sections share.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Section {
    pub(crate) keys: &'static [&'static [Key]],
}

impl Section {
    pub(crate) const fn of(keys: &'static [&'static [Key]]) -> Section {
        Section { keys }
    }
}

/// A map whose keys depend on one of them.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Union {
    /// The key that decides: `type`, `space`, `model_type`.
    pub(crate) tag: &'static str,
    /// What stands for a tag that is not written; none where it must be.
    pub(crate) default: Option<&'static str>,
    /// What it is called in messages: "number encoder".
    pub(crate) noun: &'static str,
    pub(crate) doc: &'static str,
    pub(crate) variants: &'static [Variant],
}

/// One of the forms of a union.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Variant {
    pub(crate) name: &'static str,
    pub(crate) aliases: &'static [&'static str],
    pub(crate) keys: &'static [&'static [Key]],
    pub(crate) origin: Origin,
    pub(crate) use_: Use,
}

impl Union {
    /// The variant of a name or alias.
    pub(crate) fn variant(&self, name: &str) -> Option<&'static Variant> {
        self.variants
            .iter()
            .find(|v| v.name == name || v.aliases.contains(&name))
    }

    /// The variant that a map is, by its tag or the default.
    pub(crate) fn variant_of(&self, value: &Value) -> Option<&'static Variant> {
        match value.get(self.tag) {
            Some(tag) => self.variant(tag.as_str()?),
            None => self.variant(self.default?),
        }
    }
}

impl Type {
    /// The section or union in a type, with null and scalar alternatives looked through.
    pub(crate) fn structure(&self) -> Option<Structure> {
        match self {
            Type::Section(section) => Some(Structure::Section(section)),
            Type::Union(union) => Some(Structure::Union(union)),
            Type::Nullable(inner) => inner.structure(),
            Type::Either(types) => types.iter().find_map(Type::structure),
            Type::Bool
            | Type::Int { .. }
            | Type::Float { .. }
            | Type::Text
            | Type::OneOf(_)
            | Type::Any
            | Type::AnyMap
            | Type::List { .. }
            | Type::Tuple(_)
            | Type::MapOf(_) => None,
        }
    }

    /// The type of the items of a list.
    pub(crate) fn items(&self) -> Option<&'static Type> {
        match self {
            Type::List { of, .. } => Some(of),
            Type::Nullable(inner) => inner.items(),
            Type::Either(types) => types.iter().find_map(Type::items),
            Type::Bool
            | Type::Int { .. }
            | Type::Float { .. }
            | Type::Text
            | Type::OneOf(_)
            | Type::Any
            | Type::AnyMap
            | Type::Tuple(_)
            | Type::MapOf(_)
            | Type::Section(_)
            | Type::Union(_) => None,
        }
    }
}

/// What has keys of its own.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Structure {
    Section(&'static Section),
    Union(&'static Union),
}

impl Structure {
    /// The keys that a map of this structure may have (without the tag), `None` when its tag is unknown.
    pub(crate) fn keys(&self, value: &Value) -> Option<Keys> {
        match self {
            Structure::Section(section) => Some(Keys(section.keys)),
            Structure::Union(union) => union.variant_of(value).map(|v| Keys(v.keys)),
        }
    }
}

/// The keys of one section, in the order they are written.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Keys(pub(crate) &'static [&'static [Key]]);

impl Keys {
    /// All, in order. A later group may name a key again to give it another default; the later one counts, in
    /// the place of the first.
    pub(crate) fn iter(self) -> impl Iterator<Item = &'static Key> {
        self.0.iter().enumerate().flat_map(move |(n, group)| {
            let before = Keys(&self.0[..n]);
            group
                .iter()
                .filter(move |key| before.find(key.name).is_none())
                .map(move |key| self.find(key.name).unwrap_or(key))
        })
    }

    /// The key of this name.
    pub(crate) fn find(self, name: &str) -> Option<&'static Key> {
        self.0
            .iter()
            .rev()
            .flat_map(|group| group.iter())
            .find(|key| key.name == name)
    }
}

/// A key with a default in JSON.
pub(crate) const fn key(
    name: &'static str,
    ty: Type,
    default: &'static str,
    doc: &'static str,
) -> Key {
    Key {
        name,
        ty,
        default: Default::Json(default),
        doc,
        origin: Origin::Ludwig,
        use_: Use::Runs,
    }
}

/// A key that must be written.
pub(crate) const fn required(name: &'static str, ty: Type, doc: &'static str) -> Key {
    Key {
        name,
        ty,
        default: Default::Required,
        doc,
        origin: Origin::Ludwig,
        use_: Use::Runs,
    }
}

/// A key that is not there unless it is written.
pub(crate) const fn optional(name: &'static str, ty: Type, doc: &'static str) -> Key {
    Key {
        name,
        ty,
        default: Default::Absent,
        doc,
        origin: Origin::Ludwig,
        use_: Use::Runs,
    }
}

impl Key {
    /// Ours, not Ludwig's.
    pub(crate) const fn ours(mut self) -> Key {
        self.origin = Origin::Autotune;
        self
    }

    /// Of a later Ludwig.
    pub(crate) const fn since(mut self, version: &'static str) -> Key {
        self.origin = Origin::Since(version);
        self
    }

    /// Read and kept, but without effect.
    pub(crate) const fn inert(mut self) -> Key {
        self.use_ = Use::Inert;
        self
    }

    /// Refused when run, unless it has its default.
    pub(crate) const fn later(mut self, instead: &'static str) -> Key {
        self.use_ = Use::Later(instead);
        self
    }

    /// With another kind of default.
    pub(crate) const fn or(mut self, default: Default) -> Key {
        self.default = default;
        self
    }
}

/// A variant that runs.
pub(crate) const fn variant(name: &'static str, keys: &'static [&'static [Key]]) -> Variant {
    Variant {
        name,
        aliases: &[],
        keys,
        origin: Origin::Ludwig,
        use_: Use::Runs,
    }
}

impl Variant {
    /// Ours, not Ludwig's.
    pub(crate) const fn ours(mut self) -> Variant {
        self.origin = Origin::Autotune;
        self
    }

    /// Of a later Ludwig.
    pub(crate) const fn since(mut self, version: &'static str) -> Variant {
        self.origin = Origin::Since(version);
        self
    }

    /// Refused when run.
    pub(crate) const fn later(mut self, instead: &'static str) -> Variant {
        self.use_ = Use::Later(instead);
        self
    }

    /// With other names.
    pub(crate) const fn aliased(mut self, aliases: &'static [&'static str]) -> Variant {
        self.aliases = aliases;
        self
    }
}

/// True or false.
pub(crate) const BOOL: Type = Type::Bool;
/// Any text.
pub(crate) const TEXT: Type = Type::Text;
/// Text or null.
pub(crate) const OPT_TEXT: Type = Type::Nullable(&TEXT);
/// A whole number from 0.
pub(crate) const COUNT: Type = Type::Int {
    min: 0,
    max: i64::MAX,
};
/// A whole number from 1.
pub(crate) const SIZE: Type = Type::Int {
    min: 1,
    max: i64::MAX,
};
/// Null or a whole number from 1.
pub(crate) const OPT_SIZE: Type = Type::Nullable(&SIZE);
/// Any finite number.
pub(crate) const FLOAT: Type = Type::Float {
    min: f64::MIN,
    max: f64::MAX,
    open: false,
};
/// A number from 0.
pub(crate) const AMOUNT: Type = Type::Float {
    min: 0.0,
    max: f64::MAX,
    open: false,
};
/// A number above 0.
pub(crate) const POSITIVE: Type = Type::Float {
    min: 0.0,
    max: f64::MAX,
    open: true,
};
/// Null or a number above 0.
pub(crate) const OPT_POSITIVE: Type = Type::Nullable(&POSITIVE);
/// A number from 0 to 1.
pub(crate) const SHARE: Type = Type::Float {
    min: 0.0,
    max: 1.0,
    open: false,
};
/// A list of texts.
pub(crate) const TEXTS: Type = Type::List { of: &TEXT, min: 0 };

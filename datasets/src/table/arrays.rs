//! Arrow arrays as our values: numbers, times, booleans, texts.
#![expect(
    clippy::wildcard_enum_match_arm,
    reason = "the types are Arrow's, and the ones that are not named here are refused"
)]

use polars_arrow::array::{
    Array, BinaryViewArray, BooleanArray, DictionaryArray, DictionaryKey, PrimitiveArray,
    Utf8Array, Utf8ViewArray,
};
use polars_arrow::datatypes::{ArrowDataType, IntegerType, TimeUnit};
use polars_arrow::types::NativeType;

use super::column::{MISSING_BOOL, MISSING_TIME};

/// Why no model reads a column of that type, in words; `None` when one does.
pub(super) fn unreadable(dtype: &ArrowDataType) -> Option<String> {
    match dtype {
        ArrowDataType::List(_) | ArrowDataType::LargeList(_) | ArrowDataType::FixedSizeList(..) => {
            Some("lists".into())
        }
        ArrowDataType::Struct(_) | ArrowDataType::Map(..) | ArrowDataType::Union(_) => {
            Some("structs".into())
        }
        ArrowDataType::Binary | ArrowDataType::LargeBinary | ArrowDataType::FixedSizeBinary(_) => {
            Some("raw bytes".into())
        }
        ArrowDataType::Dictionary(_, values, _) => match **values {
            ArrowDataType::Utf8 | ArrowDataType::LargeUtf8 | ArrowDataType::Utf8View => None,
            ref other => Some(format!("a dictionary of {other:?}")),
        },
        ArrowDataType::Null
        | ArrowDataType::Boolean
        | ArrowDataType::Int8
        | ArrowDataType::Int16
        | ArrowDataType::Int32
        | ArrowDataType::Int64
        | ArrowDataType::UInt8
        | ArrowDataType::UInt16
        | ArrowDataType::UInt32
        | ArrowDataType::UInt64
        | ArrowDataType::Float32
        | ArrowDataType::Float64
        | ArrowDataType::Timestamp(..)
        | ArrowDataType::Date32
        | ArrowDataType::Date64
        | ArrowDataType::Time32(_)
        | ArrowDataType::Time64(_)
        | ArrowDataType::Duration(_)
        | ArrowDataType::Decimal(..)
        | ArrowDataType::Utf8
        | ArrowDataType::LargeUtf8
        | ArrowDataType::Utf8View
        | ArrowDataType::BinaryView => None,
        other => Some(format!("values of type {other:?}")),
    }
}

fn native<T: NativeType>(array: &dyn Array) -> Option<&PrimitiveArray<T>> {
    array.as_any().downcast_ref()
}

/// The values, each turned by `to`; a missing one is `missing`.
fn turned<T: NativeType, U: Copy>(
    array: &dyn Array,
    missing: U,
    to: impl Fn(T) -> U,
) -> Option<Vec<U>> {
    Some(
        native::<T>(array)?
            .iter()
            .map(|value| value.map_or(missing, |value| to(*value)))
            .collect(),
    )
}

/// Numbers; durations and times of day are seconds.
pub(super) fn numbers(array: &dyn Array) -> Option<Vec<f64>> {
    const NAN: f64 = f64::NAN;
    match array.dtype() {
        ArrowDataType::Null => Some(vec![NAN; array.len()]),
        ArrowDataType::Int8 => turned::<i8, _>(array, NAN, f64::from),
        ArrowDataType::Int16 => turned::<i16, _>(array, NAN, f64::from),
        ArrowDataType::Int32 => turned::<i32, _>(array, NAN, f64::from),
        ArrowDataType::Int64 => turned::<i64, _>(array, NAN, |value| value as f64),
        ArrowDataType::UInt8 => turned::<u8, _>(array, NAN, f64::from),
        ArrowDataType::UInt16 => turned::<u16, _>(array, NAN, f64::from),
        ArrowDataType::UInt32 => turned::<u32, _>(array, NAN, f64::from),
        ArrowDataType::UInt64 => turned::<u64, _>(array, NAN, |value| value as f64),
        ArrowDataType::Float32 => turned::<f32, _>(array, NAN, f64::from),
        ArrowDataType::Float64 => turned::<f64, _>(array, NAN, |value| value),
        ArrowDataType::Time32(unit) => {
            turned::<i32, _>(array, NAN, |value| f64::from(value) / per_second(*unit))
        }
        ArrowDataType::Time64(unit) | ArrowDataType::Duration(unit) => {
            turned::<i64, _>(array, NAN, |value| value as f64 / per_second(*unit))
        }
        ArrowDataType::Decimal(_, scale) => {
            let ten = 10f64.powi(i32::try_from(*scale).ok()?);
            turned::<i128, _>(array, NAN, |value| value as f64 / ten)
        }
        _ => None,
    }
}

fn per_second(unit: TimeUnit) -> f64 {
    match unit {
        TimeUnit::Second => 1.0,
        TimeUnit::Millisecond => 1e3,
        TimeUnit::Microsecond => 1e6,
        TimeUnit::Nanosecond => 1e9,
    }
}

/// Dates and timestamps, in microseconds since 1970.
pub(super) fn times(array: &dyn Array) -> Option<Vec<i64>> {
    const DAY: i64 = 86_400_000_000;
    match array.dtype() {
        ArrowDataType::Date32 => {
            turned::<i32, _>(array, MISSING_TIME, |days| i64::from(days) * DAY)
        }
        ArrowDataType::Date64 => {
            turned::<i64, _>(array, MISSING_TIME, |millis| millis.saturating_mul(1_000))
        }
        ArrowDataType::Timestamp(unit, _) => {
            turned::<i64, _>(array, MISSING_TIME, |time| match unit {
                TimeUnit::Second => time.saturating_mul(1_000_000),
                TimeUnit::Millisecond => time.saturating_mul(1_000),
                TimeUnit::Microsecond => time,
                TimeUnit::Nanosecond => time.div_euclid(1_000),
            })
        }
        _ => None,
    }
}

/// Booleans as 0, 1 and the mark of a missing one.
pub(super) fn bools(array: &dyn Array) -> Option<Vec<u8>> {
    let array = array.as_any().downcast_ref::<BooleanArray>()?;
    Some(
        array
            .iter()
            .map(|value| value.map_or(MISSING_BOOL, u8::from))
            .collect(),
    )
}

type Texts<'a> = Box<dyn Fn(usize) -> Option<&'a str> + 'a>;

/// The text of each row. Bytes without a type (as old writers leave text) count as text where they are UTF-8.
pub(super) fn texts(array: &dyn Array) -> Option<Texts<'_>> {
    match array.dtype() {
        ArrowDataType::Dictionary(key, _, _) => match key {
            IntegerType::Int8 => dictionary::<i8>(array),
            IntegerType::Int16 => dictionary::<i16>(array),
            IntegerType::Int32 => dictionary::<i32>(array),
            IntegerType::Int64 => dictionary::<i64>(array),
            IntegerType::UInt8 => dictionary::<u8>(array),
            IntegerType::UInt16 => dictionary::<u16>(array),
            IntegerType::UInt32 => dictionary::<u32>(array),
            IntegerType::UInt64 => dictionary::<u64>(array),
            IntegerType::Int128 | IntegerType::UInt128 => None,
        },
        _ => plain_texts(array),
    }
}

fn plain_texts(array: &dyn Array) -> Option<Texts<'_>> {
    let valid = move |row: usize| array.is_valid(row);
    let any = array.as_any();
    if let Some(texts) = any.downcast_ref::<Utf8ViewArray>() {
        return Some(Box::new(move |row| valid(row).then(|| texts.value(row))));
    }
    if let Some(texts) = any.downcast_ref::<Utf8Array<i32>>() {
        return Some(Box::new(move |row| valid(row).then(|| texts.value(row))));
    }
    if let Some(texts) = any.downcast_ref::<Utf8Array<i64>>() {
        return Some(Box::new(move |row| valid(row).then(|| texts.value(row))));
    }
    let bytes = any.downcast_ref::<BinaryViewArray>()?;
    Some(Box::new(move |row| {
        valid(row).then(|| std::str::from_utf8(bytes.value(row)).unwrap_or("\u{FFFD}"))
    }))
}

fn dictionary<K: DictionaryKey>(array: &dyn Array) -> Option<Texts<'_>> {
    let array = array.as_any().downcast_ref::<DictionaryArray<K>>()?;
    let texts = plain_texts(&**array.values())?;
    Some(Box::new(move |row| {
        if array.is_valid(row) {
            texts(array.key_value(row))
        } else {
            None
        }
    }))
}

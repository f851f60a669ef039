//! Values while an expression runs: borrowed from the JSON that is looked at wherever possible.

use std::borrow::Cow;
use std::sync::Arc;

use serde_json::{Map, Number, Value};

use super::number::{Numeric, int_to_json};
use super::path::NormalPath;
use super::types::Kinds;
use super::url::Url;

/// Deepest JSON that is converted or compared.
pub(super) const MAX_DEPTH: usize = 128;

/// A value.
#[derive(Debug, Clone)]
pub(super) enum Val<'a> {
    Null,
    Bool(bool),
    /// Within the ranges of `i64` and `u64`.
    Int(i128),
    Double(f64),
    Text(Cow<'a, str>),
    JsonList(&'a [Value]),
    JsonObject(&'a Map<String, Value>),
    List(Arc<[Val<'a>]>),
    Object(Arc<[(Cow<'a, str>, Val<'a>)]>),
    Path(Arc<NormalPath>),
    Url(Arc<Url>),
}

impl<'a> Val<'a> {
    pub(super) fn from_json(value: &'a Value) -> Self {
        match value {
            Value::Null => Self::Null,
            Value::Bool(value) => Self::Bool(*value),
            Value::Number(number) => Numeric::from_json(number).into(),
            Value::String(text) => Self::Text(Cow::Borrowed(text)),
            Value::Array(items) => Self::JsonList(items),
            Value::Object(map) => Self::JsonObject(map),
        }
    }

    /// Takes over JSON that nobody keeps; `None` where it is nested too deep.
    pub(super) fn from_owned(value: Value, depth: usize) -> Option<Self> {
        let depth = depth.checked_sub(1)?;
        Some(match value {
            Value::Null => Self::Null,
            Value::Bool(value) => Self::Bool(value),
            Value::Number(number) => Numeric::from_json(&number).into(),
            Value::String(text) => Self::Text(Cow::Owned(text)),
            Value::Array(items) => Self::List(
                items.into_iter().map(|item| Self::from_owned(item, depth)).collect::<Option<_>>()?,
            ),
            Value::Object(map) => Self::Object(
                map.into_iter()
                    .map(|(key, value)| Some((Cow::Owned(key), Self::from_owned(value, depth)?)))
                    .collect::<Option<_>>()?,
            ),
        })
    }

    /// The value as JSON; paths and URLs become text. `None` for a number that JSON cannot say.
    pub(super) fn to_json(&self) -> Option<Value> {
        Some(match self {
            Self::Null => Value::Null,
            Self::Bool(value) => Value::Bool(*value),
            Self::Int(value) => Value::Number(int_to_json(*value)?),
            Self::Double(value) => Value::Number(Number::from_f64(*value)?),
            Self::Text(text) => Value::String(text.to_string()),
            Self::JsonList(items) => Value::Array(items.to_vec()),
            Self::JsonObject(map) => Value::Object((*map).clone()),
            Self::List(items) => Value::Array(items.iter().map(Self::to_json).collect::<Option<_>>()?),
            Self::Object(entries) => Value::Object(
                entries
                    .iter()
                    .map(|(key, value)| Some((key.to_string(), value.to_json()?)))
                    .collect::<Option<_>>()?,
            ),
            Self::Path(path) => Value::String(path.to_string()),
            Self::Url(url) => Value::String(url.to_string()),
        })
    }

    pub(super) fn kind(&self) -> Kinds {
        match self {
            Self::Null => Kinds::NULL,
            Self::Bool(_) => Kinds::BOOL,
            Self::Int(_) => Kinds::INT,
            Self::Double(_) => Kinds::DOUBLE,
            Self::Text(_) => Kinds::TEXT,
            Self::JsonList(_) | Self::List(_) => Kinds::LIST,
            Self::JsonObject(_) | Self::Object(_) => Kinds::OBJECT,
            Self::Path(_) => Kinds::PATH,
            Self::Url(_) => Kinds::URL,
        }
    }

    pub(super) fn numeric(&self) -> Option<Numeric> {
        match self {
            Self::Int(value) => Some(Numeric::Int(*value)),
            Self::Double(value) => Some(Numeric::Double(*value)),
            _ => None,
        }
    }
}

impl From<Numeric> for Val<'_> {
    fn from(number: Numeric) -> Self {
        match number {
            Numeric::Int(value) => Self::Int(value),
            Numeric::Double(value) => Self::Double(value),
        }
    }
}

/// A field of an object. Small objects are searched from the front, which is faster than hashing the name.
pub(super) fn lookup<'a>(map: &'a Map<String, Value>, name: &str) -> Option<&'a Value> {
    const SMALL: usize = 8;
    if map.len() <= SMALL {
        map.iter().find(|(key, _)| *key == name).map(|(_, value)| value)
    } else {
        map.get(name)
    }
}

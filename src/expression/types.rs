//! What an expression may talk about, and of which type it is.

use std::sync::Arc;

use serde_json::Value;

/// The type of a value in an expression.
#[derive(Debug, Clone, PartialEq)]
pub enum Type {
    /// Not known before it is run; every operation on it is checked then.
    Dynamic,
    /// `null`.
    Null,
    /// `true` or `false`.
    Bool,
    /// A whole number; a JSON value of this type keeps every bit of `i64` and `u64`.
    Int,
    /// A decimal number, whatever its spelling in JSON.
    Double,
    /// Text.
    String,
    /// A list of one type.
    List(Arc<Type>),
    /// An object with known fields.
    Object(Arc<ObjectType>),
    /// Text from a closed set: a comparison with anything else is a load error.
    OneOf(Arc<[Value]>),
    /// What `path(text)` returns.
    Path,
    /// What `url(text)` returns.
    Url,
    /// What `a.?b` gives: a value of this type, or none. `orValue`, `hasValue`, `value` and `or` open it.
    Optional(Arc<Type>),
    /// One of several types.
    Union(Arc<[Type]>),
}

/// An object type.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ObjectType {
    /// The declared fields, in order.
    pub fields: Vec<Field>,
    /// Whether other fields may exist. Reading one of an open object gives [`Type::Dynamic`];
    /// reading one of a closed object is a load error.
    pub open: bool,
}

/// One declared field.
#[derive(Debug, Clone, PartialEq)]
pub struct Field {
    /// The name.
    pub name: String,
    /// Its type.
    pub value: Type,
    /// Whether it is always there. Reading one that may be absent needs a guard:
    /// `has(x.f) && …` or `x.?f.orValue(d)`.
    pub required: bool,
}

/// Which of the gateway's own functions an expression may use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Functions {
    /// The standard ones and `json`.
    Plain,
    /// Also `provenance(p)`, `untrusted_arguments()`, `path(x)`, `url(x)`: policy rules.
    Rule,
}

/// The variables and functions of one place where expressions stand.
#[derive(Debug, Clone)]
pub struct Declarations {
    /// The variables, by slot: [`Bindings::variable`](super::Bindings::variable) is asked for them by this index.
    /// One that is not `required` may be read without a guard; where it has no value, evaluating fails.
    pub variables: Vec<Field>,
    /// The functions.
    pub functions: Functions,
}

/// A set of kinds of values: what a type comes down to where an operator or a function is concerned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Kinds(u16);

impl Kinds {
    pub(super) const NONE: Self = Self(0);
    pub(super) const NULL: Self = Self(1);
    pub(super) const BOOL: Self = Self(1 << 1);
    pub(super) const INT: Self = Self(1 << 2);
    pub(super) const DOUBLE: Self = Self(1 << 3);
    pub(super) const TEXT: Self = Self(1 << 4);
    pub(super) const LIST: Self = Self(1 << 5);
    pub(super) const OBJECT: Self = Self(1 << 6);
    pub(super) const PATH: Self = Self(1 << 7);
    pub(super) const URL: Self = Self(1 << 8);
    pub(super) const NUMBER: Self = Self(Self::INT.0 | Self::DOUBLE.0);
    /// Everything that JSON can say.
    pub(super) const JSON: Self = Self(0b0111_1111);
    pub(super) const ANY: Self = Self(0b1_1111_1111);

    pub(super) const fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    pub(super) const fn overlaps(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    /// The names of the kinds, as a person reads them.
    pub(super) fn describe(self) -> String {
        const NAMES: [(Kinds, &str); 9] = [
            (Kinds::NULL, "null"),
            (Kinds::BOOL, "bool"),
            (Kinds::INT, "int"),
            (Kinds::DOUBLE, "double"),
            (Kinds::TEXT, "string"),
            (Kinds::LIST, "list"),
            (Kinds::OBJECT, "object"),
            (Kinds::PATH, "path"),
            (Kinds::URL, "url"),
        ];
        let names: Vec<&str> =
            NAMES.iter().filter(|(kind, _)| self.overlaps(*kind)).map(|(_, name)| *name).collect();
        names.join(" or ")
    }
}

/// What a type says about one field.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Lookup {
    /// It is there, or may be.
    Field { value: Type, required: bool },
    /// It cannot be there; these can.
    Unknown(Vec<String>),
    /// The type has no fields.
    NoFields,
}

impl Type {
    pub(super) fn list_of(item: Self) -> Self {
        Self::List(Arc::new(item))
    }

    /// One of these types, in the simplest form that says so.
    pub(super) fn any_of(types: impl IntoIterator<Item = Self>) -> Self {
        let mut distinct: Vec<Self> = Vec::new();
        for one in types {
            let members = match one {
                Self::Union(members) => members.to_vec(),
                other => vec![other],
            };
            for member in members {
                if member == Self::Dynamic {
                    return Self::Dynamic;
                }
                if !distinct.contains(&member) {
                    distinct.push(member);
                }
            }
        }
        match distinct.len() {
            0 => Self::Dynamic,
            1 => distinct.pop().unwrap_or(Self::Dynamic),
            _ => Self::Union(distinct.into()),
        }
    }

    pub(super) fn kinds(&self) -> Kinds {
        match self {
            Self::Dynamic => Kinds::JSON,
            Self::Null => Kinds::NULL,
            Self::Bool => Kinds::BOOL,
            Self::Int => Kinds::INT,
            Self::Double => Kinds::DOUBLE,
            Self::String => Kinds::TEXT,
            Self::List(_) => Kinds::LIST,
            Self::Object(_) => Kinds::OBJECT,
            Self::OneOf(values) => values.iter().map(kind_of).fold(Kinds::NONE, Kinds::or),
            Self::Path => Kinds::PATH,
            Self::Url => Kinds::URL,
            Self::Optional(_) => Kinds::NONE,
            Self::Union(members) => members.iter().map(Self::kinds).fold(Kinds::NONE, Kinds::or),
        }
    }

    /// Whether a value of one can equal a value of the other.
    pub(super) fn may_equal(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Union(members), other) | (other, Self::Union(members)) => {
                members.iter().any(|member| member.may_equal(other))
            }
            (Self::OneOf(values), other) | (other, Self::OneOf(values)) => {
                values.iter().any(|value| other.may_be(value))
            }
            _ => {
                let (left, right) = (self.kinds(), other.kinds());
                left.overlaps(right) || (left.overlaps(Kinds::NUMBER) && right.overlaps(Kinds::NUMBER))
            }
        }
    }

    /// Whether a value of this type can equal `value`.
    pub(super) fn may_be(&self, value: &Value) -> bool {
        match self {
            Self::OneOf(values) => values.iter().any(|known| known == value || same_number(known, value)),
            Self::Union(members) => members.iter().any(|member| member.may_be(value)),
            _ if value.is_number() => self.kinds().overlaps(Kinds::NUMBER),
            _ => self.kinds().overlaps(kind_of(value)),
        }
    }

    /// What is known about a field of it.
    pub(super) fn field(&self, name: &str) -> Lookup {
        match self {
            Self::Dynamic => Lookup::Field { value: Self::Dynamic, required: true },
            Self::Object(object) => match object.fields.iter().find(|field| field.name == name) {
                Some(field) => Lookup::Field { value: field.value.clone(), required: field.required },
                None if object.open => Lookup::Field { value: Self::Dynamic, required: false },
                None => Lookup::Unknown(object.fields.iter().map(|field| field.name.clone()).collect()),
            },
            Self::Union(members) => {
                let mut values = Vec::new();
                let (mut all, mut names) = (true, None);
                for found in members.iter().map(|member| member.field(name)) {
                    match found {
                        Lookup::Field { value, required } => {
                            values.push(value);
                            all &= required;
                        }
                        Lookup::Unknown(known) => {
                            all = false;
                            names.get_or_insert_with(Vec::new).extend(known);
                        }
                        Lookup::NoFields => {}
                    }
                }
                match (values.is_empty(), names) {
                    (false, _) => Lookup::Field { value: Self::any_of(values), required: all },
                    (true, Some(names)) => Lookup::Unknown(names),
                    (true, None) => Lookup::NoFields,
                }
            }
            _ => Lookup::NoFields,
        }
    }

    /// The type of the elements that a macro or an index meets.
    pub(super) fn element(&self) -> Self {
        match self {
            Self::List(item) => (**item).clone(),
            Self::Union(members) => {
                Self::any_of(members.iter().filter(|m| m.kinds().overlaps(Kinds::LIST)).map(Self::element))
            }
            _ => Self::Dynamic,
        }
    }
}

fn kind_of(value: &Value) -> Kinds {
    match value {
        Value::Null => Kinds::NULL,
        Value::Bool(_) => Kinds::BOOL,
        Value::Number(number) if number.is_f64() => Kinds::DOUBLE,
        Value::Number(_) => Kinds::INT,
        Value::String(_) => Kinds::TEXT,
        Value::Array(_) => Kinds::LIST,
        Value::Object(_) => Kinds::OBJECT,
    }
}

fn same_number(left: &Value, right: &Value) -> bool {
    matches!((left.as_f64(), right.as_f64()), (Some(left), Some(right)) if left == right)
}

impl std::fmt::Display for Type {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        const SHOWN: usize = 8;
        match self {
            Self::Dynamic => formatter.write_str("dynamic"),
            Self::List(item) if **item == Self::Dynamic => formatter.write_str("list"),
            Self::List(item) => write!(formatter, "list of {item}"),
            Self::Optional(value) => write!(formatter, "optional {value}"),
            Self::OneOf(values) => {
                let shown: Vec<String> = values.iter().take(SHOWN).map(Value::to_string).collect();
                let more = if values.len() > SHOWN { ", …" } else { "" };
                write!(formatter, "one of {}{more}", shown.join(", "))
            }
            Self::Union(members) => {
                let shown: Vec<String> = members.iter().map(Self::to_string).collect();
                formatter.write_str(&shown.join(" or "))
            }
            Self::Null
            | Self::Bool
            | Self::Int
            | Self::Double
            | Self::String
            | Self::Object(_)
            | Self::Path
            | Self::Url => formatter.write_str(&self.kinds().describe()),
        }
    }
}

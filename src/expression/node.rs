//! Checked expressions in the form that is evaluated.

use regex::Regex;

use super::path::Case;
use super::pattern::Glob;
use super::syntax::{BinaryOperator, Macro};
use super::value::Val;

/// One operation. The checker builds a tree of them whose depth it bounds, so evaluating may recurse.
#[derive(Debug)]
pub(super) enum Node {
    Constant(Val<'static>),
    /// A variable of the declarations, by slot.
    Variable(usize),
    /// A variable of a macro, counted from the outermost.
    Local(usize),
    Field {
        base: Box<Node>,
        name: Box<str>,
    },
    Has {
        base: Box<Node>,
        name: Box<str>,
    },
    Index(Box<[Node; 2]>),
    OptionalField {
        base: Box<Node>,
        name: Box<str>,
    },
    OptionalIndex(Box<[Node; 2]>),
    /// The first optional that holds a value.
    OptionalOr(Box<[Node; 2]>),
    OrValue(Box<[Node; 2]>),
    HasValue(Box<Node>),
    OptionalValue(Box<Node>),
    /// A number of a place whose type is `int`: `1.0` is 1 there.
    AsInt(Box<Node>),
    /// A number of a place whose type is `double`: `1` is 1.0 there.
    AsDouble(Box<Node>),
    Not(Box<Node>),
    Negate(Box<Node>),
    And(Box<[Node]>),
    Or(Box<[Node]>),
    Conditional(Box<[Node; 3]>),
    Equal {
        negated: bool,
        operands: Box<[Node; 2]>,
    },
    Order {
        operator: Order,
        operands: Box<[Node; 2]>,
    },
    Arithmetic {
        operator: BinaryOperator,
        operands: Box<[Node; 2]>,
    },
    In(Box<[Node; 2]>),
    Regex {
        subject: Box<Node>,
        regex: Regex,
    },
    Glob {
        subject: Box<Node>,
        glob: Glob,
    },
    Call {
        function: Function,
        arguments: Box<[Node]>,
    },
    List(Box<[Node]>),
    Object(Box<[(Box<str>, Node)]>),
    Macro(Box<MacroNode>),
}

/// A macro over the elements of a list or the keys of an object.
#[derive(Debug)]
pub(super) struct MacroNode {
    pub(super) kind: Macro,
    pub(super) range: Node,
    pub(super) filter: Option<Node>,
    pub(super) body: Node,
    /// Steps that one element costs at least: the operations of filter and body.
    pub(super) cost: u64,
}

/// An order of two values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Order {
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
}

/// A function, or a method with its receiver as the first argument.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Function {
    Size,
    ToText,
    ToInt,
    ToDouble,
    ToBool,
    Json,
    Contains,
    StartsWith,
    EndsWith,
    LowerAscii,
    UpperAscii,
    Trim,
    Split,
    Join,
    Substring,
    Provenance,
    UntrustedArguments,
    Path,
    Under(Case),
    PathName,
    PathExtension,
    PathParts,
    Url,
    UrlScheme,
    UrlHost,
    UrlPort,
    UrlPath,
    HostMatches,
}

impl Node {
    /// Its direct parts.
    pub(super) fn children(&self) -> Vec<&Self> {
        match self {
            Self::Constant(_) | Self::Variable(_) | Self::Local(_) => Vec::new(),
            Self::Field { base, .. } | Self::Has { base, .. } | Self::OptionalField { base, .. } => {
                vec![base]
            }
            Self::HasValue(part)
            | Self::OptionalValue(part)
            | Self::AsInt(part)
            | Self::AsDouble(part)
            | Self::Not(part)
            | Self::Negate(part)
            | Self::Regex { subject: part, .. }
            | Self::Glob { subject: part, .. } => vec![part],
            Self::Index(parts)
            | Self::OptionalIndex(parts)
            | Self::OptionalOr(parts)
            | Self::OrValue(parts)
            | Self::Equal { operands: parts, .. }
            | Self::Order { operands: parts, .. }
            | Self::Arithmetic { operands: parts, .. }
            | Self::In(parts) => parts.iter().collect(),
            Self::Conditional(parts) => parts.iter().collect(),
            Self::And(parts) | Self::Or(parts) | Self::List(parts) | Self::Call { arguments: parts, .. } => {
                parts.iter().collect()
            }
            Self::Object(entries) => entries.iter().map(|(_, value)| value).collect(),
            Self::Macro(node) => {
                std::iter::once(&node.range).chain(&node.filter).chain(std::iter::once(&node.body)).collect()
            }
        }
    }

    /// How many operations it is.
    pub(super) fn count(&self) -> u64 {
        1 + self.children().into_iter().map(Self::count).sum::<u64>()
    }

    /// Whether evaluating it yields a value or none, rather than a value.
    pub(super) fn is_optional(&self) -> bool {
        matches!(self, Self::OptionalField { .. } | Self::OptionalIndex(_) | Self::OptionalOr(_))
    }
}

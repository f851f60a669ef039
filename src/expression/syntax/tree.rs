//! The tree of an expression: what was written, and where.

use std::ops::Range;

/// A part of an expression.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::expression) struct Expr {
    pub(in crate::expression) kind: Kind,
    /// Bytes of the source, brackets around it not counted.
    pub(in crate::expression) range: Range<usize>,
    /// The longest way down to a leaf; bounded by the parser.
    pub(in crate::expression) depth: usize,
}

/// What a part is.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::expression) enum Kind {
    Literal(Literal),
    Identifier(String),
    /// `base.field`, or `base.?field`.
    Select {
        base: Box<Expr>,
        field: String,
        field_range: Range<usize>,
        optional: bool,
    },
    /// `has(base.field)`.
    Has {
        base: Box<Expr>,
        field: String,
        field_range: Range<usize>,
    },
    /// `base[index]`, or `base[?index]`.
    Index {
        base: Box<Expr>,
        index: Box<Expr>,
        optional: bool,
    },
    Call {
        target: Option<Box<Expr>>,
        name: String,
        name_range: Range<usize>,
        arguments: Vec<Expr>,
    },
    Unary {
        operator: UnaryOperator,
        operand: Box<Expr>,
    },
    Binary {
        operator: BinaryOperator,
        operator_range: Range<usize>,
        operands: Box<[Expr; 2]>,
    },
    /// A whole chain of one operator: never nested in itself, two terms at least.
    Logical {
        operator: Logical,
        terms: Vec<Expr>,
    },
    Conditional(Box<[Expr; 3]>),
    List(Vec<Expr>),
    Map(Vec<(Expr, Expr)>),
    Macro {
        kind: Macro,
        range: Box<Expr>,
        variable: String,
        filter: Option<Box<Expr>>,
        body: Box<Expr>,
    },
}

/// A literal value.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::expression) enum Literal {
    Null,
    Bool(bool),
    /// Within the ranges of `i64` and `u64`.
    Integer(i128),
    Decimal(f64),
    Text(String),
}

/// An operator before its operand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::expression) enum UnaryOperator {
    Not,
    Negate,
}

/// An operator between two operands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::expression) enum BinaryOperator {
    Equal,
    NotEqual,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    In,
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
}

impl BinaryOperator {
    pub(in crate::expression) fn as_str(self) -> &'static str {
        match self {
            Self::Equal => "==",
            Self::NotEqual => "!=",
            Self::Less => "<",
            Self::LessEqual => "<=",
            Self::Greater => ">",
            Self::GreaterEqual => ">=",
            Self::In => "in",
            Self::Add => "+",
            Self::Subtract => "-",
            Self::Multiply => "*",
            Self::Divide => "/",
            Self::Remainder => "%",
        }
    }
}

/// An operator that need not look at every term.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::expression) enum Logical {
    And,
    Or,
}

/// A macro over the elements of a list or the keys of an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::expression) enum Macro {
    All,
    Exists,
    ExistsOne,
    Map,
    Filter,
}

impl Macro {
    pub(in crate::expression) const NAMES: [(&'static str, Self); 6] = [
        ("all", Self::All),
        ("exists", Self::Exists),
        ("exists_one", Self::ExistsOne),
        ("existsOne", Self::ExistsOne),
        ("map", Self::Map),
        ("filter", Self::Filter),
    ];
}

impl Expr {
    /// Its direct parts, in the order they are written.
    pub(in crate::expression) fn children(&self) -> Vec<&Self> {
        match &self.kind {
            Kind::Literal(_) | Kind::Identifier(_) => Vec::new(),
            Kind::Select { base, .. } | Kind::Has { base, .. } => vec![base],
            Kind::Index { base, index, .. } => vec![base, index],
            Kind::Call { target, arguments, .. } => target.as_deref().into_iter().chain(arguments).collect(),
            Kind::Unary { operand, .. } => vec![operand],
            Kind::Binary { operands, .. } => operands.iter().collect(),
            Kind::Logical { terms, .. } => terms.iter().collect(),
            Kind::Conditional(parts) => parts.iter().collect(),
            Kind::List(items) => items.iter().collect(),
            Kind::Map(entries) => entries.iter().flat_map(|(key, value)| [key, value]).collect(),
            Kind::Macro { range, filter, body, .. } => {
                std::iter::once(&**range).chain(filter.as_deref()).chain(std::iter::once(&**body)).collect()
            }
        }
    }

    /// The text of a text literal.
    pub(in crate::expression) fn as_text(&self) -> Option<&str> {
        match &self.kind {
            Kind::Literal(Literal::Text(text)) => Some(text),
            _ => None,
        }
    }
}

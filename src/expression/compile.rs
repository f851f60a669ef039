//! From text to a checked expression.

use std::ops::Range;
use std::sync::Arc;

use super::check::{Checker, Surroundings};
use super::node::Node;
use super::{Declarations, Syntax, Type};

/// A checked expression, ready to evaluate. Cloning shares it.
#[derive(Debug, Clone)]
pub struct Expression {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    syntax: Syntax,
    variables: Vec<String>,
    node: Node,
    value_type: Type,
}

/// What is wrong with an expression, and where in its text.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct CompileError {
    /// Byte range in the expression's text.
    pub range: Range<usize>,
    /// What is wrong.
    pub message: String,
    /// What to do about it.
    pub hint: Option<String>,
}

impl CompileError {
    pub(super) fn new(range: Range<usize>, message: impl Into<String>) -> Self {
        Self { range, message: message.into(), hint: None }
    }

    pub(super) fn with_hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// The same problem in a longer text, in which the expression starts at byte `by`.
    #[must_use]
    pub(super) fn shifted(mut self, by: usize) -> Self {
        self.range = self.range.start + by..self.range.end + by;
        self
    }
}

impl Expression {
    /// Parses and type-checks `source`; its result must be of type `expected`, where [`Type::Dynamic`] is any.
    ///
    /// Integers are one type that holds `i64` and `u64`; arithmetic outside them is an evaluation error. An
    /// integer literal beside a [`Type::Double`] is read as that decimal number; two values that are not literals
    /// need `double(x)` or `int(x)`. Numbers of both types compare by their mathematical values.
    ///
    /// # Errors
    /// Every problem found, with its place in the text; a syntax error comes alone.
    pub fn compile(
        source: &str,
        declarations: &Declarations,
        expected: &Type,
    ) -> Result<Self, Vec<CompileError>> {
        Syntax::parse(source)?.check(declarations, expected)
    }

    pub(super) fn from_syntax(
        syntax: Syntax,
        declarations: &Declarations,
        expected: &Type,
        surroundings: Surroundings,
    ) -> Result<Self, Vec<CompileError>> {
        let (node, value_type) = Checker::new(&syntax, declarations, surroundings).finish(expected)?;
        let variables = declarations.variables.iter().map(|variable| variable.name.clone()).collect();
        Ok(Self { inner: Arc::new(Inner { syntax, variables, node, value_type }) })
    }

    /// The text it was compiled from.
    #[must_use]
    pub fn source(&self) -> &str {
        self.inner.syntax.source()
    }

    /// The type of its result, as far as it is known.
    #[must_use]
    pub fn value_type(&self) -> &Type {
        &self.inner.value_type
    }

    /// Whether it reads the variable of this name.
    #[must_use]
    pub fn reads(&self, variable: &str) -> bool {
        self.inner.syntax.reads(variable)
    }

    /// The first-level fields of `variable` that it reads, in order of appearance, each once;
    /// `arguments.a.b` reads `a` of `arguments`. `None` for "any": the variable is read as a whole, or indexed by
    /// a computed key. See [`Syntax::fields_read`] for the places.
    #[must_use]
    pub fn fields_read(&self, variable: &str) -> Option<Vec<String>> {
        let fields = self.inner.syntax.fields_read(variable)?;
        Some(fields.into_iter().map(|(name, _)| name).collect())
    }

    pub(super) fn node(&self) -> &Node {
        &self.inner.node
    }

    pub(super) fn variable_name(&self, slot: usize) -> &str {
        self.inner.variables.get(slot).map_or("?", String::as_str)
    }
}

//! A parsed expression, before it is known what it talks about.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

use crate::expression::check::Surroundings;
use crate::expression::pattern::Pattern;
use crate::expression::{CompileError, Declarations, Expression, Type};

use super::parse::parse;
use super::tree::{BinaryOperator, Expr, Kind};

/// A parsed expression. It is parsed once and checked against each set of declarations where it is used.
#[derive(Debug, Clone)]
pub struct Syntax {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    source: Arc<str>,
    root: Expr,
    /// Patterns by the place of their literal: compiled once, however often the expression is checked.
    patterns: Mutex<BTreeMap<usize, Result<Pattern, String>>>,
}

impl Syntax {
    /// Parses `source`.
    ///
    /// # Errors
    /// The first thing that is wrong with the text; also a text over 16 KiB or nested deeper than 64.
    pub fn parse(source: &str) -> Result<Self, Vec<CompileError>> {
        let root = parse(source).map_err(|error| vec![error])?;
        Ok(Self { inner: Arc::new(Inner { source: source.into(), root, patterns: Mutex::default() }) })
    }

    /// Type-checks it; its result must be of type `expected`.
    ///
    /// # Errors
    /// Every problem found, with its place in the text.
    pub fn check(
        &self,
        declarations: &Declarations,
        expected: &Type,
    ) -> Result<Expression, Vec<CompileError>> {
        Expression::from_syntax(self.clone(), declarations, expected, Surroundings::Condition)
    }

    /// The text it was parsed from.
    #[must_use]
    pub fn source(&self) -> &str {
        &self.inner.source
    }

    pub(in crate::expression) fn root(&self) -> &Expr {
        &self.inner.root
    }

    /// The pattern of the literal at byte `place`, made by `compile` the first time.
    pub(in crate::expression) fn pattern(
        &self,
        place: usize,
        compile: impl FnOnce() -> Result<Pattern, String>,
    ) -> Result<Pattern, String> {
        let mut patterns = self.inner.patterns.lock().unwrap_or_else(PoisonError::into_inner);
        patterns.entry(place).or_insert_with(compile).clone()
    }

    /// Whether it reads the variable of this name.
    #[must_use]
    pub fn reads(&self, variable: &str) -> bool {
        let mut uses = Uses::new(variable);
        uses.visit(self.root(), false);
        uses.whole || !uses.fields.is_empty()
    }

    /// The first-level fields of `variable` that it reads, in order of appearance, each once, with the place of
    /// the first mention: `arguments.a.b` reads `a` of `arguments`, as do `has(arguments.a)`, `arguments["a"]`,
    /// `"a" in arguments` and, where the variable is `arguments`, `provenance("/a")`.
    ///
    /// `None` where it reads more than can be named: the variable as a whole, or a field by a computed key.
    #[must_use]
    pub fn fields_read(&self, variable: &str) -> Option<Vec<(String, Range<usize>)>> {
        let mut uses = Uses::new(variable);
        uses.visit(self.root(), false);
        if uses.whole { None } else { Some(uses.fields) }
    }

    /// The first-level fields of `variable` that it names, like [`fields_read`](Self::fields_read), even where
    /// it also reads the variable as a whole.
    #[must_use]
    pub fn fields_named(&self, variable: &str) -> Vec<(String, Range<usize>)> {
        let mut uses = Uses::new(variable);
        uses.visit(self.root(), false);
        uses.fields
    }
}

/// How one variable is used.
struct Uses<'a> {
    variable: &'a str,
    fields: Vec<(String, Range<usize>)>,
    whole: bool,
}

impl<'a> Uses<'a> {
    fn new(variable: &'a str) -> Self {
        Self { variable, fields: Vec::new(), whole: false }
    }

    fn is_variable(&self, expr: &Expr) -> bool {
        matches!(&expr.kind, Kind::Identifier(name) if name == self.variable)
    }

    fn field(&mut self, name: &str, range: Range<usize>) {
        if !self.fields.iter().any(|(known, _)| known == name) {
            self.fields.push((name.to_owned(), range));
        }
    }

    /// `hidden` says that a macro's own variable has the name, and so hides the variable.
    fn visit(&mut self, expr: &Expr, hidden: bool) {
        match &expr.kind {
            Kind::Identifier(_) if self.is_variable(expr) && !hidden => self.whole = true,
            Kind::Select { base, field, field_range, .. } | Kind::Has { base, field, field_range }
                if self.is_variable(base) && !hidden =>
            {
                self.field(field, field_range.clone());
            }
            Kind::Index { base, index, .. } if self.is_variable(base) && !hidden => match index.as_text() {
                Some(key) => self.field(key, index.range.clone()),
                None => {
                    self.whole = true;
                    self.visit(index, hidden);
                }
            },
            Kind::Binary { operator: BinaryOperator::In, operands, .. }
                if matches!(&**operands, [_, container] if self.is_variable(container)) && !hidden =>
            {
                let [key, _] = &**operands;
                match key.as_text() {
                    Some(text) => self.field(text, key.range.clone()),
                    None => {
                        self.whole = true;
                        self.visit(key, hidden);
                    }
                }
            }
            Kind::Call { target: None, name, arguments, .. }
                if name == "provenance" && self.variable == "arguments" =>
            {
                let [pointer] = arguments.as_slice() else { return };
                match pointer.as_text().and_then(|text| text.split('/').nth(1)) {
                    Some(token) => {
                        self.field(&token.replace("~1", "/").replace("~0", "~"), pointer.range.clone());
                    }
                    None => {
                        self.whole = true;
                        self.visit(pointer, hidden);
                    }
                }
            }
            Kind::Macro { range, variable, filter, body, .. } => {
                self.visit(range, hidden);
                let hidden = hidden || variable == self.variable;
                for part in filter.as_deref().into_iter().chain(std::iter::once(&**body)) {
                    self.visit(part, hidden);
                }
            }
            _ => expr.children().into_iter().for_each(|child| self.visit(child, hidden)),
        }
    }
}

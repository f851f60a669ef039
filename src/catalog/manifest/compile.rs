//! Expressions and templates of a contract, compiled with the place of every problem.

use std::cell::OnceCell;
use std::ops::Range;

use serde_json::Value;

use crate::catalog::declarations::{self, Told};
use crate::diagnostic::{Diagnostic, Report};
use crate::document::{Node, expect_text, span_within};
use crate::expression::{Declarations, Expression, Placement, Template, Type};

/// Compiles the expressions of one contract. The declarations are made once, when first needed.
pub(super) struct Compiler<'a> {
    /// The text of the file.
    text: &'a str,
    input: &'a Value,
    output: Option<&'a Value>,
    keyed: bool,
    told: Told,
    call: OnceCell<Declarations>,
    run: OnceCell<Declarations>,
    outcome: OnceCell<Declarations>,
}

impl<'a> Compiler<'a> {
    /// `keyed` says that the contract states an effect key; `told`, what its outcome is told by.
    pub(super) fn new(
        text: &'a str,
        input: &'a Value,
        output: Option<&'a Value>,
        keyed: bool,
        told: Told,
    ) -> Self {
        let (call, run, outcome) = (OnceCell::new(), OnceCell::new(), OnceCell::new());
        Self { text, input, output, keyed, told, call, run, outcome }
    }

    /// The variables of the call, before its effect has a name.
    pub(super) fn call(&self) -> &Declarations {
        self.call.get_or_init(|| declarations::call(self.input))
    }

    /// The variables of the call, with its effect's key where the contract states one.
    pub(super) fn run(&self) -> &Declarations {
        if self.keyed { self.run.get_or_init(|| declarations::keyed(self.call())) } else { self.call() }
    }

    /// The schema of the call's value, where the contract states one.
    pub(super) fn output(&self) -> Option<&Value> {
        self.output
    }

    /// Whether the argument of this name is declared as a path of the workspace, so that rules and checks know it as one.
    pub(super) fn is_path(&self, argument: &str) -> bool {
        let declared = self.input.get("properties").and_then(|properties| properties.get(argument));
        declared.and_then(|schema| schema.get("format")).is_some_and(|format| format == "workspace-path")
    }

    /// The variables of the call, its value and its exit.
    pub(super) fn outcome(&self) -> &Declarations {
        self.outcome.get_or_init(|| declarations::outcome(self.input, self.output, self.told))
    }

    /// The variables of the call, its exit and what it printed, of whatever shape that is.
    pub(super) fn taken(&self) -> Declarations {
        declarations::outcome(self.input, None, self.told)
    }

    /// The variables of the call and an item of `list`.
    pub(super) fn each(&self, list: &Expression) -> Declarations {
        declarations::each(self.run(), list.value_type())
    }

    /// The variables of the call where `condition` holds, so that the arguments it asks for are there.
    pub(super) fn guarded_by(&self, condition: &Expression) -> Declarations {
        let asked = condition.fields_read("arguments").unwrap_or_default();
        let mut present = asked;
        // The checker itself says what the condition proves: a read after it either needs no other guard, or is refused.
        present.retain(|argument| {
            let read = format!("({}\n) && arguments.{argument} == arguments.{argument}", condition.source());
            Expression::compile(&read, self.run(), &Type::Bool).is_ok()
        });
        declarations::with_present(self.run(), &present)
    }

    /// An expression that is true or false.
    pub(super) fn condition(
        &self,
        node: &Node,
        what: &str,
        variables: &Declarations,
        report: &mut Report,
    ) -> Option<Expression> {
        self.expression(node, what, variables, &Type::Bool, report)
    }

    /// An expression of a type.
    pub(super) fn expression(
        &self,
        node: &Node,
        what: &str,
        variables: &Declarations,
        expected: &Type,
        report: &mut Report,
    ) -> Option<Expression> {
        let source = expect_text(node, what, report)?;
        match Expression::compile(source, variables, expected) {
            Ok(expression) => Some(expression),
            Err(errors) => {
                for error in errors {
                    self.problem(node, error.range, error.message, error.hint, report);
                }
                None
            }
        }
    }

    /// A template for one text.
    pub(super) fn template(
        &self,
        node: &Node,
        what: &str,
        variables: &Declarations,
        report: &mut Report,
    ) -> Option<Template> {
        self.placed(node, what, variables, Placement::Text, report)
    }

    /// A template for a text, or for a JSON value.
    pub(super) fn placed(
        &self,
        node: &Node,
        what: &str,
        variables: &Declarations,
        placement: Placement,
        report: &mut Report,
    ) -> Option<Template> {
        let source = expect_text(node, what, report)?;
        if source.contains('\0') {
            report.push(Diagnostic::error(node.span, format!("{what} holds a NUL character")));
            return None;
        }
        match Template::compile(source, variables, placement) {
            Ok(template) => Some(template),
            Err(errors) => {
                for error in errors {
                    self.problem(node, error.range, error.message, error.hint, report);
                }
                None
            }
        }
    }

    fn problem(
        &self,
        node: &Node,
        range: Range<usize>,
        message: String,
        hint: Option<String>,
        report: &mut Report,
    ) {
        let error = Diagnostic::error(span_within(self.text, node, range), message);
        report.push(match hint {
            Some(hint) => error.with_hint(hint),
            None => error,
        });
    }
}

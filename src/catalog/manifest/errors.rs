//! `errors`: failures that a contract gives names of their own.

use crate::catalog::ContractError;
use crate::code::{ErrorCode, Retry};
use crate::diagnostic::{Diagnostic, Report};
use crate::document::{Fields, Node, expect_items, expect_text};

use super::compile::Compiler;

/// Loads a contract's `errors`.
pub(super) fn errors(node: &Node, compiler: &Compiler<'_>, report: &mut Report) -> Vec<ContractError> {
    let items = expect_items(node, "`errors`", report).unwrap_or_default();
    items.iter().filter_map(|item| error(item, compiler, report)).collect()
}

fn error(node: &Node, compiler: &Compiler<'_>, report: &mut Report) -> Option<ContractError> {
    let mut fields = Fields::of(node, "an error", report)?;
    let code = fields.required("code", report).and_then(|node| error_code(node, report));
    let when = fields
        .required("when", report)
        .and_then(|node| compiler.condition(node, "`when`", compiler.outcome(), report));
    let message = fields.required_text("message", report).map(str::to_owned);
    let hint = fields.text("hint", report).map(str::to_owned);
    let words = ["never", "same_call", "changed_call", "after_approval", "later"];
    let retry = match fields.word("retry", &words, report) {
        Some("same_call") => Retry::SameCall,
        Some("changed_call") => Retry::ChangedCall,
        Some("after_approval") => Retry::AfterApproval,
        Some("later") => Retry::Later,
        _ => Retry::Never,
    };
    fields.finish(report);
    Some(ContractError { code: code?, when: when?, message: message?, hint, retry })
}

fn error_code(node: &Node, report: &mut Report) -> Option<String> {
    let text = expect_text(node, "`code`", report)?;
    let shaped = text.starts_with(|c: char| c.is_ascii_uppercase())
        && text.len() <= 64
        && text.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_');
    let message = if ErrorCode::parse(text).is_some() {
        format!("`{text}` is one of the gateway's own codes")
    } else if shaped {
        return Some(text.to_owned());
    } else {
        format!("`{text}` is not an error code")
    };
    report.push(
        Diagnostic::error(node.span, message)
            .with_hint("write it like `SUPPLIER_BLOCKED`, at most 64 characters"),
    );
    None
}

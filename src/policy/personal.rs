//! `personal`: personal data that the policy hides from what tools bring back.

use crate::catalog::{NamePattern, Personal, PersonalKind};
use crate::diagnostic::{Diagnostic, Report, nearest};
use crate::document::{Fields, Node, expect_text, expect_texts};
use crate::ident::ToolName;

use super::Policy;
use super::sections::{Context, list};

/// What one file says of it.
#[derive(Debug, Clone, Default)]
pub struct PersonalData {
    /// What is hidden.
    pub hide: Personal,
    /// Where it is shown all the same.
    pub except: Vec<PersonalException>,
}

/// Tools whose results may show some kinds of personal data, and why.
#[derive(Debug, Clone)]
pub struct PersonalException {
    /// The tools.
    pub tools: Vec<NamePattern>,
    /// The kinds.
    pub kinds: Personal,
    /// Why.
    pub reason: String,
}

/// Reads `personal`.
pub(super) fn personal(node: &Node, context: Context<'_>, report: &mut Report) -> PersonalData {
    let Some(mut fields) = Fields::of(node, "`personal`", report) else { return PersonalData::default() };
    let hide = fields.required("hide", report).map(|node| kinds(node, "`hide`", report));
    let except = fields.value("except", report).map(|node| {
        let items = list(node, "`except`", report);
        items.iter().filter_map(|item| exception(item, context, report)).collect()
    });
    fields.finish(report);
    PersonalData { hide: hide.unwrap_or_default(), except: except.unwrap_or_default() }
}

fn exception(node: &Node, context: Context<'_>, report: &mut Report) -> Option<PersonalException> {
    let mut fields = Fields::of(node, "an exception", report)?;
    if fields.entry("tools").is_none() {
        let problem = Diagnostic::error(node.span, "this exception names no tools");
        report.push(problem.with_hint("add `tools: [...]`: an exception is for some tools"));
    }
    let tools = context.tools(&mut fields, report);
    let kinds = fields.required("kinds", report).map(|node| self::kinds(node, "`kinds`", report));
    let reason = fields.required("reason", report);
    let reason = reason.and_then(|node| expect_text(node, "`reason`", report)).map(str::to_owned);
    fields.finish(report);
    Some(PersonalException { tools: tools?, kinds: kinds?, reason: reason? })
}

fn kinds(node: &Node, what: &str, report: &mut Report) -> Personal {
    let names = PersonalKind::ALL.map(PersonalKind::as_str);
    let mut all = Personal::default();
    for (text, node) in expect_texts(node, what, report) {
        let Some(kind) = PersonalKind::parse(text) else {
            let problem = Diagnostic::error(node.span, format!("there is no kind of personal data `{text}`"));
            let hint = nearest(text, names).map(|near| format!("did you mean `{near}`?"));
            report
                .push(problem.with_hint(hint.unwrap_or_else(|| format!("one of `{}`", names.join("`, `")))));
            continue;
        };
        all = all.with(kind);
    }
    all
}

impl Policy {
    /// The personal data that is hidden from what a tool brings back: what any file hides from it.
    #[must_use]
    pub fn hides_from(&self, tool: &ToolName) -> Personal {
        let hidden = |data: &PersonalData| {
            let excepted = data
                .except
                .iter()
                .filter(|except| except.tools.iter().any(|pattern| pattern.matches(tool.as_str())));
            excepted.fold(data.hide, |hidden, except| hidden.without(except.kinds))
        };
        self.documents()
            .iter()
            .map(|document| hidden(&document.personal))
            .fold(Personal::default(), Personal::and)
    }
}

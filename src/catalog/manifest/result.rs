//! `result`: how far a result is vouched for, and how it is shown.

use crate::catalog::{Keep, Personal, PersonalKind, ResultSpec, Trust, Waiver, shape_kinds};
use crate::diagnostic::{Diagnostic, Report, Span, nearest};
use crate::document::{Fields, Node, NodeValue, expect_items, expect_text, expect_texts};

/// Most bytes of content that a contract may ask for: a model reads them.
const MOST_CONTENT: u64 = 1 << 20;
const MOST_ROWS: u64 = 100_000;

/// Loads a contract's `result`. A missing trust is reported at `name`.
pub(super) fn result(node: Option<&Node>, name: Span, report: &mut Report) -> ResultSpec {
    let mut spec = ResultSpec::default();
    let mut stated = false;
    if let Some(node) = node
        && let Some(mut fields) = Fields::of(node, "`result`", report)
    {
        let trust = fields.value("trust", report);
        stated = trust.is_some();
        spec.trust = trust.and_then(|node| self::trust(node, report)).unwrap_or(Trust::Untrusted);
        if let Some(node) = fields.value("content", report) {
            content(node, &mut spec, report);
        }
        if let Some(node) = fields.value("display", report) {
            display(node, &mut spec, report);
        }
        if let Some(node) = fields.value("redact", report) {
            spec.redact = pointers(node, "`redact`", report);
        }
        if let Some(node) = fields.value("hide", report) {
            spec.masks.personal = hidden(node, report);
        }
        if let Some(node) = fields.value("show", report) {
            spec.masks.shown = shown(node, report);
        }
        fields.finish(report);
    }
    if !stated {
        let warning = Diagnostic::warning(name, "`result.trust` is missing: the result counts as untrusted");
        report.push(
            warning.with_hint(
                "write `result: {trust: untrusted}`, or `trusted` where nobody else's text is in it",
            ),
        );
    }
    spec
}

/// `hide`: kinds of personal data.
fn hidden(node: &Node, report: &mut Report) -> Personal {
    let mut personal = Personal::default();
    for (text, node) in expect_texts(node, "`hide`", report) {
        match PersonalKind::parse(text) {
            Some(kind) => personal = personal.with(kind),
            None => report.push(unknown(node, text, &PersonalKind::ALL.map(PersonalKind::as_str))),
        }
    }
    personal
}

/// `show`: what only has the shape of a secret, each kind with the reason why it is none.
fn shown(node: &Node, report: &mut Report) -> Vec<Waiver> {
    let mut waivers = Vec::new();
    for item in expect_items(node, "`show`", report).unwrap_or_default() {
        let Some(mut fields) = Fields::of(item, "an entry of `show`", report) else { continue };
        let kind = fields.required("kind", report);
        let kind = kind.and_then(|node| Some((expect_text(node, "`kind`", report)?, node)));
        let reason = fields.required("reason", report);
        let reason = reason.and_then(|node| expect_text(node, "`reason`", report));
        fields.finish(report);
        let (Some((kind, node)), Some(reason)) = (kind, reason) else { continue };
        if shape_kinds().any(|known| known == kind) {
            waivers.push(Waiver { kind: kind.to_owned(), reason: reason.to_owned() });
        } else {
            report.push(unknown(node, kind, &shape_kinds().collect::<Vec<_>>()));
        }
    }
    waivers
}

fn unknown(node: &Node, text: &str, known: &[&str]) -> Diagnostic {
    let problem = Diagnostic::error(node.span, format!("there is no kind `{text}`"));
    let mut all = known.to_vec();
    all.dedup();
    match nearest(text, all.iter().copied()) {
        Some(near) => problem.with_hint(format!("did you mean `{near}`?")),
        None => problem.with_hint(format!("one of `{}`", all.join("`, `"))),
    }
}

/// Checks that nothing which a reply, the ledger and the audit name is hidden: it would be shown there all the same. Each of
/// `named` is a key of the contract and the pointer that it states.
pub(super) fn check_named(
    spec: &ResultSpec,
    named: &[(&str, Option<&str>)],
    place: Span,
    report: &mut Report,
) {
    for (key, pointer) in named {
        let Some(pointer) = pointer else { continue };
        let Some(hidden) = spec.redact.iter().find(|hidden| overlap(hidden, pointer)) else { continue };
        let message = format!("`{key}` is `{pointer}`, which `redact` hides with `{hidden}`");
        report.push(Diagnostic::error(place, message).with_hint(
            "the id is shown in replies and kept, so that what it names can be found: take it out of `redact`, or name another field",
        ));
    }
}

/// Whether one pointer leads to what the other names, or into it. `*` stands for any name.
fn overlap(hidden: &str, pointer: &str) -> bool {
    let (mut hidden, mut pointer) = (hidden.split('/').skip(1), pointer.split('/').skip(1));
    loop {
        match (hidden.next(), pointer.next()) {
            (Some(one), Some(other)) if one == other || one == "*" => {}
            (Some(_), Some(_)) => return false,
            (None, _) | (_, None) => return true,
        }
    }
}

fn trust(node: &Node, report: &mut Report) -> Option<Trust> {
    if matches!(node.value, NodeValue::Mapping(_)) {
        let mut fields = Fields::of(node, "`trust`", report)?;
        let trusted = fields.required("trusted", report).map(|node| pointers(node, "`trusted`", report));
        fields.finish(report);
        return trusted.map(Trust::Fields);
    }
    match crate::document::expect_word(node, "`trust`", &["trusted", "untrusted"], report)? {
        "trusted" => Some(Trust::Trusted),
        _ => Some(Trust::Untrusted),
    }
}

fn content(node: &Node, spec: &mut ResultSpec, report: &mut Report) {
    let Some(mut fields) = Fields::of(node, "`content`", report) else { return };
    if let Some(select) = fields.value("select", report)
        && let Some(path) = expect_text(select, "`select`", report)
    {
        match serde_json_path::JsonPath::parse(path) {
            Ok(_) => spec.select = Some(path.to_owned()),
            Err(error) => {
                let message = format!("`select` is not a JSONPath: {}", error.message());
                report.push(Diagnostic::error(select.span, message).with_hint("for example `$.items[0:20]`"));
            }
        }
    }
    if let Some(bytes) = fields.integer("max_bytes", 1..=MOST_CONTENT, report) {
        spec.max_bytes = usize::try_from(bytes).unwrap_or(spec.max_bytes);
    }
    spec.max_rows =
        fields.integer("max_rows", 1..=MOST_ROWS, report).and_then(|rows| usize::try_from(rows).ok());
    if fields.word("keep", &["head", "tail"], report) == Some("tail") {
        spec.keep = Keep::Tail;
    }
    fields.finish(report);
}

fn display(node: &Node, spec: &mut ResultSpec, report: &mut Report) {
    let Some(mut fields) = Fields::of(node, "`display`", report) else { return };
    if let Some(node) = fields.value("table", report) {
        spec.table =
            expect_texts(node, "`table`", report).into_iter().map(|(text, _)| text.to_owned()).collect();
    }
    if let Some(node) = fields.value("rows", report) {
        spec.rows = pointer(node, "`rows`", report);
    }
    fields.finish(report);
}

fn pointers(node: &Node, what: &str, report: &mut Report) -> Vec<String> {
    let texts = expect_texts(node, what, report);
    texts.into_iter().filter_map(|(_, node)| pointer(node, what, report)).collect()
}

/// An RFC 6901 pointer that is not the whole value.
pub(super) fn pointer(node: &Node, what: &str, report: &mut Report) -> Option<String> {
    let text = expect_text(node, what, report)?;
    let escapes = text.split('~').skip(1).all(|rest| rest.starts_with(['0', '1']));
    if text.starts_with('/') && escapes {
        return Some(text.to_owned());
    }
    let message = format!("`{text}` in {what} is not a JSON pointer");
    report.push(
        Diagnostic::error(node.span, message)
            .with_hint("write `/items/*/id`; `~` is `~0` and `/` in a name is `~1`"),
    );
    None
}

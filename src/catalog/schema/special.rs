//! Keywords that mean more than their own value: formats, references, the draft, and the gateway's own checks.

use crate::diagnostic::{Diagnostic, nearest};
use crate::document::{Entry, Fields, Node, expect_text, expect_word};

use super::check::{Walk, text};
use super::defaults::keyword;
use super::keyword::{EXISTS, FORMATS, draft_of};

impl Walk<'_> {
    pub(super) fn format(&mut self, node: &Node) {
        let Some(name) = expect_text(node, "`format`", self.report) else { return };
        if FORMATS.contains(&name) {
            return;
        }
        match nearest(name, FORMATS) {
            // A misspelt format would drop a check that the author relies on.
            Some(near) => {
                self.error_with_hint(
                    node.span,
                    format!("unknown format `{name}`"),
                    format!("did you mean `{near}`?"),
                );
            }
            None => {
                let warning = Diagnostic::warning(node.span, format!("the format `{name}` is not checked"));
                self.report.push(warning.with_hint("use `pattern` where it matters"));
            }
        }
    }

    pub(super) fn reference(&mut self, at: usize, node: &Node) {
        let Some(target) = expect_text(node, "`$ref`", self.report) else { return };
        let hint = "only references within the schema are followed: `#/$defs/name`";
        match target.strip_prefix('#') {
            Some(pointer) if pointer.is_empty() || pointer.starts_with('/') => {
                if let Some(vertex) = self.vertices.get_mut(at) {
                    vertex.reference = Some((decode(pointer), node.span));
                }
            }
            Some(_) => self.error_with_hint(node.span, format!("`{target}` refers to an anchor"), hint),
            None => self.error_with_hint(node.span, format!("`{target}` leaves the schema"), hint),
        }
    }

    pub(super) fn schema_uri(&mut self, node: &Node, root: bool) {
        if !root {
            return self.error(node.span, "`$schema` is supported at the root of a schema only");
        }
        if let Some(uri) = expect_text(node, "`$schema`", self.report)
            && draft_of(uri).is_none()
        {
            let hint =
                "use https://json-schema.org/draft/2020-12/schema or http://json-schema.org/draft-07/schema#";
            self.error_with_hint(node.span, format!("the draft `{uri}` is not supported"), hint);
        }
    }

    pub(super) fn exists(&mut self, entry: &Entry, siblings: &[Entry]) {
        expect_word(&entry.value, "`x-tgw-exists`", &EXISTS, self.report);
        let format = keyword(siblings, "format").and_then(text);
        if format != Some("workspace-path") {
            let message = "`x-tgw-exists` is for paths";
            self.error_with_hint(entry.key_span, message, "add `format: workspace-path`");
        }
    }

    pub(super) fn known(&mut self, node: &Node) {
        let Some(mut fields) = Fields::of(node, "`x-tgw-known`", self.report) else { return };
        let tool = fields.required("tool", self.report);
        let path = fields.required("path", self.report);
        fields.finish(self.report);
        if let Some(tool) = tool
            && let Some(name) = expect_text(tool, "`tool`", self.report)
        {
            self.checked.known_from.push((name.to_owned(), tool.span));
        }
        if let Some(path) = path
            && let Some(written) = expect_text(path, "`path`", self.report)
            && let Err(error) = serde_json_path::JsonPath::parse(written)
        {
            let message = format!("`path` is not a JSONPath: {}", error.message());
            self.error_with_hint(path.span, message, "for example `$.items[*].id`");
        }
    }
}

/// Undoes the percent-encoding of a URI fragment.
fn decode(fragment: &str) -> String {
    let bytes = fragment.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        let escaped = (*byte == b'%').then(|| fragment.get(at + 1..at + 3)).flatten();
        match escaped.and_then(|hex| u8::from_str_radix(hex, 16).ok()) {
            Some(decoded) => {
                out.push(decoded);
                at += 3;
            }
            None => {
                out.push(*byte);
                at += 1;
            }
        }
    }
    String::from_utf8_lossy(&out).into_owned()
}

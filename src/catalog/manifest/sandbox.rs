//! `sandbox`: the least confinement that a contract asks for.

use crate::catalog::{NetworkRule, SandboxLevel, SandboxRequest};
use crate::diagnostic::{Diagnostic, Report};
use crate::document::{Fields, Node, NodeValue, expect_text, found};

/// Loads a contract's `sandbox`.
pub(super) fn sandbox(node: &Node, report: &mut Report) -> Option<SandboxRequest> {
    let mut fields = Fields::of(node, "`sandbox`", report)?;
    let level = fields.word("level", &["isolated", "confined", "none"], report).map(|level| match level {
        "isolated" => SandboxLevel::Isolated,
        "confined" => SandboxLevel::Confined,
        _ => SandboxLevel::None,
    });
    let read = fields.value("read", report).and_then(|node| paths(node, "`read`", report));
    let write = fields.value("write", report).and_then(|node| paths(node, "`write`", report));
    let network = fields.word("network", &["none", "open"], report).map(|network| match network {
        "open" => NetworkRule::Open,
        _ => NetworkRule::None,
    });
    let memory_mb = fields.integer("memory_mb", 1..=1 << 20, report);
    let processes = fields.integer("processes", 1..=1 << 16, report);
    fields.finish(report);
    Some(SandboxRequest { level, read, write, network, memory_mb, processes })
}

/// Paths inside the workspace. An empty list is none at all, which narrows, so it is allowed.
fn paths(node: &Node, what: &str, report: &mut Report) -> Option<Vec<String>> {
    let NodeValue::Sequence(items) = &node.value else {
        report.push(Diagnostic::error(
            node.span,
            format!("{what} must be a list of paths, found {}", found(node)),
        ));
        return None;
    };
    let mut paths = Vec::with_capacity(items.len());
    for item in items {
        let Some(path) = expect_text(item, format_args!("a path in {what}"), report) else { continue };
        if relative_inside(path) {
            paths.push(path.to_owned());
        } else {
            let message = format!("{what} must name paths inside the workspace, found `{path}`");
            let hint = "write them relative to the workspace, without `..`";
            report.push(Diagnostic::error(item.span, message).with_hint(hint));
        }
    }
    Some(paths)
}

/// Whether a path is relative and cannot lead out by its own parts. Links are followed up when it is used.
pub(super) fn relative_inside(path: &str) -> bool {
    let drive = path.as_bytes().get(1) == Some(&b':');
    let strange = path.starts_with(['/', '~']) || path.contains(['\\', '\0', '{', '}']) || drive;
    !path.is_empty() && !strange && path.split('/').all(|part| part != "..")
}

#[cfg(test)]
mod tests {
    use super::relative_inside;

    #[test]
    fn only_paths_below_the_workspace_are_inside() {
        for path in [".", "target", "a/b", "./a", "a/..b", "a.b/c"] {
            assert!(relative_inside(path), "{path}");
        }
        for path in
            ["", "/", "/a", "..", "a/../b", "~", "~/x", "C:\\x", "c:x", "a\\b", "a\0b", "{{arguments.x}}"]
        {
            assert!(!relative_inside(path), "{path}");
        }
    }
}

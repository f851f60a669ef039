//! Names that a policy may refer to, and the nearest one to a name that does not exist.

use std::collections::{BTreeMap, BTreeSet};

use crate::catalog::{Catalog, NamePattern};
use crate::diagnostic::{Diagnostic, Report, nearest};
use crate::document::{Node, expect_items, expect_text};
use crate::ident::UserName;

/// Everything that exists, from the catalog and from all files of the policy.
///
/// A set that is `None` is open: no file lists such names, so any name may be meant.
#[derive(Debug, Default)]
pub(super) struct Names {
    pub(super) tools: Option<BTreeSet<String>>,
    pub(super) credentials: Option<BTreeSet<String>>,
    pub(super) servers: Option<BTreeSet<String>>,
    pub(super) agents: Option<BTreeSet<String>>,
    pub(super) users: Option<BTreeSet<String>>,
    pub(super) steps: BTreeSet<String>,
    /// The groups of approvers.
    pub(super) approvers: BTreeSet<String>,
    /// Who is a member of a group in every file that declares it.
    pub(super) members: BTreeMap<String, BTreeSet<UserName>>,
}

impl Names {
    /// The names that a catalog brings.
    pub(super) fn of_catalog(catalog: &Catalog) -> Self {
        Self {
            tools: Some(catalog.contracts().iter().map(|c| c.name.as_str().to_owned()).collect()),
            credentials: Some(catalog.credentials().iter().map(|c| c.name.as_str().to_owned()).collect()),
            servers: Some(catalog.servers().iter().map(|server| server.name.as_str().to_owned()).collect()),
            ..Self::default()
        }
    }
}

/// What a list of patterns names, and what is said about one that names nothing.
#[derive(Debug, Clone, Copy)]
pub(super) struct Kind<'a> {
    /// The word for one of them.
    pub(super) noun: &'a str,
    /// All of them; `None` where any name may be meant.
    pub(super) known: Option<&'a BTreeSet<String>>,
    /// Whether a name may be meant for another catalog. One that is near to a known one is taken for a slip all the same.
    pub(super) elsewhere: bool,
}

impl Kind<'_> {
    /// Whether a name that is not known may stand.
    fn may_stand(self, written: &str) -> bool {
        self.elsewhere && nearest(written, self.known.into_iter().flatten().map(String::as_str)).is_none()
    }
}

/// Reads a list of name patterns. An exact name that does not exist is an error, a glob that matches nothing a warning.
pub(super) fn patterns(
    node: &Node,
    what: &str,
    kind: Kind<'_>,
    report: &mut Report,
) -> Option<Vec<NamePattern>> {
    let items = expect_items(node, what, report)?;
    let element = format!("an element of {what}");
    let patterns = items.iter().map(|item| {
        let written = expect_text(item, &element, report)?;
        let pattern = NamePattern::new(written);
        if kind.known.is_some_and(|known| !known.iter().any(|name| pattern.matches(name))) {
            if pattern.is_exact() && !kind.may_stand(written) {
                report.push(unknown(item, written, kind));
                return None;
            }
            if !kind.elsewhere {
                let message = format!("`{written}` matches no {}", kind.noun);
                report.push(Diagnostic::warning(item.span, message));
            }
        }
        Some(pattern)
    });
    let patterns: Vec<Option<NamePattern>> = patterns.collect();
    patterns.into_iter().collect()
}

/// Reads one exact name that must exist, here or elsewhere.
pub(super) fn existing<'a>(node: &'a Node, kind: Kind<'_>, report: &mut Report) -> Option<&'a str> {
    let written = expect_text(node, format!("the {}", kind.noun), report)?;
    if kind.known.is_some_and(|known| !known.contains(written)) && !kind.may_stand(written) {
        report.push(unknown(node, written, kind));
        return None;
    }
    Some(written)
}

fn unknown(node: &Node, written: &str, kind: Kind<'_>) -> Diagnostic {
    let message = format!("there is no {} `{written}`", kind.noun);
    let known = kind.known.into_iter().flatten().map(String::as_str);
    suggest(Diagnostic::error(node.span, message), nearest(written, known), || {
        "names are matched exactly; `*` stands for any run of characters".to_owned()
    })
}

/// Adds the nearest name as the hint, or another hint where nothing is near.
pub(super) fn suggest(
    diagnostic: Diagnostic,
    near: Option<&str>,
    otherwise: impl FnOnce() -> String,
) -> Diagnostic {
    match near {
        Some(near) => diagnostic.with_hint(format!("did you mean `{near}`?")),
        None => diagnostic.with_hint(otherwise()),
    }
}

//! The schemas of a contract.

use std::sync::{Arc, OnceLock};

use crate::catalog::Schema;
use crate::catalog::schema::{Role, check};
use crate::diagnostic::{Report, Span};
use crate::document::Node;

/// Checks a schema and keeps it as written. The tools that it names are added to `known_from`.
pub(super) fn schema(
    node: &Node,
    role: Role,
    known_from: &mut Vec<(String, Span)>,
    report: &mut Report,
) -> Schema {
    let checked = check(node, role, report);
    known_from.extend(checked.known_from);
    Schema { json: Arc::new(node.to_json()), compiled: OnceLock::new() }
}

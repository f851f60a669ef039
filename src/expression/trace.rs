//! The values that an expression read, for explaining its result.

use super::hint::field_text;
use super::machine::{Fault, Machine};
use super::node::{Function, Node};
use super::value::Val;
use super::{Bindings, Expression};

/// Most characters of one value.
const SHOWN: usize = 120;
/// Most values of one expression.
const MAX_ENTRIES: usize = 64;

pub(super) fn trace(expression: &Expression, bindings: &dyn Bindings) -> Vec<(String, String)> {
    let mut entries = Vec::new();
    collect(expression, bindings, expression.node(), &mut entries);
    entries
}

fn collect(
    expression: &Expression,
    bindings: &dyn Bindings,
    node: &Node,
    entries: &mut Vec<(String, String)>,
) {
    if entries.len() >= MAX_ENTRIES {
        return;
    }
    if let Node::Has { base, name } = node
        && let Some(base_text) = describe(expression, base)
    {
        let found = Machine::new(expression, bindings).field_of(base, name);
        add(entries, field_text(&base_text, name), show(found));
    } else if let Some(text) = describe(expression, node) {
        let mut machine = Machine::new(expression, bindings);
        let found =
            if node.is_optional() { machine.optional_value(node) } else { machine.value(node).map(Some) };
        add(entries, text, show(found));
    } else {
        node.children().into_iter().for_each(|child| collect(expression, bindings, child, entries));
    }
}

fn add(entries: &mut Vec<(String, String)>, text: String, value: String) {
    if !entries.iter().any(|(known, _)| *known == text) {
        entries.push((text, value));
    }
}

fn show(found: Result<Option<Val<'_>>, Fault<'_>>) -> String {
    let text = match found {
        Ok(Some(value)) => value.to_json().map_or_else(String::new, |json| json.to_string()),
        Ok(None) | Err(Fault::NoField(_)) => return "absent".to_owned(),
        Err(fault) => super::EvaluationError::from(fault).to_string(),
    };
    match text.char_indices().nth(SHOWN) {
        Some((at, _)) => format!("{}…", text.get(..at).unwrap_or_default()),
        None => text,
    }
}

/// The expression of a part that reads input and nothing else, or `None` for any other.
fn describe(expression: &Expression, node: &Node) -> Option<String> {
    match node {
        Node::Variable(slot) => Some(expression.variable_name(*slot).to_owned()),
        Node::Field { base, name } | Node::OptionalField { base, name } => {
            Some(field_text(&describe(expression, base)?, name))
        }
        Node::Index(parts) | Node::OptionalIndex(parts) => {
            let [base, index] = &**parts;
            let Node::Constant(key) = index else { return None };
            Some(format!("{}[{}]", describe(expression, base)?, key.to_json()?))
        }
        Node::AsInt(part) | Node::AsDouble(part) => describe(expression, part),
        Node::Call { function: Function::Provenance, arguments } => match &**arguments {
            [Node::Constant(pointer)] => Some(format!("provenance({})", pointer.to_json()?)),
            _ => None,
        },
        Node::Call { function: Function::UntrustedArguments, .. } => Some("untrusted_arguments()".to_owned()),
        _ => None,
    }
}

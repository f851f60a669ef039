//! Whether a default satisfies the schema that states it, as far as that is seen without compiling it.

use serde_json::Number;

use crate::document::{Entry, Node, NodeValue, found};

/// What is wrong with `value` as a default of the schema with these keywords.
///
/// Looks at `type`, `enum`, `const`, the bounds of numbers and the lengths of text; the full check is
/// [`Catalog::check_examples`](crate::catalog::Catalog::check_examples).
pub(super) fn problem(value: &Node, keywords: &[Entry]) -> Option<String> {
    if let Some(types) = keyword(keywords, "type") {
        let names = names(types);
        if !names.is_empty() && !names.iter().any(|name| is_of_type(value, name)) {
            return Some(format!(
                "the default must be of type {}, found {}",
                names.join(" or "),
                found(value)
            ));
        }
    }
    let json = value.to_json();
    if let Some(NodeValue::Sequence(options)) = keyword(keywords, "enum").map(|node| &node.value)
        && !options.iter().any(|option| option.to_json() == json)
    {
        return Some(format!("the default {} is not in `enum`", found(value)));
    }
    if keyword(keywords, "const").is_some_and(|only| only.to_json() != json) {
        return Some(format!("the default {} is not the `const`", found(value)));
    }
    match &value.value {
        NodeValue::Number(number) => out_of_bounds(number, keywords),
        NodeValue::String(text) => {
            let length = text.chars().count() as u64;
            let bound = |name| keyword(keywords, name).and_then(number_of).and_then(Number::as_u64);
            let short = bound("minLength").is_some_and(|least| length < least);
            let long = bound("maxLength").is_some_and(|most| length > most);
            (short || long).then(|| format!("the default has {length} characters, outside its own bounds"))
        }
        NodeValue::Null | NodeValue::Bool(_) | NodeValue::Sequence(_) | NodeValue::Mapping(_) => None,
    }
}

/// The value of a keyword.
pub(super) fn keyword<'n>(keywords: &'n [Entry], name: &str) -> Option<&'n Node> {
    keywords.iter().find(|entry| entry.key == name).map(|entry| &entry.value)
}

fn names(types: &Node) -> Vec<&str> {
    match &types.value {
        NodeValue::String(name) => vec![name.as_str()],
        NodeValue::Sequence(items) => items
            .iter()
            .filter_map(|item| match &item.value {
                NodeValue::String(name) => Some(name.as_str()),
                _ => None,
            })
            .collect(),
        NodeValue::Null | NodeValue::Bool(_) | NodeValue::Number(_) | NodeValue::Mapping(_) => Vec::new(),
    }
}

fn is_of_type(value: &Node, name: &str) -> bool {
    match &value.value {
        NodeValue::Null => name == "null",
        NodeValue::Bool(_) => name == "boolean",
        NodeValue::Number(number) => name == "number" || (name == "integer" && !number.is_f64()),
        NodeValue::String(_) => name == "string",
        NodeValue::Sequence(_) => name == "array",
        NodeValue::Mapping(_) => name == "object",
    }
}

fn number_of(node: &Node) -> Option<&Number> {
    match &node.value {
        NodeValue::Number(number) => Some(number),
        _ => None,
    }
}

fn out_of_bounds(number: &Number, keywords: &[Entry]) -> Option<String> {
    let bound = |name| keyword(keywords, name).and_then(number_of);
    let outside = bound("minimum").is_some_and(|least| compare(number, least).is_lt())
        || bound("maximum").is_some_and(|most| compare(number, most).is_gt())
        || bound("exclusiveMinimum").is_some_and(|least| compare(number, least).is_le())
        || bound("exclusiveMaximum").is_some_and(|most| compare(number, most).is_ge());
    outside.then(|| format!("the default {number} is outside its own bounds"))
}

/// Compares exactly where both are integers.
pub(in crate::catalog) fn compare(a: &Number, b: &Number) -> std::cmp::Ordering {
    let integer = |n: &Number| n.as_i64().map(i128::from).or_else(|| n.as_u64().map(i128::from));
    match (integer(a), integer(b)) {
        (Some(a), Some(b)) => a.cmp(&b),
        _ => {
            let (a, b) = (a.as_f64().unwrap_or(0.0), b.as_f64().unwrap_or(0.0));
            a.partial_cmp(&b).unwrap_or(std::cmp::Ordering::Equal)
        }
    }
}

//! Values that a contract's pointers, templates and conditions find something in.
//!
//! What is read of a condition's text here is a guess. Whoever uses it tries the value that is made with it.

use serde_json::{Map, Value, json};

/// Most fields that are tried with every candidate; the others keep the first.
const MOST_TRIED: usize = 3;
/// Most candidates for one field.
const MOST_CANDIDATES: usize = 12;
/// Longest list that a pointer may demand.
const LONGEST: usize = 16;

/// The paths below a variable that a condition or a template reads, as its text has them: `value.a.b`.
pub(super) fn paths(source: &str, variable: &str) -> Vec<Vec<String>> {
    let names_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let mut found = Vec::new();
    for (at, _) in source.match_indices(variable) {
        let before = source.get(..at).and_then(|text| text.chars().next_back());
        if before.is_some_and(|c| names_part(c) || c == '.') {
            continue;
        }
        let mut rest = source.get(at + variable.len()..).unwrap_or_default();
        let mut path = Vec::new();
        while let Some(after) = rest.strip_prefix('.') {
            let length = after.find(|c| !names_part(c)).unwrap_or(after.len());
            let (name, behind) = after.split_at(length);
            // What is called is no field.
            if name.is_empty() || behind.starts_with('(') {
                break;
            }
            path.push(name.to_owned());
            rest = behind;
        }
        if !path.is_empty() && !found.contains(&path) {
            found.push(path);
        }
    }
    found
}

/// What a field could be for a condition to hold: what the condition names, and the usual.
fn candidates(source: &str) -> Vec<Value> {
    let mut found = vec![json!(true)];
    for quote in ['"', '\''] {
        found.extend(source.split(quote).skip(1).step_by(2).map(|text| json!(text)));
    }
    let numbers = source.split(|c: char| !c.is_ascii_digit()).filter_map(|digits| digits.parse::<i64>().ok());
    found.extend(numbers.map(|number| json!(number)));
    found.extend([json!("drill"), json!(1), json!(false), json!(0)]);
    let mut distinct: Vec<Value> = Vec::new();
    for value in found {
        if !distinct.contains(&value) && distinct.len() < MOST_CANDIDATES {
            distinct.push(value);
        }
    }
    distinct
}

/// Variants of a value in which what a condition reads of it is there, each otherwise.
pub(super) fn variants(base: &Value, sources: &[&str]) -> Vec<Value> {
    let mut made = vec![base.clone()];
    let mut tried = 0;
    for source in sources {
        for path in paths(source, "value") {
            tried += 1;
            let candidates = candidates(source);
            let kept = if tried > MOST_TRIED { 1 } else { candidates.len() };
            made = made
                .iter()
                .flat_map(|value| {
                    candidates.iter().take(kept).map(|candidate| {
                        let mut value = value.clone();
                        put(&mut value, &path, candidate.clone());
                        value
                    })
                })
                .collect();
        }
    }
    made
}

/// Puts something where a path leads, as objects.
pub(super) fn put(value: &mut Value, path: &[String], leaf: Value) {
    let Some((name, rest)) = path.split_first() else {
        *value = leaf;
        return;
    };
    if !value.is_object() {
        *value = Value::Object(Map::new());
    }
    if let Some(members) = value.as_object_mut() {
        put(members.entry(name.clone()).or_insert(Value::Null), rest, leaf);
    }
}

/// Puts something where a pointer leads: a number is a place in a list.
pub(super) fn put_at(value: &mut Value, pointer: &str, leaf: Value) {
    let Some(rest) = pointer.strip_prefix('/') else {
        *value = leaf;
        return;
    };
    let (token, rest) = rest.find('/').map_or((rest, ""), |at| rest.split_at(at));
    let name = token.replace("~1", "/").replace("~0", "~");
    match name.parse::<usize>() {
        Ok(at) if at < LONGEST && !value.is_object() => {
            if !value.is_array() {
                *value = json!([]);
            }
            if let Some(items) = value.as_array_mut() {
                while items.len() <= at {
                    items.push(Value::Null);
                }
                if let Some(item) = items.get_mut(at) {
                    put_at(item, rest, leaf);
                }
            }
        }
        _ => {
            if !value.is_object() {
                *value = Value::Object(Map::new());
            }
            if let Some(members) = value.as_object_mut() {
                put_at(members.entry(name).or_insert(Value::Null), rest, leaf);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_paths_of_a_variable_are_found_and_no_others() {
        let read =
            |source: &str| paths(source, "value").iter().map(|path| path.join(".")).collect::<Vec<_>>();
        assert_eq!(read("value.a.b == 1 && !value.c"), ["a.b", "c"]);
        assert_eq!(read("value.a.startsWith('x') || values.b || my_value.c || x.value.d"), ["a"]);
        assert_eq!(read("size(value) == 1"), Vec::<String>::new());
    }

    #[test]
    fn what_is_put_is_where_the_pointer_leads() {
        for pointer in ["", "/a", "/items/0", "/items/2/b~1c", "/0/a"] {
            let mut value = json!({});
            if pointer.starts_with("/0") {
                value = Value::Null;
            }
            put_at(&mut value, pointer, json!("x"));
            assert_eq!(value.pointer(pointer), Some(&json!("x")), "{pointer}: {value}");
        }
    }

    #[test]
    fn a_condition_holds_in_one_of_the_variants() {
        let made = variants(&json!({"id": "drill"}), &["value.state == 'taken' && value.count == 3"]);
        assert!(made.contains(&json!({"id": "drill", "state": "taken", "count": 3})));
    }
}

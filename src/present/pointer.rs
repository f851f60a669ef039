//! Pointers with `*` for any element, and what is hidden at them.

use serde_json::Value;

use crate::catalog::Contract;

/// What stands where a value was hidden.
pub(super) const HIDDEN: &str = "[hidden]";

/// Replaces the value at every place that `pointer` names by [`HIDDEN`].
///
/// The pointer is RFC 6901; a token `*` stands for every element of an array and every member of an object. The empty
/// pointer hides the value as a whole.
pub(super) fn hide(value: &mut Value, pointer: &str) {
    let mut places = vec![value];
    for token in pointer.split('/').skip(1) {
        let token = token.replace("~1", "/").replace("~0", "~");
        places = places.into_iter().flat_map(|place| step(place, &token)).collect();
    }
    for place in places {
        *place = Value::String(HIDDEN.to_owned());
    }
}

/// Hides the fields that a contract keeps from everyone, for a value that is stored before it is presented.
pub fn hide_fields(value: &mut Value, contract: &Contract) {
    contract.result.redact.iter().for_each(|pointer| hide(value, pointer));
}

fn step<'v>(place: &'v mut Value, token: &str) -> Vec<&'v mut Value> {
    match (place, token) {
        (Value::Array(items), "*") => items.iter_mut().collect(),
        (Value::Array(items), index) => {
            index.parse::<usize>().ok().and_then(|at| items.get_mut(at)).into_iter().collect()
        }
        (Value::Object(members), "*") => members.values_mut().collect(),
        (Value::Object(members), name) => members.get_mut(name).into_iter().collect(),
        (Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_), _) => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn hidden(mut value: Value, pointer: &str) -> Value {
        hide(&mut value, pointer);
        value
    }

    #[test]
    fn a_star_stands_for_every_element_and_member() {
        let value = json!({"items": [{"mail": "a"}, {"mail": {"x": 1}}, {}, 3], "mail": "b"});
        assert_eq!(
            hidden(value, "/items/*/mail"),
            json!({"items": [{"mail": "[hidden]"}, {"mail": "[hidden]"}, {}, 3], "mail": "b"})
        );
        assert_eq!(
            hidden(json!({"a": {"x": 1}, "b": {"x": 2}}), "/*/x"),
            json!({"a": {"x": "[hidden]"}, "b": {"x": "[hidden]"}})
        );
    }

    #[test]
    fn escaped_tokens_indexes_and_the_whole_are_named_too() {
        assert_eq!(hidden(json!({"a/b": [1, 2]}), "/a~1b/1"), json!({"a/b": [1, "[hidden]"]}));
        assert_eq!(hidden(json!([1]), ""), json!("[hidden]"));
        assert_eq!(hidden(json!([1]), "/5"), json!([1]));
    }
}

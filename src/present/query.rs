//! RFC 9535 JSONPath, as a contract selects content with it and a model filters a page: bounded in cost.

use serde_json::Value;
use serde_json_path::JsonPath;

/// Most bytes of a path.
const PATH_BYTES: usize = 1024;

/// Deepest nesting of brackets in a path; the parser recurses over it.
const PATH_DEPTH: usize = 16;

/// Most steps that evaluating a path may take, estimated before it begins.
const STEPS: u64 = 50_000_000;

/// What one call of `match` or `search` costs, in steps: the pattern is compiled each time.
const PATTERN_STEPS: u64 = 20_000;

/// A parsed path.
pub(super) struct Query {
    path: JsonPath,
    shape: PathShape,
}

/// What a path's text says about its result and its cost.
#[derive(Debug, Default, PartialEq, Eq)]
struct PathShape {
    /// Whether it can name more than one place.
    plural: bool,
    /// Descents outside filters, each of which visits a node once for each of its ancestors.
    descents: u32,
    /// Queries inside filters that start at the root or descend, each of which can visit everything for every node.
    nested: u32,
    /// Calls of `match` and `search`.
    patterns: u32,
    /// Commas, each of which can double what is visited: a node may be named twice.
    commas: u32,
    /// Deepest nesting of brackets.
    depth: usize,
}

impl Query {
    /// Parses a path.
    ///
    /// # Errors
    /// What is wrong with it.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        if text.len() > PATH_BYTES {
            return Err(format!("a JSONPath of at most {PATH_BYTES} bytes"));
        }
        let shape = PathShape::of(text);
        if shape.depth > PATH_DEPTH {
            return Err(format!("a JSONPath with brackets nested at most {PATH_DEPTH} deep"));
        }
        let path = JsonPath::parse(text).map_err(|error| {
            format!("an RFC 9535 JSONPath (at character {}: {})", error.position() + 1, error.message())
        })?;
        if shape.patterns > 0 {
            super::query_pattern::check(text)?;
        }
        Ok(Self { path, shape })
    }

    /// What the path names: the place itself where it can only name one, else the list of all places.
    ///
    /// # Errors
    /// That evaluating it over this value could take too long.
    pub(super) fn select(&self, value: &Value) -> Result<Value, String> {
        if self.shape.cost(value) > STEPS {
            return Err("a simpler JSONPath: this one could visit the value too often".to_owned());
        }
        let found = self.path.query(value);
        Ok(if self.shape.plural {
            Value::Array(found.iter().map(|node| (*node).clone()).collect())
        } else {
            found.first().cloned().unwrap_or(Value::Null)
        })
    }
}

impl PathShape {
    fn of(text: &str) -> Self {
        let mut shape = Self::default();
        let mut quote = None;
        // For every open bracket, whether it is inside a filter.
        let mut open: Vec<bool> = Vec::new();
        let mut characters = text.char_indices().peekable();
        while let Some((at, c)) = characters.next() {
            if let Some(end) = quote {
                match c {
                    '\\' => drop(characters.next()),
                    c if c == end => quote = None,
                    _ => {}
                }
                continue;
            }
            let filtering = open.last().copied().unwrap_or(false);
            match c {
                '\'' | '"' => quote = Some(c),
                '[' | '(' => {
                    open.push(filtering);
                    shape.depth = shape.depth.max(open.len());
                }
                ']' | ')' => drop(open.pop()),
                '?' => {
                    shape.plural = true;
                    if let Some(inside) = open.last_mut() {
                        *inside = true;
                    }
                }
                ',' => {
                    shape.commas += 1;
                    shape.plural |= !filtering;
                }
                '*' | ':' if !filtering => shape.plural = true,
                '*' | '$' if filtering => shape.nested += 1,
                '.' if characters.peek().is_some_and(|(_, next)| *next == '.') => {
                    characters.next();
                    shape.plural |= !filtering;
                    *(if filtering { &mut shape.nested } else { &mut shape.descents }) += 1;
                }
                'm' | 's' if filtering => {
                    let rest = text.get(at..).unwrap_or_default();
                    shape.patterns += u32::from(rest.starts_with("match") || rest.starts_with("search"));
                }
                _ => {}
            }
        }
        shape
    }

    /// An upper estimate of the steps that a path of this shape takes over `value`.
    fn cost(&self, value: &Value) -> u64 {
        let (nodes, depth) = measure(value);
        let passes = depth.saturating_pow(self.descents).saturating_mul(nodes.saturating_pow(self.nested));
        let pattern = 1 + u64::from(self.patterns) * PATTERN_STEPS;
        let branches = 2_u64.saturating_pow(self.commas);
        nodes.saturating_mul(passes).saturating_mul(pattern).saturating_mul(branches)
    }
}

/// Nodes and nesting of a value.
fn measure(value: &Value) -> (u64, u64) {
    let mut pending = vec![(value, 1_u64)];
    let (mut nodes, mut deepest) = (0, 0);
    while let Some((value, depth)) = pending.pop() {
        nodes += 1;
        deepest = deepest.max(depth);
        match value {
            Value::Array(items) => pending.extend(items.iter().map(|item| (item, depth + 1))),
            Value::Object(members) => pending.extend(members.values().map(|member| (member, depth + 1))),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }
    (nodes, deepest)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    fn selected(path: &str, value: &Value) -> Result<Value, String> {
        Query::parse(path)?.select(value)
    }

    #[test]
    fn a_path_that_can_name_one_place_yields_it_and_any_other_a_list() {
        let value = json!({"items": [{"id": 1, "a:b": 2}], "n": {"*": 3}});
        assert_eq!(selected("$.items", &value), Ok(json!([{"id": 1, "a:b": 2}])));
        assert_eq!(selected("$.items[0]['a:b']", &value), Ok(json!(2)));
        assert_eq!(selected("$.n['*']", &value), Ok(json!(3)));
        assert_eq!(selected("$.items[*].id", &value), Ok(json!([1])));
        assert_eq!(selected("$.items[0:20]", &value), Ok(json!([{"id": 1, "a:b": 2}])));
        assert_eq!(selected("$..id", &value), Ok(json!([1])));
        assert_eq!(selected("$.items[?@.id == 1].id", &value), Ok(json!([1])));
        assert_eq!(selected("$.missing", &value), Ok(Value::Null));
    }

    #[test]
    fn what_is_no_path_is_refused_with_its_place() {
        assert!(
            selected("items", &json!({})).unwrap_err().starts_with("an RFC 9535 JSONPath (at character ")
        );
        assert!(selected(&format!("$[?{}@.a{}]", "(".repeat(40), ")".repeat(40)), &json!({})).is_err());
        assert!(selected(&"$.a".repeat(1000), &json!({})).is_err());
    }

    #[test]
    fn a_path_that_could_take_forever_is_refused() {
        let value = json!({"items": (0..20_000).collect::<Vec<_>>()});
        for path in [
            "$.items[?@ == $..x]",
            "$.items[?$.items[?@ > 5] ]",
            "$..[?search(@, 'a')]",
            "$.items[?$.items[*]]",
            &format!("${}", "[*,*]".repeat(40)),
        ] {
            assert!(selected(path, &value).is_err(), "{path}");
        }
        assert_eq!(selected("$.items[?@ < 2]", &value), Ok(json!([0, 1])));
    }

    proptest! {
        #[test]
        fn no_text_makes_it_panic(path in "[$@.?*\\[\\]()'\"a-c0-9:,=<>! \\\\&|]{0,60}") {
            let _ = selected(&format!("${path}"), &json!({"a": [1, {"b": "c"}], "c": null}));
        }
    }
}

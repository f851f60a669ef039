use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::diagnostic::SourceMap;
use crate::document::NodeValue;

/// The rendered problems of `text`, and its content where there is a tree.
fn read_rendered(text: &str) -> (Option<serde_json::Value>, String) {
    read_within(text, ReadLimits::default())
}

fn read_within(text: &str, limits: ReadLimits) -> (Option<serde_json::Value>, String) {
    let mut sources = SourceMap::default();
    let id = sources.add("t.yaml", text);
    let mut report = Report::default();
    let node = read_reporting(id, text, limits, &mut report);
    (node.map(|node| node.to_json()), report.render(&sources, false))
}

fn problems(text: &str) -> String {
    let (_, rendered) = read_rendered(text);
    rendered
}

#[test]
fn good_documents_read_as_written() {
    let cases = [
        ("", json!(null)),
        ("---\na: 1\n", json!({"a": 1})),
        ("\u{feff}a: 1\r\nb: x\r\n", json!({"a": 1, "b": "x"})),
        (
            "a: [1, 2.5, true, null, ~, 'no', \"on\", 10s]\n",
            json!({"a": [1, 2.5, true, null, null, "no", "on", "10s"]}),
        ),
        ("a: |\n  x\n  y\nb: >-\n  x\n  y\n", json!({"a": "x\ny\n", "b": "x y"})),
        ("1: a\n2: b\n", json!({"1": "a", "2": "b"})),
        ("'<<': 1\n'y': 2\n\"null\": 3\n", json!({"<<": 1, "y": 2, "null": 3})),
        (
            "a: &x {k: [1]}\nb: *x\nc: [*x, *x]\n",
            json!({"a": {"k": [1]}, "b": {"k": [1]}, "c": [{"k": [1]}, {"k": [1]}]}),
        ),
        ("- - 1\n  - 2\n-\n  a:\n", json!([[1, 2], {"a": null}])),
        (
            "big: 18446744073709551615\nsmall: -9223372036854775808\n",
            json!({"big": u64::MAX, "small": i64::MIN}),
        ),
        ("a: \"x\\u0000y\"\n", json!({"a": "x\u{0}y"})),
        ("when: arguments.x == 'a' # why\n", json!({"when": "arguments.x == 'a'"})),
        (
            "argv: ['{{arguments.x}}', \"--y={{ arguments.y }}\"]\n",
            json!({"argv": ["{{arguments.x}}", "--y={{ arguments.y }}"]}),
        ),
        ("input_schema: {\n  type: object\n}\n", json!({"input_schema": {"type": "object"}})),
        ("{\"a\": [true, {\"b\": \"\\u00e9\"}]}", json!({"a": [true, {"b": "é"}]})),
    ];
    for (text, expected) in cases {
        assert_eq!(read_rendered(text), (Some(expected), String::new()), "{text:?}");
    }
}

#[test]
fn every_ambiguous_scalar_of_a_file_is_reported_with_its_place() {
    let expected = "\
error: unquoted `no` is read as a truth value or null by some YAML readers and as text by others
 --> t.yaml:1:11
  |
1 | internal: no
  |           ^^
hint: write \"no\" for text, or false

error: unquoted `0755` is a number to some YAML readers and text, or another number, to others
 --> t.yaml:2:7
  |
2 | mode: 0755
  |       ^^^^
hint: write \"0755\" for text, or a plain decimal number such as 755, 1000 or 0.5

error: unquoted `on` is read as a truth value or null by some YAML readers and as text by others
 --> t.yaml:3:1
  |
3 | on: [y, 1_000]
  | ^^
hint: write the key as \"on\"

error: unquoted `y` is read as a truth value or null by some YAML readers and as text by others
 --> t.yaml:3:6
  |
3 | on: [y, 1_000]
  |      ^
hint: write \"y\" for text, or true

error: unquoted `1_000` is a number to some YAML readers and text, or another number, to others
 --> t.yaml:3:9
  |
3 | on: [y, 1_000]
  |         ^^^^^
hint: write \"1_000\" for text, or a plain decimal number such as 755, 1000 or 0.5
";
    let (tree, rendered) = read_rendered("internal: no\nmode: 0755\non: [y, 1_000]\n");
    assert_eq!(rendered, expected);
    assert!(tree.is_some(), "the structure is known, so the rest can be checked too");
}

#[test]
fn duplicate_keys_are_compared_as_text() {
    let expected = "\
error: the key `1` occurs twice
 --> t.yaml:2:1
  |
2 | \"1\": b
  | ^^^
hint: the first is on line 1; keys are compared as text
";
    assert_eq!(problems("1: a\n\"1\": b\n"), expected);
    assert!(problems("a: {x: 1, \"\\x78\": 2}\n").contains("the key `x` occurs twice"));
}

#[test]
fn an_unquoted_template_gets_advice_and_no_echo() {
    let expected = "\
error: an unquoted `{{` is a mapping in YAML, not a template
 --> t.yaml:1:5
  |
1 | id: {{arguments.id}}
  |     ^^
hint: quote a template: single quotes outside, double inside, or a `|` block
";
    assert_eq!(problems("id: {{arguments.id}}\n"), expected);
    assert_eq!(problems("id: {{arguments.id}}-suffix\n").matches("error:").count(), 1);
    assert_eq!(problems("a: [{{x.y}}, no]\nb: no\n").matches("error:").count(), 3);
}

#[test]
fn a_comment_that_swallows_an_expression_is_a_warning() {
    let expected = "\
warning: ` #` ends this expression: what follows is a comment
 --> t.yaml:1:29
  |
1 | when: arguments.title == \"a #b\"
  |                             ^
hint: quote the expression, or write it as a `|` block
";
    assert_eq!(problems("when: arguments.title == \"a #b\"\n"), expected);
}

#[test]
fn everything_that_has_no_one_reading_is_refused() {
    let cases = [
        ("a: !x b\n", "tags are not supported"),
        ("a: ! b\n", "tags are not supported"),
        ("a: !!binary aGk=\n", "tags are not supported"),
        ("a: !!str 1\n", "tags are not supported"),
        ("when: !has(arguments.x)\n", "tags are not supported"),
        ("a: !e!x b\n", "tags are not supported"),
        ("a: &x {k: 1}\nb: {<<: *x}\n", "merge keys are not supported"),
        ("? [a, b]\n: c\n", "a key must be text"),
        ("{[a]: b}\n", "a key must be text"),
        ("&k a: 1\n", "a key cannot have an anchor"),
        ("a: &x k\n*x : 1\n", "a key cannot be an alias"),
        ("? \n: c\n", "a key is missing or null"),
        ("~: c\n", "a key is missing or null"),
        ("true: c\n", "the key `true` is a truth value, not text"),
        ("a: 1\n---\nb: 2\n", "the file holds more than one document"),
        ("%YAML 1.1\n---\na: 1\n", "YAML directives are not supported"),
        ("a: *nowhere\n", "this alias names no anchor above it"),
        ("a: &x [*x]\n", "this alias stands inside the anchor that it names"),
        ("a:\n\tb: 1\n", "a tab cannot indent YAML"),
        ("a: 'open\n", "this quoted text is never closed"),
        ("a: [1, 2\n", "this `[` is never closed"),
        ("a: x\u{0}y\n", "the file holds the character U+0000"),
        ("a: x\u{1b}[2J\n", "the file holds the character U+001B"),
        ("a: x\rb: y\n", "the file holds the character U+000D"),
        ("a: x\u{feff}y\n", "the file holds the character U+FEFF"),
        ("a: 1 # \u{202e}\n", "U+202E makes this line look other than it is read"),
        ("a: b: c\n", "invalid YAML: "),
        ("a: 18446744073709551616\n", "does not fit into 64 bits"),
        ("a: 9007199254740993.0\n", "would lose digits in 64 bits"),
        ("a: -.inf\n", "is not a number that JSON knows"),
    ];
    for (text, expected) in cases {
        let rendered = problems(text);
        assert!(rendered.contains(expected), "{text:?}:\n{rendered}");
    }
}

#[test]
fn a_tab_is_shown_where_it_stands() {
    for (text, place) in [
        ("a:\n  b: 1\n\tc: 2\n", "3:1"),
        ("a:\n  b: 1\n  \tc: 2\n", "3:3"),
        ("a:\n\tb: 1\n", "2:1"),
        ("a:\n  - b: text\n\t  c: d\n", "3:1"),
    ] {
        let rendered = problems(text);
        assert!(
            rendered.contains(&format!(":{place}: ")) || rendered.contains(&format!(":{place}\n")),
            "{text:?}:\n{rendered}"
        );
    }
}

#[test]
fn size_nodes_and_nesting_are_bounded() {
    let limits = ReadLimits { bytes: 100, nodes: 20, depth: 4 };
    let cases = [
        ("x".repeat(101), "the file has 101 bytes, and at most 100 are read"),
        (format!("[{}]", "1,".repeat(30)), "the file is too large once its aliases are expanded"),
        ("[[[[[1]]]]]".to_owned(), "the file is nested"),
        ("- - - - - 1\n".to_owned(), "the file is nested"),
        ("a: &a [[[1]]]\nb: [[*a]]\n".to_owned(), "this alias nests deeper than 4 levels"),
        (
            format!("a: &a {}\nb: [*a, *a]\n", "x".repeat(60)),
            "the file is too large once its aliases are expanded",
        ),
    ];
    for (text, expected) in cases {
        let (tree, rendered) = read_within(&text, limits);
        assert!(tree.is_none() && rendered.contains(expected), "{text}:\n{rendered}");
    }
}

#[test]
fn bombs_end_at_the_bounds() {
    let mut laughs = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n".to_owned();
    for level in 1..30 {
        let below = level - 1;
        laughs.push_str(&format!("a{level}: &a{level} [{}]\n", vec![format!("*a{below}"); 10].join(", ")));
    }
    let mut anchors = String::new();
    for level in 0..60 {
        anchors.push_str(&format!("{}&n{level}\n", "- "));
        anchors.push_str(&" ".repeat(level * 2));
    }
    let texts = [
        laughs,
        anchors,
        "[".repeat(100_000),
        "{a: ".repeat(100_000),
        "- ".repeat(100_000),
        "{".repeat(100_000),
        "? ".repeat(50_000),
        format!("a: {}\n", "*b ".repeat(50_000)),
        format!("a: &a {}\nb: [{}]\n", "x".repeat(1 << 20), "*a, ".repeat(10_000)),
        "a: \"".to_owned() + &"\\".repeat(100_001),
        "no\n".to_owned(),
        format!("[{}]", "no, ".repeat(100_000)),
    ];
    for text in texts {
        let rendered = problems(&text);
        assert!(rendered.contains("error: "), "{}", text.get(..40).unwrap());
        assert!(rendered.len() < 100_000, "the report itself is bounded");
    }
}

#[test]
fn places_are_exact() {
    let text = "a: é\nb: [x, 'yz']\nc:\n  d: |\n    block\n";
    let mut sources = SourceMap::default();
    let id = sources.add("t.yaml", text);
    let root = read(id, text, ReadLimits::default()).unwrap();
    let shown = |pointer: &str| &text[root.span_at(pointer).range()];
    assert_eq!(shown("/a"), "é");
    assert_eq!(shown("/b/0"), "x");
    assert_eq!(shown("/b/1"), "'yz'");
    assert_eq!(shown("/c"), "d");
    assert_eq!(shown("/c/d"), "block\n");
    assert_eq!(shown("/nowhere"), "a");
}

#[test]
fn bytes_that_are_not_text_are_named_by_line_and_column() {
    assert_eq!(decode(b"a: \xc3\xa9\n"), Ok("a: é\n"));
    assert_eq!(decode("a\né\u{0}".as_bytes()), Ok("a\né\u{0}"));
    assert_eq!(decode(b"a\n\xc3\xa9\xff"), Err("line 2, column 2 is not UTF-8".to_owned()));
    assert_eq!(
        decode(b"\xff\xfea\0"),
        Err("line 1, column 1 is not UTF-8: it looks like UTF-16, save it as UTF-8".to_owned())
    );
}

fn depth(node: &crate::document::Node) -> usize {
    match &node.value {
        NodeValue::Sequence(items) => 1 + items.iter().map(depth).max().unwrap_or(0),
        NodeValue::Mapping(entries) => 1 + entries.iter().map(|e| depth(&e.value)).max().unwrap_or(0),
        NodeValue::Null | NodeValue::Bool(_) | NodeValue::Number(_) | NodeValue::String(_) => 0,
    }
}

proptest! {
    #[test]
    fn any_text_is_read_or_refused_within_bounds(text in r"[ \n\-\[\]{}:,&*a#'|>!?1.\u{e9}\u{202e}]{0,80}") {
        let limits = ReadLimits { bytes: 200, nodes: 40, depth: 6 };
        let mut sources = SourceMap::default();
        let id = sources.add("t", text.as_str());
        let mut report = Report::default();
        let tree = read_reporting(id, &text, limits, &mut report);
        prop_assert!(tree.is_some() || report.has_errors());
        if let Some(tree) = tree {
            prop_assert!(depth(&tree) <= limits.depth);
        }
        let _ = report.render(&sources, false);
    }

    #[test]
    fn json_is_read_as_what_it_says(value in json_value()) {
        let text = serde_json::to_string(&value).unwrap();
        let mut sources = SourceMap::default();
        let id = sources.add("t", text.as_str());
        match read(id, &text, ReadLimits::default()) {
            Ok(node) => prop_assert_eq!(node.to_json(), value),
            Err(error) => prop_assert!(false, "{:?}\n{}", error, text),
        }
    }
}

fn json_value() -> impl Strategy<Value = serde_json::Value> {
    let text = r#"[a-z0-9 :#'"{}\[\]\n.,~-]{0,12}"#;
    let leaf = prop_oneof![
        Just(serde_json::Value::Null),
        any::<bool>().prop_map(serde_json::Value::from),
        any::<i64>().prop_map(serde_json::Value::from),
        any::<u64>().prop_map(serde_json::Value::from),
        text.prop_map(serde_json::Value::from),
    ];
    leaf.prop_recursive(4, 32, 5, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(serde_json::Value::from),
            prop::collection::btree_map("k[a-z]{0,4}", inner, 0..5)
                .prop_map(|map| serde_json::Value::Object(map.into_iter().collect())),
        ]
    })
}

use std::borrow::Cow;
use std::sync::Arc;

use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;

/// Variables by slot: `arguments`, `task`, `tool`, `user`, `any`.
struct Fixed(Vec<Value>);

impl Bindings for Fixed {
    fn variable(&self, slot: usize) -> Option<Cow<'_, Value>> {
        let value = self.0.get(slot)?;
        // One variable is handed over, so that both ways are tested.
        if slot == 3 { Some(Cow::Owned(value.clone())) } else { Some(Cow::Borrowed(value)) }
    }

    fn provenance(&self, pointer: &str) -> &'static str {
        match pointer {
            "/recipient" => "model",
            "/missing" => "absent",
            _ => "untrusted",
        }
    }

    fn untrusted_arguments(&self) -> Vec<String> {
        vec!["/recipient".to_owned(), "/body".to_owned()]
    }
}

fn schema() -> Value {
    json!({
        "type": "object", "additionalProperties": false, "required": ["recipient", "n", "x", "paths", "currency", "ids", "rows"],
        "properties": {
            "recipient": {"type": "string"},
            "n": {"type": "integer"},
            "x": {"type": "number"},
            "big": {"type": "integer"},
            "paths": {"type": "array", "items": {"type": "string"}},
            "ids": {"type": "array", "items": {"type": "integer"}},
            "currency": {"enum": ["EUR", "USD"]},
            "limit": {"type": "integer"},
            "note": {"type": ["string", "null"]},
            "issue-number": {"type": "integer"},
            "nested": {"type": "object", "additionalProperties": false, "properties": {"deep": {"type": "string"}}},
            "filter": {"type": "object", "properties": {"text": {"type": "string"}}},
            "open": {"type": "object"},
            "url": {"type": "string"},
            "flag": {"type": "boolean"},
            "rows": {"type": "array", "items": {"type": "object", "required": ["id"], "properties": {"id": {"type": "string"}, "w": {"type": "number"}}}},
        }
    })
}

fn declarations(functions: Functions) -> Declarations {
    let variable = |name: &str, value: Type| Field { name: name.to_owned(), value, required: true };
    let word = |words: &[&str]| Type::OneOf(words.iter().map(|word| json!(word)).collect());
    let field = |name: &str, value: Type| Field { name: name.to_owned(), value, required: true };
    Declarations {
        variables: vec![
            variable("arguments", Type::from_schema(&schema())),
            variable(
                "task",
                Type::Object(Arc::new(ObjectType {
                    fields: vec![field("id", Type::String), field("data", Type::Dynamic)],
                    open: false,
                })),
            ),
            variable(
                "tool",
                Type::Object(Arc::new(ObjectType {
                    fields: vec![
                        field("name", Type::String),
                        field("risk", word(&["read_only", "write", "external", "destructive"])),
                    ],
                    open: false,
                })),
            ),
            variable("user", Type::String),
            variable("any", Type::Dynamic),
        ],
        functions,
    }
}

fn bindings() -> Fixed {
    Fixed(vec![
        json!({
            "recipient": "bo@example.com", "n": 3, "x": 0, "paths": ["src/a.rs", "src/b.rs"], "ids": [1, 2, 3],
            "currency": "EUR", "note": null, "issue-number": 7, "big": u64::MAX,
            "url": "https://Docs.Example.com/a?q=1", "flag": true, "filter": {},
            "rows": [{"id": "r1", "w": 1}, {"id": "r2"}]
        }),
        json!({"id": "t1", "data": {"known": ["bo@example.com"], "limit": 2.5, "n": 1, "chosen": null}}),
        json!({"name": "send_mail", "risk": "external"}),
        json!("ann"),
        json!({"f": 0.5, "i": 4, "list": [1, "a", null], "text": "t", "map": {"b": 1, "a": 2.0}}),
    ])
}

fn compile(source: &str) -> Result<Expression, Vec<CompileError>> {
    Expression::compile(source, &declarations(Functions::Rule), &Type::Dynamic)
}

fn run(source: &str) -> Result<Value, EvaluationError> {
    match compile(source) {
        Ok(expression) => expression.evaluate(&bindings()),
        Err(errors) => panic!("{source} does not compile: {errors:?}"),
    }
}

/// The first problem: column from 1, message, hint.
fn problem(source: &str) -> (usize, String, String) {
    match compile(source) {
        Ok(_) => panic!("{source} compiles"),
        Err(errors) => {
            let first = errors[0].clone();
            (first.range.start + 1, first.message, first.hint.unwrap_or_default())
        }
    }
}

#[test]
fn values() {
    let cases: &[(&str, Value)] = &[
        // Names, literals, access.
        ("arguments.recipient", json!("bo@example.com")),
        ("arguments[\"recipient\"]", json!("bo@example.com")),
        ("arguments.paths[1]", json!("src/b.rs")),
        ("user", json!("ann")),
        ("'a\\n\\u00e9' + r'\\n'", json!("a\né\\n")),
        ("\"\"\"a\"b\"\"\"", json!("a\"b")),
        ("0x1F + 1u", json!(32)),
        ("[1, 2.5, 'a', null, true]", json!([1, 2.5, "a", null, true])),
        ("{'b': arguments.n, 'a': [arguments.x]}", json!({"b": 3, "a": [0.0]})),
        ("{'b': 1}.b", json!(1)),
        // Logic: errors of one term do not matter where another decides.
        ("has(arguments.limit) && arguments.limit > 5", json!(false)),
        ("arguments.limit > 5 && has(arguments.limit)", json!(false)),
        ("!has(arguments.limit) || arguments.limit > 5", json!(true)),
        ("has(arguments.limit) ? arguments.limit : 10", json!(10)),
        ("!(has(arguments.limit) && arguments.limit > 1)", json!(true)),
        ("any.missing == 'x' || true", json!(true)),
        ("true || any.missing == 'x'", json!(true)),
        ("any.missing == 'x' && false", json!(false)),
        ("(has(arguments.limit) && user == 'ann') && arguments.limit > 1", json!(false)),
        ("has(arguments.limit) && (user == 'ann' && arguments.limit > 1)", json!(false)),
        ("\"issue-number\" in arguments && arguments[\"issue-number\"] == 7", json!(true)),
        ("arguments.?limit.hasValue() && arguments.limit > 1", json!(false)),
        ("false ? arguments.n : 2", json!(2)),
        // Absence and null.
        ("has(arguments.note)", json!(true)),
        ("has(arguments.note) && arguments.note == null", json!(true)),
        ("has(arguments.limit)", json!(false)),
        ("arguments.?limit.orValue(5)", json!(5)),
        ("arguments.?nested.?deep.orValue('d')", json!("d")),
        ("arguments.?nested.deep.orValue('d')", json!("d")),
        ("arguments[?\"issue-number\"].orValue(0)", json!(7)),
        ("arguments.?limit.or(arguments.?big).orValue(0)", json!(u64::MAX)),
        ("any.?map.?a.value()", json!(2.0)),
        ("any.list[?9].orValue(0)", json!(0)),
        ("task.data.?chosen.?name.orValue('none')", json!("none")),
        // Numbers: by the schema's type, exact, and compared by value.
        ("arguments.x + 1", json!(1.0)),
        ("arguments.x / 2.0", json!(0.0)),
        ("arguments.n / 2", json!(1)),
        ("arguments.n % 2", json!(1)),
        ("any.i + any.f", json!(4.5)),
        ("any.i + 1", json!(5)),
        ("any.f + 1", json!(1.5)),
        ("has(arguments.big) && arguments.big == 18446744073709551615", json!(true)),
        ("9223372036854775807 + 1", json!(9223372036854775808_u64)),
        ("-9223372036854775808", json!(i64::MIN)),
        ("9007199254740993 > 9007199254740992.0", json!(true)),
        ("9007199254740993 == 9007199254740992.0", json!(false)),
        ("1 == 1.0", json!(true)),
        ("2 * -3 - 4", json!(-10)),
        ("1 in [1.0]", json!(true)),
        ("arguments.rows[0].?w.orValue(0) + 0.5", json!(1.5)),
        // Membership and equality.
        ("arguments.recipient in task.data.known", json!(true)),
        ("\"a\" in any.map", json!(true)),
        ("any.map == {'a': 2, 'b': 1}", json!(true)),
        ("any.list == [1, 'a', null]", json!(true)),
        ("any.list != [1, 'a']", json!(true)),
        ("tool.risk in [\"external\", \"destructive\"]", json!(true)),
        // Text and conversions.
        ("'héllo'.size() + size(arguments.paths) + size(any.map)", json!(9)),
        ("'abc'.contains('b') && 'abc'.startsWith('a') && 'abc'.endsWith('c')", json!(true)),
        ("arguments.recipient.matches(\"@example[.]com$\")", json!(true)),
        ("matches('xay', 'a')", json!(true)),
        ("' Ab '.trim().lowerAscii() + 'b'.upperAscii()", json!("abB")),
        ("'a,b,'.split(',')", json!(["a", "b", ""])),
        ("['a', 'b'].join('-') + ['a'].join()", json!("a-ba")),
        ("'héllo'.substring(1, 3) + 'abc'.substring(2)", json!("élc")),
        ("string(100.0) + string(1.5) + string(true) + string(7)", json!("1001.5true7")),
        ("string(1e300).size() < 10", json!(true)),
        ("int('42') + int(1.9) + int(-1.9)", json!(42)),
        ("double('1.5') + double(1)", json!(2.5)),
        ("bool('true')", json!(true)),
        ("json(any.map)", json!("{\"b\":1,\"a\":2.0}")),
        ("json({'a': [1, 2.0]})", json!("{\"a\":[1,2.0]}")),
        // Macros.
        ("arguments.paths.all(p, path(p).under('src'))", json!(true)),
        ("arguments.paths.exists(p, p.endsWith('b.rs'))", json!(true)),
        ("arguments.ids.exists_one(i, i == 2)", json!(true)),
        ("arguments.ids.filter(i, i > 1)", json!([2, 3])),
        ("arguments.ids.map(i, i * 2)", json!([2, 4, 6])),
        ("arguments.ids.map(i, i > 1, i * 2)", json!([4, 6])),
        ("any.map.all(k, k in ['a', 'b'])", json!(true)),
        ("any.list.exists(v, v == 'a')", json!(true)),
        ("any.list.exists(v, v + 1 == 2)", json!(true)),
        ("[].all(v, v)", json!(true)),
        ("arguments.ids.all(i, arguments.ids.exists(j, i == j))", json!(true)),
        ("arguments.rows.all(r, !has(r.w) || r.w > 0)", json!(true)),
        ("arguments.ids.map(n, n + arguments.n)", json!([4, 5, 6])),
        // Our own functions.
        ("provenance(\"/recipient\") in [\"untrusted\", \"model\"]", json!(true)),
        ("untrusted_arguments().filter(p, p != '/body')", json!(["/recipient"])),
        ("path('a/./b/../c.tar.gz').parts()", json!(["a", "c.tar.gz"])),
        ("path('a/b') == path('./a//b/')", json!(true)),
        ("path('.Env').under_any_case('.env')", json!(true)),
        ("path('x/.env.local').matches_glob('**/.env*')", json!(true)),
        ("path('X/.ENV').matches_glob_any_case('**/.env*')", json!(true)),
        ("path('a/b.rs').name() + path('a/b.rs').extension()", json!("b.rsrs")),
        ("string(path('./a'))", json!("a")),
        ("has(arguments.url) && url(arguments.url).host_matches('*.example.com')", json!(true)),
        ("url('https://h/').port() == 443 && url('HTTPS://h:1/').scheme() == 'https'", json!(true)),
        ("url('https://h/p?q').path() + url('https://H/').host()", json!("/ph")),
    ];
    for (source, expected) in cases {
        assert_eq!(run(source).as_ref(), Ok(expected), "{source}");
    }
}

#[test]
fn what_cannot_be_evaluated_is_an_error() {
    let cases = [
        ("any.missing", "no field `missing`"),
        ("any.missing == 'x' || false", "no field `missing`"),
        ("any.missing == 'x' && true", "no field `missing`"),
        ("has(any.missing.deep)", "no field `missing`"),
        ("any.text.deep", "expected an object with the field `deep`, found string"),
        ("arguments.paths[7]", "no field `7`"),
        ("arguments.paths[-1]", "no field `-1`"),
        ("1 / (arguments.n - 3)", "a division by zero"),
        ("arguments.x + 1.0 / arguments.x", "a division by zero"),
        ("18446744073709551615 + arguments.n", "the result is outside the 64-bit integers"),
        ("-any.text", "expected a number after `-`, found string"),
        ("any.text + 1", "`+` does not take string and int"),
        ("any.text < 1", "string and int have no order"),
        ("any.text && true", "expected a condition, found string"),
        ("any.list.all(v, v < 2)", "string and int have no order"),
        ("any.list.map(v, v + 1)", "`+` does not take string and int"),
        ("int('x')", "`x` is no 64-bit integer"),
        ("int(1e30)", "the number is outside the 64-bit integers"),
        ("path(any.text + '/../..').under('a')", "path `t/../..` climbs above where it starts"),
        (
            "path(any.text).under('/a')",
            "`t` and `/a` cannot be compared: one is absolute and the other is not",
        ),
        ("url(any.text).host() == 'h'", "`t` is not a plain url: it does not begin with a scheme and `://`"),
        ("provenance(any.text) == 'model'", "`t` is no JSON pointer"),
        ("1 in any.text", "expected a list or an object after `in`, found string"),
        ("'abc'.substring(2, 1)", "a substring that ends before it starts"),
        ("any.missing.?f.orValue(1)", "no field `missing`"),
    ];
    for (source, message) in cases {
        assert_eq!(run(source).map_err(|error| error.to_string()), Err(message.to_owned()), "{source}");
    }
}

#[test]
fn problems_are_found_when_loaded_with_their_place_and_advice() {
    let cases = [
        // Names.
        ("argumnets.n == 1", 1, "unknown variable `argumnets`", "did you mean `arguments`?"),
        ("bananas", 1, "unknown variable `bananas`", "text needs quotes"),
        (
            "arguments.recipent == 'x'",
            11,
            "`arguments` has no field `recipent`",
            "did you mean `arguments.recipient`?",
        ),
        ("has(arguments.zzz)", 15, "`arguments` has no field `zzz`", "its fields are"),
        ("arguments.recipient.foo", 21, "`arguments.recipient` is string and has no field `foo`", ""),
        ("frobnicate(1)", 1, "unknown function `frobnicate`", ""),
        ("'a'.startWith('b')", 5, "unknown method `startWith`", "did you mean `startsWith`?"),
        ("startsWith('a', 'b')", 1, "unknown function `startsWith`", "it is written `x.startsWith(…)`"),
        ("shell('ls')", 1, "`shell` is not built", "not built yet"),
        ("duration('1s') > 1", 1, "`duration` is not built", "numbers of one unit"),
        ("'a'.contains()", 1, "`contains` takes 1 argument, found 0", ""),
        ("'a'.contains(1)", 14, "`contains` takes string, but `1` is int", ""),
        // Absence.
        ("arguments.limit > 5", 1, "`arguments.limit` may be absent", "`has(arguments.limit) && …`"),
        ("arguments.limit > 5", 1, "`arguments.limit` may be absent", "`arguments.?limit.orValue(0)`"),
        ("has(arguments.limit) || arguments.limit > 5", 25, "`arguments.limit` may be absent", ""),
        ("!has(arguments.limit) && arguments.limit > 5", 26, "`arguments.limit` may be absent", ""),
        ("has(arguments.limit) ? 1 : arguments.limit", 28, "`arguments.limit` may be absent", ""),
        ("has(arguments.nested.deep)", 5, "`arguments.nested` may be absent", "has(arguments.nested)"),
        (
            "has(arguments.nested.deep) && arguments.nested.deep == ''",
            5,
            "`arguments.nested` may be absent",
            "",
        ),
        (
            "arguments[\"issue-number\"] == 1",
            1,
            "`arguments[\"issue-number\"]` may be absent",
            "\"issue-number\" in arguments && …",
        ),
        ("has(arguments.open) && arguments.open.x == 1", 24, "`arguments.open.x` may be absent", ""),
        ("arguments.rows.all(r, r.w > 0)", 23, "`r.w` may be absent", "`r.?w.orValue(0.0)`"),
        (
            "has(arguments.limit) && [1].all(arguments, arguments.limit > 1)",
            54,
            "`arguments` is int and has no field `limit`",
            "",
        ),
        ("arguments.?limit > 1", 1, "`arguments.?limit` may hold no value", "orValue"),
        ("arguments.n.orValue(1)", 13, "`arguments.n` is always there: no `orValue`", "`.?`"),
        ("arguments.?limit.orValue('x')", 26, "`arguments.?limit` is int, its default is string", ""),
        // Types.
        (
            "tool.risk == 'extrnal'",
            1,
            "`tool.risk` is one of \"read_only\", \"write\", \"external\", \"destructive\" and never \"extrnal\"",
            "did you mean \"external\"?",
        ),
        ("'read' == tool.risk", 1, "and never \"read\"", ""),
        ("tool.risk in ['write', 'exteral']", 24, "and never \"exteral\"", "did you mean \"external\"?"),
        ("provenance('/recipient') == 'user'", 1, "and never \"user\"", ""),
        ("arguments.n == '3'", 1, "`arguments.n` is int and never \"3\"", "without quotes"),
        ("arguments.recipient == null", 1, "`arguments.recipient` is string and never null", "has("),
        ("arguments.recipient == arguments.n", 1, "they are never equal", ""),
        ("path(arguments.recipient) == 'a'", 1, "is path and never \"a\"", "`path(\"a\")`"),
        (
            "arguments.recipient in arguments.ids",
            1,
            "`arguments.recipient` is string and never in a list of int",
            "",
        ),
        ("1 in arguments", 1, "a key of an object is a string, not int", ""),
        ("'limt' in arguments", 1, "`arguments` has no field `limt`", "did you mean `arguments.limit`?"),
        (
            "'a' in arguments.recipient",
            8,
            "`in` takes list or object, but `arguments.recipient` is string",
            "",
        ),
        ("arguments.n + 'a'", 1, "`+` does not take int and string", "`string(…)`"),
        ("arguments.n + arguments.x", 1, "`+` does not take int and double", "`double(…)`"),
        ("arguments.x % 2", 1, "`%` does not take double and double", ""),
        ("arguments.n < 'a'", 1, "`<` does not take int and string", ""),
        ("!arguments.n", 2, "`!` takes bool, but `arguments.n` is int", ""),
        ("arguments.n && true", 1, "`&&` takes bool, but `arguments.n` is int", ""),
        ("arguments.n[0]", 1, "`arguments.n` is int and takes no index of type int", ""),
        ("arguments.n.all(x, true)", 1, "a macro takes list or object, but `arguments.n` is int", ""),
        (
            "arguments.recipient.under('a')",
            1,
            "`under` takes path, but `arguments.recipient` is string",
            "`path(arguments.recipient)`",
        ),
        // Names with dashes, and operators of other languages.
        (
            "arguments.issue-number > 5",
            1,
            "`arguments.issue-number` is a subtraction",
            "`arguments[\"issue-number\"]`",
        ),
        ("arguments?.limit == 1", 10, "`?.` is no operator", ".?f.orValue"),
        ("has(arguments[\"issue-number\"])", 1, "`has` takes a field", "`\"issue-number\" in arguments`"),
        ("arguments.n = 3", 13, "`=` means nothing here", "`==`"),
        ("true and false", 6, "expected the end or an operator, found `and`", "`&&`"),
        ("true & false", 6, "`&` means nothing here", "`&&`"),
        ("not true", 1, "`not` is no operator", "`!`"),
        ("“a”", 1, "`“` means nothing here", "plain quotes"),
        ("'a", 1, "text that begins with ' and does not end", "single quotes"),
        ("30s > 1", 1, "`30s` is not a number", ""),
        ("", 1, "an empty expression", "`|` block"),
        ("(1", 3, "expected `)`, found the end", "in YAML"),
        // Literal arguments of our functions.
        ("provenance('recipient') == 'model'", 12, "`recipient` is no JSON pointer", "starts with a slash"),
        ("provenance('/recipent') == 'model'", 12, "no argument at `/recipent`", "did you mean `recipient`?"),
        ("path(arguments.recipient).under('../x')", 33, "path `../x` climbs above where it starts", ""),
        ("path(arguments.recipient).matches_glob('[')", 40, "bad pattern:", ""),
        ("path(arguments.recipient).matches_glob(user)", 40, "a pattern is a text in quotes", ""),
        ("url(arguments.recipient).host_matches('a*.b')", 39, "`a*.b` is no host pattern", ""),
        ("arguments.recipient.matches('(')", 29, "bad pattern: unclosed group", ""),
        ("arguments.recipient.matches('(?=a)')", 29, "bad pattern: look-around", ""),
        ("arguments.recipient.matches(user)", 29, "a pattern is a text in quotes", ""),
        // Bounds.
        ("[1].all(a, [1].all(b, [1].all(c, true)))", 23, "macros nested deeper than 2", "multiplies"),
    ];
    for (source, column, message, hint) in cases {
        let found = problem(source);
        assert!(
            found.0 == column && found.1.contains(message) && found.2.contains(hint),
            "{source}\n wanted {column}: {message} ({hint})\n found {found:?}"
        );
    }
}

#[test]
fn every_problem_is_reported_at_once() {
    let errors = compile("arguments.a == 1 && argments.n > 'x' || arguments.limit > 1").unwrap_err();
    let places: Vec<_> = errors.iter().map(|error| error.range.clone()).collect();
    assert_eq!(places, [10..11, 20..28, 40..55]);
}

#[test]
fn a_condition_must_be_a_condition() {
    let declarations = declarations(Functions::Rule);
    let error = Expression::compile("arguments.n", &declarations, &Type::Bool).unwrap_err().remove(0);
    assert_eq!((error.range, error.message.as_str()), (0..11, "expected bool, found int"));
    assert!(Expression::compile("any.f", &declarations, &Type::Bool).is_ok());
    let condition = Expression::compile("any.f", &declarations, &Type::Bool).unwrap();
    assert!(condition.evaluate_bool(&bindings()).is_err());
    let error = Expression::compile("arguments.x * 1000", &declarations, &Type::Int).unwrap_err().remove(0);
    assert_eq!(error.hint.as_deref(), Some("round it: `int(…)`"));
}

#[test]
fn rule_functions_are_for_rules_only() {
    let plain = declarations(Functions::Plain);
    for source in ["provenance('/n') == 'model'", "path('a').name() == 'a'", "untrusted_arguments() == []"] {
        let error = Expression::compile(source, &plain, &Type::Bool).unwrap_err().remove(0);
        assert!(error.message.ends_with("is for policy rules"), "{source}: {error}");
    }
    assert!(Expression::compile("json(arguments) == ''", &plain, &Type::Bool).is_ok());
}

#[test]
fn long_and_deep_sources_are_refused_cheaply() {
    let refused = [
        ("(".repeat(8_000) + "1" + &")".repeat(8_000), "nested deeper"),
        ("(".repeat(80) + "1" + &")".repeat(80), "nested deeper"),
        ("[".repeat(16_000), "nested deeper"),
        ("!".repeat(16_000) + "true", "nested deeper"),
        ("-".repeat(16_000) + "1", "nested deeper"),
        ("true ? (".repeat(2_000), "nested deeper"),
        ("true ? 1 : ".repeat(1_000) + "1", "nested deeper"),
        ("any".to_owned() + &".a".repeat(8_000), "nested deeper"),
        ("any".to_owned() + &"[0]".repeat(5_000), "nested deeper"),
        ("any".to_owned() + &".f()".repeat(4_000), "nested deeper"),
        ("1 + ".repeat(4_000) + "1", "nested deeper"),
        ("a".repeat(17_000), "an expression of 17000 bytes"),
    ];
    for (source, message) in refused {
        let error = compile(&source).unwrap_err().remove(0);
        assert!(error.message.contains(message), "{}…: {error}", &source[..20]);
    }
    // A flat chain is not deep.
    assert_eq!(run(&format!("{}true", "true && ".repeat(2_000))), Ok(json!(true)));
    assert_eq!(
        run(&format!("{}has(arguments.limit)", "has(arguments.limit) && ".repeat(600))),
        Ok(json!(false))
    );
}

#[test]
fn work_is_bounded_in_steps() {
    let many: Vec<Value> = (0..20_000).map(|n| json!(n)).collect();
    let mut bindings = bindings();
    bindings.0[4] = json!({"list": many, "text": "x".repeat(1 << 20)});
    let run = |source: &str| compile(source).unwrap().evaluate(&bindings);
    assert_eq!(run("any.list.all(a, a >= 0)"), Ok(json!(true)));
    let too_much = Err(EvaluationError::Steps(1_000_000));
    assert_eq!(run("any.list.all(a, any.list.all(b, a + b >= 0))"), too_much);
    assert_eq!(run("any.list.all(a, any.text.contains('y') || true)"), too_much);
    assert_eq!(run("any.list.map(a, any.text + 'y') != []"), too_much);
    assert_eq!(run("any.list.exists(a, a in any.list && false)"), too_much);
    assert_eq!(run("any.list.all(a, any.list == any.list)"), too_much);
    // Running out is not an error that `||` forgives.
    assert_eq!(run("any.list.all(a, any.text.endsWith('x') && any.text.contains('x')) || true"), too_much);
}

#[test]
fn fields_that_are_read_are_known() {
    let read = |source: &str| {
        Syntax::parse(source)
            .unwrap()
            .fields_read("arguments")
            .map(|fields| fields.into_iter().map(|(name, range)| (name, range.start)).collect::<Vec<_>>())
    };
    let named = |names: &[(&str, usize)]| {
        Some(names.iter().map(|(n, at)| ((*n).to_owned(), *at)).collect::<Vec<_>>())
    };
    assert_eq!(read("arguments.a.b == arguments.a && has(arguments.c)"), named(&[("a", 10), ("c", 46)]));
    assert_eq!(read("arguments[\"x-y\"] == 1 || \"z\" in arguments"), named(&[("x-y", 10), ("z", 25)]));
    assert_eq!(read("provenance('/to/0') == 'model'"), named(&[("to", 11)]));
    assert_eq!(read("arguments.?a.orValue(1) == 1"), named(&[("a", 11)]));
    assert_eq!(read("arguments[user] == 1"), None);
    assert_eq!(read("json(arguments) == ''"), None);
    assert_eq!(read("[1].all(arguments, arguments == 1)"), named(&[]));
    assert!(Syntax::parse("user == tool.name").unwrap().reads("tool"));
    assert!(!Syntax::parse("user == tool.name").unwrap().reads("name"));
    assert_eq!(compile("arguments.n > 1").unwrap().fields_read("arguments"), Some(vec!["n".to_owned()]));
}

#[test]
fn a_trace_lists_what_was_read() {
    let source = "provenance('/recipient') == 'model' && has(arguments.limit) && arguments.limit > 1 \
                  || arguments[?'issue-number'].orValue(1) > any.missing || arguments.ids.all(i, i > 0) || arguments.n > 1 && arguments.n > 2";
    let pair = |a: &str, b: &str| (a.to_owned(), b.to_owned());
    assert_eq!(
        compile(source).unwrap().trace(&bindings()),
        [
            pair("provenance(\"/recipient\")", "\"model\""),
            pair("arguments.limit", "absent"),
            pair("arguments[\"issue-number\"]", "7"),
            pair("any.missing", "absent"),
            pair("arguments.ids", "[1,2,3]"),
            pair("arguments.n", "3"),
        ]
    );
}

fn template(source: &str, placement: Placement) -> Result<Template, Vec<TemplateError>> {
    Template::compile(source, &declarations(Functions::Plain), placement)
}

#[test]
fn templates_keep_types_where_they_are_alone() {
    let value = |source: &str| template(source, Placement::Value).unwrap().render_value(&bindings()).unwrap();
    assert_eq!(value("{{arguments.n}}"), json!(3));
    assert_eq!(value("{{ arguments.ids[1] }}"), json!(2));
    assert_eq!(value("{{arguments.n + 1}}"), json!(4));
    assert_eq!(value("{{arguments.rows}}"), json!([{"id": "r1", "w": 1}, {"id": "r2"}]));
    // Stored numbers keep their spelling, whatever the schema calls them.
    assert_eq!(value("{{arguments.x}}").to_string(), "0");
    assert_eq!(value("{{any.map}}").to_string(), "{\"b\":1,\"a\":2.0}");
    assert_eq!(value("{{arguments.?big.orValue(0)}}").to_string(), u64::MAX.to_string());
    assert_eq!(value("{{ {\"a\": {\"b\": arguments.n}} }}"), json!({"a": {"b": 3}}));
    assert_eq!(value("n={{arguments.n}}"), json!("n=3"));
    assert_eq!(value("plain"), json!("plain"));
    assert_eq!(value(""), json!(""));
    assert_eq!(value("{{user}}"), json!("ann"));
}

#[test]
fn templates_render_text() {
    let text = |source: &str| template(source, Placement::Text).unwrap().render_text(&bindings()).unwrap();
    assert_eq!(text("--to={{arguments.recipient}}:{{arguments.n}}"), "--to=bo@example.com:3");
    assert_eq!(text("{{json(arguments.ids)}}"), "[1,2,3]");
    assert_eq!(text("{{arguments.x + 2}} {{any.f}}"), "2 0.5");
    assert_eq!(text("{{\"{{\"}}.Names{{'}}'}}"), "{{.Names}}");
    assert_eq!(text("{{ '}}' + \"{{\" }}"), "}}{{");
    assert_eq!(text("{ } é {{user}}"), "{ } é ann");
    assert_eq!(text("{{arguments.?limit.orValue(5)}}"), "5");
}

#[test]
fn one_placeholder_is_one_whatever_the_space_inside() {
    let one = |source: &str| template(source, Placement::Text).unwrap().is_one_placeholder();
    assert!(one("{{user}}"));
    assert!(one("{{ user }}"));
    assert!(!one(" {{user}}"));
    assert!(!one("{{user}}{{user}}"));
    assert!(!one("user"));
    // Its text is the author's, not someone else's.
    assert!(!one("{{\"{{x}}\"}}"));
    assert!(template("{{user}}-{{any.f}}", Placement::Text).unwrap().reads("any"));
}

#[test]
fn problems_of_templates_are_found_when_loaded() {
    let cases = [
        ("a {{user", 2..8, "`{{` without `}}`", "ends"),
        ("a {{user}", 2..9, "`{{` without `}}`", ""),
        ("a {{ 'user}}", 5..12, "text that begins with ' and does not end", ""),
        ("a }} b", 2..4, "`}}` without `{{`", "{{\"}}\"}}"),
        ("{{user}}}}", 8..10, "`}}` without `{{`", ""),
        ("{{}}", 2..2, "an empty expression", ""),
        ("x{{ usr }}", 4..7, "unknown variable `usr`", "did you mean `user`?"),
        (
            "é{{arguments.ids}}",
            4..17,
            "`arguments.ids` is list of int and cannot stand inside text",
            "`json(arguments.ids)`",
        ),
        (
            "{{arguments.limit}}",
            2..17,
            "`arguments.limit` may be absent",
            "{when: has(arguments.limit), args: […]}",
        ),
        ("{{arguments.?limit}}", 2..18, "may hold no value", "orValue"),
        ("{{user user}}", 7..11, "expected the end or an operator, found `user`", ""),
        ("a\0", 0..2, "a NUL character", ""),
    ];
    for (source, range, message, hint) in cases {
        let error = template(source, Placement::Text).unwrap_err().remove(0);
        let hinted = error.hint.unwrap_or_default();
        assert!(
            error.range == range
                && error.message.contains(message)
                && (hint == "ends" || hinted.contains(hint)),
            "{source}: {:?} {} ({hinted})",
            error.range,
            error.message
        );
    }
    assert_eq!(template("{{a}} {{b}}", Placement::Text).unwrap_err().len(), 2);
}

#[test]
fn what_cannot_stand_inside_text_is_an_error_when_rendered() {
    let mut bindings = bindings();
    bindings.0[3] = json!("a\0b");
    let text = |source: &str, placement| template(source, placement).unwrap().render_text(&bindings);
    assert!(text("x{{any.list}}", Placement::Value).unwrap_err().to_string().contains("`json(any.list)`"));
    assert!(text("{{task.data.chosen}}", Placement::Text).unwrap_err().to_string().contains("is null"));
    assert!(text("{{user}}", Placement::Text).unwrap_err().to_string().contains("NUL"));
    assert_eq!(text("{{user}}", Placement::Value).as_deref(), Ok("a\0b"));
    bindings.0[3] = json!("x".repeat(9 << 20));
    let long = template("{{user}}{{user}}", Placement::Text).unwrap().render_text(&bindings);
    assert!(long.unwrap_err().to_string().contains("more than"));
}

#[test]
fn shared_between_threads() {
    fn shareable<T: Send + Sync + Clone>() {}
    shareable::<Expression>();
    shareable::<Syntax>();
    shareable::<Template>();
}

/// Expressions over the test's variables, mostly well-typed.
fn expressions() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        Just("arguments.n".to_owned()),
        Just("arguments.x".to_owned()),
        Just("arguments.recipient".to_owned()),
        Just("arguments.ids".to_owned()),
        Just("any".to_owned()),
        Just("any.list".to_owned()),
        Just("any.f".to_owned()),
        Just("arguments.?limit.orValue(1)".to_owned()),
        any::<i64>().prop_map(|n| n.to_string()),
        any::<u64>().prop_map(|n| n.to_string()),
        any::<f64>().prop_filter("finite", |d| d.is_finite()).prop_map(|d| format!("{d:e}")),
        "[a-z/.*]{0,6}".prop_map(|text| format!("'{text}'")),
        Just("true".to_owned()),
        Just("null".to_owned()),
        Just("[]".to_owned()),
    ];
    leaf.prop_recursive(4, 24, 3, |inner| {
        prop_oneof![
            (
                inner.clone(),
                prop::sample::select(vec!["+", "-", "*", "/", "%", "==", "!=", "<", ">=", "in", "&&", "||"]),
                inner.clone()
            )
                .prop_map(|(a, op, b)| format!("({a} {op} {b})")),
            (inner.clone(), inner.clone(), inner.clone()).prop_map(|(a, b, c)| format!("({a} ? {b} : {c})")),
            inner.clone().prop_map(|a| format!("!({a})")),
            inner.clone().prop_map(|a| format!("-({a})")),
            (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("[{a}, {b}]")),
            (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("({a})[{b}]")),
            (
                inner.clone(),
                inner.clone(),
                prop::sample::select(vec!["all", "exists", "exists_one", "map", "filter"])
            )
                .prop_map(|(a, b, m)| format!("({a}).{m}(v, {b})")),
            (
                inner.clone(),
                prop::sample::select(vec![
                    "size",
                    "string",
                    "int",
                    "double",
                    "bool",
                    "json",
                    "path",
                    "url",
                    "provenance"
                ])
            )
                .prop_map(|(a, f)| format!("{f}({a})")),
            (
                inner.clone(),
                inner,
                prop::sample::select(vec!["contains", "startsWith", "split", "join", "under", "substring"])
            )
                .prop_map(|(a, b, f)| format!("({a}).{f}({b})")),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn compiling_arbitrary_text_never_panics(source in "\\PC{0,60}") {
        let _ = compile(&source);
    }

    #[test]
    fn compiling_text_made_of_tokens_never_panics(
        words in prop::collection::vec(prop::sample::select(vec![
            "arguments", ".", "?", "[", "]", "(", ")", "{", "}", "'a'", "\"", "r'", "1", "0x", "1e", "u", ":", ",", "&&", "||",
            "!", "-", "in", "has", "all", "x", "é", "\n", "//", "`", "'''", "==", "<", "%", " ", "\\", "true", "orValue",
        ]), 0..40)
    ) {
        let source = words.concat();
        if let Err(errors) = compile(&source) {
            for error in errors {
                prop_assert!(source.get(error.range.clone()).is_some(), "{error:?} in {source}");
            }
        }
    }

    #[test]
    fn evaluating_never_panics_and_boolean_types_hold(source in expressions()) {
        if let Ok(expression) = compile(&source) {
            let bindings = bindings();
            let result = expression.evaluate(&bindings);
            if let (Type::Bool, Ok(value)) = (expression.value_type(), &result) {
                prop_assert!(value.is_boolean(), "{source} gave {value}");
            }
            let _ = expression.trace(&bindings);
        }
    }

    #[test]
    fn integers_are_exact_or_refused(a in any::<i64>(), b in any::<i64>()) {
        let exact = |value: Option<i128>| value.filter(|v| (i128::from(i64::MIN)..=i128::from(u64::MAX)).contains(v));
        let (wide_a, wide_b) = (i128::from(a), i128::from(b));
        let cases = [
            ("+", Some(wide_a + wide_b)),
            ("-", Some(wide_a - wide_b)),
            ("*", Some(wide_a * wide_b)),
            ("/", wide_a.checked_div(wide_b)),
            ("%", wide_a.checked_rem(wide_b)),
        ];
        for (operator, value) in cases {
            let found = run(&format!("({a}) {operator} ({b})")).ok().map(|value| value.to_string());
            prop_assert_eq!(found, exact(value).map(|value| value.to_string()));
        }
    }

    #[test]
    fn templates_never_panic(source in "[{}a-z\"'. ]{0,40}") {
        let _ = Template::compile(&source, &declarations(Functions::Plain), Placement::Text);
    }
}

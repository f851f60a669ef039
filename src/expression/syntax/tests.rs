//! The parser against the `cel` crate's: the same trees for the same texts.

use cel::common::ast::{EntryExpr, Expr as CelExpr, IdedExpr, LiteralValue, operators};
use proptest::prelude::*;

use super::*;

/// Our tree in one notation.
fn ours(expr: &Expr) -> String {
    let all = |parts: &[Expr]| parts.iter().map(ours).collect::<Vec<_>>().join(" ");
    match &expr.kind {
        Kind::Literal(Literal::Null) => "null".to_owned(),
        Kind::Literal(Literal::Bool(value)) => value.to_string(),
        Kind::Literal(Literal::Integer(value)) => value.to_string(),
        Kind::Literal(Literal::Decimal(value)) => format!("{value:?}"),
        Kind::Literal(Literal::Text(text)) => format!("{text:?}"),
        Kind::Identifier(name) => name.clone(),
        Kind::Select { base, field, optional: false, .. } => format!("(. {} {field})", ours(base)),
        Kind::Select { base, field, optional: true, .. } => format!("(.? {} {field:?})", ours(base)),
        Kind::Has { base, field, .. } => format!("(has {} {field})", ours(base)),
        Kind::Index { base, index, optional: false } => format!("([] {} {})", ours(base), ours(index)),
        Kind::Index { base, index, optional: true } => format!("([?] {} {})", ours(base), ours(index)),
        Kind::Call { target: Some(target), name, arguments, .. } => {
            format!("({} .{name} {})", ours(target), all(arguments))
        }
        Kind::Call { target: None, name, arguments, .. } => format!("({name} {})", all(arguments)),
        Kind::Unary { operator: UnaryOperator::Not, operand } => format!("(! {})", ours(operand)),
        Kind::Unary { operator: UnaryOperator::Negate, operand } => format!("(neg {})", ours(operand)),
        Kind::Binary { operator, operands, .. } => format!("({} {})", operator.as_str(), all(&**operands)),
        Kind::Logical { operator, terms } => {
            format!("({} {})", if *operator == Logical::And { "&&" } else { "||" }, all(terms))
        }
        Kind::Conditional(parts) => format!("(? {})", all(&**parts)),
        Kind::List(items) => format!("(list {})", all(items)),
        Kind::Map(entries) => {
            let entries: Vec<String> =
                entries.iter().map(|(key, value)| format!("{} {}", ours(key), ours(value))).collect();
            format!("(map {})", entries.join(" "))
        }
        Kind::Macro { kind, range, variable, filter, body } => {
            let filter = filter.as_deref().map(ours).unwrap_or_default();
            // The `filter` macro is a `map` of the variable itself, in the other parser's tree.
            match kind {
                Macro::Filter => {
                    format!("(Map {} {variable} {} {variable})", ours(range), ours(body))
                }
                Macro::Map => format!("(Map {} {variable} {filter} {})", ours(range), ours(body)),
                _ => format!("({kind:?} {} {variable} {})", ours(range), ours(body)),
            }
        }
    }
}

/// The other parser's tree in the same notation.
fn theirs(expr: &IdedExpr) -> String {
    let all = |parts: &[IdedExpr]| parts.iter().map(theirs).collect::<Vec<_>>().join(" ");
    match &expr.expr {
        CelExpr::Literal(LiteralValue::Null) => "null".to_owned(),
        CelExpr::Literal(LiteralValue::Boolean(value)) => value.inner().to_string(),
        CelExpr::Literal(LiteralValue::Int(value)) => value.inner().to_string(),
        CelExpr::Literal(LiteralValue::UInt(value)) => value.inner().to_string(),
        CelExpr::Literal(LiteralValue::Double(value)) => format!("{:?}", value.inner()),
        CelExpr::Literal(LiteralValue::String(text)) => format!("{:?}", text.inner()),
        CelExpr::Ident(name) => name.clone(),
        CelExpr::Select(select) if select.test => {
            format!("(has {} {})", theirs(&select.operand), select.field)
        }
        CelExpr::Select(select) => format!("(. {} {})", theirs(&select.operand), select.field),
        CelExpr::List(list) => format!("(list {})", all(&list.elements)),
        CelExpr::Map(map) => {
            let entries: Vec<String> = map
                .entries
                .iter()
                .map(|entry| match &entry.expr {
                    EntryExpr::MapEntry(entry) => format!("{} {}", theirs(&entry.key), theirs(&entry.value)),
                    EntryExpr::StructField(_) => "?".to_owned(),
                })
                .collect();
            format!("(map {})", entries.join(" "))
        }
        CelExpr::Call(call) => match (call.func_name.as_str(), &call.target) {
            (operators::LOGICAL_AND | operators::LOGICAL_OR, _) => {
                let mut terms = Vec::new();
                flatten(expr, &call.func_name, &mut terms);
                format!("({} {})", call.func_name.trim_matches('_'), terms.join(" "))
            }
            (operators::LOGICAL_NOT, _) => format!("(! {})", all(&call.args)),
            (operators::NEGATE, _) => format!("(neg {})", all(&call.args)),
            (operators::CONDITIONAL, _) => format!("(? {})", all(&call.args)),
            (operators::INDEX, _) => format!("([] {})", all(&call.args)),
            (operators::OPT_INDEX, _) => format!("([?] {})", all(&call.args)),
            (operators::OPT_SELECT, _) => format!("(.? {})", all(&call.args)),
            (operators::IN, _) => format!("(in {})", all(&call.args)),
            (name, None) => format!("({} {})", name.trim_matches('_'), all(&call.args)),
            (name, Some(target)) => format!("({} .{name} {})", theirs(target), all(&call.args)),
        },
        CelExpr::Comprehension(comprehension) => {
            let arguments = |expr: &IdedExpr| match &expr.expr {
                CelExpr::Call(call) => (call.func_name.clone(), call.args.clone()),
                _ => (String::new(), Vec::new()),
            };
            let (range, variable) = (theirs(&comprehension.iter_range), &comprehension.iter_var);
            let (name, step) = arguments(&comprehension.loop_step);
            let made = |step: &IdedExpr| match &arguments(step).1[1].expr {
                CelExpr::List(list) => theirs(&list.elements[0]),
                _ => "?".to_owned(),
            };
            match (name.as_str(), &comprehension.accu_init.expr) {
                (operators::LOGICAL_AND, _) => format!("(All {range} {variable} {})", theirs(&step[1])),
                (operators::LOGICAL_OR, _) => format!("(Exists {range} {variable} {})", theirs(&step[1])),
                (operators::CONDITIONAL, CelExpr::Literal(_)) => {
                    format!("(ExistsOne {range} {variable} {})", theirs(&step[0]))
                }
                (operators::CONDITIONAL, _) => {
                    format!("(Map {range} {variable} {} {})", theirs(&step[0]), made(&step[1]))
                }
                _ => format!("(Map {range} {variable}  {})", made(&comprehension.loop_step)),
            }
        }
        other => format!("{other:?}"),
    }
}

fn flatten(expr: &IdedExpr, name: &str, terms: &mut Vec<String>) {
    match &expr.expr {
        CelExpr::Call(call) if call.func_name == name => {
            call.args.iter().for_each(|arg| flatten(arg, name, terms))
        }
        _ => terms.push(theirs(expr)),
    }
}

fn parse_theirs(source: &str) -> Option<String> {
    let parser = cel::parser::Parser::new().enable_optional_syntax(true).enable_ident_escape_syntax(true);
    parser.parse(source).ok().map(|expr| theirs(&expr))
}

fn parse_ours(source: &str) -> Option<String> {
    Syntax::parse(source).ok().map(|syntax| ours(syntax.root()))
}

#[test]
fn trees_are_those_of_the_other_parser() {
    for source in [
        "a.b.c[0]['x'] == 1 && !b || c in [1, 2u, -3, 0x1f, -0x10]",
        "a ? b : c ? d : e",
        "a ? b || c : (d ? e : f)",
        "a || b && c || d && (e && f)",
        "(a || b) || c",
        "1 + 2 * 3 - 4 / 5 % 6 < 7 == true",
        "a < b < c",
        "-a.b + -(1) - -2 - 1.5e3 + .5 + 1e-3",
        "!a.b(c)",
        "f(x, g(y), []).h().i",
        "{'a': 1, 'b': {'c': [1, 2,],},}",
        "has(a.b.c) && a.?b.?c.orValue('') == a[?0].d",
        "l.all(x, x.exists(y, y > 0)) || l.exists_one(x, x) || l.map(x, x + 1) == l.filter(x, x) || l.map(x, x > 1, x) == []",
        r#"'a\n\t\\\'\x41\u00e9\U0001F600\101' + "\"" + r'\n' + '''a'b''' + """a"b\n""" + R"\d""#,
        "a // comment\n && b",
        "a.`b-c`",
        " \t\n a\r\n",
        "9223372036854775807 == -9223372036854775808 || 18446744073709551615u",
    ] {
        let expected = parse_theirs(source);
        assert!(expected.is_some(), "{source}");
        assert_eq!(parse_ours(source), expected, "{source}");
    }
}

#[test]
fn what_the_other_parser_refuses_is_refused() {
    for source in [
        "",
        " ",
        "a b",
        "a.",
        ".a.",
        "a..b",
        "a[",
        "a[]",
        "a(",
        "a(,)",
        "[1 2]",
        "{a}",
        "{'a':}",
        "a ?",
        "a ? b",
        "1.",
        "1e",
        "0x",
        "'a",
        "'a\nb'",
        "'\\q'",
        "'\\x4'",
        "'\\u12'",
        "'\\400'",
        "\"\"\"a\"\"",
        "a &&",
        "&& a",
        "a & b",
        "a = b",
        "a === b",
        "in",
        "if",
        "a.b-",
        "1a",
        "has(a)",
        "l.all(1, x)",
        "l.all(x.y, x)",
        "a[1",
        "(a",
        "a)",
        "9223372036854775808999",
        "`a`",
        "@a",
        "#",
        "a.1",
        "a.?1",
        "{'a' 1}",
        "'\\uD800'",
    ] {
        assert_eq!(parse_theirs(source), None, "{source}");
        assert_eq!(parse_ours(source), None, "{source}");
    }
}

#[test]
fn ranges_cover_what_was_written() {
    let syntax = Syntax::parse(" (a + b).c[ 'é' ].d(x) == 1 ").unwrap();
    let mut ranges = Vec::new();
    let mut pending = vec![syntax.root()];
    while let Some(expr) = pending.pop() {
        ranges.push(&syntax.source()[expr.range.clone()]);
        pending.extend(expr.children());
    }
    assert_eq!(
        ranges,
        [
            "(a + b).c[ 'é' ].d(x) == 1",
            "1",
            "(a + b).c[ 'é' ].d(x)",
            "x",
            "(a + b).c[ 'é' ]",
            "'é'",
            "(a + b).c",
            "a + b",
            "b",
            "a"
        ]
    );
}

fn sources() -> impl Strategy<Value = String> {
    let leaf = prop::sample::select(vec![
        "a", "bb", "1", "2.5", "'t'", "true", "null", "0x1F", "r'\\'", "[]", "{}", "7u",
    ])
    .prop_map(str::to_owned);
    leaf.prop_recursive(5, 40, 3, |inner| {
        let operators = prop::sample::select(vec![
            "+", "-", "*", "/", "%", "==", "!=", "<", "<=", ">", ">=", " in ", "&&", "||",
        ]);
        prop_oneof![
            (inner.clone(), operators, inner.clone()).prop_map(|(a, op, b)| format!("{a} {op} {b}")),
            inner.clone().prop_map(|a| format!("({a})")),
            inner.clone().prop_map(|a| format!("!({a})")),
            inner.clone().prop_map(|a| format!("-({a})")),
            (inner.clone(), inner.clone(), inner.clone()).prop_map(|(a, b, c)| format!("{a} ? {b} : {c}")),
            inner.clone().prop_map(|a| format!("({a}).f")),
            inner.clone().prop_map(|a| format!("({a}).?f")),
            (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("({a})[{b}]")),
            (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("({a}).m({b}, {b})")),
            (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("({a}).filter(x, {b})")),
            (inner.clone(), inner).prop_map(|(a, b)| format!("[{a}, {b}]")),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    #[test]
    fn generated_texts_give_the_same_tree(source in sources()) {
        prop_assert_eq!(parse_ours(&source), parse_theirs(&source), "{}", source);
    }
}

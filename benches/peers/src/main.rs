//! The policy of `benches/decision.rs` in the languages of others, decided by their engines.
//!
//! Only deciding is timed: no line is parsed, nothing is validated against a schema, no answer is written. So the figures are
//! lower bounds of what the same work would take with these engines.

use std::fmt::Write as _;
use std::hint::black_box;
use std::time::Instant;

use serde_json::{Value, json};

/// Rules in all, and how many of them concern the tool.
const CASES: [(usize, usize); 3] = [(20, 3), (20, 20), (2_000, 3)];

/// One rule: whether it allows, the tool, and the bound on the amount.
struct Rule {
    allows: bool,
    tool: String,
    bound: usize,
}

fn rules(count: usize, concerned: usize) -> Vec<Rule> {
    let rule = |number: usize| {
        if number + 1 == concerned {
            Rule { allows: true, tool: "transfer_050".to_owned(), bound: 1_000_000 }
        } else if number < concerned {
            Rule { allows: false, tool: "transfer_050".to_owned(), bound: 500_000 + number }
        } else {
            let other = (number - concerned) % 99;
            let other = if other < 50 { other } else { other + 1 };
            Rule { allows: false, tool: format!("transfer_{other:03}"), bound: 500_000 + number }
        }
    };
    (0..count).map(rule).collect()
}

fn arguments() -> Value {
    json!({
        "tool": "transfer_050", "account": "acct-7", "amount": 12550, "currency": "EUR",
        "memo": "invoice 7 of the second quarter", "priority": "normal", "dry_run": false
    })
}

fn main() {
    println!("{:<44} {:>6} {:>10} {:>12} {:>12}", "engine", "rules", "concerned", "median ns", "95 % ns");
    for (count, concerned) in CASES {
        let rules = rules(count, concerned);
        cedar(&rules, concerned);
        regorus(&rules, concerned);
        // One expression cannot hold thousands of terms.
        if count < 100 {
            cel(&rules, concerned);
        }
    }
}

fn time(engine: &str, rules: &[Rule], concerned: usize, mut decide: impl FnMut() -> bool) {
    assert!(decide(), "{engine} decides otherwise");
    let began = Instant::now();
    (0..20).for_each(|_| drop(black_box(decide())));
    let each = began.elapsed().as_nanos() / 20;
    let batch = usize::try_from((2_000_000 / each.max(1)).clamp(1, 2_000)).unwrap_or(1);
    let mut samples: Vec<f64> = (0..101)
        .map(|_| {
            let began = Instant::now();
            (0..batch).for_each(|_| drop(black_box(decide())));
            began.elapsed().as_nanos() as f64 / batch as f64
        })
        .collect();
    samples.sort_by(f64::total_cmp);
    println!("{engine:<44} {:>6} {concerned:>10} {:>12.0} {:>12.0}", rules.len(), samples[50], samples[95]);
}

fn cedar(rules: &[Rule], concerned: usize) {
    use cedar_policy::{Authorizer, Context, Decision, Entities, PolicySet, Request};
    let mut text = String::new();
    for Rule { allows, tool, bound } in rules {
        let (effect, when) = if *allows {
            ("permit", format!(r#"context.currency == "EUR" && context.amount <= {bound}"#))
        } else {
            ("forbid", format!(r#"context.amount > {bound} && context.priority == "high""#))
        };
        let _ =
            writeln!(text, r#"{effect} (principal, action, resource == Tool::"{tool}") when {{ {when} }};"#);
    }
    let policies: PolicySet = text.parse().expect("the policies are Cedar");
    let (authorizer, entities) = (Authorizer::new(), Entities::empty());
    let request = || {
        let context = Context::from_json_value(arguments(), None).expect("a context");
        let [principal, action, resource] =
            [r#"Agent::"default""#, r#"Action::"call""#, r#"Tool::"transfer_050""#]
                .map(|uid| uid.parse().expect("a uid"));
        Request::new(principal, action, resource, context, None).expect("a request")
    };
    let made = request();
    let decide = |request: &Request| {
        authorizer.is_authorized(request, &policies, &entities).decision() == Decision::Allow
    };
    time("cedar-policy, request made before", rules, concerned, || decide(&made));
    time("cedar-policy, request made each time", rules, concerned, || decide(&request()));
}

fn regorus(rules: &[Rule], concerned: usize) {
    let mut text =
        "package tgw\nimport rego.v1\ndefault allow := false\nallow if { permit; not deny }\n".to_owned();
    for Rule { allows, tool, bound } in rules {
        let _ = if *allows {
            writeln!(
                text,
                r#"permit if {{ input.tool == "{tool}"; input.currency == "EUR"; input.amount <= {bound} }}"#
            )
        } else {
            writeln!(
                text,
                r#"deny if {{ input.tool == "{tool}"; input.amount > {bound}; input.priority == "high" }}"#
            )
        };
    }
    let mut engine = regorus::Engine::new();
    engine.add_policy("policy.rego".to_owned(), text).expect("the policy is Rego");
    let input = regorus::Value::from_json_str(&arguments().to_string()).expect("an input");
    time("regorus, input made before", rules, concerned, || {
        engine.set_input(input.clone());
        engine.eval_rule("data.tgw.allow".to_owned()).expect("a decision") == regorus::Value::from(true)
    });
}

fn cel(rules: &[Rule], concerned: usize) {
    let terms = |allows: bool| {
        let terms = rules.iter().filter(|rule| rule.allows == allows).map(|Rule { tool, bound, .. }| {
            if allows {
                format!(r#"(tool == "{tool}" && currency == "EUR" && amount <= {bound})"#)
            } else {
                format!(r#"(tool == "{tool}" && amount > {bound} && priority == "high")"#)
            }
        });
        terms.collect::<Vec<_>>().join(" || ")
    };
    let text = format!("({}) && !({})", terms(true), terms(false));
    let program = cel::Program::compile(&text).expect("the policy is CEL");
    time("cel, one expression, context made each time", rules, concerned, || {
        let mut context = cel::Context::default();
        for (name, value) in [("tool", "transfer_050"), ("currency", "EUR"), ("priority", "normal")] {
            context.add_variable_from_value(name, value);
        }
        context.add_variable_from_value("amount", 12_550_i64);
        program.execute(&context).expect("a decision") == cel::Value::Bool(true)
    });
}

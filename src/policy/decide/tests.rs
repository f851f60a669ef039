use serde_json::{Value, json};

use super::*;
use crate::catalog::{Catalog, NetworkRule, SandboxLevel};
use crate::policy::explain::explain_arguments;
use crate::policy::testing::{Caller, FAILS, TOOLS, catalog, load_files, policy};
use crate::policy::{PolicyFile, RuleVerdict};

fn read(path: &str) -> Value {
    json!({ "path": path, "limit": 100 })
}

/// What a policy of these rules says about reading `a.rs`.
fn verdict_of(rules: &str) -> Verdict {
    let catalog = catalog(TOOLS);
    let policy = policy(&catalog, &[&format!("version: 1\nrules: [{rules}]\n")]);
    Caller::default().decide(&catalog, &policy, "read_file", &read("a.rs")).verdict
}

#[test]
fn the_strictest_verdict_wins_whatever_the_order() {
    let (allow, ask, deny) =
        ("{id: a, verdict: allow}", "{id: q, verdict: require_approval}", "{id: d, verdict: deny}");
    let cases = [
        (vec![allow], Verdict::Allow),
        (vec![allow, ask], Verdict::RequireApproval),
        (vec![ask, allow], Verdict::RequireApproval),
        (vec![deny, ask, allow], Verdict::Deny),
        (vec![allow, ask, deny], Verdict::Deny),
        (vec![allow, deny], Verdict::Deny),
        (vec![], Verdict::Deny),
    ];
    for (rules, expected) in cases {
        assert_eq!(verdict_of(&rules.join(", ")), expected, "{rules:?}");
    }
}

#[test]
fn a_rule_counts_where_its_when_is_true_and_its_unless_is_not() {
    let cases = [
        ("", Verdict::Allow),
        ("when: 'true'", Verdict::Allow),
        ("when: 'false'", Verdict::Deny),
        ("unless: 'true'", Verdict::Deny),
        ("unless: 'false'", Verdict::Allow),
        ("when: 'true', unless: 'true'", Verdict::Deny),
        ("when: 'arguments.path == \"a.rs\"', unless: 'arguments.limit > 100'", Verdict::Allow),
    ];
    for (clauses, expected) in cases {
        let clauses = if clauses.is_empty() { String::new() } else { format!(", {clauses}") };
        assert_eq!(verdict_of(&format!("{{id: r, verdict: allow{clauses}}}")), expected, "{clauses}");
    }
}

#[test]
fn a_condition_that_cannot_be_evaluated_counts_against_the_call() {
    let cases = [
        ("{id: r, verdict: allow, when: 'FAILS'}", Verdict::Deny),
        ("{id: r, verdict: allow, unless: 'FAILS'}", Verdict::Deny),
        ("{id: r, verdict: allow}, {id: d, verdict: deny, when: 'FAILS'}", Verdict::Deny),
        ("{id: r, verdict: allow}, {id: d, verdict: deny, unless: 'FAILS'}", Verdict::Deny),
        (
            "{id: r, verdict: allow}, {id: q, verdict: require_approval, when: 'FAILS'}",
            Verdict::RequireApproval,
        ),
        ("{id: r, verdict: allow}, {id: d, verdict: deny, when: 'FAILS', unless: 'true'}", Verdict::Allow),
        ("{id: r, verdict: allow}, {id: d, verdict: deny, when: 'false', unless: 'FAILS'}", Verdict::Allow),
    ];
    for (rules, expected) in cases {
        assert_eq!(verdict_of(&rules.replace("FAILS", FAILS)), expected, "{rules}");
    }
}

#[test]
fn every_file_decides_and_the_strictest_wins() {
    let catalog = catalog(TOOLS);
    let allow = "version: 1\nrules: [{id: a, verdict: allow}]\n";
    let silent = "version: 1\n";
    let restricting = "version: 1\ndefault_verdict: allow\nrules: [{id: d, verdict: deny, when: 'arguments.path == \"b.rs\"'}]\n";
    let asking = "version: 1\ndefault_verdict: require_approval\n";
    let cases: [(&[&str], &str, Verdict); 7] = [
        (&[allow], "a.rs", Verdict::Allow),
        (&[allow, silent], "a.rs", Verdict::Deny),
        (&[silent, allow], "a.rs", Verdict::Deny),
        (&[allow, restricting], "a.rs", Verdict::Allow),
        (&[allow, restricting], "b.rs", Verdict::Deny),
        (&[allow, asking], "a.rs", Verdict::RequireApproval),
        (&[], "a.rs", Verdict::Deny),
    ];
    for (files, path, expected) in cases {
        let policy = policy(&catalog, files);
        let decision = Caller::default().decide(&catalog, &policy, "read_file", &read(path));
        assert_eq!(decision.verdict, expected, "{files:?} on {path}");
    }
}

#[test]
fn a_decision_names_what_it_rests_on_and_nothing_else() {
    let catalog = catalog(TOOLS);
    let text = "version: 1\nrules:\n  - {id: a, verdict: allow}\n  - {id: d, verdict: deny, reason: not this one}\n  - {id: e, verdict: deny, when: 'FAILS'}\n";
    let policy = policy(&catalog, &[&text.replace("FAILS", FAILS), "version: 1\n"]);
    let decision = Caller::default().decide(&catalog, &policy, "read_file", &read("a"));
    let ids: Vec<&str> = decision.determined_by.iter().map(|outcome| outcome.id().as_str()).collect();
    assert_eq!(ids, ["d", "e"]);
    assert_eq!(decision.determined_by[0].location().to_string(), "0.yaml:4:10");
    assert_eq!(decision.determined_by[0].error(), None);
    assert!(decision.determined_by[1].error().unwrap().starts_with("`when` cannot be evaluated: "));
    let expected = DefaultVerdict { file: Arc::from("1.yaml"), verdict: Verdict::Deny };
    assert_eq!(decision.defaults, [expected]);
    assert_eq!(
        decision.reason(),
        "rule `d`: not this one; rule `e` (its condition could not be evaluated, which counts against the call)"
    );
    assert_eq!(decision.approval(), None);
    let shown = serde_json::to_value(&decision.determined_by[0]).unwrap();
    let location = json!({"file": "0.yaml", "line": 4, "column": 10});
    assert_eq!(shown, json!({"id": "d", "verdict": "deny", "location": location, "reason": "not this one"}));
}

#[test]
fn terms_of_several_askers_are_joined_strictly() {
    let catalog = catalog(TOOLS);
    let text = "
version: 1
approvers: {finance: {members: [ann]}, legal: {members: [bo]}}
rules:
  - {id: a, verdict: require_approval, tools: [send_mail], approval: {by: [finance], expires: 2h, remember: [[/recipient], [/copies, /recipient], [/copies]]}}
  - {id: b, verdict: require_approval, tools: [send_mail], approval: {by: [legal, finance], count: 1, not_requester: true, expires: 1h, remember: [[/recipient, /copies], [/recipient]]}}
";
    let policy = policy(&catalog, &[text]);
    let decision = Caller::default().decide(&catalog, &policy, "send_mail", &json!({"recipient": "x"}));
    let demand = decision.approval().unwrap();
    assert_eq!(demand.rules.iter().map(|id| id.as_str()).collect::<Vec<_>>(), ["a", "b"]);
    assert_eq!(demand.expires, Some(std::time::Duration::from_secs(3_600)));
    assert_eq!(demand.remember, [vec!["/recipient"], vec!["/copies", "/recipient"]]);
    let quorums: Vec<(&str, Vec<&str>, u32, bool)> = demand
        .quorums
        .iter()
        .map(|quorum| {
            let members = quorum.members.iter().map(|name| name.as_str()).collect();
            (quorum.rule.as_str(), members, quorum.count, quorum.not_requester)
        })
        .collect();
    assert_eq!(quorums, [("a", vec!["ann"], 1, false), ("b", vec!["ann", "bo"], 1, true)]);
}

#[test]
fn nothing_is_remembered_that_one_asker_does_not_offer() {
    let catalog = catalog(TOOLS);
    let offer = "version: 1\nrules: [{id: a, verdict: require_approval, risks: [write], approval: {remember: [[/path], [/from, /to]]}}]\n";
    let remembered = |files: &[&str], tool: &str, arguments: &Value| {
        let policy = policy(&catalog, files);
        Caller::default().decide(&catalog, &policy, tool, arguments).approval().unwrap().remember
    };
    let (write, moved) = (json!({"path": "a", "content": ""}), json!({"from": "a", "to": "b"}));
    // A tool is offered only what it declares.
    assert_eq!(remembered(&[offer], "write_file", &write), [vec!["/path"]]);
    assert_eq!(remembered(&[offer], "move_path", &moved), [vec!["/from", "/to"]]);
    assert_eq!(remembered(&[offer], "run_tests", &json!({})), [[""; 0]; 0]);
    let plain = "version: 1\nrules: [{id: b, verdict: require_approval, risks: [write]}]\n";
    let twice =
        "version: 1\nrules: [{id: c, verdict: require_approval, risks: [write], approval: {count: 2}}]\n";
    let asking = "version: 1\ndefault_verdict: require_approval\n";
    for other in [plain, twice, asking] {
        assert_eq!(remembered(&[offer, other], "write_file", &write), [[""; 0]; 0], "{other}");
    }
}

#[test]
fn the_environment_is_joined_from_every_matching_rule() {
    let catalog = catalog(TOOLS);
    let text = "
version: 1
rules:
  - {id: a, verdict: allow, environment: {sandbox: confined}}
  - {id: b, verdict: require_approval, environment: {network: none}}
  - {id: c, verdict: require_approval, environment: {sandbox: isolated}, when: 'false'}
";
    let policy = policy(&catalog, &[text]);
    let decision = Caller::default().decide(&catalog, &policy, "read_file", &read("a"));
    let expected = Environment { sandbox: Some(SandboxLevel::Confined), network: Some(NetworkRule::None) };
    assert_eq!(decision.environment, expected);
}

#[test]
fn selectors_leave_out_other_tools_callers_and_steps() {
    let catalog = catalog(TOOLS);
    let steps = "version: 1\ndefault_verdict: allow\nsteps: {draft: {}, send: {}}\nrules: ";
    let cases = [
        ("tools: [read_file]", true),
        ("tools: ['read*', send_mail]", true),
        ("tools: [write_file]", false),
        ("risks: [read_only]", true),
        ("risks: [write, external]", false),
        ("agents: [default]", true),
        ("agents: ['def*']", true),
        ("agents: [other]", false),
        ("agents: [defaul]", false),
        ("users: [ann, bo]", true),
        ("users: [an]", false),
        ("tenants: [local]", true),
        ("tenants: ['other*']", false),
        ("steps: [draft]", true),
        ("steps: [send]", false),
        ("tools: [read_file], steps: [send]", false),
    ];
    let caller = Caller { step: Some(crate::ident::StepName::parse("draft").unwrap()), ..Caller::default() };
    for (selectors, selected) in cases {
        let policy = policy(&catalog, &[&format!("{steps}[{{id: d, verdict: deny, {selectors}}}]")]);
        let verdict = caller.decide(&catalog, &policy, "read_file", &read("a")).verdict;
        assert_eq!(verdict == Verdict::Deny, selected, "{selectors}");
    }
    let policy = policy(&catalog, &[&format!("{steps}[{{id: d, verdict: deny, steps: ['*']}}]")]);
    let verdict = Caller::default().decide(&catalog, &policy, "read_file", &read("a")).verdict;
    assert_eq!(verdict, Verdict::Allow, "a call in no step is in none of the steps");
}

#[test]
fn a_rule_does_not_apply_to_a_tool_that_does_not_declare_what_it_reads() {
    let catalog = catalog(TOOLS);
    let text = "version: 1\ndefault_verdict: allow\nrules: [{id: d, verdict: deny, when: 'arguments.path == \"a\"'}]\n";
    let policy = policy(&catalog, &[text]);
    let caller = Caller::default();
    assert_eq!(caller.decide(&catalog, &policy, "read_file", &read("a")).verdict, Verdict::Deny);
    assert_eq!(caller.decide(&catalog, &policy, "read_file", &read("b")).verdict, Verdict::Allow);
    assert_eq!(
        caller.decide(&catalog, &policy, "move_path", &json!({"from": "a", "to": "b"})).verdict,
        Verdict::Allow
    );
}

#[test]
fn an_exception_about_an_argument_never_exempts_a_tool_without_it() {
    let catalog = catalog(TOOLS);
    let denying = "version: 1\ndefault_verdict: allow\nrules: [{id: d, verdict: deny, risks: [write], unless: 'has(arguments.path) && arguments.path == \"a\"'}]\n";
    let allowing = "version: 1\nrules: [{id: a, verdict: allow, risks: [write], unless: 'has(arguments.path) && arguments.path == \"a\"'}]\n";
    let caller = Caller::default();
    let moved = json!({"from": "a", "to": "b"});
    for text in [denying, allowing] {
        let policy = policy(&catalog, &[text]);
        assert_eq!(caller.decide(&catalog, &policy, "move_path", &moved).verdict, Verdict::Deny, "{text}");
    }
}

#[test]
fn the_gateways_own_tools_are_allowed_unless_a_rule_names_them() {
    let catalog = catalog(TOOLS);
    let cases = [
        ("version: 1\n", Verdict::Allow),
        ("version: 1\nrules: [{id: d, verdict: deny}]\n", Verdict::Allow),
        ("version: 1\nrules: [{id: d, verdict: deny, tools: ['*']}]\n", Verdict::Allow),
        ("version: 1\nrules: [{id: d, verdict: deny, tools: ['tgw*']}]\n", Verdict::Allow),
        ("version: 1\nrules: [{id: d, verdict: deny, tools: ['tgw__*']}]\n", Verdict::Deny),
        ("version: 1\nrules: [{id: d, verdict: deny, tools: [tgw__read_result]}]\n", Verdict::Deny),
        (
            "version: 1\nrules: [{id: d, verdict: deny, tools: [tgw__read_result], when: 'false'}]\n",
            Verdict::Allow,
        ),
    ];
    for (text, expected) in cases {
        let policy = policy(&catalog, &[text]);
        let decision = Caller::default().decide(&catalog, &policy, "tgw__read_result", &json!({}));
        assert_eq!(decision.verdict, expected, "{text}");
    }
}

#[test]
fn a_contract_that_the_policy_was_not_loaded_for_is_denied() {
    let (known, changed) = (catalog(TOOLS), catalog(&TOOLS.replace("Reads a file.", "Reads any file.")));
    let policy = policy(&known, &["version: 1\ndefault_verdict: allow\n"]);
    let caller = Caller::default();
    assert_eq!(caller.decide(&known, &policy, "read_file", &read("a")).verdict, Verdict::Allow);
    let decision = caller.decide(&changed, &policy, "read_file", &read("a"));
    assert_eq!((decision.verdict, decision.reason().as_str()), (Verdict::Deny, "no policy covers this tool"));
}

#[test]
fn an_argument_of_the_call_never_stands_for_a_decision() {
    let catalog = catalog(TOOLS);
    let policy = policy(&catalog, &["version: 1\nrules: [{id: q, verdict: require_approval}]\n"]);
    let arguments = json!({"path": "a", "limit": 1, "requires_approval": false, "verdict": "allow"});
    let decision = Caller::default().decide(&catalog, &policy, "read_file", &arguments);
    assert_eq!(decision.verdict, Verdict::RequireApproval);
}

#[test]
fn an_exception_of_a_denial_is_one_rule() {
    let manifest = "version: 1\ntools: [{name: git_push, description: Pushes., risk: external, idempotency: none, execution_mode: exclusive, input_schema: {type: object, additionalProperties: false, required: [remote, branch], properties: {remote: {type: string}, branch: {type: string}}}, run: {command: [git]}}]";
    let catalog = catalog(manifest);
    let text = "
version: 1
default_verdict: allow
rules:
  - id: push
    verdict: deny
    tools: [git_push]
    unless: 'arguments.remote == \"origin\" && arguments.branch.startsWith(\"feature-\")'
";
    let policy = policy(&catalog, &[text]);
    let cases = [
        ("origin", "feature-x", Verdict::Allow),
        ("origin", "main", Verdict::Deny),
        ("upstream", "feature-x", Verdict::Deny),
        ("origin", "x/feature-x", Verdict::Deny),
    ];
    for (remote, branch, expected) in cases {
        let arguments = json!({"remote": remote, "branch": branch});
        let decision = Caller::default().decide(&catalog, &policy, "git_push", &arguments);
        assert_eq!(decision.verdict, expected, "{remote} {branch}");
    }
}

#[test]
fn path_conditions_are_anchored_and_follow_names_not_text() {
    let catalog = catalog(TOOLS);
    let decide = |rules: &str, path: &str| {
        let policy = policy(&catalog, &[&format!("version: 1\nrules: [{rules}]\n")]);
        Caller::default().decide(&catalog, &policy, "read_file", &read(path)).verdict
    };
    let env = "{id: a, verdict: allow, tools: [read_file], when: 'path(arguments.path).matches_glob(\"**/*.ts\")'}, \
               {id: d, verdict: deny, tools: [read_file], when: 'path(arguments.path).matches_glob(\"**/.env*\")'}";
    let cases = [
        (".env", Verdict::Deny),
        (".env.local", Verdict::Deny),
        ("a.ts", Verdict::Allow),
        (".env.ts", Verdict::Deny),
    ];
    for (path, expected) in cases {
        assert_eq!(decide(env, path), expected, "{path}");
    }
    let src =
        "{id: a, verdict: allow, tools: [read_file], when: 'path(arguments.path).matches_glob(\"src/**\")'}";
    for (path, expected) in
        [("src/x", Verdict::Allow), ("vendor/src/x", Verdict::Deny), ("src/../x", Verdict::Deny)]
    {
        assert_eq!(decide(src, path), expected, "{path}");
    }
    let aws = "{id: a, verdict: allow, tools: [read_file]}, {id: d, verdict: deny, tools: [read_file], when: 'path(arguments.path).under(\".aws/\")'}";
    for (path, expected) in
        [(".aws/credentials", Verdict::Deny), (".aws", Verdict::Deny), (".awsx", Verdict::Allow)]
    {
        assert_eq!(decide(aws, path), expected, "{path}");
    }
    let cursor = "{id: a, verdict: allow, tools: [read_file]}, {id: d, verdict: deny, tools: [read_file], when: 'path(arguments.path).under_any_case(\".cursor/mcp.json\")'}";
    assert_eq!(decide(cursor, ".Cursor/MCP.json"), Verdict::Deny);
}

#[test]
fn explaining_says_why_each_rule_counted_or_not() {
    let catalog = catalog(TOOLS);
    let text = "
version: 1
rules:
  - {id: counted, verdict: allow, when: 'arguments.path == \"a.rs\"'}
  - {id: other-tool, verdict: deny, tools: [write_file]}
  - {id: other-agent, verdict: deny, agents: [other]}
  - {id: when, verdict: deny, when: 'arguments.path == \"b.rs\"'}
  - {id: unless, verdict: deny, unless: 'arguments.path == \"a.rs\"'}
  - {id: failed, verdict: deny, when: 'FAILS'}
  - {id: withdrawn, verdict: allow, when: 'FAILS'}
  - {id: elsewhere, verdict: deny, when: 'arguments.recipient == \"x\"'}
";
    let policy = policy(&catalog, &[&text.replace("FAILS", FAILS)]);
    let caller = Caller::default();
    let contract = catalog.find("read_file").unwrap();
    let explained = explain_arguments(&policy, contract, &read("a.rs"), &caller.facts());
    let shown: Vec<String> = explained.iter().map(|one| format!("{} {}", one.rule.id, one.outcome)).collect();
    assert_eq!(shown.len(), 7, "{shown:?}");
    assert_eq!(shown[0], "counted counted");
    assert_eq!(shown[1], "other-agent `agents` leaves this call out");
    assert_eq!(shown[2], "when `when` is false");
    assert_eq!(shown[3], "unless `unless` is true");
    assert!(shown[4].starts_with("failed counted, read strictly: `when` cannot be evaluated: "), "{shown:?}");
    assert!(shown[5].starts_with("withdrawn did not count, read strictly: "), "{shown:?}");
    assert_eq!(shown[6], "elsewhere the tool does not declare `recipient`");
    assert_eq!(explained[0].values, [("arguments.path".to_owned(), "\"a.rs\"".to_owned())]);
    assert_eq!(explained[1].values, []);
    assert!(matches!(explained[6].outcome, RuleVerdict::NotApplicable(_)) && !explained[6].outcome.counted());
}

/// What the default policy says, with this sandbox.
fn embedded(tool: &str, arguments: &Value, sandbox: &str) -> (Verdict, Decision) {
    let catalog = catalog(TOOLS);
    let (policy, problems) = load_files(&catalog, &[PolicyFile::embedded()]);
    let policy = policy.unwrap_or_else(|()| panic!("{problems}"));
    let caller = Caller { facts: json!({ "sandbox": sandbox }), ..Caller::default() };
    let decision = caller.decide(&catalog, &policy, tool, arguments);
    (decision.verdict, decision)
}

#[test]
fn the_default_policy_reads_freely_asks_before_effects_and_guards_credentials_and_instructions() {
    let write = |path: &str| json!({"path": path, "content": ""});
    let cases = [
        ("read_file", read("src/main.rs"), Verdict::Allow),
        ("read_file", read("AGENTS.md"), Verdict::Allow),
        ("read_file", read(".env"), Verdict::Deny),
        ("read_file", read("deep/er/.ENV.local"), Verdict::Deny),
        ("read_file", read("certs/server.PEM"), Verdict::Deny),
        ("read_file", read("home/.ssh/config"), Verdict::Deny),
        ("read_file", read("x/../.aws/credentials"), Verdict::Deny),
        ("read_file", read("environment.rs"), Verdict::Allow),
        ("write_file", write("src/main.rs"), Verdict::RequireApproval),
        ("write_file", write(".env"), Verdict::Deny),
        ("write_file", write("agents.md"), Verdict::Deny),
        ("write_file", write("sub/CLAUDE.md"), Verdict::Deny),
        ("write_file", write(".github/copilot-instructions.md"), Verdict::Deny),
        ("write_file", write(".Cursor/rules/x.mdc"), Verdict::Deny),
        ("move_path", json!({"from": "a", "to": "b"}), Verdict::RequireApproval),
        ("move_path", json!({"from": ".env", "to": "b"}), Verdict::Deny),
        ("move_path", json!({"from": "a", "to": ".cursorrules"}), Verdict::Deny),
        ("delete_path", json!({"path": "a"}), Verdict::RequireApproval),
        ("delete_path", json!({"path": "CLAUDE.md"}), Verdict::Deny),
        ("send_mail", json!({"recipient": "x"}), Verdict::RequireApproval),
        ("run_tests", json!({}), Verdict::Allow),
    ];
    for (tool, arguments, expected) in cases {
        assert_eq!(embedded(tool, &arguments, "confined").0, expected, "{tool} {arguments}");
    }
}

#[test]
fn the_default_policy_runs_tests_in_a_sandbox_or_asks() {
    let (verdict, decision) = embedded("run_tests", &json!({}), "confined");
    assert_eq!((verdict, decision.environment.sandbox), (Verdict::Allow, Some(SandboxLevel::Confined)));
    let (verdict, decision) = embedded("run_tests", &json!({}), "none");
    assert_eq!((verdict, decision.environment.sandbox), (Verdict::RequireApproval, None));
}

#[test]
fn the_default_policy_remembers_files_and_never_a_destructive_yes() {
    let remembered =
        |tool: &str, arguments: Value| embedded(tool, &arguments, "confined").1.approval().unwrap().remember;
    assert_eq!(remembered("write_file", json!({"path": "a", "content": ""})), [vec!["/path"]]);
    assert_eq!(remembered("move_path", json!({"from": "a", "to": "b"})), [vec!["/from", "/to"]]);
    assert_eq!(remembered("delete_path", json!({"path": "a"})), [[""; 0]; 0]);
}

mod laws {
    use super::*;
    use proptest::prelude::*;
    use std::sync::LazyLock;

    static CATALOG: LazyLock<Catalog> = LazyLock::new(|| catalog(TOOLS));

    fn rule() -> impl Strategy<Value = String> {
        let verdict = prop::sample::select(vec!["allow", "require_approval", "deny"]);
        let selector = prop::sample::select(vec![
            "",
            "tools: [read_file]",
            "tools: ['*_file']",
            "risks: [write]",
            "agents: [other]",
            "users: [ann]",
        ]);
        let when = prop::sample::select(vec![
            "",
            "when: 'true'",
            "when: 'false'",
            "when: 'FAILS'",
            "when: 'arguments.path == \"a\"'",
        ]);
        let unless = prop::sample::select(vec!["", "unless: 'true'", "unless: 'false'", "unless: 'FAILS'"]);
        (verdict, selector, when, unless).prop_map(|(verdict, selector, when, unless)| {
            let parts = [&format!("verdict: {verdict}"), selector, when, unless]
                .map(|part| part.replace("FAILS", FAILS));
            parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<String>>().join(", ")
        })
    }

    fn decide_with(rules: &[String], default: &str) -> (Verdict, Environment) {
        let rules: Vec<String> =
            rules.iter().enumerate().map(|(at, rule)| format!("{{id: r{at}, {rule}}}")).collect();
        let text = format!("version: 1\ndefault_verdict: {default}\nrules: [{}]\n", rules.join(", "));
        let policy = policy(&CATALOG, &[&text]);
        let decision = Caller::default().decide(&CATALOG, &policy, "read_file", &read("a"));
        (decision.verdict, decision.environment)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(128))]

        #[test]
        fn adding_a_deny_never_loosens(rules in prop::collection::vec(rule(), 0..5), added in rule()) {
            let before = decide_with(&rules, "deny").0;
            let denying = added.replace("verdict: allow", "verdict: deny").replace("verdict: require_approval", "verdict: deny");
            let mut more = rules;
            more.push(denying);
            prop_assert!(decide_with(&more, "deny").0 >= before);
        }

        #[test]
        fn removing_an_allow_never_loosens_where_silence_is_a_denial(rules in prop::collection::vec(rule(), 1..6), at in any::<prop::sample::Index>()) {
            let before = decide_with(&rules, "deny").0;
            let at = at.index(rules.len());
            let mut fewer = rules;
            if fewer[at].starts_with("verdict: allow") {
                fewer.remove(at);
            }
            prop_assert!(decide_with(&fewer, "deny").0 >= before);
        }

        #[test]
        fn order_is_irrelevant(rules in prop::collection::vec(rule(), 0..6), default in prop::sample::select(vec!["allow", "require_approval", "deny"])) {
            let mut reversed = rules.clone();
            reversed.reverse();
            prop_assert_eq!(decide_with(&rules, default), decide_with(&reversed, default));
        }

        #[test]
        fn a_file_more_never_loosens(rules in prop::collection::vec(rule(), 0..4), more in prop::collection::vec(rule(), 0..4)) {
            let text = |rules: &[String]| {
                let rules: Vec<String> = rules.iter().enumerate().map(|(at, rule)| format!("{{id: r{at}, {rule}}}")).collect();
                format!("version: 1\nrules: [{}]\n", rules.join(", "))
            };
            let (one, two) = (text(&rules), text(&more));
            let decide = |files: &[&str]| {
                let policy = policy(&CATALOG, files);
                Caller::default().decide(&CATALOG, &policy, "read_file", &read("a")).verdict
            };
            prop_assert!(decide(&[&one, &two]) >= decide(&[&one]));
        }
    }
}

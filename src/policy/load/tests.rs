use super::*;
use crate::policy::testing::{TOOLS, catalog, load, load_files, policy};

/// The problems of one policy, as `line:column message`.
fn problems(text: &str) -> Vec<String> {
    let catalog = catalog(TOOLS);
    let (mut sources, mut report) = (SourceMap::default(), Report::default());
    let file = PolicyFile::new("p", text);
    let loaded = Policy::load(&[file], &catalog, &mut sources, &mut report);
    assert_eq!(loaded.is_err(), report.has_errors());
    let shown = |diagnostic: &Diagnostic| {
        let at = sources.locate(diagnostic.span);
        format!("{}:{} {}", at.line, at.column, diagnostic.message)
    };
    report.diagnostics().iter().map(shown).collect()
}

/// The problems of one rule, without their places.
fn rule_problems(rule: &str) -> Vec<String> {
    let text = format!("version: 1\nrules:\n  - {rule}\n");
    problems(&text).into_iter().map(|line| line.split_once(' ').unwrap().1.to_owned()).collect()
}

#[test]
fn every_problem_of_every_file_is_reported_at_once() {
    let catalog = catalog(TOOLS);
    let first = "version: 2\ndefault_verdikt: allow\nrules: [{id: a, verdict: permit, tools: []}]\n";
    let second =
        "version: 1\nrules: [{id: b, verdict: deny, when: 'toool.name == \"x\"'}, {id: b, verdict: deny}]\n";
    let (loaded, shown) = load(&catalog, &[first, second]);
    assert!(loaded.is_err());
    for expected in [
        "0.yaml:1:10",
        "0.yaml:2:1",
        "0.yaml:3:26",
        "0.yaml:3:41",
        "1.yaml:2:39",
        "1.yaml:2:65",
        "did you mean `default_verdict`?",
    ] {
        assert!(shown.contains(expected), "{expected} is missing in\n{shown}");
    }
}

#[test]
fn what_is_wrong_with_a_file_is_said_where_it_stands() {
    let cases = [
        ("", "1:1 a policy must be a mapping, found nothing"),
        ("rules: []\n", "1:1 `version` is missing"),
        ("version: 1\nrules:\n", "2:1 `rules` has no value"),
        ("version: 1\nagents: {}\n", "2:9 `agents` is empty"),
        ("version: 1\nsteps: {a: {enter: {}}}\n", "2:20 this gate demands nothing"),
        ("version: 1\nsteps: {a: {enter: {when: 'arguments.x'}}}\n", "2:28 unknown variable `arguments`"),
        ("version: 1\nsteps: {a: {enter: {when: 'task.id'}}}\n", "2:28 expected bool, found string"),
        (
            "version: 1\nsteps: {a: {enter: {approval: {by: [x]}}}}\n",
            "2:37 there is no group of approvers `x`",
        ),
        (
            "version: 1\nsteps: {a: {enter: {approval: {remember: [[/x]]}}}}\n",
            "2:43 a yes to entering a step is for this one time and cannot be remembered",
        ),
        ("version: 1\nsteps: {a: {tools: []}}\n", "2:20 `tools` is an empty list"),
        ("version: 1\ninitial_step: a\n", "2:15 there is no step `a`"),
        ("version: 1\nsteps: {ab: {}}\ninitial_step: abc\n", "3:15 there is no step `abc`"),
        ("version: 1\nagents: {a: {versions: 1.2}}\n", "2:24 `versions` must be text, found the number 1.2"),
        (
            "version: 1\nagents: {a: {versions: '1.2'}}\n",
            "2:24 `versions` cannot be read: `1.2` has no comparison",
        ),
        ("version: 1\nagents: {a: {tools: [read_fiel]}}\n", "2:22 there is no tool `read_fiel`"),
        ("version: 1\nusers: {ann: {roles: [buyer]}}\n", "2:23 there is no role `buyer`"),
        (
            "version: 1\ncredentials: [{credential: depoly, tools: [read_file]}]\n",
            "2:28 there is no credential `depoly`",
        ),
        (
            "version: 1\ncredentials: [{credential: deploy}]\n",
            "2:15 this limit names no tools and no agents, so it limits nothing",
        ),
        ("version: 1\napprovers: {finance: {members: []}}\n", "2:32 `members` is an empty list"),
    ];
    for (text, expected) in cases {
        assert_eq!(problems(text), [expected], "{text}");
    }
}

#[test]
fn what_is_wrong_with_a_budget_is_an_error() {
    let cases: [(&str, &[&str]); 16] = [
        ("{id: b, count: 1}", &["`per` is missing"]),
        ("{per: task, count: 1}", &["`id` is missing"]),
        (
            "{id: b, per: day, count: 1}",
            &["`per` must be one of `task`, `agent`, `user`, `tenant`, found `day`"],
        ),
        ("{id: b, per: task}", &["a budget counts calls or sums what they take"]),
        ("{id: b, per: task, limit: 3}", &["a budget counts calls or sums what they take"]),
        ("{id: b, per: task, count: 1, limit: 3}", &["`limit` belongs to `sum`"]),
        ("{id: b, per: task, tools: [read_file], sum: arguments.limit}", &["`limit` is missing"]),
        (
            "{id: b, per: task, tools: [read_file], count: 1, sum: arguments.limit}",
            &["a budget has either `count` or `sum`"],
        ),
        (
            "{id: b, per: task, count: -1}",
            &["`count` must be a whole number from 0 to 1000000000000000, found the number -1"],
        ),
        ("{id: b, per: task, count: 1, window: 0s}", &["`window` must be a duration above zero"]),
        (
            "{id: b, per: task, count: 1, over: allow}",
            &["`over` must be one of `deny`, `require_approval`, found `allow`"],
        ),
        (
            "{id: b, per: task, count: 1, approval: {expires: 1h}}",
            &["`approval` belongs to a budget that is `over: require_approval`"],
        ),
        (
            "{id: b, per: task, count: 1, over: require_approval, tools: [read_file], approval: {remember: [[/path]]}}",
            &["a yes to going over a budget is for one call and cannot be remembered"],
        ),
        (
            "{id: b, per: task, tools: [read_file], sum: arguments.path, limit: 1}",
            &["expected int, found string"],
        ),
        (
            "{id: b, per: task, tools: [read_file, write_file], sum: arguments.limit, limit: 1}",
            &["the tool `write_file` declares no argument `limit`"],
        ),
        (
            "{id: b, per: task, tools: [send_mail], count: 1, group: 'arguments.?copies.hasValue() ? [1] : [2]'}",
            &["a budget is split by text, an integer or true and false"],
        ),
    ];
    for (budget, expected) in cases {
        let text = format!("version: 1\nbudgets:\n  - {budget}\n");
        let found: Vec<String> =
            problems(&text).into_iter().map(|line| line.split_once(' ').unwrap().1.to_owned()).collect();
        assert_eq!(found, expected, "{budget}");
    }
}

#[test]
fn a_budget_has_an_id_of_its_own_among_all_files() {
    let catalog = catalog(TOOLS);
    let budget = "version: 1\nbudgets: [{id: b, per: task, count: 1}]\n";
    for other in [budget, "version: 1\nrules: [{id: b, verdict: deny}]\n"] {
        let (loaded, shown) = load(&catalog, &[other, budget]);
        assert!(loaded.is_err());
        assert!(
            shown.contains("1.yaml:2:16: error: the id `b` is used twice")
                || shown.contains("the id `b` is used twice"),
            "{shown}"
        );
    }
}

#[test]
fn what_is_wrong_with_a_rule_is_an_error() {
    let cases = [
        ("{verdict: deny}", "`id` is missing"),
        ("{id: r}", "`verdict` is missing"),
        ("{id: r, verdict: deny, tools: []}", "`tools` is an empty list"),
        (
            "{id: r, verdict: deny, risks: [wirte]}",
            "an element of `risks` must be one of `read_only`, `write`, `external`, `destructive`, found `wirte`",
        ),
        ("{id: r, verdict: deny, tools: [red_file]}", "there is no tool `red_file`"),
        ("{id: r, verdict: deny, servers: [docs]}", "there is no server `docs`"),
        ("{id: r, verdict: deny, steps: [go]}", "there is no step `go`"),
        ("{id: r, verdict: deny, when: true}", "`when` must be text, found `true`"),
        ("{id: r, verdict: deny, when: ''}", "`when` is empty"),
        ("{id: r, verdict: deny, when: }", "`when` has no value"),
        (
            "{id: r, verdict: deny, approval: {expires: 1h}}",
            "`approval` belongs to a rule whose verdict is `require_approval`",
        ),
        (
            "{id: r, verdict: require_approval, approval: {expires: 0s}}",
            "`expires` must be a duration above zero",
        ),
        (
            "{id: r, verdict: require_approval, approval: {by: [finance]}}",
            "there is no group of approvers `finance`",
        ),
        (
            "{id: r, verdict: require_approval, approval: {count: 0}}",
            "`count` must be a whole number from 1 to 100, found the number 0",
        ),
        (
            "{id: r, verdict: require_approval, approval: {remember: [/path]}}",
            "each alternative of `remember` must be a list of pointers",
        ),
        (
            "{id: r, verdict: require_approval, approval: {remember: [[]]}}",
            "an alternative that pins nothing would be a yes to any call",
        ),
        (
            "{id: r, verdict: require_approval, approval: {remember: [[path]]}}",
            "`path` is not a pointer to an argument",
        ),
        (
            "{id: r, verdict: require_approval, approval: {remember: [[/a~2]]}}",
            "`/a~2` is not a pointer to an argument",
        ),
        (
            "{id: r, verdict: require_approval, approval: {remember: [[/pth]]}}",
            "no tool that this rule selects declares `/pth`",
        ),
        (
            "{id: r, verdict: require_approval, tools: [send_mail], approval: {remember: [[/meta/tga]]}}",
            "no tool that this rule selects declares `/meta/tga`",
        ),
        (
            "{id: r, verdict: require_approval, approval: {count: 2, remember: [[/path]]}}",
            "a yes that takes several people cannot be remembered",
        ),
        (
            "{id: r, verdict: allow, environment: {sandbox: strong}}",
            "`sandbox` must be one of `none`, `confined`, `isolated`, found `strong`",
        ),
        ("{id: r, verdict: allow, environment: {}}", "`environment` demands nothing"),
        (
            "{id: r, verdict: deny, when: 'arguments.pth == \"x\"'}",
            "no tool that this rule selects declares the argument `pth`",
        ),
        (
            "{id: r, verdict: deny, unless: 'arguments.pth == \"x\"'}",
            "no tool that this rule selects declares the argument `pth`",
        ),
        (
            "{id: r, verdict: deny, when: 'arguments.path == arguments.recipient'}",
            "no tool that this rule selects declares all of the arguments that this condition reads",
        ),
        ("{id: r, verdict: deny, examples: {match: [{tool: nope}]}}", "there is no tool `nope`"),
    ];
    for (rule, expected) in cases {
        assert_eq!(rule_problems(rule), [expected], "{rule}");
    }
}

#[test]
fn a_glob_that_matches_nothing_and_a_rule_that_selects_nothing_are_warnings() {
    let cases = [
        ("{id: r, verdict: deny, tools: ['*_file', 'x_*']}", vec!["`x_*` matches no tool"]),
        ("{id: r, verdict: deny, tools: [read_file], risks: [write]}", vec!["the rule `r` selects no tool"]),
        (
            "{id: r, verdict: deny, servers: ['d*']}",
            vec!["`d*` matches no server", "the rule `r` selects no tool"],
        ),
        ("{id: r, verdict: deny, agents: [whoever], users: [anyone], tenants: [any]}", vec![]),
    ];
    for (rule, expected) in cases {
        assert_eq!(rule_problems(rule), expected, "{rule}");
    }
}

#[test]
fn a_condition_is_checked_against_every_tool_that_it_concerns_and_wrong_parts_are_marked() {
    let text = "version: 1\nrules:\n  - id: r\n    verdict: deny\n    when: |\n      tool.name == 'x' &&\n      tool.nmae == 'y'\n";
    let found = problems(text);
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].starts_with("7:"), "{found:?}");
    for (condition, selected) in [
        ("arguments.path > 3", "[read_file]"),
        ("arguments.copies > 3", "[send_mail]"),
        ("arguments.target == \"x\"", "[run_tests]"),
        ("tool.risk == \"mild\"", "['*']"),
        ("nobody == \"ann\"", "['*']"),
        ("arguments.path", "[read_file]"),
        ("arguments.path.matches(\"(\")", "[read_file]"),
        ("agent.version == \"1\"", "['*']"),
        ("facts.sandbox == \"nonne\"", "['*']"),
    ] {
        let rule = format!("{{id: r, verdict: deny, tools: {selected}, when: '{condition}'}}");
        assert_eq!(rule_problems(&rule).len(), 1, "{condition}");
    }
    for condition in [
        "has(arguments.copies) && arguments.copies > 3",
        "arguments.?copies.orValue(0) > 3",
        "has(agent.version) && agent.version == \"1\"",
        "step == \"x\" || step == null",
        "has(task.data.approved) && task.data.approved == true",
        "task.data.approved == true",
        "facts.?weekday.orValue(0) == 6",
        "facts.sandbox == \"none\"",
        "provenance(\"/recipient\") in [\"untrusted\", \"model\"]",
        "size(untrusted_arguments()) > 0",
    ] {
        let rule = format!("{{id: r, verdict: deny, tools: [send_mail], when: '{condition}'}}");
        assert_eq!(rule_problems(&rule), [""; 0], "{condition}");
    }
}

#[test]
fn a_problem_of_one_kind_of_tool_names_it_and_one_of_all_does_not() {
    let manifest = TOOLS.replace(
        "properties: {from: {type: string}",
        "properties: {path: {type: integer}, from: {type: string}",
    );
    let catalog = catalog(&manifest);
    let rule = "version: 1\nrules: [{id: r, verdict: deny, risks: [write], when: 'has(arguments.path) && arguments.path.startsWith(\"x\")'}]";
    let (loaded, shown) = load(&catalog, &[rule]);
    assert!(loaded.is_err());
    assert!(shown.contains("for the tool `move_path`: "), "{shown}");
    assert_eq!(shown.matches("error: ").count(), 1, "{shown}");
}

#[test]
fn a_group_is_the_one_of_the_rules_own_file_and_else_who_is_in_it_everywhere() {
    let catalog = catalog(TOOLS);
    let rule = "rules: [{id: r, verdict: require_approval, approval: {by: [finance]}}]\n";
    let members = |files: &[&str], at: usize| -> Vec<String> {
        let policy = policy(&catalog, files);
        let quorum = policy.documents()[at].rules[0].approval.quorum.clone().unwrap();
        quorum.members.iter().map(ToString::to_string).collect()
    };
    let own = format!("version: 1\napprovers: {{finance: {{members: [ann]}}}}\n{rule}");
    let other = "version: 1\napprovers: {finance: {members: [eve, ann]}}\n";
    let third = "version: 1\napprovers: {finance: {members: [bo, ann]}}\n";
    assert_eq!(members(&[other, &own], 1), ["ann"]);
    let without = format!("version: 1\n{rule}");
    assert_eq!(members(&[&without, other], 0), ["ann", "eve"]);
    assert_eq!(members(&[&without, other, third], 0), ["ann"]);
}

#[test]
fn a_rule_that_nobody_could_ever_say_yes_to_is_an_error() {
    let rule = "approvers: {finance: {members: [ann, bo]}, legal: {members: [bo, cy]}}\nrules: [{id: r, verdict: require_approval, approval: TERMS}]\n";
    let load = |terms: &str| problems(&format!("version: 1\n{}", rule.replace("TERMS", terms)));
    assert_eq!(load("{by: [finance, legal], count: 3}"), [""; 0]);
    assert_eq!(load("{count: 9}"), [""; 0]);
    assert_eq!(
        load("{by: [finance, legal], count: 4}"),
        ["3:54 nobody could ever say yes: `finance` and `legal` have 3 members, and 4 must agree"]
    );
}

#[test]
fn a_program_to_notify_is_named_so_that_it_is_the_same_wherever_tgw_starts() {
    for (written, expected) in [
        ("[]", "2:9 `notify` is an empty list"),
        ("[./tell]", "2:10 `./tell` is neither a name nor an absolute path"),
        ("[bin/tell, x]", "2:10 `bin/tell` is neither a name nor an absolute path"),
        ("tell", "2:9 `notify` must be a list, found `tell`"),
    ] {
        assert_eq!(problems(&format!("version: 1\nnotify: {written}\n")), [expected], "{written}");
    }
    for written in ["[tell]", "[/usr/bin/tell, --now]"] {
        assert_eq!(problems(&format!("version: 1\nnotify: {written}\n")), [""; 0], "{written}");
    }
}

#[test]
fn a_name_that_another_file_declares_exists() {
    let catalog = catalog(TOOLS);
    let first = "version: 1\nagents: {buyer: {}}\nsteps: {go: {}}\napprovers: {finance: {members: [ann]}}\n";
    let second = "version: 1\nrules: [{id: r, verdict: require_approval, agents: [buyer], steps: [go], approval: {by: [finance]}}]\n";
    policy(&catalog, &[first, second]);
    assert!(
        load(&catalog, &[first, "version: 1\nrules: [{id: r, verdict: deny, agents: [buyr]}]"]).0.is_err()
    );
}

#[test]
fn the_embedded_policy_fits_the_tools_it_was_written_for_and_any_others() {
    // A copy is held to the tools it is used with, and fits where their paths are text.
    let numbers =
        TOOLS.replace("properties: {target: {type: string}}", "properties: {target: {type: integer}}");
    let nothing = TOOLS.replace("properties: {target: {type: string}}", "properties: {}");
    for manifest in [TOOLS, &numbers, &nothing] {
        let (loaded, shown) = load(&catalog(manifest), &[EMBEDDED_POLICY]);
        assert!(loaded.is_ok() && shown.is_empty(), "{shown}");
    }
    let strange = "version: 1\ntools: [{name: x, description: d, risk: write, execution_mode: exclusive, input_schema: {type: object, properties: {path: {type: array, items: {type: integer}}}}, run: {command: [x]}}]";
    for manifest in ["version: 1\ntools: []\n", strange] {
        let (loaded, shown) = load_files(&catalog(manifest), &[PolicyFile::embedded()]);
        assert!(loaded.is_ok() && shown.is_empty(), "{shown}");
    }
}

#[test]
fn examples_are_held_to_on_request() {
    let catalog = catalog(TOOLS);
    let text = r#"
version: 1
rules:
  - id: big
    verdict: deny
    tools: [read_file]
    when: 'arguments.limit > 100'
    examples:
      match: [{tool: read_file, arguments: {path: a, limit: 200}}, {tool: read_file, arguments: {path: a}}]
      no_match: [{tool: read_file, arguments: {path: a}}, {tool: read_file, arguments: {path: a, limit: 101}}]
  - id: untrusted
    verdict: deny
    tools: [send_mail]
    users: [bo]
    when: 'provenance("/recipient") == "untrusted" && task.data.?strict.orValue(false) && facts.?late.orValue(false)'
    examples:
      match: [{tool: send_mail, arguments: {recipient: x}, provenance: {/recipient: untrusted}, user: bo, data: {strict: true}, facts: {late: true}}]
      no_match:
        - {tool: send_mail, arguments: {recipient: x}, provenance: {/recipient: person}, user: bo}
        - {tool: send_mail, arguments: {recipient: x}, user: ann}
"#;
    let policy = policy(&catalog, &[text]);
    let found: Vec<String> = policy.check_examples(&catalog).into_iter().map(|d| d.message).collect();
    assert_eq!(
        found,
        [
            "this `match` example of the rule `big` does not hold: `when` is false",
            "this `no_match` example of the rule `big` does not hold: it counts",
        ]
    );
}

mod laws {
    use super::*;
    use proptest::prelude::*;
    use std::sync::LazyLock;

    static CATALOG: LazyLock<Catalog> = LazyLock::new(|| catalog(TOOLS));

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(256))]

        #[test]
        fn loading_never_panics(text in "\\PC{0,200}") {
            let _ = load(&CATALOG, &[&text]);
        }

        #[test]
        fn loading_a_policy_of_known_words_never_panics(words in prop::collection::vec(prop::sample::select(vec![
            "version: 1", "rules:", "- id: a", "verdict: deny", "verdict: allow", "\n", "\n  ", "\n    ", " ", "{", "}", "[", "]",
            ",", ": ", "when: 'arguments.path'", "unless: \"a &&", "tools: ['*']", "agents:", "steps:", "remember: [[/a]]",
            "approval:", "environment:", "null", "true", "1", "'", "examples:", "match:", "users: {a: {roles: [b]}}",
        ]), 0..40)) {
            let text = words.concat();
            let _ = load(&CATALOG, &[&text]);
        }
    }
}

#[test]
fn a_persons_own_file_may_name_what_other_catalogs_have_and_slips_are_found_all_the_same() {
    let text = "version: 1\n\
         credentials: [{credential: elsewhere_token, tools: [deploy_site]}]\n\
         rules:\n  - {id: there, verdict: deny, tools: [deploy_site], when: 'arguments.site == \"live\"',\n\
         \x20    examples: {match: [{tool: deploy_site, arguments: {site: live}}]}}\n\
         \x20 - {id: slip, verdict: deny, tools: [read_fiel]}\n";
    let catalog = catalog(TOOLS);
    let of = |file: PolicyFile| {
        let (mut sources, mut report) = (SourceMap::default(), Report::default());
        let loaded = Policy::load(&[file], &catalog, &mut sources, &mut report).is_ok();
        let messages: Vec<String> = report.diagnostics().iter().map(|found| found.message.clone()).collect();
        (loaded, messages)
    };
    assert_eq!(of(PolicyFile::of_user("p", text)), (false, vec!["there is no tool `read_fiel`".to_owned()]));
    let without_slip = text.lines().take(5).collect::<Vec<_>>().join("\n");
    assert_eq!(of(PolicyFile::of_user("p", without_slip.as_str())), (true, Vec::new()));
    assert!(
        !of(PolicyFile::new("p", without_slip)).0,
        "a file that was written for this catalog must fit it"
    );
}

#[test]
fn without_a_catalog_what_is_wrong_with_any_is_reported() {
    let text = "version: 1\nrules:\n  - {id: a, verdict: permit, tools: [anything]}\n  \
         - {id: b, verdict: deny, tools: [whatever], when: 'arguments.x ==', credentails: 1}\n";
    let (mut sources, mut report) = (SourceMap::default(), Report::default());
    Policy::check(&[PolicyFile::new("p", text)], &mut sources, &mut report);
    let lines: Vec<u32> = report.diagnostics().iter().map(|found| sources.locate(found.span).line).collect();
    assert_eq!(lines, [3, 4, 4], "{}", report.render(&sources, false));
}

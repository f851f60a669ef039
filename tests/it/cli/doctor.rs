//! `tgw doctor`

use serde_json::Value;

use crate::harness::{ALLOW, Space};

#[test]
fn the_report_says_what_was_found() {
    let text = Space::new().tgw(["doctor", "--user", "ann"]).text();
    for line in [
        "tools      ok     <embedded>/tools.yaml (embedded in the binary)",
        "policy     ok     <embedded>/policy.yaml (embedded in the binary)",
        "principal  ok     user ann, agent default, tenant local",
        "terminal   ok     controlling: none: what needs a person is answered input_required",
        "sandbox    ok     none: available",
        "made at the first call",
    ] {
        assert!(text.contains(line), "`{line}` is missing in:\n{text}");
    }
}

#[test]
fn a_credential_that_is_not_there_is_a_problem() {
    let space =
        Space::with("version: 1\ncredentials:\n  shop: {source: {env: SHOP_TOKEN}}\ntools: []\n", ALLOW);
    let text = space.tgw(["doctor", "--json"]).with_files().status(1).text();
    let report: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(report["healthy"], false);
    let findings = report["findings"].as_array().unwrap();
    let credential = findings.iter().find(|finding| finding["area"] == "credential").unwrap();
    assert_eq!(credential["text"], "shop: variable SHOP_TOKEN is not set");

    let text = space.tgw(["doctor", "--json"]).with_files().variable("SHOP_TOKEN", "s3cr3t-value").text();
    assert!(text.contains("variable SHOP_TOKEN is set"), "{text}");
    assert!(!text.contains("s3cr3t-value"), "{text}");
}

#[test]
fn a_credential_file_that_calls_would_refuse_is_a_problem() {
    let space = Space::with("version: 1\ncredentials:\n  shop: {source: {file: token}}\ntools: []\n", ALLOW);
    let token = space.write_beside("files/token", "s3cr3t-value").beside("files/token");
    let mode =
        |mode| std::fs::set_permissions(&token, std::os::unix::fs::PermissionsExt::from_mode(mode)).unwrap();
    mode(0o600);
    assert!(space.tgw(["doctor"]).with_files().text().contains("its file can be used"));
    mode(0o622);
    let text = space.tgw(["doctor"]).with_files().status(1).text();
    assert!(text.contains("others may write to its file"), "{text}");
}

#[test]
fn a_principal_that_sees_no_tool_is_warned() {
    let policy = "version: 1\ndefault_verdict: allow\nagents: {desk: {}}\n";
    let space = Space::new();
    space.write_beside("files/policy.yaml", policy);
    let text = space.tgw(["doctor"]).with_files().text();
    assert!(text.contains("warning") && text.contains("every tool is hidden"), "{text}");
    assert!(space.tgw(["doctor", "--agent", "desk"]).with_files().text().contains("agent desk"));
}

#[test]
fn a_store_that_cannot_be_used_is_a_problem() {
    let space = Space::new();
    space.write_beside("taken", "");
    let state = space.beside("taken/state.db").display().to_string();
    let text = space.tgw(["doctor", "--state", &state]).status(1).text();
    assert!(text.contains("state      PROBLEM"), "{text}");
}

#[test]
fn what_stops_every_command_is_a_row_of_the_report() {
    type Breaking = fn(&Space);
    let cases: [(&str, &str, Breaking); 4] = [
        ("policy", "has changed since", |space| {
            space.write("policy.yaml", "version: 1\ndefault_verdict: deny\n");
            space.tgw(["trust", "--yes"]).text();
            space.write("policy.yaml", "version: 1\ndefault_verdict: allow\n");
        }),
        ("tools", "trust.json` cannot be used", |space| {
            space.write("tools.yaml", "version: 1\ntools: []\n");
            space.tgw(["trust", "--yes"]).text();
            space.write_beside("state/tgw/trust.json", "{");
        }),
        ("files", "unknown key `rulez`", |space| {
            space.write("policy.yaml", "version: 1\nrulez: []\n");
            let ended = space.tgw(["trust", "--yes"]).ended();
            assert_eq!(ended.status, Some(0), "{}", ended.stderr);
        }),
        ("policy", "it is gone", |space| {
            space.write("policy.yaml", ALLOW);
            space.tgw(["trust", "--yes"]).text();
            std::fs::remove_file(space.path("policy.yaml")).unwrap();
        }),
    ];
    for (area, says, breaking) in cases {
        let space = Space::new();
        breaking(&space);
        let report: Value = serde_json::from_str(&space.tgw(["doctor", "--json"]).status(1).text()).unwrap();
        let findings = report["findings"].as_array().unwrap();
        let problem = findings.iter().find(|finding| finding["state"] == "problem").unwrap();
        assert_eq!(
            (&problem["area"], &problem["good"]),
            (&Value::from(area), &Value::from(false)),
            "{report}"
        );
        assert!(problem["text"].as_str().unwrap().contains(says), "{says}: {report}");
        assert!(problem["hint"].is_string(), "{says}: {report}");
        assert!(findings.iter().any(|finding| finding["area"] == "sandbox"), "{report}");
        let text = space.tgw(["doctor"]).status(1).text();
        assert!(text.contains("PROBLEM") && text.contains("hint: "), "{text}");
    }
}

const PROGRAMS: &str = "
version: 1
credentials:
  shop: {source: {command: [tgw-no-such-helper]}}
tools:
  - name: absent
    description: Runs nothing.
    risk: read_only
    execution_mode: exclusive
    input_schema: {type: object, additionalProperties: false, properties: {}}
    run: {command: [./bin/absent]}
    result: {trust: untrusted}
  - name: plain
    description: Runs nothing.
    risk: read_only
    execution_mode: exclusive
    input_schema: {type: object, additionalProperties: false, properties: {}}
    run: {command: [./plain]}
    result: {trust: untrusted}
  - name: unknown
    description: Runs nothing.
    risk: read_only
    execution_mode: exclusive
    input_schema: {type: object, additionalProperties: false, properties: {}}
    run: {command: [tgw-no-such-program]}
    result: {trust: untrusted}
";

#[test]
fn programs_that_cannot_be_started_are_named() {
    let space = Space::with(PROGRAMS, ALLOW);
    space.write_beside("files/plain", "#!/bin/sh\n");
    let report: Value =
        serde_json::from_str(&space.tgw(["doctor", "--json"]).with_files().status(1).text()).unwrap();
    let found: Vec<(&str, &str)> = report["findings"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|finding| finding["state"] != "ok" && finding["area"] != "files")
        .map(|finding| (finding["state"].as_str().unwrap(), finding["text"].as_str().unwrap()))
        .map(|(state, text)| (state, text.split(" (").next().unwrap()))
        .collect();
    assert_eq!(
        found,
        [
            ("warning", "absent: program `./bin/absent` does not exist"),
            ("warning", "plain: program `./plain` is not executable"),
            ("warning", "unknown: program `tgw-no-such-program` is not installed"),
            ("problem", "shop: program `tgw-no-such-helper` is not installed"),
        ]
    );
}

#[test]
fn a_warning_is_not_shown_as_good() {
    let space = Space::new();
    space.write("policy.yaml", ALLOW);
    let text = space.tgw(["doctor"]).text();
    assert!(
        text.lines().any(|line| line.trim_start().starts_with("policy") && line.contains("warning")),
        "{text}"
    );
}

#[test]
fn a_demand_for_more_signed_answers_than_there_are_keys_is_warned() {
    let policy = "version: 1\ndefault_verdict: allow\napprovers: {finance: {members: [ann, bo]}}\nrules:\n  \
                  - {id: money, verdict: require_approval, tools: [read_file], reason: it costs, approval: {by: [finance], count: 2}}\n";
    let space = Space::new();
    space.write_beside("files/policy.yaml", policy);
    let approvers = |space: &Space| {
        let text = space.tgw(["doctor"]).with_files().text();
        text.lines()
            .filter(|line| line.trim_start().starts_with("approvers"))
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    let found = approvers(&space).join("\n");
    assert!(
        found.contains("warning") && found.contains("only 0 of the keys are here, none for ann, bo"),
        "{found}"
    );
    for name in ["ann", "bo"] {
        let file = space.beside(&format!("files/{name}.key"));
        let public = space.tgw(["approvers", "keygen", file.to_str().unwrap()]).text();
        space.tgw(["approvers", "add", name, public.trim()]).ended();
    }
    let found = approvers(&space).join("\n");
    assert!(found.contains("ok") && found.contains("enough of them have a key here"), "{found}");
}

#[test]
fn a_lost_key_of_the_seals_is_a_problem_that_every_command_names() {
    let space = Space::new();
    space.tgw(["task", "start", "--id", "T-1"]).ended();
    assert!(!space.tgw(["doctor"]).text().contains("PROBLEM"));
    std::fs::remove_file(space.beside("state/tgw/seal.key")).unwrap();
    let text = space.tgw(["doctor"]).status(1).text();
    assert!(text.contains("PROBLEM") && text.contains("`seal.key` of the state home is not there"), "{text}");
    let text = space.tgw(["task", "show", "T-1"]).status(1).text();
    assert!(text.contains("not believed: `seal.key` of the state home"), "{text}");
    let refused = space.tgw(["call", "--task", "T-1", "list_directory", "{}"]).status(1).ended();
    assert!(refused.stderr.contains("put it back from a copy"), "{refused:?}");
}

#[test]
fn a_program_that_tools_may_change_is_warned() {
    let tools = "version: 1\ntools:\n  - name: deploy\n    version: 1.0.0\n    description: Deploys.\n    risk: write\n    \
                 input_schema: {type: object}\n    run: {command: [./deploy.sh]}\n";
    let space = Space::new();
    space.write("tools.yaml", tools).write("deploy.sh", "#!/bin/sh\n");
    let script = space.path("deploy.sh");
    std::fs::set_permissions(&script, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let named = ["doctor", "--tools", "tools.yaml"];
    let text = space.tgw(named).text();
    assert!(text.contains("its program `deploy.sh` lies in the workspace"), "{text}");
}

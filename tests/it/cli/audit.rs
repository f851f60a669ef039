//! `tgw audit`

use serde_json::Value;

use crate::harness::{Space, process};

/// A space with a success, a refusal and a failure on record.
fn recorded() -> Space {
    let space = Space::new();
    space.write("a.txt", "a\n");
    space
        .tgw(["run"])
        .lines_in(&[
            r#"{"id":"c1","name":"read_file","arguments":{"path":"a.txt"}}"#,
            r#"{"id":"c2","name":"read_file","arguments":{"path":"../a.txt"}}"#,
            r#"{"id":"c3","name":"delete_path","arguments":{"path":"a.txt"}}"#,
        ])
        .answers();
    space
}

#[test]
fn the_chain_is_listed_oldest_first() {
    let space = recorded();
    space
        .tgw(["audit", "list"])
        .stdout(
            " RECORD  AT                        KIND      CALL  TOOL         VERDICT           STATUS          CODE
 1       [TIME]  outcome   c1    read_file    allow             succeeded
 2       [TIME]  refused   c2    read_file                      failed          PATH_OUTSIDE_WORKSPACE
 3       [TIME]  approval  c3    delete_path  require_approval  input_required  APPROVAL_REQUIRED
",
        )
        .holds();
    let one = space.tgw(["audit", "list", "--tool", "delete_path", "--json"]).text();
    let record: Value = serde_json::from_str(&one).unwrap();
    assert_eq!(record["record"]["seq"], 3);
    let failed = space.tgw(["audit", "list", "--status", "failed", "--json"]).text();
    assert_eq!(failed.lines().count(), 1, "{failed}");
    let newest = space.tgw(["audit", "list", "--limit", "1", "--json"]).text();
    assert!(newest.contains("\"c3\""), "{newest}");
}

#[test]
fn a_call_has_a_story() {
    let space = recorded();
    let by_id = space.tgw(["audit", "show", "c1"]).text();
    assert!(by_id.contains("read_file") && by_id.contains("succeeded"), "{by_id}");
    assert_eq!(space.tgw(["audit", "show", "1"]).text(), by_id);
    let receipt = by_id.lines().last().unwrap().split_whitespace().last().unwrap();
    assert_eq!(space.tgw(["audit", "show", receipt]).text(), by_id);
}

#[test]
fn a_call_that_is_named_like_a_record_is_told_beside_it() {
    let space = recorded();
    space
        .tgw(["run"])
        .lines_in(&[r#"{"id":"2","name":"list_directory","arguments":{"path":"."}}"#])
        .answers();
    let both = space.tgw(["audit", "show", "2"]).text();
    assert!(both.starts_with("`2` names 2 stories"), "{both}");
    let alone = ["record:2", "call:2"].map(|name| {
        let told = space.tgw(["audit", "show", name]).text();
        assert!(both.contains(&format!("--- `tgw audit show {name}`\n{told}")), "{both}");
        told
    });
    assert!(alone[0].contains("call c2") && !alone[0].contains("list_directory"), "{}", alone[0]);
    assert!(alone[1].contains("list_directory · call 2"), "{}", alone[1]);
    let json: Value = serde_json::from_str(&space.tgw(["audit", "show", "2", "--json"]).text()).unwrap();
    assert_eq!((&json["call"], &json["others"][0]["call"]), (&Value::from("c2"), &Value::from("2")));
}

#[test]
fn an_unknown_record_is_said_to_be_unknown() {
    recorded()
        .tgw(["audit", "show", "nope"])
        .stderr(
            "error: the chain of `local` has no record for `nope`\n\
             hint: give the id of a call, of a question or of an effect, a receipt, or a record's number; `tgw audit list` shows them\n",
        )
        .status(1)
        .holds();
}

#[test]
fn the_chain_is_verified_with_receipts_and_says_what_it_cannot_notice() {
    let space = recorded();
    let receipt = space.records()[1]["receipt"].as_str().unwrap().to_owned();
    space
        .tgw(["audit", "verify", "--receipt", &receipt])
        .stdout(
            "found: sha256:[HASH] is record 2
intact: 3 records of `local`, 0 with erased details
head: sha256:[HASH]
not noticed without a receipt or head kept elsewhere:
  - a chain that was rewritten from some record to its end, with all hashes and the head made anew
  - a chain whose last records were removed together with a head that was set back
  - a tenant's chain that was removed as a whole
",
        )
        .holds();
    let stray = format!("sha256:{}", "0".repeat(64));
    let text = space.tgw(["audit", "verify", "--receipt", &stray]).status(1).text();
    assert!(text.starts_with("missing: sha256:000"), "{text}");
}

#[test]
fn what_is_no_receipt_is_a_usage_error() {
    recorded()
        .tgw(["audit", "verify", "--receipt", "sha256:00"])
        .stderr(
            "error: `sha256:00` is not a receipt\nhint: a receipt is `sha256:` and 64 hexadecimal digits\n",
        )
        .status(2)
        .holds();
}

#[test]
fn an_edited_record_is_noticed() {
    if !crate::harness::has("python3") {
        return;
    }
    let space = recorded();
    edit_store(
        &space,
        "UPDATE record SET bytes = CAST(replace(CAST(bytes AS TEXT), 'succeeded', 'forgotten') AS BLOB) WHERE id % 4294967296 = 1",
    );
    let text = space.tgw(["audit", "verify"]).status(1).text();
    assert!(text.contains("broken: ") && text.contains("not intact"), "{text}");
}

#[test]
fn a_removed_record_is_noticed() {
    if !crate::harness::has("python3") {
        return;
    }
    for seq in [1, 2, 3] {
        let space = recorded();
        edit_store(&space, &format!("DELETE FROM record WHERE id % 4294967296 = {seq}"));
        let text = space.tgw(["audit", "verify"]).status(1).text();
        assert!(text.contains("not intact"), "{seq}: {text}");
    }
}

/// Changes the store behind the gateway's back, as someone with the file could.
fn edit_store(space: &Space, sql: &str) {
    let script = "import sqlite3, glob, sys\n\
                  path, = glob.glob(sys.argv[1] + '/tgw/*/state.db')\n\
                  store = sqlite3.connect(path)\n\
                  [store.execute('DROP TRIGGER ' + name) for name, in \
                  store.execute(\"SELECT name FROM sqlite_master WHERE type = 'trigger'\").fetchall()]\n\
                  assert store.execute(sys.argv[2]).rowcount == 1\n\
                  store.commit()";
    let state = space.beside("state");
    let output = process("python3").arg("-c").arg(script).arg(state).arg(sql).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn every_record_is_exported_as_a_line() {
    let space = recorded();
    let text = space.tgw(["audit", "export"]).text();
    let lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines.len(), 3);
    assert_eq!(lines[1]["record"]["prev"], lines[0]["receipt"]);
}

#[test]
fn without_a_store_there_is_nothing_to_verify() {
    Space::new().tgw(["audit", "verify"]).stdout("no store: nothing was ever recorded here\n").holds();
}

/// An order that takes money and says nothing sensible, and a look-up that finds it.
const SHOP: &str = r#"version: 1
tools:
  - name: order
    description: Orders.
    risk: external
    execution_mode: exclusive
    idempotency: {key: "{{arguments.ref}}"}
    input_schema: {type: object, additionalProperties: false, required: [ref], properties: {ref: {type: string}}}
    run: {command: {argv: [sh, -c, 'echo "$1" >> orders; echo "who knows" >&2; exit 9', sh, "{{arguments.ref}}"]}}
    sandbox: {level: none, write: [.]}
    reconcile: {tool: find_order, arguments: {ref: "{{arguments.ref}}"}, found_when: 'value == "R-1"'}
    result: {trust: trusted}
  - name: find_order
    internal: true
    description: Finds an order.
    risk: read_only
    execution_mode: exclusive
    egress: false
    input_schema: {type: object, additionalProperties: false, required: [ref], properties: {ref: {type: string}}}
    run: {command: {argv: [sh, -c, 'printf "\"%s\"" "$(cat orders)"'], output: json}}
    sandbox: {level: none}
    result: {trust: trusted}
"#;

#[test]
fn a_story_goes_from_the_question_over_the_look_up_to_the_end() {
    let ask =
        "version: 1\ndefault_verdict: deny\nrules: [{id: ask, verdict: require_approval, reason: money}]\n";
    let space = Space::with(SHOP, ask);
    let order = r#"{"id":"c1","name":"order","arguments":{"ref":"R-1"}}"#;
    let asked = space.stream(&[order]).and(&["--task", &task(&space)]).answers().remove(0);
    let hint = asked["error"]["hint"].as_str().unwrap();
    let question = hint.split_whitespace().find_map(|word| word.strip_prefix("a_")).unwrap();
    let question = format!("a_{}", question.trim_matches('`'));
    let shown = space.tgw(["approvals", "show", &question]).text();
    let digest = shown.split_whitespace().find(|word| word.starts_with("sha256:")).unwrap();
    space.tgw(["approvals", "approve", &question, "--digest", digest.trim_matches('`')]).text();
    let again = space.stream(&[order]).and(&["--task", &task(&space)]).answers().remove(0);
    assert_eq!(again["status"], "unknown", "{again}");
    space.tgw(["effects", "reconcile"]).with_files().text();
    let story = space.tgw(["audit", "show", "c1"]).text();
    let mut rest = story.as_str();
    for step in [
        "order · call c1\n",
        &format!("asked: {question} · record 1\n"),
        "replied     input_required, APPROVAL_REQUIRED, effect none\n",
        "approved by ",
        "began, approved by ",
        "arguments   {\"ref\":\"R-1\"}\n",
        ": unknown OUTCOME_UNKNOWN · record ",
        "replied     unknown, OUTCOME_UNKNOWN, effect possible",
        "stderr      who knows\n",
        "probe find_order (look_",
        "is succeeded: a look-up told · record ",
        "\nreceipt sha256:",
    ] {
        let at = rest.find(step).unwrap_or_else(|| panic!("no `{step}` in its place:\n{story}"));
        rest = &rest[at + step.len()..];
    }
    for id in [question.as_str(), "1"] {
        assert_eq!(space.tgw(["audit", "show", id]).text(), story, "{id}");
    }
    let json: Value = serde_json::from_str(&space.tgw(["audit", "show", "c1", "--json"]).text()).unwrap();
    let parts: Vec<&str> =
        json["events"].as_array().unwrap().iter().map(|event| event["part"].as_str().unwrap()).collect();
    assert_eq!(parts, ["call", "call", "call", "call", "probe", "call"]);
    assert_eq!(json["events"][2]["detail"]["arguments"]["ref"], "R-1");
}

fn task(space: &Space) -> String {
    space.write_beside("task.yaml", "version: 1\nid: t\n");
    space.beside("task.yaml").display().to_string()
}

#[test]
fn calls_that_share_an_id_are_told_apart() {
    let space = recorded();
    space.tgw(["run"]).lines_in(&[r#"{"id":"c1","name":"list_directory","arguments":{}}"#]).answers();
    let story = space.tgw(["audit", "show", "c1"]).text();
    assert!(story.starts_with("list_directory · call c1\n") && !story.contains("read_file"), "{story}");
    assert!(
        story.contains("1 other call has this id, in other tasks; the first records of the latest: 1 "),
        "{story}"
    );
    assert!(space.tgw(["audit", "show", "1"]).text().starts_with("read_file · call c1\n"));
}

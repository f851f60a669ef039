//! Programs as tools: what they print, how they end.

use serde_json::{Value, json};

use crate::harness::{ALLOW, Space, call, code, content, message};

/// A manifest with one tool `t` that runs a shell script, with these lines added to its `command`, and to the contract.
fn tool(risk: &str, script: &str, command: &str, contract: &str) -> String {
    let script = serde_json::to_string(script).unwrap();
    format!(
        "version: 1
tools:
  - name: t
    description: Runs a script.
    risk: {risk}
    execution_mode: exclusive
    {effect}
    input_schema: {{type: object, additionalProperties: false, properties: {{x: {{type: string}}}}}}
    {contract}
    run:
      command:
        argv: [sh, -c, {script}]
        {command}
",
        effect = if risk == "read_only" { "egress: false" } else { "idempotency: none" },
    )
}

fn answer(risk: &str, script: &str, command: &str, contract: &str) -> Value {
    let contract = if contract.contains("result:") {
        contract.to_owned()
    } else {
        format!("{contract}\n    result: {{trust: trusted}}")
    };
    Space::with(&tool(risk, script, command, contract.trim()), ALLOW).answer(&call("c", "t", &json!({})))
}

fn read(script: &str, command: &str, contract: &str) -> Value {
    answer("read_only", script, command, contract)
}

fn write(script: &str, command: &str, contract: &str) -> Value {
    answer("write", script, command, contract)
}

#[test]
fn json_is_a_value_and_passes_unchanged() {
    let answer = read(r#"echo '{"b": [1.5, 10000000000000000001], "a": "ü"}'"#, "output: json", "");
    assert_eq!(content(&answer), r#"{"b":[1.5,10000000000000000001],"a":"ü"}"#);
}

#[test]
fn a_number_of_a_tool_that_no_double_holds_is_given_as_text() {
    let answer = read("echo '{\"a\": 0.1234567890123456789012345, \"b\": 1e400}'", "output: json", "");
    assert_eq!(content(&answer), r#"{"a":"0.1234567890123456789012345","b":"1e400"}"#);
    assert_eq!(answer["warnings"], json!(["numbers beyond 64-bit precision are given as text"]));
}

#[test]
fn json_lines_are_rows() {
    let answer = read(
        "printf '%s\\n' '{\"n\":1}' '{\"n\":2}' '{\"n\":3}'",
        "output: json_lines",
        "result: {trust: trusted, content: {max_rows: 2}}",
    );
    assert_eq!(answer["truncated"], true);
    assert_eq!(answer["total"]["rows"], 3);
    assert!(content(&answer).contains("{\"n\":2}") && !content(&answer).contains("{\"n\":3}"), "{answer}");
}

#[test]
fn what_is_not_the_promised_json_is_no_result_of_a_read() {
    let answer = read("echo '{'", "output: json", "");
    assert_eq!(code(&answer), "INVALID_RESULT");
    assert!(answer.get("content").is_none(), "{answer}");
}

#[test]
fn what_breaks_the_output_schema_is_withheld() {
    let schema = "output_schema: {type: object, additionalProperties: true, required: [id], properties: {id: {type: string}}}";
    let broken = read("echo '{\"id\":7,\"leak\":\"x\"}'", "output: json", schema);
    assert_eq!((broken["status"].as_str(), code(&broken)), (Some("failed"), "INVALID_RESULT"));
    assert!(!broken.to_string().contains("leak"), "{broken}");
    let effect = write("echo '{\"id\":7,\"leak\":\"x\"}'", "output: json", schema);
    assert_eq!((effect["status"].as_str(), effect["effect"].as_str()), (Some("succeeded"), Some("happened")));
    assert!(effect["warnings"].is_array() && !effect.to_string().contains("leak"), "{effect}");
}

#[test]
fn the_success_condition_decides() {
    assert_eq!(read("exit 3", "success: 'exit.status in [0, 3]'", "")["status"], "succeeded");
    assert_eq!(
        code(&read("echo '{\"ok\":false}'", "output: json\n        success: 'value.ok'", "")),
        "EXECUTION_FAILED"
    );
    assert_eq!(code(&read("exit 1", "", "")), "EXECUTION_FAILED");
    // What cannot be evaluated is no success.
    assert_eq!(code(&read("echo '{}'", "output: json\n        success: 'value.ok'", "")), "EXECUTION_FAILED");
}

#[test]
fn an_unexplained_end_of_a_write_is_unknown_and_a_proof_is_failed() {
    let unknown = write("exit 1", "", "");
    assert_eq!((code(&unknown), unknown["effect"].as_str()), ("OUTCOME_UNKNOWN", Some("possible")));
    let failed = write("exit 2", "no_effect: 'exit.status == 2'", "");
    assert_eq!((failed["status"].as_str(), failed["effect"].as_str()), (Some("failed"), Some("none")));
    let unknown = write("exit 3", "no_effect: 'exit.status == 2'", "");
    assert_eq!(code(&unknown), "OUTCOME_UNKNOWN");
    let killed = write("kill -9 $$", "", "");
    assert_eq!(code(&killed), "OUTCOME_UNKNOWN");
}

#[test]
fn a_contract_has_errors_of_its_own() {
    let errors = "errors: [{code: NO_STOCK, when: 'exit.status == 4', message: nothing is left, hint: choose another, retry: changed_call}]";
    let answer = read("exit 4", "", errors);
    assert_eq!((answer["status"].as_str(), code(&answer)), (Some("failed"), "NO_STOCK"));
    assert_eq!(
        (message(&answer), answer["error"]["hint"].as_str()),
        ("nothing is left", Some("choose another"))
    );
    assert_eq!(answer["error"]["retry"], "changed_call");
}

#[test]
fn a_read_that_takes_too_long_is_timed_out() {
    let answer = read("sleep infinity", "", "timeout: 300ms");
    assert_eq!(
        (answer["status"].as_str(), code(&answer), answer["effect"].as_str()),
        (Some("failed"), "TIMEOUT", Some("none"))
    );
}

#[test]
fn a_timeout_can_come_from_the_arguments() {
    let space = Space::with(
        "version: 1
tools:
  - name: t
    description: Waits.
    risk: read_only
    execution_mode: exclusive
    timeout: {from: 'arguments.ms', max: 10m}
    input_schema: {type: object, additionalProperties: false, required: [ms], properties: {ms: {type: integer, minimum: 1, maximum: 600000}}}
    run: {command: [sleep, infinity]}
    result: {trust: trusted}
",
        ALLOW,
    );
    assert_eq!(code(&space.answer(&call("c", "t", &json!({"ms": 200})))), "TIMEOUT");
}

#[test]
fn output_beyond_the_cap_is_cut_or_failed_as_the_contract_says() {
    let endless = "while :; do echo 0123456789; done";
    let cut =
        read(endless, "max_output_bytes: 4096\n        on_overflow: truncate\n        success: 'true'", "");
    assert_eq!(cut["status"], "succeeded", "{cut}");
    assert_eq!(cut["truncated"], true);
    assert!(content(&cut).len() <= 4096, "{}", content(&cut).len());
    let failed = read(endless, "max_output_bytes: 4096\n        on_overflow: fail", "");
    assert_eq!(code(&failed), "RESULT_TOO_LARGE");
}

#[test]
fn a_program_that_is_not_there_is_unavailable() {
    let tools = tool("read_only", "", "", "result: {trust: trusted}")
        .replace("[sh, -c, \"\"]", "[no-such-program-anywhere]");
    let answer = Space::with(&tools, ALLOW).answer(&call("c", "t", &json!({})));
    assert_eq!(code(&answer), "BACKEND_UNAVAILABLE");
}

#[test]
fn a_child_gets_an_explicit_environment_and_no_terminal() {
    let space = Space::with(
        &tool(
            "read_only",
            "env; tty; ps -o sid= -p $$ 2>/dev/null | grep -c . || true",
            "env: {GREETING: hello}",
            "result: {trust: trusted}",
        ),
        ALLOW,
    );
    let answers =
        space.stream(&[&call("c", "t", &json!({}))]).variable("SECRET_OF_MINE", "hidden-value").answers();
    let text = content(&answers[0]);
    assert!(text.contains("GREETING=hello") && text.contains("PATH="), "{text}");
    assert!(
        !text.contains("hidden-value")
            && !text.replace("TGW_CALL_TAG", "").contains("TGW_")
            && !text.contains("XDG_STATE_HOME"),
        "{text}"
    );
    assert!(text.contains("not a tty"), "{text}");
}

#[test]
fn one_placeholder_fills_one_argument_and_never_two() {
    let tools = "version: 1
tools:
  - name: t
    description: Shows its arguments.
    risk: read_only
    execution_mode: parallel
    input_schema: {type: object, additionalProperties: false, required: [x], properties: {x: {type: string}, many: {type: array, items: {type: string}}}}
    run: {command: {argv: [printf, '<%s>', '{{arguments.x}}', {when: has(arguments.many), args: ['--', {each: arguments.many, args: ['m={{item}}']}]}]}}
    result: {trust: trusted}
";
    let tools = tools.replace(
        ", {when: has(arguments.many), args: ['--', {each: arguments.many, args: ['m={{item}}']}]}",
        "",
    );
    let space = Space::with(&tools, ALLOW);
    let answer = space.answer(&call("c", "t", &json!({"x": "a b; $(id) `id` 'q' \"r\" *"})));
    assert_eq!(content(&answer), "<a b; $(id) `id` 'q' \"r\" *>");
    let answer = space.answer(&call("c", "t", &json!({"x": "--help"})));
    assert_eq!(code(&answer), "INVALID_ARGUMENTS");
}

#[test]
fn a_list_fills_one_argument_for_each_item() {
    let tools = "version: 1
tools:
  - name: t
    description: Shows its arguments.
    risk: read_only
    execution_mode: parallel
    input_schema: {type: object, additionalProperties: false, required: [many], properties: {many: {type: array, items: {type: string}}, last: {type: string}}}
    run: {command: {argv: [printf, '<%s>', {each: arguments.many, args: ['m={{item}}']}, {when: has(arguments.last), args: ['l={{arguments.last}}']}]}}
    result: {trust: trusted}
";
    let space = Space::with(tools, ALLOW);
    assert_eq!(
        content(&space.answer(&call("c", "t", &json!({"many": ["a b", "c"], "last": "z"})))),
        "<m=a b><m=c><l=z>"
    );
    assert_eq!(content(&space.answer(&call("c", "t", &json!({"many": ["-x"]})))), "<m=-x>");
}

#[test]
fn nothing_is_written_outside_of_what_the_contract_says() {
    let space = Space::with(
        &tool(
            "write",
            "echo in > w/in; echo out > r/out || true; echo beside > ../outside/x || true; ls w r ../outside",
            "",
            "sandbox: {level: confined, write: [w]}\n    result: {trust: trusted}",
        ),
        ALLOW,
    );
    space.write("w/.keep", "").write("r/.keep", "");
    let answer = space.answer(&call("c", "t", &json!({})));
    if answer["status"] == "failed" && code(&answer) == "SANDBOX_UNAVAILABLE" {
        eprintln!("skipped: no sandbox here");
        return;
    }
    assert_eq!(space.read("w/in").as_deref(), Some("in\n"), "{answer}");
    assert_eq!(space.read("r/out"), None);
    assert!(!space.beside("outside/x").exists());
}

#[test]
fn a_sandbox_that_is_not_to_be_had_is_refused_before_anything_runs() {
    let space = Space::with(
        &tool(
            "write",
            "touch w/ran",
            "",
            "sandbox: {level: isolated, write: [w]}\n    result: {trust: trusted}",
        ),
        ALLOW,
    );
    space.write("w/.keep", "");
    // Without bubblewrap in its PATH, the gateway cannot isolate.
    let folder = space.beside("bin");
    std::fs::create_dir(&folder).unwrap();
    for program in ["sh", "touch", "setsid"] {
        let found = std::env::split_paths(&std::env::var_os("PATH").unwrap())
            .map(|f| f.join(program))
            .find(|p| p.is_file());
        std::os::unix::fs::symlink(found.unwrap(), folder.join(program)).unwrap();
    }
    let answers = space
        .stream(&[&call("c", "t", &json!({}))])
        .variable("PATH", &folder.display().to_string())
        .answers();
    if answers[0]["status"] == "succeeded" {
        // A fixed path is looked at too.
        assert!(std::path::Path::new("/usr/bin/bwrap").exists());
        return;
    }
    assert_eq!(code(&answers[0]), "SANDBOX_UNAVAILABLE", "{}", answers[0]);
    assert_eq!(space.read("w/ran"), None);
}

//! Credentials reach the child and nothing else.

use serde_json::json;

use crate::harness::{ALLOW, Space, call, code, has, outcomes, process};

const SECRET: &str = "zq7-s3cr3t/+value&with=signs";

/// `leak` prints its credential in every way that it can.
const TOOLS: &str = r#"version: 1
credentials:
  variable: {source: {env: MY_TOKEN}}
  file: {source: {file: token.txt}}
  command: {source: {command: [cat, ../files/token.txt]}}
tools:
  - name: leak_variable
    description: Prints its token.
    risk: read_only
    execution_mode: exclusive
    input_schema: &none {type: object, additionalProperties: false, properties: {}}
    run: {command: {argv: &leak [sh, -c, 'echo "plain $T"; printf %s "$T" | base64; printf %s "x$T" | base64; printf %s "xx$T" | base64; printf %s "$T" | od -An -v -tx1 | tr -d " \n"; echo; printf %s "$T" | od -An -v -tx1 | tr -d "\n"; echo; printf %s "$T" | sed "s|/|%2F|g;s|+|%2B|g;s|&|%26|g;s|=|%3D|g"; echo; echo "error $T" >&2'], streams: merged, credentials: {T: variable}}}
    result: &trust {trust: trusted}
  - name: leak_file
    description: Prints its token.
    risk: read_only
    execution_mode: exclusive
    input_schema: *none
    run: {command: {argv: *leak, streams: merged, credentials: {T: file}}}
    result: *trust
  - name: leak_command
    description: Prints its token.
    risk: read_only
    execution_mode: exclusive
    input_schema: *none
    run: {command: {argv: *leak, streams: merged, credentials: {T: command}}}
    result: *trust
  - name: leak_stdin
    description: Prints its token.
    risk: write
    execution_mode: exclusive
    idempotency: none
    input_schema: *none
    run: {command: {argv: [sh, -c, 'read -r T || true; echo "{\"a\": \"$T\"}"; echo "$T" >&2; exit 3'], stdin: {credential: variable}}}
    result: *trust
  - name: length
    description: Counts what it was given.
    risk: read_only
    execution_mode: exclusive
    input_schema: *none
    run: {command: {argv: [sh, -c, 'test "$T" = "$(cat expected.txt)" && echo same; tr "\0" " " < /proc/self/cmdline'], credentials: {T: variable}}}
    result: *trust
"#;

fn space() -> Space {
    let space = Space::with(TOOLS, ALLOW);
    // A source beside the manifest, where no tool can read it.
    space.write_beside("files/token.txt", format!("{SECRET}\n"));
    space
}

/// The secret in every form that this test looks for.
fn forms() -> Vec<String> {
    let hex: String = SECRET.bytes().map(|byte| format!("{byte:02x}")).collect();
    let percent = SECRET.replace('/', "%2F").replace('+', "%2B").replace('&', "%26").replace('=', "%3D");
    let mut forms = vec![SECRET.to_owned(), hex, percent, "s3cr3t".to_owned()];
    use base64::Engine as _;
    for lead in ["", "x", "xx"] {
        let text = base64::engine::general_purpose::STANDARD.encode(format!("{lead}{SECRET}"));
        // What surrounds the secret may stand; its own middle may not.
        forms.push(text[8..text.len() - 8].to_owned());
    }
    forms
}

fn assert_clean(what: &str, text: &str) {
    for form in forms() {
        assert!(!text.contains(&form), "{what} holds `{form}`:\n{text}");
    }
}

#[test]
fn a_secret_is_in_no_output_in_any_encoding_and_not_in_the_store() {
    let space = space();
    let names = ["leak_variable", "leak_file", "leak_command", "leak_stdin"];
    let lines: Vec<String> = names.iter().map(|name| call(name, name, &json!({}))).collect();
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    let ended = space.stream(&lines).and(&["--display", "text", "-vvv"]).variable("MY_TOKEN", SECRET).ended();
    assert_eq!(ended.status, Some(0), "{}", ended.stderr);
    let answers: Vec<serde_json::Value> =
        ended.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(
        outcomes(&answers),
        [
            ("leak_variable", "succeeded"),
            ("leak_file", "succeeded"),
            ("leak_command", "succeeded"),
            ("leak_stdin", "unknown")
        ]
    );
    assert!(
        answers[..3].iter().all(|answer| answer["content"].as_str().unwrap().contains("plain ")),
        "{answers:#?}"
    );
    assert_clean("stdout", &ended.stdout);
    assert_clean("stderr", &ended.stderr);
    for command in [&["audit", "list", "--json"][..], &["audit", "export"], &["results"]] {
        assert_clean("a look at the store", &space.tgw(command.iter().copied()).text());
    }
    for answer in answers.iter().filter_map(|answer| answer["result"].as_str()) {
        assert_clean("a stored result", &space.tgw(["results", answer, "--json"]).text());
    }
    for file in files_below(&space.beside("state")) {
        assert_clean(&file.display().to_string(), &String::from_utf8_lossy(&std::fs::read(&file).unwrap()));
    }
    let record = space.records();
    assert!(
        record.iter().any(|record| record["record"]["credentials"][0]["name"] == "variable"),
        "{record:#?}"
    );
}

#[test]
fn strings_of_the_store_do_not_hold_a_secret() {
    if !has("strings") {
        return;
    }
    let space = space();
    space.stream(&[&call("l", "leak_variable", &json!({}))]).variable("MY_TOKEN", SECRET).answers();
    for file in files_below(&space.beside("state")) {
        let output = process("strings").arg(&file).output().unwrap();
        assert_clean("strings", &String::from_utf8_lossy(&output.stdout));
    }
}

fn files_below(folder: &std::path::Path) -> Vec<std::path::PathBuf> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap().flatten() {
        if entry.path().is_dir() {
            files.extend(files_below(&entry.path()));
        } else {
            files.push(entry.path());
        }
    }
    files
}

#[test]
fn a_child_gets_the_secret_exactly_and_never_in_its_argv() {
    let space = space();
    space.write("expected.txt", SECRET);
    let answers = space.stream(&[&call("l", "length", &json!({}))]).variable("MY_TOKEN", SECRET).answers();
    let text = answers[0]["content"].as_str().unwrap();
    assert!(text.starts_with("same\n"), "{text}");
    assert_clean("argv", text);
}

#[test]
fn a_secret_in_the_arguments_of_a_call_is_redacted_in_its_record() {
    let space = space();
    let lines = [
        call("l", "leak_variable", &json!({})),
        call("s", "tgw__search_tools", &json!({"query": format!("find {SECRET}")})),
    ];
    let answers = space.stream(&[&lines[0], &lines[1]]).variable("MY_TOKEN", SECRET).answers();
    assert_eq!(outcomes(&answers), [("l", "succeeded"), ("s", "succeeded")]);
    assert_clean("the record", &space.tgw(["audit", "export"]).text());
}

#[test]
fn a_missing_credential_is_said_before_anything_runs() {
    let space = Space::with(
        "version: 1
credentials:
  absent: {source: {env: NOT_SET}}
  nothing: {source: {command: ['true']}}
  fails: {source: {command: ['false']}}
  gone: {source: {file: gone.txt}}
tools:
  - {name: a, description: A., risk: write, execution_mode: exclusive, idempotency: none, input_schema: &none {type: object, additionalProperties: false, properties: {}}, run: {command: {argv: &touch [touch, m/ran], credentials: {T: absent}}}, sandbox: &here {level: none, write: [m]}, result: &trust {trust: trusted}}
  - {name: b, description: B., risk: write, execution_mode: exclusive, idempotency: none, input_schema: *none, run: {command: {argv: *touch, credentials: {T: nothing}}}, sandbox: *here, result: *trust}
  - {name: c, description: C., risk: write, execution_mode: exclusive, idempotency: none, input_schema: *none, run: {command: {argv: *touch, credentials: {T: fails}}}, sandbox: *here, result: *trust}
  - {name: d, description: D., risk: write, execution_mode: exclusive, idempotency: none, input_schema: *none, run: {command: {argv: *touch, credentials: {T: gone}}}, sandbox: *here, result: *trust}
",
        ALLOW,
    );
    space.write("m/.keep", "");
    let answers =
        space.answers(&[r#"{"name":"a"}"#, r#"{"name":"b"}"#, r#"{"name":"c"}"#, r#"{"name":"d"}"#]);
    for answer in &answers {
        assert_eq!(
            (code(answer), answer["effect"].as_str()),
            ("CREDENTIAL_UNAVAILABLE", Some("none")),
            "{answer}"
        );
    }
    assert_eq!(space.read("m/ran"), None);
    assert!(space.records().iter().all(|record| record["record"]["kind"] == "refused"));
}

#[test]
fn a_credential_that_the_policy_limits_is_kept_from_other_tools() {
    let space = Space::with(
        TOOLS,
        "version: 1\ndefault_verdict: allow\ncredentials: [{credential: variable, tools: [leak_stdin]}]\n",
    );
    let answers =
        space.stream(&[&call("l", "leak_variable", &json!({}))]).variable("MY_TOKEN", SECRET).answers();
    assert_eq!(answers[0]["status"], "denied");
    assert_clean("the answer", &answers[0].to_string());
}

#[test]
fn a_program_whose_value_is_kept_runs_once_for_the_calls_of_that_time() {
    let manifest = |cache: &str| {
        format!(
            "version: 1
credentials:
  printed: {{source: {{command: [sh, -c, 'echo run >> ../files/runs; echo {SECRET}']}}{cache}}}
tools:
  - {{name: use, description: Prints its token., risk: read_only, execution_mode: parallel, egress: false, input_schema: {{type: object, additionalProperties: false, properties: {{}}}}, run: {{command: {{argv: [sh, -c, 'echo \"$T\"'], credentials: {{T: printed}}}}}}, result: {{trust: trusted}}}}
"
        )
    };
    let one = |id: &str| call(id, "use", &json!({}));
    for (cache, runs) in [("", 4), (", cache: 5m", 1)] {
        let space = Space::with(&manifest(cache), ALLOW);
        let batch = format!("[{},{},{}]", one("a"), one("b"), one("c"));
        let answers = space.answers(&[&batch, &one("d")]);
        assert_eq!(
            outcomes(&answers),
            [("a", "succeeded"), ("b", "succeeded"), ("c", "succeeded"), ("d", "succeeded")]
        );
        assert!(answers.iter().all(|answer| answer["content"] == "[secret:printed]\n"), "{answers:?}");
        let printed = std::fs::read_to_string(space.beside("files/runs")).unwrap();
        assert_eq!(printed.lines().count(), runs, "{cache}");
    }
}

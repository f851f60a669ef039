//! Leaking a credential.

use std::fs::{self, File};
use std::io::Write;
use std::process::Stdio;

use base64::Engine as _;
use rustix::event::{PollFd, PollFlags};
use serde_json::json;

use super::fixture::{FREE, files_below, holds, line};
use crate::place::{Place, await_readable, finish_child, helper, verdict};

/// No well-known shape: only the resolved value gives it away. With characters that every encoding spells differently.
const SECRET: &str = "Zq7/+w\"9k&vR=x2?LmT%8éPd5~Yh3Jc6";

fn manifest(run: &str, extra: &str) -> String {
    format!(
        r#"
version: 1
credentials: {{token: {{source: {{env: THE_TOKEN}}}}}}
tools:
  - name: use
    version: 1.0.0
    description: Runs with a credential.
    risk: write
    changes: nothing that matters
    execution_mode: exclusive
    timeout: 60s
    egress: false
    input_schema: {{type: object, additionalProperties: false, required: [script], properties: {{script: {{type: string}}}}}}
    run: {{command: {{argv: [bash, -c, 'eval "$1"', sh, "{{{{arguments.script}}}}"], credentials: {{API_TOKEN: token}}, {run}}}}}
    result: {{trust: untrusted{extra}}}
  - name: other
    version: 1.0.0
    description: Runs without a credential.
    risk: write
    changes: nothing that matters
    execution_mode: exclusive
    egress: false
    input_schema: {{type: object, additionalProperties: false, properties: {{}}}}
    run: {{command: {{argv: [env]}}}}
    result: {{trust: untrusted}}
"#
    )
}

fn place(run: &str, extra: &str) -> Place {
    let place = Place::new();
    place.configure(&manifest(run, extra), FREE);
    place
}

fn run(place: &Place, arguments: &[&str], input: &str) -> crate::place::Ended {
    let mut command = place.tgw(&[&["run"], arguments].concat());
    command.env("THE_TOKEN", SECRET);
    crate::place::finish(&mut command, input.as_bytes())
}

/// The secret as it could be written: itself, and in the encodings of the design.
fn spellings() -> Vec<String> {
    let standard = base64::engine::general_purpose::STANDARD;
    let percent: String =
        SECRET
            .bytes()
            .map(|byte| {
                if byte.is_ascii_alphanumeric() {
                    char::from(byte).to_string()
                } else {
                    format!("%{byte:02X}")
                }
            })
            .collect();
    let quoted = serde_json::to_string(SECRET).unwrap();
    vec![
        SECRET.to_owned(),
        standard.encode(SECRET).trim_end_matches('=').to_owned(),
        SECRET.bytes().map(|byte| format!("{byte:02x}")).collect(),
        SECRET.bytes().map(|byte| format!("{byte:02X}")).collect(),
        percent.to_ascii_lowercase(),
        percent,
        quoted.trim_matches('"').to_owned(),
    ]
}

fn assert_clean(what: &str, bytes: &[u8]) {
    for spelling in spellings() {
        assert!(!holds(bytes, &spelling), "{what} holds {spelling}: {}", String::from_utf8_lossy(bytes));
    }
}

/// Prints the credential in every encoding.
const PRINT: &str = r#"printf '%s\n' "$API_TOKEN"; printf '%s' "$API_TOKEN" | base64 -w0; echo; printf '%s' "$API_TOKEN" | od -An -v -tx1 | tr -d ' \n'; echo; printf '%s' "$API_TOKEN" | od -An -v -tx1 | tr -d ' \n' | tr a-f A-F; echo; printf '%s' "$API_TOKEN" | od -An -v -tx1 | tr ' ' '%' | tr -d '\n'; echo; printf 'x%s' "$API_TOKEN" | base64 -w0; echo; printf 'xx%s' "$API_TOKEN" | base64 -w0; echo"#;

#[test]
fn a_credential_shows_nowhere_however_it_is_printed() {
    let place = place("streams: merged", "");
    let display = place.workspace().parent().unwrap().join("aside/display.txt");
    let input = line("use", &json!({ "script": PRINT }))
        + &line("use", &json!({ "script": format!("({PRINT}) >&2; exit 3") }));
    let ended = run(&place, &["--display", display.to_str().unwrap(), "-vvv"], &input);
    let lines = ended.lines();
    assert_eq!(verdict(&lines[0]), "succeeded", "{ended:?}");
    assert!(lines[0]["content"].as_str().unwrap().contains("token"), "the marks are missing: {ended:?}");
    assert_clean("stdout", ended.stdout.as_bytes());
    assert_clean("stderr", ended.stderr.as_bytes());
    assert_clean("the display", &fs::read(display).unwrap());
    assert_clean("the audit", place.ask(&["audit", "export"]).stdout.as_bytes());
    let reference = lines[0]["result"].as_str().unwrap();
    assert_clean("the results", place.ask(&["results", reference, "--json"]).stdout.as_bytes());
    for (path, bytes) in files_below(&place.state()) {
        assert_clean(&path.display().to_string(), &bytes);
    }
}

#[test]
fn a_credential_shows_in_no_json_result() {
    let place = place("output: json", "");
    let script =
        r#"node=$(printf '%s' "$API_TOKEN" | sed 's/"/\\"/g'); printf '{"a":["%s"],"%s":1}' "$node" "$node""#;
    let ended = run(&place, &[], &line("use", &json!({ "script": script })));
    assert_clean("stdout", ended.stdout.as_bytes());
    for (path, bytes) in files_below(&place.state()) {
        assert_clean(&path.display().to_string(), &bytes);
    }
}

#[test]
fn chunks_and_pauses_do_not_split_a_credential_past_recognition() {
    let place = place("streams: stdout", "");
    // Each piece is a write of its own; the FIFO makes the writer wait until the reader has had time to read it.
    let script = r#"for ((i=0; i<${#API_TOKEN}; i++)); do printf '%s' "${API_TOKEN:i:1}"; mkfifo f$i; (: > f$i) & : < f$i; rm f$i; done"#;
    let ended = run(&place, &[], &line("use", &json!({ "script": script })));
    assert_eq!(verdict(&ended.line()), "succeeded", "{ended:?}");
    assert_clean("stdout", ended.stdout.as_bytes());
    for (path, bytes) in files_below(&place.state()) {
        assert_clean(&path.display().to_string(), &bytes);
    }
}

/// Whether some text holds a piece of the secret that is long enough to help.
fn holds_a_piece(text: &str) -> bool {
    let characters: Vec<char> = SECRET.chars().collect();
    characters.windows(6).any(|piece| text.contains(&piece.iter().collect::<String>()))
}

#[test]
fn no_end_by_force_leaves_the_first_half_of_a_credential() {
    let place = place("streams: stdout", "");
    for end in ["kill -9 $$", "(kill -9 $BASHPID); exit 137"] {
        let script = format!(r#"printf 'aaaa%s' "${{API_TOKEN:0:22}}"; {end}"#);
        let ended = run(&place, &[], &line("use", &json!({ "script": script })));
        assert_eq!(verdict(&ended.line()).split('/').next(), Some("unknown"), "{ended:?}");
        assert!(ended.stdout.contains("aaaa") && !holds_a_piece(&ended.stdout), "{ended:?}");
        for (path, bytes) in files_below(&place.state()) {
            assert!(!holds_a_piece(&String::from_utf8_lossy(&bytes)), "{}", path.display());
        }
    }
}

#[test]
fn no_cap_cuts_a_credential_in_half() {
    for (run_words, extra) in [
        ("streams: stdout", ", content: {max_bytes: 256}"),
        ("streams: stdout, max_output_bytes: 256, on_overflow: truncate", ""),
        ("streams: stdout", ", content: {max_bytes: 256, keep: tail}"),
    ] {
        let place = place(run_words, extra);
        let mut input = String::new();
        for padding in 200..260 {
            let script = format!(
                r#"head -c {padding} /dev/zero | tr '\0' 'p'; printf '%s' "$API_TOKEN"; head -c 100 /dev/zero | tr '\0' 'q'"#
            );
            input += &line("use", &json!({ "script": script }));
        }
        let ended = run(&place, &[], &input);
        assert_eq!(ended.lines().len(), 60);
        for line in ended.lines() {
            assert!(!holds_a_piece(&line.to_string()), "{run_words} {extra}: {line}");
        }
    }
}

#[test]
fn no_process_shows_a_credential_among_its_arguments() {
    let place = place("streams: merged", "");
    helper(&place, "mkfifo", &["ready", "gate"]);
    // Opened for both, a FIFO waits for nobody.
    let open =
        |name: &str| File::options().read(true).write(true).open(place.workspace().join(name)).unwrap();
    let (ready, mut gate) = (open("ready"), open("gate"));
    let mut command = place.tgw(&["run"]);
    command.env("THE_TOKEN", SECRET).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let child = command.spawn().unwrap();
    let input =
        line("use", &json!({ "script": "echo here > ready; read -r word < gate; cat /proc/self/cmdline" }));
    let waiting = std::thread::spawn(move || finish_child(child, input.as_bytes()));
    assert!(await_readable(&mut [PollFd::new(&ready, PollFlags::IN)]), "the command did not start");
    let mut looked = 0;
    for entry in fs::read_dir("/proc").unwrap().flatten() {
        let Ok(words) = fs::read(entry.path().join("cmdline")) else { continue };
        looked += 1;
        assert!(!holds(&words, SECRET), "{:?}", String::from_utf8_lossy(&words));
    }
    assert!(looked > 2);
    gate.write_all(b"go\n").unwrap();
    let ended = waiting.join().unwrap();
    assert_eq!(verdict(&ended.line()), "succeeded", "{ended:?}");
}

#[test]
fn a_tool_without_the_credential_does_not_get_it() {
    let place = place("streams: merged", "");
    let ended = run(&place, &[], &(line("use", &json!({ "script": "true" })) + &line("other", &json!({}))));
    let lines = ended.lines();
    assert_eq!(verdict(&lines[1]), "succeeded", "{ended:?}");
    let content = lines[1]["content"].as_str().unwrap();
    assert!(!content.contains("TOKEN"), "{content}");
    assert_clean("stdout", ended.stdout.as_bytes());
}

#[test]
fn a_policy_keeps_a_credential_from_a_tool() {
    let place = Place::new();
    place.configure(
        &manifest("streams: merged", ""),
        "version: 1\ndefault_verdict: allow\ncredentials: [{credential: token, tools: [other]}]\nrules: []\n",
    );
    let ended = run(&place, &[], &line("use", &json!({ "script": "touch ran" })));
    assert_eq!(verdict(&ended.line()), "denied/PERMISSION_DENIED", "{ended:?}");
    assert_eq!(ended.line()["error"]["retry"], "never");
    assert!(!place.workspace().join("ran").exists());
    let checked = place.ask_with(&["check"], &line("use", &json!({ "script": "touch ran" })));
    let decided = checked.line();
    assert_eq!((&decided["verdict"], &decided["code"]), (&json!("deny"), &json!("PERMISSION_DENIED")));
    assert!(decided["reason"].as_str().unwrap().contains("credential `token`"), "{decided}");
}

#[test]
fn no_person_is_asked_about_a_call_whose_credential_the_policy_withholds() {
    let place = Place::new();
    let agents = "version: 1\ndefault_verdict: require_approval\ncredentials: [{credential: token, agents: [other]}]\nrules: []\n";
    place.configure(&manifest("streams: merged", ""), agents);
    let call = line("use", &json!({ "script": "touch ran" }));
    let refused = run(&place, &[], &call).line();
    assert_eq!(verdict(&refused), "denied/PERMISSION_DENIED");
    assert!(refused["error"]["message"].as_str().unwrap().contains("the agent `default`"), "{refused}");
    assert_eq!(
        verdict(&run(&place, &["--agent", "other"], &call).line()),
        "input_required/APPROVAL_REQUIRED"
    );
}

#[test]
fn a_source_that_fails_says_nothing_of_what_it_printed() {
    let manifest = manifest("streams: merged", "").replace(
        "{env: THE_TOKEN}",
        &format!("{{command: [sh, -c, 'echo \"{0}\" >&2; echo \"{0}\"; exit 1']}}", "leaky-7f3a91c2d4"),
    );
    let place = Place::new();
    place.configure(&manifest, FREE);
    let ended = run(&place, &["-vvv"], &line("use", &json!({ "script": "touch ran" })));
    assert_eq!(verdict(&ended.line()), "failed/CREDENTIAL_UNAVAILABLE", "{ended:?}");
    assert!(
        !ended.stdout.contains("leaky-7f3a91c2d4") && !ended.stderr.contains("leaky-7f3a91c2d4"),
        "{ended:?}"
    );
    assert!(!place.ask(&["audit", "export"]).stdout.contains("leaky-7f3a91c2d4"));
    assert!(!place.workspace().join("ran").exists());
}

#[test]
fn a_secret_that_a_model_sends_is_not_repeated_to_it_or_kept() {
    let place = place("streams: merged", "");
    let token = "ghp_16C7e42F292c6912E7710c838347Ae178B4a";
    let calls = [
        json!({ "name": "use", "arguments": { "script": [token] } }),
        json!({ "name": "use", "arguments": { token: 1 } }),
        json!({ "name": token, "arguments": {} }),
        json!({ "name": "use", "arguments": { "script": "true" }, token: 1 }),
        json!({ "name": "use", "arguments": { "script": format!("echo {token}; exit 3") } }),
    ];
    let input: String = calls.iter().map(|call| format!("{call}\n")).collect();
    let ended = run(&place, &["-vvv"], &input);
    assert_eq!(ended.lines().len(), calls.len());
    assert!(!ended.stdout.contains(token), "{}", ended.stdout);
    assert!(!ended.stderr.contains(token), "{}", ended.stderr);
    for (path, bytes) in files_below(&place.state()) {
        assert!(!holds(&bytes, token), "{} holds it", path.display());
    }
}

#[test]
fn nothing_about_the_machine_outside_reaches_the_model() {
    let place = place("streams: merged", "");
    let outside = place.workspace().parent().unwrap().to_str().unwrap().to_owned();
    let input = line("use", &json!({ "script": 1 }))
        + &line("nothing", &json!({}))
        + "{\n"
        + &line("read_file", &json!({ "path": "../x" }));
    let ended = run(&place, &[], &input);
    assert!(!ended.stdout.contains(&outside), "{}", ended.stdout);
}

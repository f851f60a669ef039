//! stdout is data and stderr is talk: displays, formats, logs.

use serde_json::Value;

use crate::harness::Space;

const READ: &str = r#"{"id":"c1","name":"read_file","arguments":{"path":"f.txt"}}"#;

fn space() -> Space {
    let space = Space::new();
    space.write("f.txt", "a\nb\n");
    space
}

const SHOWN: &str = "✓ read_file f.txt  [DURATION]\n  1 │ a\n  2 │ b\n";

const SUMMARY: &str = "1 call in [DURATION]: 1 allowed, 0 asked, 0 denied; 1 succeeded, 0 failed\n";

#[test]
fn without_a_terminal_nothing_is_displayed() {
    space()
        .tgw(["run"])
        .lines_in(&[READ])
        .stdout(
            "{\"id\":\"c1\",\"tool\":\"read_file\",\"status\":\"succeeded\",\"effect\":\"none\",\"content\":\"1\\ta\\n2\\tb\\n\",\
             \"total\":{\"lines\":2},\"result\":\"r_[ID]\",\"receipt\":\"sha256:[HASH]\"}\n",
        )
        .holds();
}

#[test]
fn the_display_goes_to_stderr_where_text_is_asked_for() {
    let space = space();
    let answers = space
        .tgw(["run", "--display", "text"])
        .lines_in(&[READ])
        .stderr(&format!("{SHOWN}{SUMMARY}"))
        .answers();
    assert_eq!(answers.len(), 1);
    let answers =
        space.tgw(["call", "read_file", r#"{"path":"f.txt"}"#, "--display", "text"]).stderr(SHOWN).answers();
    assert_eq!(answers.len(), 1);
}

#[test]
fn the_display_goes_to_a_file() {
    let space = space();
    let file = space.beside("display.txt").display().to_string();
    space.tgw(["run", "--display", &file]).lines_in(&[READ]).answers();
    let shown = std::fs::read_to_string(&file).unwrap();
    assert_eq!(space.normalise(&shown), format!("{SHOWN}{SUMMARY}"));
}

#[test]
fn the_display_goes_to_a_descriptor() {
    let space = space();
    space.tgw(["run", "--display", "fd:2"]).lines_in(&[READ]).stderr(&format!("{SHOWN}{SUMMARY}")).answers();
    space
        .tgw(["run", "--display", "fd:9"])
        .stderr(
            "error: `fd:9` names no descriptor that can be written\n\
             hint: open it in the shell, as in `tgw run --display fd:3 3>display.txt`\n",
        )
        .status(2)
        .holds();
}

#[test]
fn the_display_is_events_where_json_is_asked_for() {
    let space = space();
    let ended = space.tgw(["run", "--display", "json"]).lines_in(&[READ]).ended();
    let events: Vec<Value> = ended.stderr.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(events.len(), 2);
    assert_eq!((&events[0]["event"], &events[0]["id"]), (&"call".into(), &"c1".into()));
    assert_eq!((&events[1]["event"], &events[1]["calls"]), (&"summary".into(), &1.into()));
    assert_eq!(ended.stdout.lines().count(), 1);
}

#[test]
fn colour_is_off_where_no_terminal_is() {
    let space = space();
    let plain = space.tgw(["run", "--display", "text"]).lines_in(&[READ]).ended();
    assert!(!plain.stderr.contains('\x1b'), "{:?}", plain.stderr);
    let painted = space.tgw(["run", "--display", "text", "--color", "always"]).lines_in(&[READ]).ended();
    assert!(painted.stderr.contains('\x1b'), "{:?}", painted.stderr);
    assert!(!painted.stdout.contains('\x1b'));
}

#[test]
fn logs_never_reach_stdout() {
    let space = space();
    for (flag, form) in [("-vvv", "text"), ("-vvv", "json")] {
        let ended = space
            .tgw(["run", flag, "--log-format", form])
            .lines_in(&[READ, r#"{"cancel":"nobody"}"#])
            .ended();
        assert_eq!(ended.status, Some(0));
        assert_eq!(ended.stdout.lines().count(), 1, "{}", ended.stdout);
        serde_json::from_str::<Value>(&ended.stdout).unwrap();
        assert!(ended.stderr.contains("nothing to cancel under this id"), "{}", ended.stderr);
    }
}

#[test]
fn a_filter_that_is_none_is_a_configuration_error() {
    space()
        .tgw(["run"])
        .variable("TGW_LOG", "===")
        .stderr(
            "error: `TGW_LOG` is not a filter: invalid filter directive\n\
             hint: write a level such as `debug`, or `tgw=debug`\n",
        )
        .status(2)
        .holds();
}

#[test]
fn every_format_can_be_asked_for() {
    let space = space();
    let text = r#""1\ta\n2\tb\n""#;
    for (format, expected) in [
        ("openai-chat", format!(r#"{{"role":"tool","tool_call_id":"c1","content":{text}}}"#)),
        ("openai-responses", format!(r#"{{"type":"function_call_output","call_id":"c1","output":{text}}}"#)),
        (
            "anthropic",
            format!(
                r#"{{"type":"tool_result","tool_use_id":"c1","content":[{{"type":"text","text":{text}}}]}}"#
            ),
        ),
        (
            "gemini",
            format!(
                r#"{{"functionResponse":{{"id":"c1","name":"read_file","response":{{"output":{text}}}}}}}"#
            ),
        ),
        (
            "bedrock",
            format!(
                r#"{{"toolResult":{{"toolUseId":"c1","content":[{{"text":{text}}}],"status":"success"}}}}"#
            ),
        ),
        (
            "mcp",
            format!(
                r#"{{"jsonrpc":"2.0","id":"c1","result":{{"content":[{{"type":"text","text":{text}}}],"isError":false}}}}"#
            ),
        ),
    ] {
        space.tgw(["run", "--format", format]).lines_in(&[READ]).stdout(&format!("{expected}\n")).holds();
    }
}

#[test]
fn a_display_never_overwrites_what_it_was_not_plainly_told_to() {
    let space = space();
    space.write("jsom", "mine\n").write("policy.yaml", "version: 1\n");
    let policy = space.path("policy.yaml").display().to_string();
    let trust = space.beside("state/tgw/trust.json").display().to_string();
    for named in ["jsom", "policy.yaml", "./policy.yaml", "file:policy.yaml", &policy, &trust] {
        let ended =
            space.tgw(["call", "list_directory", "--display", named, "--policy", "policy.yaml"]).ended();
        assert_eq!((ended.status, ended.stdout.as_str()), (Some(2), ""), "{named}: {}", ended.stderr);
    }
    assert_eq!(space.read("jsom").as_deref(), Some("mine\n"));
    assert_eq!(space.read("policy.yaml").as_deref(), Some("version: 1\n"));
    let ended = space.tgw(["run", "--display", "jsom"]).ended();
    assert!(ended.stderr.contains("did you mean `json`?"), "{}", ended.stderr);
    let ended = space.tgw(["run", "--display", "file:shown"]).lines_in(&[READ]).ended();
    assert_eq!(ended.status, Some(0), "{}", ended.stderr);
    assert!(space.read("shown").is_some());
}

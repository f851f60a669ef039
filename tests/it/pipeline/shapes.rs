//! Every shape is answered in kind.

use crate::harness::Space;

/// Lines of every shape, each with its answer.
const SHAPES: [(&str, &str); 14] = [
    (
        r#"{"id":"n1","name":"read_file","arguments":{"path":"f"}}"#,
        r#"{"id":"n1","tool":"read_file","status":"succeeded","effect":"none","content":"1\ta\n","total":{"lines":1},"result":"r_[ID]","receipt":"sha256:[HASH]"}"#,
    ),
    (
        r#"{"role":"assistant","content":null,"tool_calls":[{"id":"o1","type":"function","function":{"name":"read_file","arguments":"{\"path\":\"f\"}"}}]}"#,
        r#"{"role":"tool","tool_call_id":"o1","content":"1\ta\n"}"#,
    ),
    (
        r#"{"choices":[{"message":{"role":"assistant","tool_calls":[{"id":"o2","type":"function","function":{"name":"read_file","arguments":"{\"path\":\"f\"}"}}]}}]}"#,
        r#"{"role":"tool","tool_call_id":"o2","content":"1\ta\n"}"#,
    ),
    (
        r#"{"type":"function_call","call_id":"p1","name":"read_file","arguments":"{\"path\":\"f\"}"}"#,
        r#"{"type":"function_call_output","call_id":"p1","output":"1\ta\n"}"#,
    ),
    (
        r#"{"output":[{"type":"reasoning"},{"type":"function_call","call_id":"p2","name":"read_file","arguments":"{\"path\":\"f\"}"}]}"#,
        r#"{"type":"function_call_output","call_id":"p2","output":"1\ta\n"}"#,
    ),
    (
        r#"{"type":"tool_use","id":"a1","name":"read_file","input":{"path":"f"}}"#,
        r#"{"type":"tool_result","tool_use_id":"a1","content":[{"type":"text","text":"1\ta\n"}]}"#,
    ),
    (
        r#"{"role":"assistant","content":[{"type":"text","text":"I look"},{"type":"tool_use","id":"a2","name":"read_file","input":{"path":"f"}}]}"#,
        r#"{"type":"tool_result","tool_use_id":"a2","content":[{"type":"text","text":"1\ta\n"}]}"#,
    ),
    (
        r#"{"functionCall":{"id":"g1","name":"read_file","args":{"path":"f"}}}"#,
        r#"{"functionResponse":{"id":"g1","name":"read_file","response":{"output":"1\ta\n"}}}"#,
    ),
    (
        r#"{"candidates":[{"content":{"role":"model","parts":[{"functionCall":{"name":"read_file","args":{"path":"f"}}}]}}]}"#,
        r#"{"functionResponse":{"name":"read_file","response":{"output":"1\ta\n"}}}"#,
    ),
    (
        r#"{"toolUse":{"toolUseId":"b1","name":"read_file","input":{"path":"f"}}}"#,
        r#"{"toolResult":{"toolUseId":"b1","content":[{"text":"1\ta\n"}],"status":"success"}}"#,
    ),
    (
        r#"{"output":{"message":{"role":"assistant","content":[{"toolUse":{"toolUseId":"b2","name":"read_file","input":{"path":"f"}}}]}}}"#,
        r#"{"toolResult":{"toolUseId":"b2","content":[{"text":"1\ta\n"}],"status":"success"}}"#,
    ),
    (
        r#"{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"read_file","arguments":{"path":"f"}}}"#,
        r#"{"jsonrpc":"2.0","id":7,"result":{"content":[{"type":"text","text":"1\ta\n"}],"isError":false}}"#,
    ),
    (
        r#"{"jsonrpc":"2.0","id":"m1","method":"tools/call","params":{"name":"read_file","arguments":{"path":"f"}}}"#,
        r#"{"jsonrpc":"2.0","id":"m1","result":{"content":[{"type":"text","text":"1\ta\n"}],"isError":false}}"#,
    ),
    (
        r#"{"name":"read_file","arguments":{"path":"f"}}"#,
        r#"{"id":"call_[ID]","tool":"read_file","status":"succeeded","effect":"none","content":"1\ta\n","total":{"lines":1},"result":"r_[ID]","receipt":"sha256:[HASH]"}"#,
    ),
];

#[test]
fn every_shape_is_answered_in_kind() {
    let space = Space::new();
    space.write("f", "a\n");
    let (lines, answers): (Vec<&str>, Vec<&str>) = SHAPES.into_iter().unzip();
    let expected: String = answers.iter().map(|line| format!("{line}\n")).collect();
    space.tgw(["run"]).lines_in(&lines).stdout(&expected).holds();
    // The schema of call lines knows each of them.
    space.tgw(["run"]).lines_in(&lines).answers();
}

#[test]
fn a_refusal_is_told_in_the_providers_own_way() {
    let space = Space::new();
    let account = r#"{\"status\":\"failed\",\"effect\":\"none\",\"error\":{\"code\":\"FILE_NOT_FOUND\",\"message\":\"the path `nope` does not exist, in argument `/path`\",\"hint\":\"list its directory to see what is there\",\"retry\":\"changed_call\"}}"#;
    space
        .tgw(["run"])
        .lines_in(&[
            r#"{"type":"tool_use","id":"a1","name":"read_file","input":{"path":"nope"}}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"read_file","arguments":{"path":"nope"}}}"#,
        ])
        .stdout(&format!(
            "{{\"type\":\"tool_result\",\"tool_use_id\":\"a1\",\"content\":[{{\"type\":\"text\",\"text\":\"{account}\"}}],\"is_error\":true}}\n\
             {{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{{\"content\":[{{\"type\":\"text\",\"text\":\"{account}\"}}],\"isError\":true}}}}\n"
        ))
        .holds();
}

#[test]
fn a_message_with_several_calls_is_answered_by_as_many_lines() {
    let space = Space::new();
    space.write("f", "a\n");
    space
        .tgw(["run"])
        .lines_in(&[r#"{"role":"assistant","content":[{"type":"tool_use","id":"x","name":"read_file","input":{"path":"f"}},{"type":"tool_use","id":"y","name":"list_directory","input":{}}]}"#])
        .stdout(
            "{\"type\":\"tool_result\",\"tool_use_id\":\"x\",\"content\":[{\"type\":\"text\",\"text\":\"1\\ta\\n\"}]}\n\
             {\"type\":\"tool_result\",\"tool_use_id\":\"y\",\"content\":[{\"type\":\"text\",\"text\":\"f\\t2\\n\"}]}\n",
        )
        .holds();
}

#[test]
fn a_providers_own_keys_are_never_read() {
    let space = Space::new();
    space.write("f", "a\n");
    let answers = space
        .tgw(["run", "--format", "native"])
        .lines_in(&[r#"{"type":"tool_use","id":"a1","name":"read_file","input":{"path":"f"},"policy":"allow","principal":{"user":"root"},"step":"work"}"#])
        .answers();
    assert_eq!(answers[0]["status"], "succeeded");
    assert_eq!(space.records()[0]["record"]["step"], "work");
}

use serde_json::json;

use super::*;
use crate::code::{ErrorCode, Violation};

fn plain<'a>() -> ReplyView<'a> {
    ReplyView {
        id: "c1",
        tool: Some("read_file"),
        status: Status::Succeeded,
        effect: Effect::None,
        verification: None,
        object: None,
        operation: None,
        content: Some("1\thello"),
        truncated: false,
        total: None,
        next: None,
        result: Some("r_1"),
        replayed: false,
        warnings: &[],
        error: None,
        receipt: Some("sha256:00"),
    }
}

fn line(reply: &ReplyView<'_>, shape: Shape, rpc_id: Option<&Value>) -> String {
    let mut out = b"earlier\n".to_vec();
    encode_reply(reply, shape, rpc_id, &mut out);
    String::from_utf8(out).unwrap().strip_prefix("earlier\n").unwrap().to_owned()
}

const PROVIDERS: [Shape; 6] =
    [Shape::OpenAiChat, Shape::OpenAiResponses, Shape::Anthropic, Shape::Gemini, Shape::Bedrock, Shape::Mcp];

#[test]
fn the_native_line_has_its_keys_in_order() {
    let (total, next) = (json!({"lines": 412}), json!({"offset": 201}));
    let reply = ReplyView { truncated: true, total: Some(&total), next: Some(&next), ..plain() };
    assert_eq!(
        line(&reply, Shape::Native, None),
        concat!(
            r#"{"id":"c1","tool":"read_file","status":"succeeded","effect":"none","content":"1\thello","truncated":true,"#,
            r#""total":{"lines":412},"next":{"offset":201},"result":"r_1","receipt":"sha256:00"}"#,
            "\n"
        )
    );
    let error =
        CallError::new(ErrorCode::InvalidArguments, "m").with_hint("h").with_violations(vec![Violation {
            pointer: "/limit".to_owned(),
            expected: "at least 1".to_owned(),
            found: "0".to_owned(),
            hint: None,
        }]);
    let reply =
        ReplyView { status: Status::Failed, content: None, result: None, error: Some(&error), ..plain() };
    assert_eq!(
        line(&reply, Shape::Native, None),
        concat!(
            r#"{"id":"c1","tool":"read_file","status":"failed","effect":"none","error":{"code":"INVALID_ARGUMENTS","message":"m","#,
            r#""hint":"h","retry":"changed_call","violations":[{"pointer":"/limit","expected":"at least 1","found":"0"}]},"#,
            r#""receipt":"sha256:00"}"#,
            "\n"
        )
    );
}

#[test]
fn a_success_is_told_in_each_providers_own_fields() {
    let expected = [
        r#"{"role":"tool","tool_call_id":"c1","content":"1\thello"}"#,
        r#"{"type":"function_call_output","call_id":"c1","output":"1\thello"}"#,
        r#"{"type":"tool_result","tool_use_id":"c1","content":[{"type":"text","text":"1\thello"}]}"#,
        r#"{"functionResponse":{"id":"c1","name":"read_file","response":{"output":"1\thello"}}}"#,
        r#"{"toolResult":{"toolUseId":"c1","content":[{"text":"1\thello"}],"status":"success"}}"#,
        r#"{"jsonrpc":"2.0","id":7,"result":{"content":[{"type":"text","text":"1\thello"}],"isError":false}}"#,
    ];
    for (shape, expected) in PROVIDERS.into_iter().zip(expected) {
        let rpc_id = json!(7);
        let rpc_id = (shape == Shape::Mcp).then_some(&rpc_id);
        assert_eq!(line(&plain(), shape, rpc_id), format!("{expected}\n"), "{shape:?}");
    }
}

#[test]
fn a_refusal_is_told_as_one_json_object() {
    let error = CallError::new(ErrorCode::PermissionDenied, "no");
    let reply =
        ReplyView { status: Status::Denied, content: None, result: None, error: Some(&error), ..plain() };
    let account = r#"{"status":"denied","effect":"none","error":{"code":"PERMISSION_DENIED","message":"no","retry":"never"}}"#;
    let text = serde_json::to_string(account).unwrap();
    let expected = [
        format!(r#"{{"role":"tool","tool_call_id":"c1","content":{text}}}"#),
        format!(r#"{{"type":"function_call_output","call_id":"c1","output":{text}}}"#),
        format!(
            r#"{{"type":"tool_result","tool_use_id":"c1","content":[{{"type":"text","text":{text}}}],"is_error":true}}"#
        ),
        format!(r#"{{"functionResponse":{{"id":"c1","name":"read_file","response":{{"error":{text}}}}}}}"#),
        format!(r#"{{"toolResult":{{"toolUseId":"c1","content":[{{"text":{text}}}],"status":"error"}}}}"#),
        format!(
            r#"{{"jsonrpc":"2.0","id":"c1","result":{{"content":[{{"type":"text","text":{text}}}],"isError":true}}}}"#
        ),
    ];
    for (shape, expected) in PROVIDERS.into_iter().zip(expected) {
        assert_eq!(line(&reply, shape, None), format!("{expected}\n"), "{shape:?}");
    }
}

#[test]
fn a_cut_content_says_so_and_how_to_go_on() {
    let (total, next) = (json!({"lines": 412}), json!({"offset": 201}));
    let warnings = ["keep it short".to_owned()];
    let reply = ReplyView {
        truncated: true,
        total: Some(&total),
        next: Some(&next),
        warnings: &warnings,
        replayed: true,
        ..plain()
    };
    let note = "[truncated: 412 lines in all; next offset 201; result r_1]";
    let notes = [note, "[replayed: the recorded outcome of an earlier call]", "[warning: keep it short]"];
    let joined: Value = serde_json::from_str(&line(&reply, Shape::OpenAiChat, None)).unwrap();
    assert_eq!(joined["content"], format!("1\thello\n{}", notes.join("\n")));
    let blocks: Value = serde_json::from_str(&line(&reply, Shape::Anthropic, None)).unwrap();
    assert_eq!(
        blocks["content"],
        json!([
            {"type": "text", "text": "1\thello"}, {"type": "text", "text": notes[0]},
            {"type": "text", "text": notes[1]}, {"type": "text", "text": notes[2]},
        ])
    );
    let gemini: Value = serde_json::from_str(&line(&reply, Shape::Gemini, None)).unwrap();
    assert_eq!(gemini["functionResponse"]["response"], json!({"output": "1\thello", "notes": notes}));
}

#[test]
fn what_a_failed_command_printed_reaches_the_model() {
    let error = CallError::new(ErrorCode::ExecutionFailed, "exit status 1");
    let reply = ReplyView { status: Status::Failed, error: Some(&error), ..plain() };
    let chat: Value = serde_json::from_str(&line(&reply, Shape::OpenAiChat, None)).unwrap();
    let account: Value = serde_json::from_str(chat["content"].as_str().unwrap()).unwrap();
    assert_eq!(account["content"], "1\thello");
    assert_eq!(account["error"]["code"], "EXECUTION_FAILED");
    assert_eq!(account["result"], "r_1");
}

#[test]
fn an_effect_without_content_still_says_that_it_happened() {
    let reply = ReplyView { effect: Effect::Happened, content: None, result: None, ..plain() };
    let chat: Value = serde_json::from_str(&line(&reply, Shape::OpenAiChat, None)).unwrap();
    assert_eq!(chat["content"], r#"{"status":"succeeded","effect":"happened"}"#);
}

#[test]
fn work_that_goes_on_is_no_error() {
    let reply = ReplyView { status: Status::Accepted, content: None, result: None, ..plain() };
    let anthropic: Value = serde_json::from_str(&line(&reply, Shape::Anthropic, None)).unwrap();
    assert_eq!(anthropic.get("is_error"), None);
}

#[test]
fn a_gemini_call_without_an_id_is_answered_without_one() {
    assert_eq!(
        line(&plain(), Shape::Gemini, Some(&Value::Null)),
        "{\"functionResponse\":{\"name\":\"read_file\",\"response\":{\"output\":\"1\\thello\"}}}\n"
    );
}

#[test]
fn a_line_is_one_line_whatever_the_content() {
    let reply = ReplyView { content: Some("a\nb\r\u{2028}\u{0}\"\\"), ..plain() };
    for shape in [Shape::Native].into_iter().chain(PROVIDERS) {
        let line = line(&reply, shape, None);
        assert_eq!(line.matches('\n').count(), 1, "{shape:?}");
        assert!(serde_json::from_str::<Value>(&line).is_ok());
    }
}

#[test]
fn an_error_is_the_same_in_every_shape() {
    let violation = Violation {
        pointer: "/a".to_owned(),
        expected: "a \"b\"".to_owned(),
        found: "nothing".to_owned(),
        hint: None,
    };
    let mut error = CallError::new(ErrorCode::InvalidArguments, "it is \"wrong\"\n").with_hint("mend it");
    for violations in [Vec::new(), vec![violation]] {
        error = error.with_violations(violations);
        let reply =
            ReplyView { status: Status::Failed, content: None, result: None, error: Some(&error), ..plain() };
        let expected = serde_json::to_string(&error).unwrap();
        assert!(line(&reply, Shape::Native, None).contains(&format!("\"error\":{expected}")));
    }
}

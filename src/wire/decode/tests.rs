use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::code::ErrorCode;

fn decode(line: impl AsRef<[u8]>) -> Line {
    let mut next = 0;
    decode_line(line.as_ref(), 1, JsonLimits::default(), &mut || {
        next += 1;
        CallId::parse(&format!("new{next}")).unwrap()
    })
}

fn calls(line: impl AsRef<[u8]>) -> Vec<Incoming> {
    match decode(line) {
        Line::Calls(calls) => calls,
        other => panic!("expected calls, got {other:?}"),
    }
}

/// A call as one line of text: shape, id, name, arguments, and the JSON-RPC id and expectation where there are any.
fn shown(call: &Incoming) -> String {
    let request = call.call.as_ref().unwrap_or_else(|error| panic!("refused: {error}"));
    assert_eq!((&request.id, Some(&request.name), request.shape), (&call.id, call.name.as_ref(), call.shape));
    assert_eq!(request.rpc_id, call.rpc_id);
    let mut text = format!(
        "{:?} {} {} {}",
        request.shape,
        request.id.as_str(),
        request.name,
        Value::Object(request.arguments.clone())
    );
    if let Some(id) = &request.rpc_id {
        text.push_str(&format!(" rpc={id}"));
    }
    if let Some(expects) = &request.expects {
        text.push_str(&format!(" expects={}", expects.risk));
    }
    text
}

/// The one error of a line: shape, id, message and hint. Every one names the line, which is left out where nothing more
/// is said of the place.
fn refused(line: impl AsRef<[u8]>) -> (Shape, String, String, Option<String>) {
    let mut calls = calls(line);
    assert_eq!(calls.len(), 1, "{calls:?}");
    let call = calls.remove(0);
    let error = call.call.unwrap_err();
    assert_eq!(error.code, ErrorCode::MalformedCall);
    let message = unplaced(error.message);
    (call.shape, call.id.as_str().to_owned(), message, error.hint)
}

/// A message without the number of its line.
fn unplaced(message: String) -> String {
    assert_eq!(message.matches(", at input line 1").count(), 1, "{message}");
    message.replace(", at input line 1, at `", ", at `").trim_end_matches(", at input line 1").to_owned()
}

fn message(line: impl AsRef<[u8]>) -> String {
    refused(line).2
}

#[test]
fn every_shape_of_a_single_call_is_read() {
    let cases = [
        (r#"{"id":"c1","name":"t","arguments":{"a":1}}"#, r#"Native c1 t {"a":1}"#),
        (r#"{"name":"t"}"#, "Native new1 t {}"),
        (
            r#"{"id":null,"name":"t","arguments":{},"expects":{"risk":"read_only"}}"#,
            "Native new1 t {} expects=read_only",
        ),
        (
            r#"{"id":"call_1","type":"function","function":{"name":"t","arguments":"{\"a\":[1]}"}}"#,
            r#"OpenAiChat call_1 t {"a":[1]}"#,
        ),
        (r#"{"id":"call_1","function":{"name":"t","arguments":" "}}"#, "OpenAiChat call_1 t {}"),
        (r#"{"id":"call_1","function":{"name":"t","arguments":{"a":1}}}"#, r#"OpenAiChat call_1 t {"a":1}"#),
        (
            r#"{"type":"function_call","id":"fc_1","call_id":"call_1","name":"t","arguments":"{\"a\":1}","status":"completed"}"#,
            r#"OpenAiResponses call_1 t {"a":1}"#,
        ),
        (
            r#"{"type":"tool_use","id":"toolu_1","name":"t","input":{"a":1}}"#,
            r#"Anthropic toolu_1 t {"a":1}"#,
        ),
        (r#"{"functionCall":{"id":"g1","name":"t","args":{"a":1}}}"#, r#"Gemini g1 t {"a":1}"#),
        (r#"{"functionCall":{"name":"t"},"thoughtSignature":"x"}"#, "Gemini new1 t {} rpc=null"),
        (r#"{"toolUse":{"toolUseId":"b1","name":"t","input":{"a":1}}}"#, r#"Bedrock b1 t {"a":1}"#),
        (
            r#"{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"t","arguments":{"a":1},"_meta":{}}}"#,
            r#"Mcp 7 t {"a":1} rpc=7"#,
        ),
        (r#"{"id":"x","method":"tools/call","params":{"name":"t"}}"#, r#"Mcp x t {} rpc="x""#),
    ];
    for (line, expected) in cases {
        let calls = calls(line);
        assert_eq!(calls.iter().map(shown).collect::<Vec<_>>(), [expected], "{line}");
    }
}

#[test]
fn every_call_of_a_message_is_read_in_order_and_the_rest_is_ignored() {
    let cases = [
        (
            json!({"role": "assistant", "name": "speaker", "content": null, "tool_calls": [
                {"id": "1", "type": "function", "function": {"name": "a", "arguments": "{}"}},
                {"id": "2", "type": "function", "function": {"name": "b", "arguments": ""}}]}),
            vec!["OpenAiChat 1 a {}", "OpenAiChat 2 b {}"],
        ),
        (
            json!({"id": "chatcmpl", "object": "chat.completion", "choices": [{"index": 0, "message": {"role": "assistant",
                "tool_calls": [{"id": "1", "type": "function", "function": {"name": "a", "arguments": "{}"}}]}}]}),
            vec!["OpenAiChat 1 a {}"],
        ),
        (
            json!({"id": "resp", "output": [{"type": "reasoning", "summary": []},
                {"type": "function_call", "call_id": "1", "name": "a", "arguments": "{}"},
                {"type": "message", "content": [{"type": "output_text", "text": "hi"}]},
                {"type": "function_call", "call_id": "2", "name": "b", "arguments": "{}"}]}),
            vec!["OpenAiResponses 1 a {}", "OpenAiResponses 2 b {}"],
        ),
        (
            json!({"id": "msg", "type": "message", "role": "assistant", "stop_reason": "tool_use", "content": [
                {"type": "text", "text": "hi"}, {"type": "tool_use", "id": "1", "name": "a", "input": {}}]}),
            vec!["Anthropic 1 a {}"],
        ),
        (
            json!({"candidates": [{"content": {"role": "model", "parts": [{"text": "hi"},
                {"functionCall": {"name": "a", "args": {}}}, {"functionCall": {"id": "2", "name": "b"}}]}}]}),
            vec!["Gemini new1 a {} rpc=null", "Gemini 2 b {}"],
        ),
        (
            json!({"role": "model", "parts": [{"functionCall": {"id": "1", "name": "a"}}]}),
            vec!["Gemini 1 a {}"],
        ),
        (json!({"content": {"parts": [{"functionCall": {"id": "1", "name": "a"}}]}}), vec!["Gemini 1 a {}"]),
        (
            json!({"output": {"message": {"role": "assistant", "content": [{"text": "hi"},
                {"toolUse": {"toolUseId": "1", "name": "a", "input": {}}}]}}, "stopReason": "tool_use"}),
            vec!["Bedrock 1 a {}"],
        ),
        (
            json!({"role": "assistant", "content": [{"toolUse": {"toolUseId": "1", "name": "a", "input": {}}}]}),
            vec!["Bedrock 1 a {}"],
        ),
        (
            json!([{"id": "1", "name": "a"}, {"type": "tool_use", "id": "2", "name": "b", "input": {}},
                {"parts": [{"functionCall": {"id": "3", "name": "c"}}, {"functionCall": {"id": "4", "name": "d"}}]}]),
            vec!["Native 1 a {}", "Anthropic 2 b {}", "Gemini 3 c {}", "Gemini 4 d {}"],
        ),
    ];
    for (line, expected) in cases {
        let calls = calls(line.to_string());
        assert_eq!(calls.iter().map(shown).collect::<Vec<_>>(), expected, "{line}");
    }
}

#[test]
fn a_cancel_line_names_a_call() {
    assert!(matches!(decode(r#" {"cancel":"c1"} "#), Line::Cancel(id) if id.as_str() == "c1"));
    assert!(matches!(decode(r#"{"cancel":7}"#), Line::Cancel(id) if id.as_str() == "7"));
    for line in [r#"{"cancel":"c1","name":"t"}"#, r#"{"cancel":null}"#, r#"{"cancel":""}"#] {
        assert_eq!(message(line), "`cancel` must be the id of a call, and the only key");
    }
    assert_eq!(message(r#"[{"cancel":"c1"}]"#), "`cancel` stands on a line of its own");
}

#[test]
fn white_space_is_no_call() {
    for line in ["", " ", "\t\r\n"] {
        assert!(matches!(decode(line), Line::Empty), "{line:?}");
    }
}

#[test]
fn a_line_never_sets_what_the_harness_sets() {
    for key in ["principal", "user", "agent", "tenant", "task", "step", "approval", "policy"] {
        let native = json!({"id": "c1", "name": "t", "arguments": {}, key: "x"}).to_string();
        assert_eq!(
            refused(&native),
            (
                Shape::Native,
                "c1".to_owned(),
                format!("unknown key `{key}`"),
                Some("a call cannot set it: it comes from the harness".to_owned())
            )
        );
        let provider = json!({"type": "tool_use", "id": "1", "name": "t", "input": {}, key: "x"}).to_string();
        assert_eq!(shown(&calls(provider)[0]), "Anthropic 1 t {}");
    }
}

#[test]
fn hostile_lines_get_one_answer_each() {
    let too_long_id = format!(r#"{{"id":"{}","name":"t"}}"#, "x".repeat(257));
    let too_long_name = format!(r#"{{"id":"c1","name":"{}"}}"#, "x".repeat(129));
    let deep = format!(r#"{{"id":"c1","name":"t","arguments":{}{}}}"#, r#"{"a":"#.repeat(80), "}".repeat(80));
    let cases: Vec<(&[u8], &str, &str)> = vec![
        (
            b"nonsense",
            "new1",
            "not valid JSON: a word that is not `true`, `false` or `null`, at input line 1, column 2",
        ),
        (b"7", "new1", "a line must be one JSON object, or an array of them"),
        (b"null", "new1", "a line must be one JSON object, or an array of them"),
        (b"{}", "new1", "`name` is missing"),
        (b"[]", "new1", "the batch is empty"),
        (b"[7]", "new1", "each element of a batch must be an object"),
        (b"[[{\"name\":\"t\"}]]", "new1", "each element of a batch must be an object"),
        (br#"{"id":"c1","name":"t""#, "c1", "not valid JSON: it ends too early, at input line 1, column 21"),
        (
            br#"{"id":"c1","name":"t","arguments":{"a":}}"#,
            "c1",
            "not valid JSON: a value is missing or is not JSON, at input line 1, column 40, at `/arguments/a`",
        ),
        (
            b"{\"id\":\"c1\",\"name\":\"t\",\"arguments\":{\"a\":\"\xff\"}}",
            "c1",
            "not valid UTF-8 at byte 40",
        ),
        (
            br#"{"id":"c1","name":"t","arguments":{"a":1,"\u0061":2}}"#,
            "c1",
            "a key occurs twice in one object, at `/arguments/a`",
        ),
        (br#"{"id":"c1","id":"c2","name":"t"}"#, "new1", "a key occurs twice in one object, at `/id`"),
        (
            br#"{"id":"c1","name":"t","arguments":{"n":9007199254740993.0}}"#,
            "c1",
            "the number `9007199254740993.0` would lose precision, at `/arguments/n`",
        ),
        (
            br#"{"id":"c1","name":"t","arguments":{"n":1e400}}"#,
            "c1",
            "the number is out of range, at input line 1, column 44, at `/arguments/n`",
        ),
        (
            br#"{"id":"c1","name":"t","arguments":{"s":"\ud800"}}"#,
            "c1",
            "not valid JSON: a `\\u` escape is half of a character, at input line 1, column 47, at `/arguments/s`",
        ),
        (
            br#"{"id":"c1","name":"t"} {}"#,
            "c1",
            "not valid JSON: something follows the value, at input line 1, column 24",
        ),
        (
            deep.as_bytes(),
            "c1",
            "nested more than 64 levels deep, at `/arguments/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a…`",
        ),
        (br#"{"id":"c1","name":"t","arguments":[]}"#, "c1", "`arguments` must be an object, found an array"),
        (br#"{"id":"c1","name":"t","arguments":null}"#, "c1", "`arguments` must be an object, found null"),
        (
            br#"{"id":"c1","name":"t","arguments":"{}"}"#,
            "c1",
            "`arguments` must be an object, found a string",
        ),
        (br#"{"id":"c1","name":7}"#, "c1", "`name` must be a string"),
        (br#"{"id":"c1","name":""}"#, "c1", "`name` is empty"),
        (too_long_name.as_bytes(), "c1", "`name` is longer than 128 bytes"),
        (br#"{"id":7,"name":"t"}"#, "7", "`id` must be a string"),
        (br#"{"id":{},"name":"t"}"#, "new1", "`id` must be a string"),
        (br#"{"id":"","name":"t"}"#, "new1", "call id is empty"),
        (too_long_id.as_bytes(), "new1", "call id is too long or has control characters"),
        (
            br#"{"id":"a\nb","name":"t"}"#,
            "new1",
            "call id `a\\nb` has `\\n`, which is outside characters other than controls",
        ),
        (br#"{"id":"c1","name":"t","args":{}}"#, "c1", "unknown key `args`"),
        (br#"{"id":"c1","name":"t","x":1,"y":2}"#, "c1", "unknown keys `x`, `y`"),
        (
            br#"{"id":"c1","name":"t","expects":{"risk":"tiny"}}"#,
            "c1",
            "`expects.risk` must be `read_only`, `write`, `external` or `destructive`",
        ),
        (
            br#"{"id":"c1","name":"t","expects":{"risk":"write","as":"root"}}"#,
            "c1",
            "unknown key `as` in `expects`",
        ),
        (br#"{"id":"c1","name":"t","expects":"write"}"#, "c1", "`expects` must be an object"),
        (
            br#"{"id":"c1","name":"t","arguments":{},"function":{"name":"u"}}"#,
            "c1",
            "the object can be read in several ways: native, OpenAI chat",
        ),
        (
            br#"{"id":"c1","type":"tool_use","name":"t","input":{},"arguments":{}}"#,
            "c1",
            "the object can be read in several ways: native, Anthropic",
        ),
        (
            br#"{"id":"c1","toolUse":{},"functionCall":{}}"#,
            "c1",
            "the object can be read in several ways: Gemini, Bedrock",
        ),
        (
            br#"{"id":"c1","function":{"name":"a"},"tool_calls":[]}"#,
            "c1",
            "the object holds OpenAI chat calls in several places",
        ),
        (
            br#"{"id":"c1","type":"tool_use","name":"t","input":{},"expects":{"risk":"write"}}"#,
            "c1",
            "the object can be read in several ways: native, Anthropic",
        ),
        (br#"{"id":"m1","role":"assistant","content":"hello"}"#, "m1", "no call in this message"),
        (br#"{"id":"m1","role":"assistant","tool_calls":[]}"#, "m1", "no call in this message"),
        (br#"{"id":"r1","output":[{"type":"message"}]}"#, "r1", "no call in this message"),
        (br#"{"id":"m1","content":[{"type":"text","text":"x"}]}"#, "m1", "no call in this message"),
        (br#"{"parts":[{"text":"x"}]}"#, "new1", "no call in this message"),
        (br#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#, "1", "the method `tools/list` is not a call"),
        (
            br#"{"jsonrpc":"1.0","id":1,"method":"tools/call","params":{"name":"t"}}"#,
            "1",
            "`jsonrpc` must be `2.0`",
        ),
        (
            br#"{"jsonrpc":"2.0","id":1.5,"method":"tools/call","params":{"name":"t"}}"#,
            "1.5",
            "`id` must be a string",
        ),
        (
            br#"{"jsonrpc":"2.0","id":1,"method":"tools/call"}"#,
            "1",
            "`params` must be an object with `name` and `arguments`",
        ),
        (br#"{"id":"1","type":"custom","function":{"name":"t"}}"#, "1", "`type` must be `function`"),
        (
            br#"{"id":"1","function":{"name":"t","arguments":"{\"a\":1"}}"#,
            "1",
            "`function.arguments`: not valid JSON: it ends too early, at line 1, column 6",
        ),
        (
            br#"{"id":"1","function":{"name":"t","arguments":"{\"a\":{\"b\":1,\"b\":1}}"}}"#,
            "1",
            "`function.arguments`: a key occurs twice in one object, at `/a/b`",
        ),
        (
            br#"{"id":"1","function":{"name":"t","arguments":"null"}}"#,
            "1",
            "`function.arguments` must be an object, found null",
        ),
        (
            br#"{"type":"function_call","call_id":"1","name":"t","arguments":"[1]"}"#,
            "1",
            "`arguments` must be an object, found an array",
        ),
        (br#"{"toolUse":7}"#, "new1", "`toolUse` must be an object"),
        (br#"{"tool_calls":[7]}"#, "new1", "each call of a message must be an object"),
    ];
    for (line, id, expected) in cases {
        let (_, found_id, found, _) = refused(line);
        assert_eq!((found_id.as_str(), found.as_str()), (id, expected), "{}", String::from_utf8_lossy(line));
    }
}

#[test]
fn a_broken_batch_refuses_each_of_its_calls_under_its_own_id() {
    let line = r#"[{"id":"a","name":"t"},{"id":"b","name":"u","arguments":{"x":1,"x":2}}]"#;
    let found: Vec<_> = calls(line)
        .into_iter()
        .map(|call| (call.id.as_str().to_owned(), call.name, unplaced(call.call.unwrap_err().message)))
        .collect();
    let fault = "a key occurs twice in one object, at `/1/arguments/x`".to_owned();
    assert_eq!(
        found,
        [
            ("a".to_owned(), Some("t".to_owned()), fault.clone()),
            ("b".to_owned(), Some("u".to_owned()), fault),
        ]
    );
}

#[test]
fn one_bad_call_of_a_batch_leaves_the_others_alone() {
    let calls = calls(r#"[{"id":"a","name":"t"},{"id":"b","name":"u","extra":1},{"id":"c","name":"v"}]"#);
    assert_eq!(calls.iter().map(|call| call.call.is_ok()).collect::<Vec<_>>(), [true, false, true]);
}

#[test]
fn a_short_line_cannot_ask_for_a_long_reply() {
    let many = format!("[{}]", vec!["{}"; 1025].join(","));
    assert_eq!(message(many), "a line holds at most 1024 calls");
    let message_of_many = format!(r#"{{"tool_calls":[{}]}}"#, vec!["{}"; 1025].join(","));
    assert_eq!(message(message_of_many), "a line holds at most 1024 calls");
}

#[test]
fn too_long_a_line_is_refused_whole() {
    let limits = JsonLimits { bytes: 20, depth: 64 };
    let line = br#"{"id":"c1","name":"read_file"}"#;
    match decode_line(line, 1, limits, &mut || CallId::parse("new").unwrap()) {
        Line::Calls(calls) => {
            assert_eq!(calls[0].id.as_str(), "new");
            assert_eq!(
                calls[0].call.as_ref().unwrap_err().message,
                "the text has 30 bytes, the most is 20, at input line 1"
            );
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn hints_say_what_was_probably_meant() {
    for (key, hint) in [
        ("args", "write `arguments`"),
        ("tool", "write `name`"),
        ("zzz", "a call has `id`, `name`, `arguments`, `expects` and `traceparent`"),
    ] {
        assert_eq!(refused(json!({"name": "t", key: 1}).to_string()).3.as_deref(), Some(hint));
    }
}

#[test]
fn a_place_in_a_trace_is_read_where_a_shape_has_one_and_never_refused() {
    const PLACE: &str = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
    let read = |line: Value| {
        let mut calls = calls(line.to_string());
        calls.remove(0).call.unwrap().traceparent.map(|place| place.to_string())
    };
    let mcp = |meta: Value| json!({"method": "tools/call", "params": {"name": "t", "_meta": meta}});
    assert_eq!(read(json!({"name": "t", "traceparent": PLACE})).as_deref(), Some(PLACE));
    assert_eq!(read(mcp(json!({"traceparent": PLACE}))).as_deref(), Some(PLACE));
    for line in [
        json!({"name": "t", "traceparent": "00-no"}),
        json!({"name": "t", "traceparent": [PLACE]}),
        mcp(json!({"traceparent": 1})),
        mcp(json!(PLACE)),
        json!({"type": "tool_use", "name": "t", "input": {}, "traceparent": PLACE}),
    ] {
        assert_eq!(read(line.clone()), None, "{line}");
    }
}

/// JSON made of the words that lines are made of, so that shapes are hit often.
fn line_like() -> impl Strategy<Value = Value> {
    let word = prop::sample::select(vec![
        "id",
        "name",
        "arguments",
        "expects",
        "type",
        "function",
        "tool_calls",
        "function_call",
        "tool_use",
        "output",
        "content",
        "toolUse",
        "functionCall",
        "parts",
        "candidates",
        "choices",
        "message",
        "method",
        "tools/call",
        "params",
        "cancel",
        "call_id",
        "role",
        "input",
        "args",
        "{}",
        "{\"a\":1,\"a\":2}",
        "risk",
        "read_only",
        "",
    ]);
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        word.clone().prop_map(Value::from),
    ];
    leaf.prop_recursive(5, 30, 5, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::vec((word.clone(), inner), 0..6).prop_map(|entries| Value::Object(
                entries.into_iter().map(|(k, v)| (k.to_owned(), v)).collect()
            )),
        ]
    })
}

fn answers(line: &[u8]) -> usize {
    match decode(line) {
        Line::Calls(calls) => calls.len(),
        Line::Cancel(_) => 1,
        Line::Empty => 0,
    }
}

proptest! {
    #[test]
    fn any_line_gets_an_answer(bytes in prop::collection::vec(any::<u8>(), 0..80)) {
        prop_assert_eq!(answers(&bytes) == 0, bytes.trim_ascii().is_empty());
    }

    #[test]
    fn any_json_line_gets_an_answer(value in line_like()) {
        prop_assert!(answers(value.to_string().as_bytes()) > 0);
    }

    #[test]
    fn a_native_call_comes_through_as_it_was_written(
        name in "[a-z_]{1,20}",
        id in "[a-zA-Z0-9_]{1,20}",
        arguments in prop::collection::hash_map("[a-z/~ \"]{0,6}", any::<i64>(), 0..6),
    ) {
        let arguments: Map<String, Value> = arguments.into_iter().map(|(k, v)| (k, v.into())).collect();
        let line = json!({"id": id, "name": name, "arguments": arguments}).to_string();
        let decoded = calls(line);
        let request = decoded[0].call.as_ref().unwrap();
        prop_assert_eq!(request.id.as_str(), &id);
        prop_assert_eq!(&request.name, &name);
        prop_assert_eq!(&request.arguments, &arguments);
    }
}

#[test]
fn what_is_no_call_names_its_line() {
    for line in
        [r#"7"#, r#"[]"#, r#"{"name":7}"#, r#"{"id":7,"name":"t"}"#, r#"{"cancel":null}"#, r#"{"parts":[]}"#]
    {
        let Line::Calls(calls) =
            decode_line(line.as_bytes(), 42, JsonLimits::default(), &mut || CallId::parse("new").unwrap())
        else {
            panic!("{line}")
        };
        let message = &calls[0].call.as_ref().unwrap_err().message;
        assert!(message.ends_with(", at input line 42"), "{line}: {message}");
    }
    let long = long_line(CallId::parse("new").unwrap(), 42, JsonLimits { bytes: 20, depth: 9 });
    assert_eq!(long.call.unwrap_err().message, "the line is longer than 20 bytes, at input line 42");
}

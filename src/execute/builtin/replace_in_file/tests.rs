use serde_json::{Value, json};

use super::super::dispatch::fixture::Fixture;
use super::View;
use crate::catalog::BuiltinName::ReplaceInFile;
use crate::code::{CallError, Effect, ErrorCode};

fn replace(content: &str, mut arguments: Value) -> Result<String, CallError> {
    let fixture = Fixture::new();
    fixture.write("f", content);
    arguments["path"] = json!("f");
    fixture.run(ReplaceInFile, arguments)?;
    Ok(fixture.read("f"))
}

#[test]
fn text_that_occurs_as_often_as_stated_is_replaced() {
    assert_eq!(replace("a b c", json!({"old": "b", "new": "x"})).unwrap(), "a x c");
    assert_eq!(replace("b b", json!({"old": "b", "new": "", "count": 2})).unwrap(), " ");
    assert_eq!(replace("a\nb\nc\n", json!({"old": "a\nb", "new": "é"})).unwrap(), "é\nc\n");
}

#[test]
fn another_number_of_occurrences_is_named_with_its_lines() {
    let error = replace("b\nb\n\nxb\n", json!({"old": "b", "new": "x"})).unwrap_err();
    assert_eq!(error.code, ErrorCode::InvalidArguments);
    assert_eq!(error.message, "`old` occurs 3 times in `f`, at lines 1, 2, 4, not 1");
    assert_eq!(error.violations[0].pointer, "/old");
    let error = replace("b", json!({"old": "b", "new": "x", "count": 2})).unwrap_err();
    assert_eq!(error.message, "`old` occurs once in `f`, at line 1, not 2");
}

#[test]
fn text_that_does_not_occur_gets_a_hint_of_the_nearest_line() {
    let content = "fn main() {\n    let value = compute(1);\n}\n";
    let error = replace(content, json!({"old": "let valeu = compute(1);", "new": "x"})).unwrap_err();
    assert_eq!(error.message, "`old` does not occur in `f`");
    assert_eq!(error.hint.as_deref(), Some("line 2 is the most similar: `let value = compute(1);`"));
    let error = replace(content, json!({"old": "fn main()  {\n\tlet", "new": "x"})).unwrap_err();
    assert!(error.hint.unwrap().starts_with("line 1 "));
    let error = replace(content, json!({"old": "zzz", "new": "x"})).unwrap_err();
    assert_eq!(error.hint.as_deref(), Some("read the file again and copy the text exactly"));
}

#[test]
fn lines_with_crlf_are_found_and_keep_their_ends() {
    let arguments = json!({"old": "b\nc", "new": "x\ny"});
    assert_eq!(replace("a\r\nb\r\nc\r\nd\r\n", arguments.clone()).unwrap(), "a\r\nx\r\ny\r\nd\r\n");
    assert_eq!(replace("a\nb\r\nc\nd\n", arguments.clone()).unwrap(), "a\nx\ny\nd\n");
    assert_eq!(replace("a\nb\nc\n", arguments).unwrap(), "a\nx\ny\n");
    assert_eq!(replace("a\r\nb\r\n", json!({"old": "a\r\n", "new": ""})).unwrap(), "b\r\n");
    assert_eq!(replace("a\r\nb\r\n", json!({"old": "a", "new": "c"})).unwrap(), "c\r\nb\r\n");
}

#[test]
fn positions_lead_back_to_the_original() {
    let original = "\r\na\r\n\r\nb\n";
    let view = View::of(original);
    assert_eq!(view.text, "\na\n\nb\n");
    for (at, _) in view.text.char_indices() {
        assert_eq!(original[view.position(at)..].replace("\r\n", "\n"), view.text[at..]);
    }
}

#[test]
fn replacing_text_by_itself_is_no_effect() {
    let fixture = Fixture::new();
    fixture.write("f", "a");
    let output = fixture.run(ReplaceInFile, json!({"path": "f", "old": "a", "new": "a"})).unwrap();
    assert_eq!(output.effect, Effect::None);
}

#[test]
fn a_result_that_grows_without_bound_is_refused() {
    let error = replace(&"a".repeat(9_000), json!({"old": "a", "new": "x".repeat(9_000), "count": 9_000}))
        .unwrap_err();
    assert_eq!(error.violations[0].pointer, "/new");
    assert_eq!(replace("a", json!({"old": "", "new": "x"})).unwrap_err().code, ErrorCode::InvalidArguments);
}

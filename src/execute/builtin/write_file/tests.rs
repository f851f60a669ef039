use serde_json::json;

use super::super::dispatch::fixture::Fixture;
use crate::catalog::BuiltinName::{ReplaceInFile, WriteFile};
use crate::code::{Effect, ErrorCode};
use crate::execute::builtin::{BuiltinContext, run};
use crate::present::DisplayBody;

#[test]
fn each_mode_writes_what_it_says() {
    let fixture = Fixture::new();
    let output =
        fixture.run(WriteFile, json!({"path": "a/b/f", "content": "x\ny\n", "mode": "new"})).unwrap();
    assert_eq!(
        output.value,
        json!({"path": "a/b/f", "created": true, "changed": true, "size": 4, "lines": 2})
    );
    assert_eq!(output.warnings, ["created the directories `a`, `a/b`"]);
    assert_eq!(output.effect, Effect::Happened);
    assert_eq!(fixture.read("a/b/f"), "x\ny\n");

    let error = fixture.fail(WriteFile, json!({"path": "a/b/f", "content": "z", "mode": "new"}));
    assert_eq!(error.code, ErrorCode::PreconditionFailed);
    let error = fixture.fail(WriteFile, json!({"path": "none", "content": "z", "mode": "replace"}));
    assert_eq!(error.code, ErrorCode::FileNotFound);
    let output = fixture.run(WriteFile, json!({"path": "a/b/f", "content": "z", "mode": "replace"})).unwrap();
    let DisplayBody::Diff { before, after, .. } = output.display else { panic!("no difference") };
    assert_eq!((before.as_deref(), after.as_deref()), (Some("x\ny\n"), Some("z")));
    fixture.run(WriteFile, json!({"path": "g", "content": "", "mode": "new_or_replace"})).unwrap();
    assert_eq!((fixture.read("a/b/f").as_str(), fixture.read("g").as_str()), ("z", ""));
}

#[test]
fn writing_what_is_there_is_no_effect() {
    use std::os::unix::fs::MetadataExt as _;
    let fixture = Fixture::new();
    fixture.write("f", "same");
    let inode = std::fs::metadata(fixture.root().join("f")).unwrap().ino();
    let output = fixture.run(WriteFile, json!({"path": "f", "content": "same", "mode": "replace"})).unwrap();
    assert_eq!((output.effect, &output.value["changed"]), (Effect::None, &json!(false)));
    assert_eq!(std::fs::metadata(fixture.root().join("f")).unwrap().ino(), inode);
}

#[test]
fn crlf_and_the_byte_order_mark_are_kept() {
    let fixture = Fixture::new();
    fixture.write("f", "\u{feff}a\r\nb\r\n");
    let output =
        fixture.run(WriteFile, json!({"path": "f", "content": "c\nd\n", "mode": "replace"})).unwrap();
    assert_eq!(fixture.read("f"), "\u{feff}c\r\nd\r\n");
    assert_eq!(output.warnings.len(), 2);
    fixture.write("mixed", "a\r\nb\n");
    fixture.run(WriteFile, json!({"path": "mixed", "content": "c\nd\n", "mode": "replace"})).unwrap();
    assert_eq!(fixture.read("mixed"), "c\nd\n");
}

#[test]
fn what_is_no_text_is_neither_written_nor_replaced() {
    let fixture = Fixture::new();
    fixture.write("b", b"\0");
    fixture.write("l", b"caf\xe9");
    for path in ["b", "l"] {
        let error = fixture.fail(WriteFile, json!({"path": path, "content": "x", "mode": "replace"}));
        assert_eq!(error.code, ErrorCode::ExecutionFailed);
    }
    let error = fixture.fail(WriteFile, json!({"path": "n", "content": "a\0", "mode": "new"}));
    assert_eq!(error.code, ErrorCode::InvalidArguments);
    for path in [".git/hooks/x", "tools.yaml", ".claude/settings.json", ".", ""] {
        assert!(
            run(WriteFile, &json!({"path": path, "content": "x", "mode": "new"}), &fixture.context())
                .is_err()
        );
    }
}

#[test]
fn a_write_fails_where_the_file_changed_since_it_was_shown() {
    let fixture = Fixture::new();
    fixture.write("f", "one\n");
    for (tool, arguments) in [
        (WriteFile, json!({"path": "f", "content": "x", "mode": "replace"})),
        (ReplaceInFile, json!({"path": "f", "old": "one", "new": "two"})),
    ] {
        fixture.write("f", "one\n");
        let preview = fixture.preview(tool, arguments.clone()).unwrap();
        let context = BuiltinContext { expected_basis: Some(preview.basis), ..fixture.context() };
        fixture.write("f", "one!\n");
        let error = run(tool, &arguments, &context).err().unwrap();
        assert_eq!(error.message, "`f` changed since it was shown for approval");
        assert_eq!(error.code, ErrorCode::PreconditionFailed);
        fixture.write("f", "one\n");
        assert!(run(tool, &arguments, &context).is_ok());
    }
    let arguments = json!({"path": "new", "content": "x", "mode": "new_or_replace"});
    let preview = fixture.preview(WriteFile, arguments.clone()).unwrap();
    fixture.write("new", "appeared");
    let context = BuiltinContext { expected_basis: Some(preview.basis), ..fixture.context() };
    assert!(run(WriteFile, &arguments, &context).is_err());
    assert_eq!(fixture.read("new"), "appeared");
}

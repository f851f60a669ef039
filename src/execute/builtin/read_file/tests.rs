use std::os::unix::fs::symlink;

use super::super::dispatch::fixture::Fixture;
use super::*;
use crate::catalog::BuiltinName;
use crate::code::ErrorCode;
use crate::execute::builtin::{ApprovedPath, BuiltinContext, run as run_builtin};

fn read(fixture: &Fixture, arguments: Value) -> BuiltinOutput {
    fixture.run(BuiltinName::ReadFile, arguments).unwrap()
}

#[test]
fn a_window_is_numbered_and_says_what_is_left() {
    let fixture = Fixture::new();
    fixture.write("f", (1..=10).map(|n| format!("line {n}\n")).collect::<String>());
    let output = read(&fixture, json!({"path": "f", "offset": 3, "limit": 2}));
    assert_eq!(output.text.as_deref(), Some("3\tline 3\n4\tline 4\n"));
    assert_eq!(
        output.value,
        json!({"path": "f", "first": 3, "lines": ["line 3", "line 4"], "total_lines": 10, "size": 71})
    );
    assert_eq!(output.total, Some(json!({"lines": 10})));
    assert_eq!(output.next, Some(json!({"offset": 5})));
    assert!(output.truncated);
    assert_eq!(output.warnings, Vec::<String>::new());

    let output = read(&fixture, json!({"path": "f", "offset": 10}));
    assert_eq!((output.text.as_deref(), output.next, output.truncated), (Some("10\tline 10\n"), None, false));
}

#[test]
fn a_last_line_without_an_end_counts_and_an_empty_file_has_none() {
    let fixture = Fixture::new();
    fixture.write("f", "a\nb");
    fixture.write("empty", "");
    assert_eq!(read(&fixture, json!({"path": "f"})).total, Some(json!({"lines": 2})));
    assert_eq!(read(&fixture, json!({"path": "f", "limit": 1})).total, Some(json!({"lines": 2})));
    let output = read(&fixture, json!({"path": "empty"}));
    assert_eq!(
        (output.text.as_deref(), output.total, output.truncated),
        (Some(""), Some(json!({"lines": 0})), false)
    );
}

#[test]
fn an_offset_beyond_the_end_names_the_number_of_lines() {
    let fixture = Fixture::new();
    fixture.write("f", "a\nb");
    let error = fixture.fail(BuiltinName::ReadFile, json!({"path": "f", "offset": 3}));
    assert_eq!(error.code, ErrorCode::InvalidArguments);
    assert_eq!(error.violations[0].expected, "at most 2, since `f` has 2 lines");
}

#[test]
fn arguments_out_of_range_never_panic() {
    let fixture = Fixture::new();
    fixture.write("f", "a\n");
    for arguments in [
        json!({"path": "f", "offset": 0}),
        json!({"path": "f", "offset": -1}),
        json!({"path": "f", "offset": u64::MAX}),
        json!({"path": "f", "limit": 501}),
        json!({"path": "f", "limit": 1.5}),
        json!({"path": 1}),
        json!({}),
        json!(null),
    ] {
        let error = fixture.fail(BuiltinName::ReadFile, arguments.clone());
        assert_eq!(error.code, ErrorCode::InvalidArguments, "{arguments}");
    }
}

#[test]
fn binary_and_utf16_files_are_refused() {
    let fixture = Fixture::new();
    fixture.write("b", b"ab\0cd");
    fixture.write("u", b"\xff\xfea\0");
    let error = fixture.fail(BuiltinName::ReadFile, json!({"path": "b"}));
    assert_eq!(
        (error.code, error.message.as_str()),
        (ErrorCode::ExecutionFailed, "`b` is a binary file: it has NUL bytes")
    );
    assert_eq!(fixture.fail(BuiltinName::ReadFile, json!({"path": "u"})).message, "`u` is UTF-16 text");
}

#[test]
fn odd_encodings_and_line_ends_are_explained() {
    let fixture = Fixture::new();
    fixture.write("crlf", "\u{feff}a\r\nb\r\n");
    fixture.write("mixed", "a\r\nb\nc");
    fixture.write("latin", b"ok\ncaf\xe9\n");
    let output = read(&fixture, json!({"path": "crlf"}));
    assert_eq!(output.text.as_deref(), Some("1\ta\n2\tb\n"));
    assert_eq!(output.value["line_ends"], "crlf");
    assert_eq!(output.warnings.len(), 2);
    assert_eq!(read(&fixture, json!({"path": "mixed"})).value["line_ends"], "mixed");
    let output = read(&fixture, json!({"path": "latin"}));
    assert_eq!(output.text.as_deref(), Some("1\tok\n2\tcaf\u{fffd}\n"));
    assert_eq!(
        output.warnings,
        ["not all of it is UTF-8 (first in line 2): other bytes are shown as `\u{fffd}`"]
    );
}

#[test]
fn a_very_long_line_is_cut_with_a_mark_and_an_ordinary_long_one_is_not() {
    let fixture = Fixture::new();
    fixture.write("long", format!("{}\nnext\n", "é".repeat(MAX_LINE_BYTES)));
    fixture.write("fine", "x".repeat(10_000));
    let output = read(&fixture, json!({"path": "long"}));
    let lines = output.value["lines"].as_array().unwrap();
    assert!(lines[0].as_str().unwrap().ends_with(&format!("é… [{MAX_LINE_BYTES} more bytes]")));
    assert_eq!(lines[1], "next");
    assert_eq!(output.warnings, ["line 1 and others over 32 KiB are cut"]);
    assert_eq!(read(&fixture, json!({"path": "fine"})).value["lines"][0].as_str().unwrap().len(), 10_000);
}

#[test]
fn a_window_of_long_lines_ends_at_the_value_cap() {
    let fixture = Fixture::new();
    fixture.write("f", format!("{}\n", "x".repeat(999)).repeat(100));
    let context = BuiltinContext { max_value_bytes: 10_000, ..fixture.context() };
    let output = run_builtin(BuiltinName::ReadFile, &json!({"path": "f"}), &context).unwrap();
    assert_eq!(output.next, Some(json!({"offset": 7})));
    assert_eq!(output.warnings, ["the window ends early because its lines are long"]);
}

#[test]
fn a_sparse_file_of_ten_gigabytes_is_read_and_not_counted_to_its_end() {
    let fixture = Fixture::new();
    fixture.write("f", "a\n".repeat(10_000));
    let file = std::fs::OpenOptions::new().write(true).open(fixture.root().join("f")).unwrap();
    file.set_len(10 << 30).unwrap();
    let output = read(&fixture, json!({"path": "f", "offset": 9_999, "limit": 1}));
    assert_eq!(output.text.as_deref(), Some("9999\ta\n"));
    assert_eq!(output.value.get("total_lines"), None);
    assert_eq!(output.total, Some(json!({"bytes": 10_u64 << 30})));
    assert_eq!(output.warnings, ["the file is large: lines beyond the next 64 MiB were not counted"]);
}

#[test]
fn an_approved_path_that_leads_elsewhere_by_now_is_refused() {
    let fixture = Fixture::new();
    fixture.write("secret", "s");
    fixture.write("shown", "s");
    symlink("shown", fixture.root().join("link")).unwrap();
    let approved = [ApprovedPath {
        argument: "path".to_owned(),
        path: crate::workspace::WorkspacePath::parse("shown").unwrap(),
    }];
    let context = BuiltinContext { approved: &approved, ..fixture.context() };
    let arguments = json!({"path": "link"});
    assert!(run_builtin(BuiltinName::ReadFile, &arguments, &context).is_ok());
    std::fs::remove_file(fixture.root().join("shown")).unwrap();
    symlink("secret", fixture.root().join("shown")).unwrap();
    let error = run_builtin(BuiltinName::ReadFile, &arguments, &context).err().unwrap();
    assert_eq!(error.code, ErrorCode::PreconditionFailed);
}

#[test]
fn a_cancelled_call_does_not_read() {
    let fixture = Fixture::new();
    fixture.write("f", "a\n");
    let flag = std::sync::Arc::new(std::sync::atomic::AtomicBool::new(true));
    let cancel = Cancel::new(flag, None);
    let context = BuiltinContext { cancel: &cancel, ..fixture.context() };
    let error = run_builtin(BuiltinName::ReadFile, &json!({"path": "f"}), &context).err().unwrap();
    assert_eq!(error.code, ErrorCode::Cancelled);
    let late = Cancel::new(std::sync::Arc::default(), Some(std::time::Instant::now()));
    assert_eq!(late.check().unwrap_err().code, ErrorCode::Timeout);
}

use std::os::unix::fs::symlink;

use super::super::dispatch::fixture::Fixture;
use super::*;
use crate::catalog::BuiltinName;
use crate::code::ErrorCode;

fn search(fixture: &Fixture, arguments: Value) -> BuiltinOutput {
    fixture.run(BuiltinName::SearchText, arguments).unwrap()
}

#[test]
fn matching_lines_are_named_by_file_and_number() {
    let fixture = Fixture::new();
    fixture.write("a.rs", "fn one\r\nno\nfn two\n");
    fixture.write("b/c.py", "FN three\n");
    let output = search(&fixture, json!({"pattern": "^fn .*o$"}));
    assert_eq!(output.text.as_deref(), Some("a.rs:3:fn two\n"));
    let output = search(&fixture, json!({"pattern": "fn (one|three)$", "ignore_case": true}));
    assert_eq!(
        output.value,
        json!({"path": ".", "total": 2, "files_matched": 2, "files_searched": 2, "matches": [
            {"path": "a.rs", "line": 1, "text": "fn one"},
            {"path": "b/c.py", "line": 1, "text": "FN three"},
        ]})
    );
    assert_eq!(search(&fixture, json!({"pattern": "fn", "glob": "*.py"})).value["total"], 0);
    assert_eq!(search(&fixture, json!({"pattern": "fn", "path": "a.rs"})).value["total"], 2);
    assert_eq!(search(&fixture, json!({"pattern": "(?i)fn", "path": "b"})).value["total"], 1);
}

#[test]
fn ignored_protected_binary_and_linked_files_are_left_out() {
    let fixture = Fixture::new();
    let outside = tempfile::tempdir().unwrap();
    std::fs::write(outside.path().join("f"), "needle").unwrap();
    symlink(outside.path(), fixture.root().join("out")).unwrap();
    symlink(outside.path().join("f"), fixture.root().join("link")).unwrap();
    fixture.write(".git/config", "needle");
    fixture.write(".mcp.json", "needle");
    fixture.write(".gitignore", "ignored\n");
    fixture.write("ignored", "needle");
    fixture.write("binary", b"needle\n\0");
    fixture.write(".github/found", "needle");
    let output = search(&fixture, json!({"pattern": "needle"}));
    assert_eq!(output.text.as_deref(), Some(".github/found:1:needle\n"));
    assert_eq!(output.warnings, ["passed over 1 binary file"]);
    for path in [".git", ".mcp.json", ".git/config"] {
        let error = fixture.fail(BuiltinName::SearchText, json!({"pattern": "x", "path": path}));
        assert_eq!(error.code, ErrorCode::PermissionDenied);
    }
}

#[test]
fn a_limit_cuts_the_list_and_not_the_count() {
    let fixture = Fixture::new();
    fixture.write("a", "x\n".repeat(50));
    fixture.write("b", "x\n".repeat(20_000));
    let output = search(&fixture, json!({"pattern": "x", "limit": 3, "path": "a"}));
    assert_eq!(output.value["matches"].as_array().unwrap().len(), 3);
    assert_eq!(output.total, Some(json!({"matches": 50, "files": 1})));
    assert!(output.truncated);
    let output = search(&fixture, json!({"pattern": "x", "limit": 3}));
    assert_eq!(output.value["total"], MAX_COUNTED);
    assert_eq!(output.warnings, ["counting stopped at 10000 matching lines; narrow the search"]);
}

#[test]
fn a_long_line_is_shown_around_its_match() {
    let fixture = Fixture::new();
    fixture.write("f", format!("{}needle{}\n", "é".repeat(5_000), "é".repeat(5_000)));
    let output = search(&fixture, json!({"pattern": "needle"}));
    let text = output.value["matches"][0]["text"].as_str().unwrap();
    assert!(text.contains("needle") && text.starts_with('…') && text.ends_with('…'), "{text}");
    assert!(text.len() <= SHOWN_LINE_BYTES + 6);
}

#[test]
fn patterns_are_linear_and_bounded() {
    let fixture = Fixture::new();
    for pattern in ["(", "(?=x)", r"(a)\1", "", "((a{1000}){1000}){1000}", &"(".repeat(500)] {
        let error = fixture.fail(BuiltinName::SearchText, json!({"pattern": pattern}));
        assert_eq!(
            (error.code, error.violations[0].pointer.as_str()),
            (ErrorCode::InvalidArguments, "/pattern")
        );
    }
    fixture.write("f", "a".repeat(100_000));
    assert_eq!(search(&fixture, json!({"pattern": "(a*)*b"})).value["total"], 0);
}

#[test]
fn a_swap_of_a_directory_by_a_link_while_searching_finds_nothing_outside() {
    let fixture = Fixture::new();
    let outside = tempfile::tempdir().unwrap();
    std::fs::write(outside.path().join("f"), "outside").unwrap();
    fixture.write("dir/f", "inside");
    symlink(outside.path(), fixture.root().join("link")).unwrap();
    let (dir, link) = (fixture.root().join("dir"), fixture.root().join("link"));
    let over = std::sync::atomic::AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !over.load(std::sync::atomic::Ordering::Relaxed) {
                let flags = rustix::fs::RenameFlags::EXCHANGE;
                rustix::fs::renameat_with(rustix::fs::CWD, &dir, rustix::fs::CWD, &link, flags).unwrap();
            }
        });
        let found: Vec<Value> = (0..500)
            .map(|_| search(&fixture, json!({"pattern": "outside"})).value["total"].clone())
            .collect();
        over.store(true, std::sync::atomic::Ordering::Relaxed);
        assert!(found.iter().all(|total| total == 0));
    });
}

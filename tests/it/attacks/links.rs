//! A symbolic link inside the workspace gives a file a second spelling. What a rule says of a file holds for each.

use crate::harness::{Space, call, code};
use serde_json::json;

#[test]
fn a_denied_file_is_not_read_through_a_link() {
    let space = Space::new();
    space.write(".env", "password: swordfish\n").write("log/.keep", "");
    std::os::unix::fs::symlink("../.env", space.path("log/today.txt")).unwrap();
    for path in [".env", "log/today.txt"] {
        let line = call("c", "read_file", &json!({ "path": path }));
        let answers = space.tgw(["run"]).lines_in(&[&line]).answers();
        assert_eq!(code(&answers[0]), "PERMISSION_DENIED", "{path}");
    }
}

#[test]
fn a_denied_file_is_not_written_through_a_link() {
    let space = Space::new();
    space.write("AGENTS.md", "old\n");
    std::os::unix::fs::symlink("AGENTS.md", space.path("notes.md")).unwrap();
    let line = call("c", "write_file", &json!({"path": "notes.md", "content": "new"}));
    let answers = space.tgw(["run"]).lines_in(&[&line]).answers();
    assert_eq!(code(&answers[0]), "PERMISSION_DENIED");
    assert_eq!(space.read("AGENTS.md").as_deref(), Some("old\n"));
}

#[test]
fn a_denied_file_is_not_searched_through_a_linked_folder() {
    let space = Space::new();
    space.write(".aws/config", "password: swordfish\n");
    std::os::unix::fs::symlink(".aws", space.path("cloud")).unwrap();
    let line = call("c", "search_text", &json!({"pattern": "swordfish", "path": "cloud"}));
    let answers = space.tgw(["run"]).lines_in(&[&line]).answers();
    assert_eq!(code(&answers[0]), "PERMISSION_DENIED");
}

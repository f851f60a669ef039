//! `tgw init`

use crate::harness::{Space, outcomes};

const WROTE: &str = "wrote ./tools.yaml\nwrote ./policy.yaml\nnext: read both, then `tgw trust`, `tgw tools` and `tgw doctor`\n";

#[test]
fn what_it_writes_loads_without_a_warning() {
    for marker in ["none", "Cargo.toml", "go.mod", "package.json", "pyproject.toml"] {
        let space = Space::new();
        space.write(marker, "");
        space.tgw(["init"]).stdout(WROTE).holds();
        space.tgw(["trust", "--yes"]).text();
        let tools = space.tgw(["tools"]).text();
        assert!(tools.contains("write_file"), "{tools}");
        assert_eq!(tools.contains("run_tests"), marker != "none", "{marker}: {tools}");
        let report = space.tgw(["doctor"]).text();
        // Which test runners this machine has is not the manifest's doing.
        let report: String =
            report.lines().filter(|line| !line.trim_start().starts_with("program")).collect();
        assert!(!report.contains("warning") && !report.contains("PROBLEM"), "{marker}: {report}");
    }
}

#[test]
fn the_policy_it_writes_lets_read_and_asks_about_writes() {
    let space = Space::new();
    space.tgw(["init"]).text();
    space.tgw(["trust", "--yes"]).text();
    space.write("a.txt", "a\n");
    let answers = space
        .tgw(["run"])
        .lines_in(&[
            r#"{"id":"c1","name":"read_file","arguments":{"path":"a.txt"}}"#,
            r#"{"id":"c2","name":"search_text","arguments":{"pattern":"a"}}"#,
            r#"{"id":"c3","name":"write_file","arguments":{"path":"b.txt","content":""}}"#,
        ])
        .answers();
    assert_eq!(outcomes(&answers), [("c1", "succeeded"), ("c2", "succeeded"), ("c3", "input_required")]);
}

#[test]
fn files_that_are_there_are_not_touched() {
    let space = Space::new();
    space.write("policy.yaml", "mine\n");
    space
        .tgw(["init"])
        .stderr(
            "error: `./policy.yaml` is there already, and was not touched\n\
             hint: move it away first, or name another folder\n",
        )
        .status(1)
        .holds();
    assert_eq!(space.read("policy.yaml").as_deref(), Some("mine\n"));
    assert_eq!(space.read("tools.yaml"), None);
}

#[test]
fn twice_refuses() {
    let space = Space::new();
    space.tgw(["init"]).stdout(WROTE).holds();
    let first = space.read("tools.yaml");
    space
        .tgw(["init"])
        .stderr(
            "error: `./tools.yaml` is there already, and was not touched\n\
             hint: move it away first, or name another folder\n",
        )
        .status(1)
        .holds();
    assert_eq!(space.read("tools.yaml"), first);
}

#[test]
fn a_folder_can_be_named() {
    let space = Space::new();
    std::fs::create_dir(space.path("sub")).unwrap();
    space
        .tgw(["init", "sub"])
        .stdout(
            "wrote sub/tools.yaml\nwrote sub/policy.yaml\nnext: read both, then `tgw trust`, `tgw tools` and `tgw doctor`\n",
        )
        .holds();
    space.write("file", "");
    space.tgw(["init", "file"]).stderr("error: `file` is not a folder\n").status(2).holds();
}

#[test]
fn a_folder_that_is_not_there_is_made() {
    let space = Space::new();
    space.tgw(["init", "new/shop"]).text();
    assert!(space.read("new/shop/policy.yaml").is_some());
}

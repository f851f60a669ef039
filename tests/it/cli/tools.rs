//! `tgw tools`

use serde_json::Value;

use crate::harness::Space;

#[test]
fn the_shipped_tools_are_listed() {
    Space::new()
        .tgw(["tools"])
        .stdout(
            " TOOL               RISK         WHAT IT DOES
 read_file          read_only    Read a file
 list_directory     read_only    List a directory
 find_files         read_only    Find files by name
 search_text        read_only    Search in files
 write_file         write        Write a file
 replace_in_file    write        Replace text in a file
 move_path          write        Move a file or directory
 delete_path        destructive  Delete a file or directory
 run_tests          write        Run the tests
 git_status         read_only    Show what has changed
 git_diff           read_only    Show changes
 git_log            read_only    Show the history
 tgw__read_result   read_only    Read a stored result
 tgw__search_tools  read_only    Search the tools
",
        )
        .holds();
}

#[test]
fn a_step_narrows_the_list_and_all_says_by_what() {
    let space = Space::new();
    let narrowed = space.tgw(["tools", "--step", "analyse"]).text();
    assert!(narrowed.contains("read_file") && !narrowed.contains("write_file"), "{narrowed}");
    let all = space.tgw(["tools", "--step", "analyse", "--all"]).text();
    let row = all.lines().find(|line| line.contains("write_file")).unwrap();
    assert!(row.ends_with("step analyse"), "{row}");
}

#[test]
fn json_gives_what_a_harness_offers_to_a_model() {
    let tools: Vec<Value> = serde_json::from_str(&Space::new().tgw(["tools", "--json"]).text()).unwrap();
    let read = &tools[0];
    assert_eq!(read["name"], "read_file");
    assert_eq!(read["risk"], "read_only");
    assert_eq!(read["input_schema"]["required"], serde_json::json!(["path"]));
    assert!(read["digest"].as_str().unwrap().starts_with("sha256:"), "{read}");
    assert!(tools.iter().all(|tool| tool.get("hidden_by").is_none()));
}

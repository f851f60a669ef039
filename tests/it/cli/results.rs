//! `tgw results`

use crate::harness::Space;

/// A space in which one file of 30 lines was read, and the reference of its result.
fn stored() -> (Space, String) {
    let space = Space::new();
    let text: String = (1..=30).map(|number| format!("line {number}\n")).collect();
    space.write("long.txt", text);
    let answers = space.tgw(["call", "read_file", r#"{"path":"long.txt"}"#]).answers();
    let reference = answers[0]["result"].as_str().unwrap().to_owned();
    (space, reference)
}

#[test]
fn results_are_listed_with_their_retention() {
    let (space, _) = stored();
    let text = space.tgw(["results"]).text();
    let normal = space.normalise(&text);
    let mut lines = normal.lines();
    assert!(lines.next().unwrap().contains("KEPT UNTIL"));
    let row: Vec<&str> = lines.next().unwrap().split_whitespace().collect();
    assert_eq!((row[0], row[1], row[2], row[4]), ("r_[ID]", "read_file", "run-[ID]", "[TIME]"));
}

#[test]
fn a_result_is_shown_in_pages() {
    let (space, reference) = stored();
    let lines = ["results", &reference, "--filter", "$.lines[*]", "--limit", "2"];
    space
        .tgw(lines)
        .stdout("[\"line 1\",\"line 2\"]\n")
        .stderr("total {\"rows\":30}, next page {\"offset\":3}\n")
        .holds();
    let whole = space.tgw(["results", &reference]).text();
    assert!(whole.contains("line 30"), "{whole}");
}

#[test]
fn a_result_is_filtered_and_printed_as_json() {
    let (space, reference) = stored();
    let value: serde_json::Value =
        serde_json::from_str(&space.tgw(["results", &reference, "--json"]).text()).unwrap();
    assert!(value.to_string().contains("line 30"), "{value}");
    let filtered = space.tgw(["results", &reference, "--filter", "$.path"]).ended();
    assert_eq!((filtered.status, filtered.stderr.as_str()), (Some(0), ""), "{}", filtered.stdout);
}

#[test]
fn a_filter_that_is_none_is_a_usage_error() {
    let (space, reference) = stored();
    let ended = space.tgw(["results", &reference, "--filter", "$["]).ended();
    assert_eq!((ended.status, ended.stdout.as_str()), (Some(2), ""));
    assert!(ended.stderr.starts_with("error: `--filter` must be "), "{}", ended.stderr);
    assert!(ended.stderr.contains("\nhint: "), "{}", ended.stderr);
}

#[test]
fn an_unknown_reference_is_said_to_be_unknown() {
    Space::new()
        .tgw(["results", "r_nope"])
        .stderr("error: no result `r_nope` is kept\nhint: `tgw results` lists those that are; they are kept for 7 days\n")
        .status(1)
        .holds();
}

#[test]
fn a_filter_that_selects_nothing_is_told_from_an_empty_result() {
    let (space, reference) = stored();
    let ended = space.tgw(["results", &reference, "--filter", "$.nope[*]"]).ended();
    assert_eq!((ended.status, ended.stdout.as_str()), (Some(1), ""), "{}", ended.stderr);
    assert!(ended.stderr.starts_with("error: `--filter` selects nothing"), "{}", ended.stderr);
}

#[test]
fn an_offset_and_a_limit_count_from_one() {
    let (space, reference) = stored();
    for flag in ["--offset", "--limit"] {
        let ended = space.tgw(["results", &reference, flag, "0"]).ended();
        assert_eq!((ended.status, ended.stdout.as_str()), (Some(2), ""), "{flag}: {}", ended.stderr);
    }
}

#[test]
fn the_list_can_be_had_as_json() {
    let (space, reference) = stored();
    let list: serde_json::Value = serde_json::from_str(&space.tgw(["results", "--json"]).text()).unwrap();
    assert_eq!(list[0]["result"], reference.as_str());
}

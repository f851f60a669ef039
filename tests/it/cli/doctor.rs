//! `tgw doctor`

use serde_json::Value;

use crate::harness::{ALLOW, Space};

#[test]
fn the_report_says_what_was_found() {
    let text = Space::new().tgw(["doctor", "--user", "ann"]).text();
    for line in [
        "tools      ok     <embedded>/tools.yaml (embedded in the binary)",
        "policy     ok     <embedded>/policy.yaml (embedded in the binary)",
        "principal  ok     user ann, agent default, tenant local",
        "terminal   ok     controlling: none: what needs a person is answered input_required",
        "sandbox    ok     none: available",
        "made at the first call",
    ] {
        assert!(text.contains(line), "`{line}` is missing in:\n{text}");
    }
}

#[test]
fn a_credential_that_is_not_there_is_a_problem() {
    let space =
        Space::with("version: 1\ncredentials:\n  shop: {source: {env: SHOP_TOKEN}}\ntools: []\n", ALLOW);
    let text = space.tgw(["doctor", "--json"]).with_files().status(1).text();
    let report: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(report["healthy"], false);
    let findings = report["findings"].as_array().unwrap();
    let credential = findings.iter().find(|finding| finding["area"] == "credential").unwrap();
    assert_eq!(credential["text"], "shop: variable SHOP_TOKEN is not set");

    let text = space.tgw(["doctor", "--json"]).with_files().variable("SHOP_TOKEN", "s3cr3t-value").text();
    assert!(text.contains("variable SHOP_TOKEN is set"), "{text}");
    assert!(!text.contains("s3cr3t-value"), "{text}");
}

#[test]
fn a_store_that_cannot_be_used_is_a_problem() {
    let space = Space::new();
    space.write_beside("taken", "");
    let state = space.beside("taken/state.db").display().to_string();
    let text = space.tgw(["doctor", "--state", &state]).status(1).text();
    assert!(text.contains("state      PROBLEM"), "{text}");
}

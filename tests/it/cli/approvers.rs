//! `tgw approvers`

use serde_json::{Value, json};

use crate::harness::Space;

fn keygen(space: &Space, name: &str) -> String {
    let file = space.beside(name).display().to_string();
    space.tgw(["approvers", "keygen", &file]).text().trim_end().to_owned()
}

fn listed(space: &Space) -> Value {
    serde_json::from_str(&space.tgw(["approvers", "list", "--json"]).text()).unwrap()
}

#[test]
fn approvers_are_added_listed_and_removed() {
    let space = Space::new();
    assert_eq!(listed(&space), json!([]));
    let (ann, bo) = (keygen(&space, "ann.key"), keygen(&space, "bo.key"));
    space.tgw(["approvers", "add", "bo", &bo]).stdout("bo: added\n").holds();
    space.tgw(["approvers", "add", "ann", &ann]).stdout("ann: added\n").holds();
    assert_eq!(listed(&space), json!([{"name": "ann", "key": ann}, {"name": "bo", "key": bo}]));
    let text = space.tgw(["approvers", "list"]).text();
    assert!(text.contains("ann") && text.contains(&bo), "{text}");
    space
        .tgw(["approvers", "remove", "ann"])
        .stdout("ann: removed, and none of their answers counts\n")
        .holds();
    assert_eq!(listed(&space), json!([{"name": "bo", "key": bo}]));
    let file = std::fs::read_to_string(space.beside("config/tgw/approvers.yaml")).unwrap();
    assert_eq!(file, format!("version: 1\napprovers:\n  \"bo\": {{key: \"{bo}\"}}\n"));
}

#[test]
fn a_private_key_is_its_owners_alone_and_never_overwritten() {
    use std::os::unix::fs::MetadataExt;
    let space = Space::new();
    keygen(&space, "ann.key");
    let path = space.beside("ann.key");
    assert_eq!(std::fs::metadata(&path).unwrap().mode() & 0o777, 0o600);
    let before = std::fs::read(&path).unwrap();
    let again = space.tgw(["approvers", "keygen", &path.display().to_string()]).ended();
    assert!(again.status == Some(1) && again.stdout.is_empty(), "{}", again.stderr);
    assert_eq!(std::fs::read(&path).unwrap(), before);
}

#[test]
fn nothing_is_replaced_and_nobody_has_two_names() {
    let space = Space::new();
    let (ann, bo) = (keygen(&space, "ann.key"), keygen(&space, "bo.key"));
    space.tgw(["approvers", "add", "ann", &ann]).stdout("ann: added\n").holds();
    let cases = [
        (["add", "ann", &bo], 1, "error: `ann` was not added: `ann` has a key already"),
        (["add", "bo", &ann], 1, "error: `bo` was not added: that is the key of `ann`"),
        (["add", "bo", "ed25519:AAAA"], 2, "error: that is no public key that can be used"),
        (["add", "b o", &bo], 2, "error: user name `b o` has ` `"),
        (["remove", "bo", ""], 1, "error: there is no approver `bo`"),
    ];
    for (arguments, status, message) in cases {
        let typed = ["approvers"].into_iter().chain(arguments).filter(|word| !word.is_empty());
        let ended = space.tgw(typed).ended();
        assert_eq!(ended.status, Some(status), "{arguments:?}: {}", ended.stderr);
        assert!(ended.stderr.starts_with(message), "{arguments:?}: {}", ended.stderr);
    }
    assert_eq!(listed(&space), json!([{"name": "ann", "key": ann}]));
    assert!(!space.beside("config/tgw/approvers.yaml.new").exists());
}

#[test]
fn a_change_that_is_under_way_keeps_others_away() {
    let space = Space::new();
    let ann = keygen(&space, "ann.key");
    space.write_beside("config/tgw/approvers.yaml.new", "");
    let ended = space.tgw(["approvers", "add", "ann", &ann]).ended();
    assert!(
        ended.status == Some(1) && ended.stderr.contains("another change of the approvers"),
        "{}",
        ended.stderr
    );
    assert_eq!(listed(&space), json!([]));
}

//! `tgw explain`

use crate::harness::Space;

#[test]
fn a_code_is_explained_with_status_retry_and_exit() {
    Space::new()
        .tgw(["explain", "timeout"])
        .stdout(
            "TIMEOUT\n\nstatus: failed\nretry: same_call\nexit status of `tgw call`: 5\n\n\
             The deadline passed. The tool was a read, or nothing had begun, so nothing changed. The whole\n\
             process tree was ended.\n",
        )
        .holds();
}

#[test]
fn every_code_of_the_list_is_explained() {
    let space = Space::new();
    let list = space.tgw(["explain"]).text();
    assert_eq!(list.lines().count(), tgw::code::ErrorCode::ALL.len());
    for line in list.lines() {
        let (code, meaning) = line.split_once(' ').unwrap();
        assert!(!meaning.trim().is_empty(), "{line}");
        let text = space.tgw(["explain", code]).text();
        assert!(text.starts_with(&format!("{code}\n\nstatus: ")), "{text}");
        assert!(text.lines().all(|line| line.chars().count() <= 100), "{text}");
    }
}

#[test]
fn the_nearest_code_is_offered() {
    Space::new()
        .tgw(["explain", "permission_denid"])
        .stderr(
            "error: `permission_denid` is not an error code\n\
             hint: did you mean `PERMISSION_DENIED`? `tgw explain` lists every code\n",
        )
        .status(2)
        .holds();
}

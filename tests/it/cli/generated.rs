//! Completions and man pages: what is in the checkout is what the program would write now.

use crate::harness::{Space, checkout};

#[test]
fn the_committed_completions_are_fresh() {
    Space::new().tgw(["completions", "--check", "completions"]).within(checkout()).holds();
}

#[test]
fn the_committed_man_pages_are_fresh() {
    Space::new().tgw(["man", "--check", "man"]).within(checkout()).holds();
}

#[test]
fn a_stale_file_fails_the_check_and_says_how_to_make_it() {
    let space = Space::new();
    space.tgw(["completions", "--write", "made"]).holds();
    space.tgw(["completions", "--check", "made"]).holds();
    space.write("made/tgw.bash", "old\n");
    space
        .tgw(["completions", "--check", "made"])
        .stderr(
            "error: not what would be written now: `made/tgw.bash`\nhint: run `tgw completions --write made`\n",
        )
        .status(1)
        .holds();
}

#[test]
fn completions_are_printed_for_a_shell() {
    let text = Space::new().tgw(["completions", "bash"]).text();
    assert!(text.contains("complete -F _tgw"), "{text}");
}

#[test]
fn each_command_has_a_page() {
    let space = Space::new();
    space.tgw(["man", "pages"]).holds();
    for page in ["tgw", "tgw-run", "tgw-audit-verify", "tgw-approvals-revoke"] {
        let text = space.read(&format!("pages/{page}.1")).unwrap_or_else(|| panic!("{page} is missing"));
        assert!(text.contains(".TH"), "{page}");
    }
}

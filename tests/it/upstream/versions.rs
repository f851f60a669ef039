//! Every released version is spoken, and a server that knows only an older one is met there.

use serde_json::json;

use super::{READS, peer};
use crate::harness::{ALLOW, call, content};

fn speaks(flags: &[&str], version: &str) {
    let space = peer(flags, &format!("probe_timeout: 100ms, tools: {{{READS}}}"), ALLOW);
    let lock = std::fs::read_to_string(space.beside("files/tgw.lock")).unwrap();
    assert!(lock.contains(&format!("\"protocol\": \"{version}\"")), "{flags:?}");
    let answer = space.answer(&call("c", "p__echo", &json!({"word": "hello"})));
    assert_eq!(content(&answer), "hello", "{flags:?}");
}

#[test]
fn servers_of_every_released_version_are_called() {
    for version in ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"] {
        speaks(&["--version", version], version);
    }
    speaks(&["--modern"], "2026-07-28");
}

#[test]
fn mc_08_a_server_that_dies_or_stays_mute_on_the_newest_question_is_met_in_the_older_way() {
    speaks(&["--dies"], "2025-06-18");
    speaks(&["--mute"], "2025-06-18");
}

#[test]
fn a_server_that_speaks_another_version_than_it_did_is_met_there() {
    for (before, after) in [(&["--modern"][..], &[][..]), (&[][..], &["--modern"][..])] {
        let space = peer(before, &format!("tools: {{{READS}}}"), ALLOW);
        let tools = std::fs::read_to_string(space.beside("files/tools.yaml")).unwrap();
        space.write_beside("files/tools.yaml", tools.replace(&super::server(before), &super::server(after)));
        assert_eq!(
            content(&space.answer(&call("c", "p__echo", &json!({"word": "hello"})))),
            "hello",
            "{after:?}"
        );
    }
}

//! A question that waits, and ways to answer it.

use serde_json::Value;

use crate::place::{Ended, Place};
pub(crate) use crate::say::{TOOLS, place_with, said, say};

/// Everything is asked.
pub(crate) const POLICY: &str = r#"
version: 1
default_verdict: deny
rules: [{id: ask, verdict: require_approval, tools: [say], reason: it writes a log}]
"#;

pub(crate) fn place() -> Place {
    place_with(POLICY)
}

/// Sends one call of `say` without a terminal, and returns its answer.
pub(crate) fn send(place: &Place, arguments: &[&str], id: &str, word: &str) -> Value {
    place.run(arguments, format!("{}\n", say(id, word))).line()
}

/// The approval id that an answer names.
pub(crate) fn approval_id(answer: &Value) -> String {
    let hint = answer["error"]["hint"].as_str().unwrap_or_else(|| panic!("no hint: {answer}"));
    let id = hint.split('`').find_map(|part| part.strip_prefix("tgw approvals show "));
    id.unwrap_or_else(|| panic!("no approval id: {hint}")).to_owned()
}

/// A place in which a question about one word waits, and its id.
pub(crate) fn asked(word: &str) -> (Place, String) {
    let place = place();
    let id = approval_id(&send(&place, &[], "c1", word));
    (place, id)
}

/// The digest that `tgw approvals show` prints.
pub(crate) fn shown_digest(place: &Place, id: &str) -> String {
    let shown = place.ask(&["approvals", "show", id]);
    let digest = shown.stdout.lines().find_map(|line| line.strip_prefix("question digest: "));
    digest.unwrap_or_else(|| panic!("{shown:?}")).to_owned()
}

/// Answers without a terminal, as someone who looked.
pub(crate) fn answer(place: &Place, word: &str, id: &str, more: &[&str]) -> Ended {
    let digest = shown_digest(place, id);
    place.ask(&[&["approvals", word, id, "--digest", &digest], more].concat())
}

pub(crate) fn approve(place: &Place, id: &str) {
    let ended = answer(place, "approve", id, &[]);
    assert_eq!(ended.code, Some(0), "{ended:?}");
}

/// Changes the store behind the gateway's back.
pub(crate) fn alter(place: &Place, change: &str) {
    rusqlite::Connection::open(place.store()).unwrap().execute_batch(change).unwrap();
}

/// Where a question stands, as the list says.
pub(crate) fn state_of(place: &Place, id: &str) -> String {
    let listed: Vec<Value> =
        serde_json::from_str(&place.ask(&["approvals", "list", "--json"]).stdout).unwrap();
    let found = listed.iter().find(|question| question["id"] == id);
    found.unwrap_or_else(|| panic!("{id} is not in {listed:?}"))["state"].as_str().unwrap().to_owned()
}

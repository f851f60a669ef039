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

/// `say` takes two of finance, and not who asks.
pub(crate) const TWO: &str = r#"
version: 1
default_verdict: deny
approvers: {finance: {members: [ann, bo, cy, dan]}}
rules: [{id: money, verdict: require_approval, tools: [say], reason: it costs, approval: {by: [finance], count: 2, not_requester: true}}]
"#;

/// Makes a key and adds its owner to the approvers; returns the path of the private key.
pub(crate) fn join(place: &Place, name: &str) -> String {
    let (path, public) = keygen(place, name);
    let added = place.ask(&["approvers", "add", name, &public]);
    assert_eq!(
        (added.code, added.stdout.as_str()),
        (Some(0), format!("{name}: added\n").as_str()),
        "{added:?}"
    );
    path
}

/// Makes a key for someone; returns the path of the private key, and the public one.
pub(crate) fn keygen(place: &Place, name: &str) -> (String, String) {
    let path = place.aside("keys/here", "").with_file_name(format!("{name}.key"));
    let path = path.to_str().unwrap().to_owned();
    let made = place.ask(&["approvers", "keygen", &path]);
    assert_eq!(made.code, Some(0), "{made:?}");
    let public = made.stdout.trim_end().to_owned();
    std::fs::write(format!("{path}.pub"), &public).unwrap();
    (path, public)
}

/// Answers with a signature, as someone who looked.
pub(crate) fn sign(place: &Place, word: &str, id: &str, name: &str, key: &str) -> Ended {
    answer(place, word, id, &["--as", name, "--key", key])
}

/// Gives a signed yes that must be taken.
pub(crate) fn signed_yes(place: &Place, id: &str, name: &str, key: &str) -> String {
    let ended = sign(place, "approve", id, name, key);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    ended.stdout.lines().next().unwrap().to_owned()
}

/// A place where two of finance must say yes; ann, bo and cy have keys; a question of dan waits.
pub(crate) struct Finance {
    pub(crate) place: Place,
    pub(crate) id: String,
    keys: Vec<String>,
}

impl Finance {
    pub(crate) fn new() -> Self {
        Self::under(TWO)
    }

    pub(crate) fn under(policy: &str) -> Self {
        let place = place_with(policy);
        let keys = ["ann", "bo", "cy"].map(|name| join(&place, name)).to_vec();
        let id = approval_id(&send(&place, &["--user", "dan"], "c1", "pay"));
        Self { place, id, keys }
    }

    pub(crate) fn key(&self, name: &str) -> &str {
        let at = ["ann", "bo", "cy"].iter().position(|known| *known == name).unwrap();
        &self.keys[at]
    }

    /// A signed yes that must be taken.
    pub(crate) fn yes(&self, name: &str) -> String {
        signed_yes(&self.place, &self.id, name, self.key(name))
    }

    /// What `tgw approvals run` makes of it.
    pub(crate) fn run(&self) -> String {
        let ended = self.place.ask(&["approvals", "run", &self.id]);
        if ended.stdout.is_empty() {
            format!("{:?}", ended.code)
        } else {
            crate::place::verdict(&ended.line())
        }
    }
}

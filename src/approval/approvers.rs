//! Who may sign answers: names and public keys, from the person's own configuration.
//!
//! They never lie in the store that the answers are in: who can write there could else answer.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::json;

use crate::diagnostic::{Diagnostic, Report, SourceMap};
use crate::document::{Fields, Node, NodeValue, ReadLimits, read_reporting};
use crate::ident::UserName;
use crate::signature::PublicKey;

/// The approvers with their public keys. No two have the same key, so that nobody counts twice under two names.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Approvers {
    keys: BTreeMap<UserName, PublicKey>,
}

/// Why an approver was not added.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NotAdded {
    /// The name has a key.
    #[error("`{0}` has a key already")]
    HasKey(UserName),
    /// The key is someone's.
    #[error("that is the key of `{0}`")]
    KeyOf(UserName),
}

impl Approvers {
    /// The file in the person's configuration folder.
    pub const FILE: &'static str = "approvers.yaml";

    /// Reads the file's text.
    ///
    /// # Errors
    /// `Err(())` where anything is wrong with it; the report then says what.
    #[expect(clippy::result_unit_err, reason = "what is wrong is in the report, with its places")]
    pub fn load(
        name: Arc<str>,
        text: Arc<str>,
        sources: &mut SourceMap,
        report: &mut Report,
    ) -> Result<Self, ()> {
        let id = sources.add(name, Arc::clone(&text));
        let mut found = Report::default();
        let read = read_reporting(id, &text, ReadLimits::default(), &mut found)
            .and_then(|root| approvers(&root, &mut found));
        let failed = found.has_errors();
        found.diagnostics().iter().for_each(|diagnostic| report.push(diagnostic.clone()));
        read.filter(|_| !failed).ok_or(())
    }

    /// The key of an approver.
    #[must_use]
    pub fn key(&self, name: &UserName) -> Option<&PublicKey> {
        self.keys.get(name)
    }

    /// Every approver with their key, by name.
    pub fn iter(&self) -> impl Iterator<Item = (&UserName, &PublicKey)> {
        self.keys.iter()
    }

    /// Adds an approver.
    ///
    /// # Errors
    /// [`NotAdded`]; nothing is replaced, since that would make an earlier answer someone else's.
    pub fn add(&mut self, name: UserName, key: PublicKey) -> Result<(), NotAdded> {
        if self.keys.contains_key(&name) {
            return Err(NotAdded::HasKey(name));
        }
        if let Some((owner, _)) = self.keys.iter().find(|(_, known)| **known == key) {
            return Err(NotAdded::KeyOf(owner.clone()));
        }
        self.keys.insert(name, key);
        Ok(())
    }

    /// Removes an approver, and says whether there was one. Their answers count no more.
    pub fn remove(&mut self, name: &UserName) -> bool {
        self.keys.remove(name).is_some()
    }

    /// The text of the file.
    #[must_use]
    pub fn to_yaml(&self) -> String {
        if self.keys.is_empty() {
            return "version: 1\napprovers: {}\n".to_owned();
        }
        let mut text = "version: 1\napprovers:\n".to_owned();
        for (name, key) in &self.keys {
            // A JSON string is a quoted YAML key, whatever the name would mean without quotes.
            text.push_str(&format!("  {}: {{key: \"{key}\"}}\n", json!(name)));
        }
        text
    }
}

fn approvers(root: &Node, report: &mut Report) -> Option<Approvers> {
    let mut fields = Fields::of(root, "a file of approvers", report)?;
    fields.required("version", report);
    fields.integer("version", 1..=1, report);
    let listed = fields.required("approvers", report);
    fields.finish(report);
    let NodeValue::Mapping(entries) = &listed?.value else {
        report.push(Diagnostic::error(listed?.span, "`approvers` must be a mapping of names"));
        return None;
    };
    let mut approvers = Approvers::default();
    for entry in entries {
        let Some(mut fields) = Fields::of(&entry.value, "an approver", report) else { continue };
        let key = fields.required_text("key", report);
        fields.finish(report);
        let Some(written) = key else { continue };
        let Some(key) = PublicKey::parse(written) else {
            report.push(
                Diagnostic::error(entry.value.span, format!("the key of `{}` cannot be used", entry.key))
                    .with_hint("write what `tgw approvers keygen` printed: `ed25519:` and 44 characters"),
            );
            continue;
        };
        let added = UserName::parse(&entry.key)
            .map_err(|error| error.to_string())
            .and_then(|name| approvers.add(name, key).map_err(|error| error.to_string()));
        if let Err(problem) = added {
            report.push(Diagnostic::error(entry.key_span, problem));
        }
    }
    Some(approvers)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::signature::SecretKey;

    fn load(text: &str) -> Result<Approvers, String> {
        let (mut sources, mut report) = (SourceMap::default(), Report::default());
        Approvers::load("approvers.yaml".into(), text.into(), &mut sources, &mut report)
            .map_err(|()| report.render(&sources, false))
    }

    fn user(name: &str) -> UserName {
        UserName::parse(name).unwrap()
    }

    #[test]
    fn what_is_written_reads_back() {
        let mut approvers = Approvers::default();
        assert_eq!(load(&approvers.to_yaml()), Ok(approvers.clone()));
        for name in ["ann", "no", "0755", "bo:x", "e\"ve\\", "#c", "ä", "{{x}}"] {
            approvers.add(user(name), SecretKey::random().unwrap().public()).unwrap();
        }
        assert_eq!(load(&approvers.to_yaml()), Ok(approvers));
    }

    #[test]
    fn a_name_has_one_key_and_a_key_one_name() {
        let (one, other) = (SecretKey::random().unwrap().public(), SecretKey::random().unwrap().public());
        let mut approvers = Approvers::default();
        approvers.add(user("ann"), one.clone()).unwrap();
        assert_eq!(approvers.add(user("ann"), other), Err(NotAdded::HasKey(user("ann"))));
        assert_eq!(approvers.add(user("bo"), one.clone()), Err(NotAdded::KeyOf(user("ann"))));
        assert!(approvers.remove(&user("ann")) && !approvers.remove(&user("ann")));
        assert_eq!(approvers.add(user("bo"), one), Ok(()));
    }

    #[test]
    fn a_file_with_anything_wrong_is_not_used() {
        let key = SecretKey::random().unwrap().public();
        let good = format!("version: 1\napprovers: {{ann: {{key: '{key}'}}}}\n");
        assert!(load(&good).is_ok());
        let twice = format!("version: 1\napprovers: {{ann: {{key: '{key}'}}, bo: {{key: '{key}'}}}}\n");
        let cases = [
            (String::new(), "a file of approvers must be a mapping"),
            ("version: 1\n".to_owned(), "`approvers` is missing"),
            (good.replace("version: 1\n", ""), "`version` is missing"),
            (good.replace("version: 1", "version: 2"), "`version` must be a whole number from 1 to 1"),
            (good.replace("approvers: {", "approver: {"), "unknown key `approver`"),
            (good.replace("{key:", "{keys:"), "`key` is missing"),
            (good.replace("ed25519:", "ed25519"), "the key of `ann` cannot be used"),
            (good.replace("{ann:", "{'a n':"), "user name `a n` has ` `"),
            (twice, "that is the key of `ann`"),
        ];
        for (text, expected) in cases {
            let problem = load(&text).unwrap_err();
            assert!(problem.contains(expected), "{text}\n{problem}");
        }
    }
}

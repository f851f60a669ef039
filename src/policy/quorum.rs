//! How many people of whom must say yes, for one rule that asks.

use std::collections::BTreeSet;
use std::fmt;

use serde::{Deserialize, Serialize};

use crate::ident::{RuleId, UserName};

/// The people whose signed answers a rule takes, and how many of them must say yes.
///
/// Each rule that asks has its own: one that is met says nothing of another.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Quorum {
    /// The rule.
    pub rule: RuleId,
    /// The groups whose members may answer; empty means every approver.
    pub by: Vec<String>,
    /// The members of these groups.
    pub members: BTreeSet<UserName>,
    /// How many must say yes; at least one.
    pub count: u32,
    /// Whether who asked for the call may not answer.
    pub not_requester: bool,
}

impl Quorum {
    /// Whether an approver's answer counts here, to a question about a call of `requester`.
    #[must_use]
    pub fn takes(&self, approver: &UserName, requester: &UserName) -> bool {
        let member = self.by.is_empty() || self.members.contains(approver);
        member && !(self.not_requester && is_same_person(approver, requester))
    }

    /// How many of these people, who said yes, count here. Nobody counts twice.
    #[must_use]
    pub fn given<'a>(&self, yes: impl IntoIterator<Item = &'a UserName>, requester: &UserName) -> u32 {
        let counted = yes.into_iter().filter(|approver| self.takes(approver, requester));
        let people: BTreeSet<String> = counted.map(folded).collect();
        u32::try_from(people.len()).unwrap_or(u32::MAX)
    }

    /// Whether enough of these people, who said yes, count here.
    #[must_use]
    pub fn is_met<'a>(&self, yes: impl IntoIterator<Item = &'a UserName>, requester: &UserName) -> bool {
        self.given(yes, requester) >= self.count.max(1)
    }
}

/// Whether two names may be the same person's: a harness may spell a name otherwise than the approver does.
fn is_same_person(one: &UserName, other: &UserName) -> bool {
    folded(one) == folded(other)
}

fn folded(name: &UserName) -> String {
    name.as_str().to_lowercase()
}

/// As a person reads it: `2 from finance or legal, other than the requester`.
impl fmt::Display for Quorum {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let whose = if self.by.is_empty() { "the approvers".to_owned() } else { self.by.join(" or ") };
        let other = if self.not_requester { ", other than the requester" } else { "" };
        write!(formatter, "{} from {whose}{other}", self.count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn user(name: &str) -> UserName {
        UserName::parse(name).unwrap()
    }

    fn quorum(by: &[&str], members: &[&str], count: u32, not_requester: bool) -> Quorum {
        Quorum {
            rule: RuleId::parse("r").unwrap(),
            by: by.iter().map(|group| (*group).to_owned()).collect(),
            members: members.iter().map(|name| user(name)).collect(),
            count,
            not_requester,
        }
    }

    #[test]
    fn only_members_count_and_nobody_twice() {
        let two = quorum(&["finance"], &["ann", "bo", "cy"], 2, false);
        let given = |yes: &[&str]| {
            let yes: Vec<UserName> = yes.iter().map(|name| user(name)).collect();
            (two.given(&yes, &user("dan")), two.is_met(&yes, &user("dan")))
        };
        assert_eq!(given(&[]), (0, false));
        assert_eq!(given(&["ann", "ann", "eve"]), (1, false));
        assert_eq!(given(&["ann", "bo"]), (2, true));
        let any = quorum(&[], &[], 2, false);
        assert!(!any.is_met(&[user("ann"), user("Ann")], &user("dan")), "one person under two spellings");
    }

    #[test]
    fn without_groups_every_approver_counts() {
        assert!(quorum(&[], &[], 1, false).is_met([&user("eve")], &user("dan")));
        assert!(!quorum(&[], &[], 1, false).is_met([], &user("dan")));
    }

    #[test]
    fn the_requester_does_not_count_however_the_name_is_spelled() {
        let other = quorum(&["finance"], &["ann", "bo"], 1, true);
        for requester in ["ann", "Ann", "ANN"] {
            assert!(!other.takes(&user("ann"), &user(requester)), "{requester}");
            assert!(other.takes(&user("bo"), &user(requester)), "{requester}");
        }
        assert!(quorum(&["finance"], &["ann"], 1, false).takes(&user("ann"), &user("ann")));
    }

    #[test]
    fn it_reads_as_a_person_says_it() {
        assert_eq!(
            quorum(&["finance", "legal"], &["ann"], 2, true).to_string(),
            "2 from finance or legal, other than the requester"
        );
        assert_eq!(quorum(&[], &[], 1, false).to_string(), "1 from the approvers");
    }
}

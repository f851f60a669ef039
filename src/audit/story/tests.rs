use std::path::Path;

use super::*;
use crate::audit::{ApprovalNote, Entry, LedgerNote, PendingRecords, RecordKind};
use crate::clock::Timestamp;
use crate::code::Status;
use crate::ident::{AgentName, Principal, TaskId, UserName};
use crate::state::{Batch, Durability, Place, SealKey, SqlStore};

struct Chain {
    _place: tempfile::TempDir,
    store: SqlStore,
    principal: Principal,
}

impl Chain {
    fn new() -> Self {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("state/state.db");
        let key = SealKey::new(path.parent().unwrap());
        let store = SqlStore::open(&Place::File(path.clone()), Path::new("/nowhere"), key).unwrap();
        let principal = Principal {
            user: UserName::parse("ann").unwrap(),
            agent: AgentName::parse("default").unwrap(),
            agent_version: None,
            tenant: Tenant::parse("local").unwrap(),
        };
        Self { _place: place, store, principal }
    }

    /// Appends a record of a call in a task, and what else it says.
    fn add(&mut self, kind: RecordKind, task: &str, call: Option<&str>, more: impl FnOnce(&mut Entry<'_>)) {
        let task = TaskId::parse(task).unwrap();
        let mut entry = Entry {
            task: Some(&task),
            call,
            tool: Some("order"),
            ..Entry::new(kind, Timestamp(5), &self.principal)
        };
        more(&mut entry);
        let mut records = PendingRecords::default();
        records.push(&entry).unwrap();
        let mut batch = Batch {
            tenant: &self.principal.tenant,
            now: Timestamp(5),
            durability: Durability::Kill,
            changes: &[],
            records: &mut records,
        };
        assert_eq!(self.store.append(&mut batch).unwrap().len(), 1);
    }

    fn stories(&self, id: &str) -> Vec<Story> {
        stories(&self.store, &self.principal.tenant, id).unwrap()
    }

    /// The one story of an id, if any.
    fn story(&self, id: &str) -> Option<Story> {
        let mut stories = self.stories(id);
        assert!(stories.len() < 2, "{id}: {stories:?}");
        stories.pop()
    }

    fn told(&self, id: &str) -> Option<Vec<(u64, Part)>> {
        let story = self.story(id)?;
        Some(story.events.iter().map(|event| (event.listed.record.seq, event.part)).collect())
    }
}

fn note(id: &'static str, how: &'static str, answer: &'static str) -> Option<ApprovalNote<'static>> {
    Some(ApprovalNote { id, by: None, how, answer, question: None })
}

fn ledger(id: &'static str, how: &'static str) -> Option<LedgerNote<'static>> {
    Some(LedgerNote { id, attempt: 1, state: "running", how, by: None })
}

/// Call `c1` of task `t`: asked, answered, begun, lost, looked up by a later run, settled; `c2` meets its effect.
fn whole() -> Chain {
    use RecordKind::{Approval, Effect, Intent, Outcome, Replayed};
    let mut chain = Chain::new();
    chain.add(Outcome, "other", Some("c1"), |_| {});
    chain.add(Approval, "t", Some("c1"), |entry| entry.approval = note("a_1", "queue", "asked"));
    chain.add(Approval, "t", None, |entry| entry.approval = note("a_1", "queue", "approved"));
    chain.add(Intent, "t", Some("c1"), |entry| {
        (entry.approval, entry.ledger) = (note("a_1", "queue", "approved"), ledger("e_1", "reserved"));
    });
    chain.add(Outcome, "t", Some("c9"), |_| {});
    chain.add(Intent, "later", Some("look_1"), |entry| entry.parent = Some("c1"));
    chain.add(Effect, "t", Some("c1"), |entry| entry.ledger = ledger("e_1", "reconciled"));
    chain.add(Replayed, "t", Some("c2"), |entry| entry.ledger = ledger("e_1", "found"));
    chain
}

#[test]
fn a_story_has_every_record_that_is_about_the_call_and_no_other() {
    use Part::{Call, Probe, Question, SameEffect};
    let expected = vec![(2, Call), (3, Question), (4, Call), (6, Probe), (7, Call), (8, SameEffect)];
    let chain = whole();
    for id in ["c1", "a_1", "e_1", "2", "3", "4", "7"] {
        assert_eq!(chain.told(id).as_ref(), Some(&expected), "{id}");
    }
    let story = chain.story("c1").unwrap();
    assert_eq!((story.call.as_deref(), story.task.as_deref()), (Some("c1"), Some("t")));
    assert_eq!((story.namesakes, story.omitted), (vec![1], 0));
    assert_eq!(story.events[0].listed.receipt.seq, 2);
    assert_eq!(chain.told(&story.events[1].listed.receipt.to_string()).as_ref(), Some(&expected));
}

#[test]
fn another_call_of_the_same_id_and_another_call_of_the_same_effect_have_stories_of_their_own() {
    use Part::{Call, Ledger, SameEffect};
    let chain = whole();
    assert_eq!(chain.told("1"), Some(vec![(1, Call)]));
    assert_eq!(chain.told("c2"), Some(vec![(4, SameEffect), (7, Ledger), (8, Call)]));
    assert_eq!(chain.told("look_1"), Some(vec![(6, Call)]));
}

#[test]
fn what_the_chain_does_not_name_has_no_story() {
    let chain = whole();
    for id in ["", "c", "nope", "99", "0", "sha256:00", "18446744073709551616"] {
        assert_eq!(chain.told(id), None, "{id}");
    }
    assert_eq!(Chain::new().told("c1"), None);
}

#[test]
fn a_number_that_is_a_calls_id_and_no_records_names_the_call() {
    let mut chain = Chain::new();
    chain.add(RecordKind::Outcome, "t", Some("4711"), |_| {});
    assert_eq!(chain.told("4711"), Some(vec![(1, Part::Call)]));
}

#[test]
fn a_call_that_is_named_like_a_record_a_question_or_an_effect_hides_neither_story() {
    let mut chain = whole();
    for call in ["4", "a_1", "e_1", "call:c1"] {
        chain.add(RecordKind::Outcome, "t", Some(call), |_| {});
    }
    let own: Vec<(u64, Part)> = chain.told("c1").unwrap();
    for (id, seq, own_name) in [
        ("4", 9, "record:4"),
        ("a_1", 10, "question:a_1"),
        ("e_1", 11, "effect:e_1"),
        ("call:c1", 12, "call:c1"),
    ] {
        let call = format!("call:{id}");
        let expected = [(call.as_str(), vec![(seq, Part::Call)]), (own_name, own.clone())];
        let mut found: Vec<(String, Vec<(u64, Part)>)> = chain
            .stories(id)
            .into_iter()
            .map(|mut story| {
                assert_eq!(story.names.len(), 1, "{id}");
                let told = story.events.iter().map(|event| (event.listed.record.seq, event.part)).collect();
                (story.names.remove(0), told)
            })
            .collect();
        found.sort_by(|one, other| one.0.cmp(&other.0));
        let mut expected = expected.map(|(name, told)| (name.to_owned(), told)).to_vec();
        expected.sort_by(|one, other| one.0.cmp(&other.0));
        assert_eq!(found, expected);
        // And each is told alone.
        if id != "call:c1" {
            for (name, told) in expected {
                assert_eq!(chain.told(&name), Some(told), "{name}");
            }
        }
    }
    assert_eq!(chain.told("call:call:c1"), Some(vec![(12, Part::Call)]));
    assert_eq!(chain.story("c1").unwrap().names, ["call:c1"]);
    for none in ["question:4", "effect:4", "call:nope", "record:a_1", "call:", "story:c1"] {
        assert_eq!(chain.told(none), None, "{none}");
    }
}

#[test]
fn what_names_one_story_in_two_ways_is_not_told_twice() {
    let mut chain = Chain::new();
    chain.add(RecordKind::Outcome, "t", Some("1"), |_| {});
    assert_eq!(chain.told("1"), Some(vec![(1, Part::Call)]));
    assert_eq!(chain.story("1").unwrap().names, ["record:1", "call:1"]);
}

#[test]
fn the_other_uses_of_a_remembered_answer_are_no_part_of_a_call() {
    let mut chain = Chain::new();
    for call in ["c1", "c2"] {
        chain.add(RecordKind::Intent, "t", Some(call), |entry| {
            entry.approval = note("g_1", "standing", "approved")
        });
    }
    assert_eq!(chain.told("c1"), Some(vec![(1, Part::Call)]));
}

#[test]
fn a_question_that_ended_without_its_call_and_a_record_about_no_call_are_told_alone() {
    let mut chain = Chain::new();
    chain.add(RecordKind::Approval, "t", None, |entry| entry.approval = note("a_1", "queue", "expired"));
    chain.add(RecordKind::Trust, "t", None, |entry| entry.approval = note("any", "flag", "trusted"));
    chain.add(RecordKind::Trust, "t", None, |entry| entry.approval = note("any", "flag", "trusted"));
    assert_eq!(chain.told("a_1"), Some(vec![(1, Part::Question)]));
    assert_eq!(chain.told("1"), Some(vec![(1, Part::Question)]));
    assert_eq!(chain.told("2"), Some(vec![(2, Part::Call)]));
}

#[test]
fn a_story_without_end_is_bounded_and_says_how_much_is_left_out() {
    let mut chain = Chain::new();
    for _ in 0..MOST_EVENTS + 3 {
        chain.add(RecordKind::Outcome, "t", Some("c1"), |entry| entry.status = Some(Status::Failed));
    }
    let story = chain.story("c1").unwrap();
    assert_eq!((story.events.len(), story.omitted), (MOST_EVENTS, 3));
}

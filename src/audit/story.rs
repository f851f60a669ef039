//! The story of one call: every record that is about it, and what each has to do with it.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::ops::ControlFlow;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::catalog::Digest;
use crate::ident::Tenant;
use crate::state::{Order, Scan, Store, StoreError, StoredRecord};

use super::view::{Listed, read};

/// Most records of one story; what is beyond is counted.
const MOST_EVENTS: usize = 1_000;

/// Most other calls that have the same id.
const MOST_NAMESAKES: usize = 1_000;

/// What a record has to do with the call whose story is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Part {
    /// It is about the call itself.
    Call,
    /// It is about a call that the gateway made for it: a look-up, a check.
    Probe,
    /// It is about the question that was asked about it.
    Question,
    /// It is about its effect in the ledger.
    Ledger,
    /// It is about another call that met the same effect.
    SameEffect,
}

/// One record of a story.
#[derive(Debug, Clone, PartialEq)]
pub struct Event {
    /// What it has to do with the call.
    pub part: Part,
    /// The record.
    pub listed: Listed,
    /// What the record says beyond what [`RecordView`](super::RecordView) knows.
    pub more: Vec<(String, Value)>,
}

/// A story, oldest record first.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Story {
    /// The call; `None` where what was asked for is no call.
    pub call: Option<String>,
    /// Its task.
    pub task: Option<String>,
    /// The records.
    pub events: Vec<Event>,
    /// How many records more there are than are told.
    pub omitted: u64,
    /// The first records of other calls that have the same id, in other tasks.
    pub namesakes: Vec<u64>,
    /// How what was asked for names this story and no other.
    pub names: Vec<String>,
}

/// In which way an id is meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Meaning {
    Record,
    Call,
    Question,
    Effect,
}

impl Meaning {
    const ALL: [Self; 4] = [Self::Record, Self::Call, Self::Question, Self::Effect];

    const fn word(self) -> &'static str {
        match self {
            Self::Record => "record",
            Self::Call => "call",
            Self::Question => "question",
            Self::Effect => "effect",
        }
    }
}

/// An id in one of its meanings, and what it names then.
struct Reading<'i> {
    meaning: Meaning,
    id: &'i str,
    anchor: Option<Anchor>,
}

impl<'i> Reading<'i> {
    fn of(meaning: Meaning, id: &'i str) -> Self {
        Self { meaning, id, anchor: None }
    }

    /// All that an id can mean, as it stands and with a word before it that says which.
    fn all(id: &'i str) -> Vec<Self> {
        let stated = id.split_once(':').and_then(|(word, rest)| {
            Meaning::ALL
                .into_iter()
                .find(|meaning| meaning.word() == word)
                .map(|meaning| Self::of(meaning, rest))
        });
        stated.into_iter().chain(Meaning::ALL.map(|meaning| Self::of(meaning, id))).collect()
    }
}

/// Tells the stories of the calls that an id names: a record's number or receipt, a call's id, a question's or answer's id, or
/// an effect's id. Models choose their calls' ids, so that one id may name several things: each has its story, and
/// [`Story::names`] says how it is named alone. `call:ID`, `question:ID`, `effect:ID` and `record:NUMBER` say which is meant.
/// Where calls of several tasks have the id, it is the latest one's.
///
/// The chain is read a few times for each story, in memory that is bounded by the stories.
///
/// # Errors
/// Why the store cannot be read.
pub fn stories(store: &dyn Store, tenant: &Tenant, id: &str) -> Result<Vec<Story>, StoreError> {
    let mut readings = Reading::all(id);
    find(store, tenant, &mut readings)?;
    let mut told: Vec<(Anchor, Story)> = Vec::new();
    for reading in readings {
        let name = format!("{}:{}", reading.meaning.word(), reading.id);
        let anchor = match reading.anchor {
            None => continue,
            // A question's end may be on record without its call.
            Some(Anchor::Approval(question)) => {
                let mut asked = [Reading::of(Meaning::Question, &question)];
                find(store, tenant, &mut asked)?;
                let [asked] = asked;
                asked.anchor.unwrap_or(Anchor::Approval(question))
            }
            Some(anchor) => anchor,
        };
        match told.iter_mut().find(|(known, _)| *known == anchor) {
            Some((_, story)) => story.names.push(name),
            None => {
                let story = Story { names: vec![name], ..tell(store, tenant, anchor.clone())? };
                told.push((anchor, story));
            }
        }
    }
    Ok(told.into_iter().map(|(_, story)| story).collect())
}

fn tell(store: &dyn Store, tenant: &Tenant, anchor: Anchor) -> Result<Story, StoreError> {
    let mut teller = Teller { anchor, ..Teller::default() };
    // A question may have been asked, or an effect begun, by an earlier call: what a story is about is known only once its
    // last record is seen.
    for telling in [false, true] {
        teller.tasks.clear();
        store.scan(tenant, Scan::all(Order::OldestFirst), &mut |stored| {
            teller.hear(stored, telling);
            ControlFlow::Continue(())
        })?;
    }
    Ok(teller.told())
}

/// Which call a story is about.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
enum Anchor {
    /// A call of a task.
    Call { call: String, task: Option<String> },
    /// A question or an answer that no record joins to a call.
    Approval(String),
    /// A record that is about neither.
    #[default]
    Nothing,
    /// The same, by its number.
    Record(u64),
}

/// What finding the records of a story needs to know of each.
#[derive(Deserialize)]
struct Names<'a> {
    #[serde(borrow)]
    kind: Cow<'a, str>,
    #[serde(default)]
    call: Option<Cow<'a, str>>,
    #[serde(default)]
    task: Option<Cow<'a, str>>,
    #[serde(default)]
    parent: Option<Cow<'a, str>>,
    #[serde(default)]
    approval: Option<Named<'a>>,
    #[serde(default)]
    ledger: Option<Named<'a>>,
}

#[derive(Deserialize)]
struct Named<'a> {
    #[serde(borrow)]
    id: Cow<'a, str>,
    #[serde(default)]
    how: Option<Cow<'a, str>>,
}

impl<'a> Names<'a> {
    fn of(stored: &'a StoredRecord) -> Option<Self> {
        serde_json::from_slice(&stored.bytes).ok()
    }

    fn names_approval(&self, id: &str) -> bool {
        self.approval.as_ref().is_some_and(|approval| approval.id == id)
    }

    fn names_effect(&self, id: &str) -> bool {
        self.ledger.as_ref().is_some_and(|ledger| ledger.id == id)
    }

    /// What tells the story that this record belongs to.
    fn anchor(&self, seq: u64) -> Anchor {
        // What was trusted is named as an answer is, and is none.
        match (&self.call, self.approval.as_ref().filter(|_| self.kind != "trust")) {
            (Some(call), _) => {
                Anchor::Call { call: call.to_string(), task: self.task.as_deref().map(str::to_owned) }
            }
            (None, Some(approval)) => Anchor::Approval(approval.id.to_string()),
            (None, None) => Anchor::Record(seq),
        }
    }
}

/// Finds what ids name.
fn find(store: &dyn Store, tenant: &Tenant, readings: &mut [Reading<'_>]) -> Result<(), StoreError> {
    store.scan(tenant, Scan::all(Order::OldestFirst), &mut |stored| {
        let Some(names) = Names::of(stored) else { return ControlFlow::Continue(()) };
        for reading in &mut *readings {
            let id = reading.id;
            let joined = matches!(reading.anchor, Some(Anchor::Call { .. }));
            let is_named = match reading.meaning {
                Meaning::Record => Digest::parse(id) == Some(stored.hash) || id.parse() == Ok(stored.seq),
                // The latest of them.
                Meaning::Call => names.call.as_deref() == Some(id),
                // The first record that joins it to a call: the one of the call that asked, or that began the effect.
                Meaning::Question => names.names_approval(id) && !joined,
                Meaning::Effect => names.names_effect(id) && reading.anchor.is_none(),
            };
            if is_named {
                reading.anchor = Some(names.anchor(stored.seq));
            }
        }
        ControlFlow::Continue(())
    })
}

/// Collects a story while the chain is read once, oldest first.
#[derive(Default)]
struct Teller {
    anchor: Anchor,
    story: Story,
    approvals: BTreeSet<String>,
    effects: BTreeSet<String>,
    /// The tasks that have a call of this id, with its first record.
    tasks: Vec<(Option<String>, u64)>,
}

impl Teller {
    fn hear(&mut self, stored: &StoredRecord, telling: bool) {
        let Some(names) = Names::of(stored) else { return };
        let Some(part) = self.part(&names, stored.seq) else { return };
        if !telling {
            if part == Part::Call {
                // A remembered answer is used by many calls, and the others are no part of this one.
                let own = names.approval.filter(|approval| approval.how.as_deref() != Some("standing"));
                self.approvals.extend(own.map(|approval| approval.id.into_owned()));
                self.effects.extend(names.ledger.map(|ledger| ledger.id.into_owned()));
            }
            return;
        }
        if self.story.events.len() >= MOST_EVENTS {
            self.story.omitted = self.story.omitted.saturating_add(1);
            return;
        }
        let Some(listed) = read(stored) else { return };
        let more = beyond(stored, &listed);
        self.story.events.push(Event { part, listed, more });
    }

    /// What a record has to do with the story; `None` for nothing.
    fn part(&mut self, names: &Names<'_>, seq: u64) -> Option<Part> {
        let (call, task) = match &self.anchor {
            Anchor::Call { call, task } => (call.as_str(), task.as_deref()),
            Anchor::Approval(id) => return names.names_approval(id).then_some(Part::Question),
            Anchor::Record(own) => return (*own == seq).then_some(Part::Call),
            Anchor::Nothing => return None,
        };
        let its_task = names.task.as_deref();
        let known =
            |tasks: &[(Option<String>, u64)]| tasks.iter().any(|(task, _)| task.as_deref() == its_task);
        if names.call.as_deref() == Some(call) {
            if !known(&self.tasks) && self.tasks.len() < MOST_NAMESAKES {
                self.tasks.push((its_task.map(str::to_owned), seq));
            }
            if its_task == task {
                return Some(Part::Call);
            }
        }
        if names.parent.as_deref() == Some(call) {
            // What another run makes for the call has that run's task: it is for the latest call of the id before it.
            let for_whom = match known(&self.tasks) {
                true => its_task,
                false => self.tasks.last().and_then(|(task, _)| task.as_deref()),
            };
            if for_whom == task {
                return Some(Part::Probe);
            }
        }
        if names.approval.as_ref().is_some_and(|approval| self.approvals.contains(&*approval.id)) {
            return Some(Part::Question);
        }
        if names.ledger.as_ref().is_some_and(|ledger| self.effects.contains(&*ledger.id)) {
            return Some(if names.kind == "effect" { Part::Ledger } else { Part::SameEffect });
        }
        None
    }

    fn told(self) -> Story {
        let mut story = self.story;
        if let Anchor::Call { call, task } = self.anchor {
            let others = self.tasks.iter().filter(|(other, _)| *other != task);
            story.namesakes = others.map(|(_, first)| *first).collect();
            (story.call, story.task) = (Some(call), task);
        }
        story
    }
}

/// The members of a record that its view does not know: a later version, or another part of this one, added them.
fn beyond(stored: &StoredRecord, listed: &Listed) -> Vec<(String, Value)> {
    let whole = serde_json::from_slice::<serde_json::Map<String, Value>>(&stored.bytes).unwrap_or_default();
    let known = serde_json::to_value(&listed.record).unwrap_or_default();
    whole.into_iter().filter(|(name, _)| known.get(name).is_none()).collect()
}

#[cfg(test)]
mod tests;

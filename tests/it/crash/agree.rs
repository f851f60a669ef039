//! What must agree whenever nothing runs: what happened, the ledger, the audit chain, the budget, and what was replied.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::harness::status;

use super::backend::{self, CHANGING, Happened, LIMIT};
use super::episode::{Episode, Sent};

/// What was said of a key that succeeded.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Told {
    amount: u64,
    fault: &'static str,
    content: Value,
}

/// A record of the chain.
struct Recorded {
    at: usize,
    record: Value,
}

/// Everything that there is to compare.
struct Known {
    truth: BTreeMap<String, Happened>,
    effects: Vec<Effect>,
    /// By receipt.
    records: BTreeMap<String, Recorded>,
}

/// An effect as the ledger has it.
#[derive(Debug)]
struct Effect {
    id: String,
    tool: String,
    reference: String,
    amount: u64,
    state: String,
    /// What the backend knows it by.
    by: String,
}

impl Effect {
    fn read(effect: &Value, sent: &BTreeMap<String, Sent>) -> Self {
        let text = |name: &str| effect[name].as_str().unwrap().to_owned();
        let sent = &sent[&text("call")];
        Self {
            id: text("id"),
            tool: text("tool"),
            reference: sent.reference.clone(),
            amount: sent.amount,
            state: text("state"),
            by: backend::name_of(&text("tool"), &sent.reference, &text("call")),
        }
    }

    fn is(&self, tool: &str, reference: &str) -> bool {
        self.tool == tool && self.reference == reference
    }
}

impl Known {
    fn look(episode: &Episode) -> Self {
        let verified = episode.space.tgw(["audit", "verify"]).ended();
        assert!(verified.status == Some(0), "{verified:?}");
        let exported = episode.space.tgw(["audit", "export"]).text();
        let records = exported.lines().enumerate().map(|(at, line)| {
            let mut line: Value = serde_json::from_str(line).unwrap();
            (line["receipt"].as_str().unwrap().to_owned(), Recorded { at, record: line["record"].take() })
        });
        let truth = backend::truth(&episode.space).into_iter().map(|one| (one.by.clone(), one));
        let effects = episode.effects();
        Self {
            truth: truth.collect(),
            effects: effects.iter().map(|effect| Effect::read(effect, &episode.sent)).collect(),
            records: records.collect(),
        }
    }

    fn has_record(&self, fits: impl Fn(&Value) -> bool) -> Option<usize> {
        self.records.values().find(|recorded| fits(&recorded.record)).map(|recorded| recorded.at)
    }

    /// What happened under a key.
    fn under(&self, tool: &str, reference: &str) -> Vec<&Happened> {
        self.truth.values().filter(|one| one.tool == tool && one.reference == reference).collect()
    }
}

impl Episode {
    /// Demands that everything agrees. Returns how many effects are between their intent and their outcome.
    pub(super) fn agrees(&mut self) -> usize {
        let known = self.compared();
        known.effects.iter().filter(|effect| effect.state == "running").count()
    }

    fn compared(&mut self) -> Known {
        let known = Known::look(self);
        self.happened_once(&known);
        ledger_is_true(&known);
        for replies in std::mem::take(&mut self.replies) {
            self.replies_are_true(&known, &replies);
        }
        known
    }

    /// Nothing happened twice under a key, more often than a person said yes, or beyond the budget.
    fn happened_once(&self, known: &Known) {
        for one in known.truth.values() {
            let most = match one.tool.as_str() {
                "pay" => self.yeses.get(&one.reference).copied().unwrap_or_default(),
                _ => 1,
            };
            let found = known.under(&one.tool, &one.reference);
            assert!(found.len() <= most, "{found:?}, and {most} may have happened");
        }
        let spent: u64 = known.truth.values().filter(|one| one.tool == "order").map(|one| one.amount).sum();
        assert!(spent <= LIMIT, "{spent} were spent");
    }

    fn replies_are_true(&mut self, known: &Known, replies: &[Value]) {
        let before = self.told.clone();
        for reply in replies {
            let id = reply["id"].as_str().unwrap();
            let sent = self.sent[id].clone();
            is_recorded(known, reply, id);
            if CHANGING.contains(&sent.tool) {
                self.reply_is_true(known, reply, id, &sent, &before);
            }
        }
    }

    fn reply_is_true(
        &mut self,
        known: &Known,
        reply: &Value,
        id: &str,
        sent: &Sent,
        before: &BTreeMap<(String, String), Told>,
    ) {
        let key = (sent.tool.to_owned(), sent.reference.clone());
        let had = before.get(&key);
        match status(reply) {
            "succeeded" => {
                assert_eq!(reply["effect"], "happened", "{reply}");
                let happened = known.under(sent.tool, &sent.reference);
                let of_this_call = backend::name_of(sent.tool, &sent.reference, id);
                let replayed = reply["replayed"] == true || reply["event"] == "resolved";
                assert!(
                    happened
                        .iter()
                        .any(|one| one.amount == sent.amount && (replayed || one.by == of_this_call)),
                    "{reply} was told, and {happened:?} happened"
                );
                let settled = known
                    .effects
                    .iter()
                    .any(|effect| effect.is(sent.tool, &sent.reference) && effect.state == "succeeded");
                assert!(settled, "{reply} was told, and the ledger does not say so");
                if sent.tool != "pay" {
                    assert!(
                        had.is_none() || replayed,
                        "{reply} is told as new, and was told before: {had:?}"
                    );
                    let told =
                        Told { amount: sent.amount, fault: sent.fault, content: reply["content"].clone() };
                    let first = self.told.entry(key).or_insert_with(|| told.clone());
                    assert_eq!(*first, told, "{reply}");
                }
            }
            // A call that was asked about may have run since.
            "input_required" => assert_eq!(reply["effect"], "none", "{reply}"),
            "failed" | "denied" | "cancelled" => {
                assert_eq!(reply["effect"], "none", "{reply}");
                let own = known.truth.get(id);
                assert!(own.is_none(), "{reply} was told, and {own:?} happened");
            }
            "unknown" => {}
            "accepted" | "working" => {
                let open = known
                    .effects
                    .iter()
                    .any(|effect| effect.is(sent.tool, &sent.reference) && effect.state != "failed");
                // What was refused in the end was accepted all the same.
                assert!(
                    open || sent.reference.ends_with('x'),
                    "{reply} was told, and the ledger knows nothing of it"
                );
            }
            other => panic!("{other}: {reply}"),
        }
        if had.is_some_and(|had| (had.amount, had.fault) == (sent.amount, sent.fault)) {
            assert_eq!(status(reply), "succeeded", "{reply}, and before: {had:?}");
        }
    }

    /// Demands that nothing is open, and that the ledger and the budget are the truth.
    pub(super) fn is_settled(&mut self) {
        let known = self.compared();
        for effect in &known.effects {
            assert!(matches!(effect.state.as_str(), "succeeded" | "failed"), "nobody settled {effect:?}",);
        }
        let succeeded = known.effects.iter().filter(|effect| effect.state == "succeeded").count();
        assert_eq!(succeeded, known.truth.len(), "as many succeeded as happened");
        let orders = known.truth.values().filter(|one| one.tool == "order").map(|one| one.amount);
        assert_eq!(self.used(), orders.sum::<u64>(), "what is used of the budget");
        for (key, told) in &self.told {
            let happened = known.under(&key.0, &key.1);
            assert!(happened.iter().any(|one| one.amount == told.amount), "{key:?}: {told:?}");
        }
    }

    /// What the ledger says is used of the budget.
    fn used(&self) -> u64 {
        let text = self.space.tgw(["budgets", "--json"]).with_files().text();
        let budgets: Value = serde_json::from_str(&text).unwrap();
        let purses = budgets[0]["used"].as_array().unwrap();
        purses.iter().map(|purse| purse["used"].as_u64().unwrap()).sum()
    }
}

/// The ledger claims nothing that is not so, and knows of everything that happened, which has its intent on record.
fn ledger_is_true(known: &Known) {
    for effect in &known.effects {
        let happened = known.truth.get(&effect.by);
        let shared =
            |other: &&Effect| other.by == effect.by && other.id != effect.id && other.state != "failed";
        match effect.state.as_str() {
            "succeeded" => {
                let right = happened.is_some_and(|one| one.amount == effect.amount);
                assert!(right, "{} succeeded, and what happened is {happened:?}", effect.id);
            }
            "failed" => {
                let other = known.effects.iter().find(shared);
                assert!(
                    happened.is_none() || other.is_some(),
                    "{} failed, and {happened:?} happened",
                    effect.id
                );
            }
            _ => {}
        }
        let said = known.has_record(|record| {
            let ledger = &record["ledger"];
            ledger["id"] == effect.id.as_str() && ledger["state"] == effect.state.as_str()
        });
        assert!(said.is_some(), "nothing on record says that {effect:?}");
        if effect.tool != "pay" && effect.state != "failed" {
            let holders = known
                .effects
                .iter()
                .filter(|other| other.is(&effect.tool, &effect.reference) && other.state != "failed");
            assert_eq!(holders.count(), 1, "{} shares its key", effect.id);
        }
    }
    for happened in known.truth.values() {
        let effect = known.effects.iter().find(|effect| effect.by == happened.by && effect.state != "failed");
        let effect = effect.unwrap_or_else(|| panic!("the ledger does not know of {happened:?}"));
        let intent = known
            .has_record(|record| record["kind"] == "intent" && record["ledger"]["id"] == effect.id.as_str());
        let intent = intent.unwrap_or_else(|| panic!("there is no intent of {happened:?}"));
        let outcome = known
            .has_record(|record| record["kind"] == "outcome" && record["ledger"]["id"] == effect.id.as_str());
        assert!(outcome.is_none_or(|outcome| intent < outcome), "{happened:?}");
    }
}

/// What was replied is in the chain, under its receipt.
fn is_recorded(known: &Known, reply: &Value, id: &str) {
    let receipt = reply["receipt"].as_str().unwrap_or_else(|| panic!("no receipt: {reply}"));
    let recorded = known.records.get(receipt).unwrap_or_else(|| panic!("{reply} is not on record"));
    assert_eq!(recorded.record["call"], id, "{reply}");
    if reply.get("event").is_none() {
        assert_eq!(recorded.record["status"], reply["status"], "{reply}");
    }
}

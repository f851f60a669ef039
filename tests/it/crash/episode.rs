//! One store and its backend, what was sent to it, and what it has told.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use crate::harness::{Space, call};

use super::agree::Told;
use super::backend;
use super::victim::{Fallen, Kill, Victim, await_quiet, fall};

/// Which database holds the store.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    File,
    Server,
}

/// A call that was sent.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Sent {
    pub(super) tool: &'static str,
    pub(super) reference: String,
    pub(super) amount: u64,
    pub(super) fault: &'static str,
}

/// How often processes were killed, and how often while an effect was between its intent and its outcome.
#[derive(Debug, Default, Clone, Copy)]
pub(super) struct Count {
    pub(super) kills: usize,
    pub(super) between: usize,
}

impl Count {
    pub(super) fn add(&mut self, other: Self) {
        self.kills += other.kills;
        self.between += other.between;
    }
}

pub(super) struct Episode {
    pub(super) space: Space,
    /// Every call, by its id.
    pub(super) sent: BTreeMap<String, Sent>,
    /// How often a person said yes to a payment.
    pub(super) yeses: BTreeMap<String, usize>,
    /// What was told of each key, and is never told otherwise.
    pub(super) told: BTreeMap<(String, String), Told>,
    /// Answers that were given with yes and may not have been used.
    pub(super) approved: Vec<String>,
    /// What was replied and is not yet compared, in the order in which it was.
    pub(super) replies: Vec<Vec<Value>>,
    pub(super) count: Count,
    history: Vec<String>,
}

impl Episode {
    /// A new one; `None` where the tests are given no server.
    pub(super) fn new(kind: Kind) -> Option<Self> {
        let space = backend::space();
        let space = match kind {
            Kind::File => space,
            Kind::Server => space.on_server()?,
        };
        Some(Self {
            space,
            sent: BTreeMap::new(),
            yeses: BTreeMap::new(),
            told: BTreeMap::new(),
            approved: Vec::new(),
            replies: Vec::new(),
            count: Count::default(),
            history: Vec::new(),
        })
    }

    /// The line of a new call.
    pub(super) fn line(
        &mut self,
        tool: &'static str,
        reference: &str,
        amount: u64,
        fault: &'static str,
    ) -> String {
        let id = format!("c{}", self.sent.len() + 1);
        let sent = Sent { tool, reference: reference.to_owned(), amount, fault };
        self.sent.insert(id.clone(), sent);
        if tool == "look" {
            return call(&id, tool, &json!({}));
        }
        call(&id, tool, &json!({"ref": reference, "amount": amount, "fault": fault}))
    }

    /// Runs processes beside each other, each of which may be killed, and checks that everything agrees afterwards. Returns
    /// how each ended.
    pub(super) fn round(&mut self, victims: &[(Victim, Kill)]) -> Vec<Fallen> {
        let fallen = self.beside(victims);
        self.count.kills += fallen.iter().filter(|one| one.killed).count();
        self.count.between += self.agrees();
        fallen
    }

    fn beside(&mut self, victims: &[(Victim, Kill)]) -> Vec<Fallen> {
        self.history.extend(victims.iter().map(|victim| format!("{victim:?}")));
        let space = &self.space;
        let fallen: Vec<Fallen> = std::thread::scope(|scope| {
            let running: Vec<_> =
                victims.iter().map(|(victim, kill)| scope.spawn(|| fall(space, victim, *kill))).collect();
            running.into_iter().map(|one| one.join().unwrap()).collect()
        });
        await_quiet(&self.space);
        for ((victim, _), one) in victims.iter().zip(&fallen) {
            self.history.push(format!("  {one:?}"));
            self.note_answer(victim, one);
        }
        self.replies.push(fallen.iter().flat_map(|one| one.replies.clone()).collect());
        fallen
    }

    /// Runs a process that is not killed; returns how it ended. Its replies are compared after the next round.
    pub(super) fn unharmed(&mut self, victim: Victim) -> Fallen {
        let ended = self.beside(&[(victim, Kill::Never)]).remove(0);
        assert!(ended.status.is_some() && ended.stderr.is_empty(), "{ended:?}");
        ended
    }

    /// Has a payment asked about, and returns how it is approved.
    pub(super) fn asked(&mut self, reference: &str) -> Victim {
        let line = self.line("pay", reference, 1, "none");
        let asked = self.unharmed(Victim::Stream(vec![line])).replies.remove(0);
        let hint = asked["error"]["hint"].as_str().unwrap_or_else(|| panic!("no question: {asked}"));
        let waiting = self.json(["approvals", "list", "--json"]);
        let is_named = |question: &&Value| hint.contains(question["id"].as_str().unwrap());
        let question = waiting.iter().find(is_named).unwrap_or_else(|| panic!("no question: {asked}"));
        let text = |name: &str| question[name].as_str().unwrap().to_owned();
        Victim::Answer { id: text("id"), digest: text("question_digest") }
    }

    /// Has a payment asked about and approved; returns the id of the yes.
    pub(super) fn approve(&mut self, reference: &str) -> String {
        let answer = self.asked(reference);
        let Victim::Answer { id, .. } = &answer else { panic!("{answer:?}") };
        let id = id.clone();
        self.note_yes(reference);
        self.unharmed(answer);
        id
    }

    /// Counts a yes as soon as it may have been given.
    pub(super) fn note_yes(&mut self, reference: &str) {
        *self.yeses.entry(reference.to_owned()).or_default() += 1;
    }

    fn note_answer(&mut self, victim: &Victim, fallen: &Fallen) {
        if let Victim::Answer { id, .. } = victim
            && fallen.status == Some(0)
        {
            self.approved.push(id.clone());
        }
    }

    /// What a command prints as one JSON array.
    pub(super) fn json<'a>(&'a self, arguments: impl IntoIterator<Item = &'a str>) -> Vec<Value> {
        serde_json::from_str(&self.space.tgw(arguments).text()).unwrap()
    }

    pub(super) fn effects(&self) -> Vec<Value> {
        self.json(["effects", "list", "--json", "--limit", "10000"])
    }

    /// Has everything followed and looked up, says as a person what is left, sends every call that has a key once more, and
    /// demands that the ledger is the truth then.
    pub(super) fn settle(mut self) -> Count {
        self.unharmed(Victim::Reconcile);
        self.unharmed(Victim::Watch);
        // What was found to be lost only now can be proven absent from the next moment on.
        self.unharmed(Victim::Reconcile);
        self.says_what_is_left();
        let again: BTreeSet<Sent> =
            self.sent.values().filter(|sent| !matches!(sent.tool, "pay" | "look")).cloned().collect();
        let line = |sent: &Sent| self.line(sent.tool, &sent.reference, sent.amount, sent.fault);
        let lines = again.iter().map(line).collect();
        self.unharmed(Victim::Stream(lines));
        // A yes that was used runs nothing any more.
        for id in self.approved.clone() {
            self.unharmed(Victim::Redeem(id));
        }
        self.unharmed(Victim::Watch);
        self.unharmed(Victim::Reconcile);
        self.is_settled();
        self.count
    }

    fn says_what_is_left(&mut self) {
        let truth = backend::truth(&self.space);
        for effect in self.effects().iter().filter(|effect| is_left(effect)) {
            let text = |name: &str| effect[name].as_str().unwrap().to_owned();
            let call = text("call");
            let by = backend::name_of(&text("tool"), &self.sent[&call].reference, &call);
            let settled = if truth.iter().any(|one| one.by == by) {
                "succeeded"
            } else {
                backend::close(&self.space, &by);
                "failed"
            };
            let resolved = self.unharmed(Victim::Resolve { id: text("id"), settled });
            assert_eq!(resolved.status, Some(0), "{resolved:?}");
        }
    }
}

/// Whether a person has to say what became of an effect. What may be sent again tells by itself.
fn is_left(effect: &Value) -> bool {
    effect["state"] == "unknown" && effect["tool"] != "send"
}

impl Drop for Episode {
    fn drop(&mut self) {
        if std::thread::panicking() {
            for line in &self.history {
                eprintln!("{line}");
            }
        }
    }
}

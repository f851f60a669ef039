//! `tgw audit erase`: what was told of calls goes, that there were calls stays.

use std::collections::BTreeSet;
use std::ops::ControlFlow;

use crate::audit::{self, Entry, ErasureNote, Listed, PendingRecords, Ranges, RecordFilter, RecordKind};
use crate::cli::audit_arguments::{EraseArgs, ErasedArgs};
use crate::cli::consent::{ConsentTo, consents};
use crate::cli::exit::{Failure, Outcome};
use crate::cli::output::print;
use crate::cli::session::operating_system_user;
use crate::cli::store::{self, OpenedStore, failure};
use crate::cli::table;
use crate::cli::within::refuse_in_a_call;
use crate::clock::{Clock, Timestamp};
use crate::ident::{AgentName, Principal, Tenant, UserName};
use crate::state::{
    ApprovalState, Batch, Change, Durability, EffectState, Order, Receipt, ResultScope, SqlStore, Store,
    StoreError,
};

/// Erases what was told of the calls that the arguments name.
pub(super) fn erase(arguments: &EraseArgs) -> Outcome {
    refuse_in_a_call("erase what is on record")?;
    let wanted = Wanted::of(&arguments.which)?;
    let OpenedStore { store, tenant } = store::open(&arguments.store)?;
    let Some(mut store) = store else {
        print("no store: nothing was ever recorded here\n")?;
        return Ok(0);
    };
    let found = Found::of(&store, &tenant, &wanted).map_err(|error| failure(&error))?;
    if found.is_empty() {
        print(&format!("nothing to erase: nothing is kept of what was named\n{}", found.left))?;
        return Ok(0);
    }
    if !arguments.yes {
        let consent = ConsentTo {
            heading: format!("--- erase from the audit of {tenant}: {}", crate::text::escape(&wanted.words)),
            text: found.words(),
            question: "---\nWhat is erased cannot be brought back. The records, and that it was erased, stay. Erase?"
                .to_owned(),
            word: "erase",
        };
        match consents(consent, None)? {
            Some(true) => {}
            Some(false) => {
                print("nothing was erased\n")?;
                return Ok(1);
            }
            None => {
                return Err(Failure::configuration(format!("no terminal to ask about {}", found.summary()))
                    .with_hint("look at them with `tgw audit show`, then run it again with `--yes`"));
            }
        }
    }
    let receipts = found
        .erase(&mut store, &tenant, &wanted.words, arguments.reason.as_deref())
        .map_err(|error| failure(&error))?;
    let receipt = receipts.last().map(|receipt| format!("receipt: {receipt}\n")).unwrap_or_default();
    print(&format!("erased: {}\n{}{receipt}", found.summary(), found.left))?;
    Ok(0)
}

/// Which records are meant: all that is given must hold.
struct Wanted<'a> {
    which: &'a ErasedArgs,
    before: Option<Timestamp>,
    words: String,
}

impl<'a> Wanted<'a> {
    fn of(which: &'a ErasedArgs) -> Result<Self, Failure> {
        let before = which
            .before
            .as_deref()
            .map(|text| {
                Timestamp::parse(text).ok_or_else(|| {
                    Failure::configuration(format!("`{}` is no date", text.escape_debug()))
                        .with_hint("write it as 2026-01-31 or 2026-01-31T12:00:00Z, in UTC")
                })
            })
            .transpose()?;
        let numbers: Vec<String> = which.record.iter().map(u64::to_string).collect();
        let words: Vec<String> = [
            (!numbers.is_empty()).then(|| format!("record {}", numbers.join(", "))),
            which.call.as_deref().map(|call| format!("call {call}")),
            which.task.as_deref().map(|task| format!("task {task}")),
            which.user.as_deref().map(|user| format!("user {user}")),
            before.map(|before| format!("before {}", before.rfc3339())),
        ]
        .into_iter()
        .flatten()
        .collect();
        Ok(Self { which, before, words: words.join(", ") })
    }

    fn wants(&self, listed: &Listed) -> bool {
        let record = &listed.record;
        let same = |wanted: &Option<String>, found: &[Option<&str>]| {
            wanted.as_deref().is_none_or(|wanted| found.contains(&Some(wanted)))
        };
        (self.which.record.is_empty() || self.which.record.contains(&record.seq))
            // What the gateway asked for the sake of a call tells of it as well.
            && same(&self.which.call, &[record.call.as_deref(), record.parent.as_deref()])
            && same(&self.which.task, &[record.task.as_deref()])
            && same(&self.which.user, &[Some(&record.user)])
            && self.before.is_none_or(|before| record.at < before.0)
    }
}

/// What there is to erase, and what must stay for now.
#[derive(Default)]
struct Found {
    records: Ranges,
    results: BTreeSet<String>,
    effects: BTreeSet<String>,
    approvals: BTreeSet<String>,
    left: String,
}

impl Found {
    fn of(store: &SqlStore, tenant: &Tenant, wanted: &Wanted<'_>) -> Result<Self, StoreError> {
        let mut found = Self::default();
        let all = RecordFilter::default();
        audit::list(store, tenant, Order::OldestFirst, &all, &mut |listed| {
            if wanted.wants(listed) {
                found.add(listed);
            }
            ControlFlow::Continue(())
        })?;
        let now = Clock::System.now();
        for reference in std::mem::take(&mut found.results) {
            if store.result(&reference, ResultScope::Tenant(tenant), now)?.is_some() {
                found.results.insert(reference);
            }
        }
        for id in std::mem::take(&mut found.effects) {
            let Some(effect) = store.effect(tenant, &id)? else { continue };
            let kept = [&effect.shown_arguments, &effect.exact_arguments, &effect.outcome];
            if kept.iter().all(|kept| kept.is_none()) && effect.shown_key.is_empty() {
                continue;
            }
            match effect.state {
                EffectState::Succeeded | EffectState::Failed => drop(found.effects.insert(id)),
                EffectState::Running
                | EffectState::Accepted
                | EffectState::Working
                | EffectState::Unknown => {
                    let id = table::visible(&id);
                    found.left.push_str(&format!(
                        "left: the arguments of effect {id}, which is not settled; `tgw effects show {id}`\n"
                    ));
                }
            }
        }
        for id in std::mem::take(&mut found.approvals) {
            let Some(question) = store.approval(tenant, &id)? else { continue };
            let ended = match question.state {
                ApprovalState::Denied | ApprovalState::Expired | ApprovalState::Revoked => true,
                ApprovalState::Approved => question.spent.is_some(),
                ApprovalState::Pending => false,
            };
            if ended {
                found.approvals.insert(id);
            } else {
                let how = match question.state_at(now) {
                    ApprovalState::Expired => "whose end is marked by the next run",
                    _ => "which can still be answered or run",
                };
                let id = table::visible(&id);
                found.left.push_str(&format!("left: question {id}, {how}; `tgw approvals revoke {id}`\n"));
            }
        }
        Ok(found)
    }

    fn add(&mut self, listed: &Listed) {
        let record = &listed.record;
        if listed.erasable {
            self.records.push(record.seq);
        }
        self.results.extend(record.result.clone());
        // An effect that the call merely met belongs to another one.
        let own = record.ledger.as_ref().filter(|ledger| ledger.how != "found");
        self.effects.extend(own.map(|ledger| ledger.id.clone()));
        let approval = record.approval.as_ref().filter(|approval| approval.how == "queue");
        self.approvals.extend(approval.map(|approval| approval.id.clone()));
    }

    fn is_empty(&self) -> bool {
        self.records.count() == 0
            && self.results.is_empty()
            && self.effects.is_empty()
            && self.approvals.is_empty()
    }

    fn summary(&self) -> String {
        let counted = |count: usize, what: &str| match count {
            0 => String::new(),
            1 => format!(", 1 {what}"),
            count => format!(", {count} {what}s"),
        };
        let count = self.records.count();
        format!(
            "the details of {count} record{}{}{}{}",
            if count == 1 { "" } else { "s" },
            counted(self.results.len(), "kept result"),
            counted(self.effects.len(), "effect"),
            counted(self.approvals.len(), "stored question"),
        )
    }

    fn words(&self) -> String {
        let ranges: Vec<String> = self
            .records
            .as_slice()
            .iter()
            .map(|(first, last)| if first == last { first.to_string() } else { format!("{first}-{last}") })
            .collect();
        format!("{}\nrecords: {}\n{}", self.summary(), ranges.join(", "), self.left)
    }

    /// Erases, with records that say so: all in one transaction.
    fn erase(
        &self,
        store: &mut SqlStore,
        tenant: &Tenant,
        words: &str,
        reason: Option<&str>,
    ) -> Result<Vec<Receipt>, StoreError> {
        let operator = operating_system_user();
        let named = |error: crate::ident::InvalidName| StoreError::Unavailable(error.to_string());
        let principal = Principal {
            user: UserName::parse(&operator).map_err(named)?,
            agent: AgentName::parse("person").map_err(named)?,
            agent_version: None,
            tenant: tenant.clone(),
        };
        let now = Clock::System.now();
        let mut notes = vec![("selection", words)];
        notes.extend(reason.map(|reason| ("reason", reason)));
        let mut records = PendingRecords::default();
        // Where results alone are left, the record says so of no record.
        let chunks = self.records.as_slice().chunks(ErasureNote::MOST_RANGES);
        let none = self.records.as_slice().is_empty().then_some(&[][..]);
        for ranges in chunks.chain(none) {
            records.push(&Entry {
                erased: Some(ErasureNote { records: ranges, by: &operator }),
                notes: &notes,
                ..Entry::new(RecordKind::Erasure, now, &principal)
            })?;
        }
        let details = self
            .records
            .as_slice()
            .iter()
            .map(|(first, last)| Change::EraseDetails { first: *first, last: *last });
        let results = self.results.iter().map(|reference| Change::EraseResult { reference });
        let effects = self.effects.iter().map(|id| Change::EraseEffect { id });
        let approvals = self.approvals.iter().map(|id| Change::EraseApproval { id });
        let changes: Vec<Change<'_>> = details.chain(results).chain(effects).chain(approvals).collect();
        store.append(&mut Batch {
            tenant,
            now,
            durability: Durability::Power,
            changes: &changes,
            records: &mut records,
        })
    }
}

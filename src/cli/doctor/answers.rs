//! Whose answers count here, and whether what was answered is believed.

use crate::approval::Approvers;
use crate::ident::{Tenant, UserName};
use crate::policy::{Policy, Quorum};
use crate::state::{Seal, SqlStore, Store, StoreError};

use super::super::approvers;
use super::{Finding, State};

/// Most rows of each kind that are looked at.
const LOOKED_AT: usize = 50;

/// What keeps a question from ever being answered with the keys of this place.
pub(super) fn approvers(policy: &Policy, findings: &mut Vec<Finding>) {
    let mut demands = policy.quorums().peekable();
    if demands.peek().is_none() {
        return;
    }
    let known = match approvers::load() {
        Ok(known) => known,
        Err(failure) => return findings.push(Finding::problem("approvers", failure)),
    };
    for (quorum, location) in demands {
        let (text, state) = match shortage(quorum, &known) {
            None => (format!("{quorum} ({location}): enough of them have a key here"), State::Good),
            Some(problem) => (format!("{quorum} ({location}): {problem}"), State::Warning),
        };
        let finding = Finding::new("approvers", state, text);
        findings.push(match state {
            State::Good => finding,
            State::Warning | State::Problem => finding.with_hint(
                "`tgw approvers add NAME KEY` adds one; a machine counts only the answers whose keys it has",
            ),
        });
    }
}

/// Why too few of those whose answers a rule takes have a key. Who asks is not known yet, so nobody is left out for that.
fn shortage(quorum: &Quorum, known: &Approvers) -> Option<String> {
    let without: Vec<&str> =
        quorum.members.iter().filter(|name| known.key(name).is_none()).map(UserName::as_str).collect();
    let with = if quorum.by.is_empty() { known.iter().count() } else { quorum.members.len() - without.len() };
    let needed = usize::try_from(quorum.count.max(1)).unwrap_or(usize::MAX);
    if with >= needed {
        return None;
    }
    let missing =
        if without.is_empty() { String::new() } else { format!(", none for {}", without.join(", ")) };
    Some(format!("only {with} of the keys are here{missing}"))
}

/// Says where stored answers and tasks are worth nothing since the key of their seals is gone.
pub(super) fn seals(store: &SqlStore, tenant: &Tenant, findings: &mut Vec<Finding>) {
    match unchecked(store, tenant) {
        Ok(false) => {}
        Ok(true) => findings.push(
            Finding::new(
                "state",
                State::Problem,
                "`seal.key` of the state home is not there or cannot be used: no stored answer and no kept task is believed",
            )
            .with_hint(
                "put the file back from a copy, with mode 0600; without it ask again and start the tasks anew",
            ),
        ),
        Err(error) => findings.push(Finding::new("state", State::Problem, error.to_string())),
    }
}

fn unchecked(store: &SqlStore, tenant: &Tenant) -> Result<bool, StoreError> {
    let of_tasks = store.tasks(tenant, LOOKED_AT)?.into_iter().map(|task| task.seal);
    let of_questions = store.approvals(tenant, LOOKED_AT)?.into_iter().map(|question| question.seal);
    let of_remembered = store.standing(tenant, LOOKED_AT)?.into_iter().map(|grant| grant.seal);
    Ok(of_tasks.chain(of_questions).chain(of_remembered).any(|seal| seal == Seal::Unchecked))
}

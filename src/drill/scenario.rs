//! What is done to one call to try a law, and what breaks it.

use std::sync::Arc;
use std::time::Duration;

use crate::catalog::{Idempotency, Timeout};
use crate::policy::Policy;
use crate::state::StoredApproval;

use super::double::{Double, Fault};
use super::law::Finding;
use super::stage::{Access, Person, Stage, Told};

/// How long after a crash the next gateway comes, beyond the time that the call had.
const LATER: Duration = Duration::from_secs(3600);

/// A law is broken, and how.
pub(super) fn broken<T>(why: impl Into<String>) -> Result<T, Finding> {
    Err(Finding::Broken(why.into()))
}

pub(super) fn skip<T>(why: impl Into<String>) -> Result<T, Finding> {
    Err(Finding::NotDrilled(why.into()))
}

/// The reply of a gateway that did not die.
pub(super) fn answered(told: Result<Option<Told>, String>) -> Result<Told, Finding> {
    match told {
        Ok(Some(told)) => Ok(told),
        Ok(None) => skip("the double died in its place"),
        Err(error) => skip(error),
    }
}

/// Whether there is one effect, as the reply says.
pub(super) fn once(double: &dyn Double, told: &Told) -> Result<(), Finding> {
    match double.effects() {
        1 => Ok(()),
        count => broken(format!("the reply is {}, and there are {count} effects", told.words())),
    }
}

fn no_run(double: &dyn Double, told: &Told, when: &str) -> Result<(), Finding> {
    match double.runs() {
        0 => Ok(()),
        count => broken(format!("it ran {count} times {when}; the reply is {}", told.words())),
    }
}

fn recognises(stage: &Stage<'_>) -> bool {
    !matches!(stage.contract.idempotency, Idempotency::Unrecognised)
}

/// Whether a success says that it was verified, where its contract says how.
pub(super) fn verified(stage: &Stage<'_>, told: &Told) -> Result<(), Finding> {
    if stage.contract.verify.is_some() && told.verification.as_deref() != Some("verified") {
        return broken(format!(
            "its contract says how a success is verified, and the reply is {} unverified",
            told.words()
        ));
    }
    Ok(())
}

pub(super) async fn time_out(stage: &mut Stage<'_>, fault: Fault) -> Result<(), Finding> {
    stage.double.set(fault);
    let told = answered(stage.send("c1", Person::Yes, Access::Up).await)?;
    if told.status != "unknown" {
        return broken(format!("a time-out proves nothing, and the reply is {}", told.words()));
    }
    stage.double.set(Fault::None);
    settled_once(stage, "after a time-out").await
}

pub(super) async fn crash(stage: &mut Stage<'_>, fault: Fault) -> Result<(), Finding> {
    stage.double.set(fault);
    match stage.send("c1", Person::Yes, Access::Up).await {
        Ok(None) => {}
        Ok(Some(told)) => return broken(format!("a gateway that died replied {}", told.words())),
        Err(error) => return skip(error),
    }
    stage.double.set(Fault::None);
    let had = longest(&stage.contract.timeout);
    stage.pass(had + LATER);
    settled_once(stage, "after a crash").await
}

fn longest(timeout: &Timeout) -> Duration {
    match timeout {
        Timeout::Fixed(time) => *time,
        Timeout::From { max, .. } => *max,
    }
}

/// The same call once more, when nobody knows what became of the first.
async fn settled_once(stage: &mut Stage<'_>, when: &str) -> Result<(), Finding> {
    if !recognises(stage) {
        return Ok(());
    }
    let happened = stage.double.effects() > 0;
    let (looks, safe) = {
        let contract = &stage.contract;
        (contract.reconcile.as_deref(), contract.idempotency.retry_is_safe())
    };
    let (is_looked_up, proves) =
        (looks.is_some(), looks.and_then(|spec| spec.absence.as_ref()).map(|absence| absence.proves_after));
    let told = answered(stage.through("c1").await)?;
    no_second(stage, &told, when)?;
    if happened && is_looked_up {
        if stage.double.runs() > 1 {
            return broken(format!("the same call {when} ran again, though its look-up finds the effect"));
        }
        return match told.status.as_str() {
            "succeeded" => verified(stage, &told),
            _ => broken(format!("its look-up finds the effect, and the reply {when} is {}", told.words())),
        };
    }
    if safe {
        return match told.status.as_str() {
            "succeeded" => once(stage.double, &told),
            "unknown" => Ok(()),
            _ => broken(format!("a retry that is safe was answered {}", told.words())),
        };
    }
    // A look-up that proves that nothing happened frees the key.
    if proves.is_some() && !happened && told.status == "succeeded" {
        return once(stage.double, &told);
    }
    if stage.double.runs() > 1 {
        return broken(format!("the same call {when} ran again, and nothing says that this is safe"));
    }
    if told.status != "unknown" {
        return broken(format!(
            "what became of the call is not known, and the reply {when} is {}",
            told.words()
        ));
    }
    if let Some(proves_after) = proves.filter(|_| !happened) {
        stage.pass(proves_after + LATER);
        let told = answered(stage.through("c1").await)?;
        no_second(stage, &told, when)?;
        if !matches!(told.status.as_str(), "succeeded" | "unknown") {
            return broken(format!(
                "its look-up proves that nothing happened, and the reply is {}",
                told.words()
            ));
        }
    }
    Ok(())
}

fn no_second(stage: &Stage<'_>, told: &Told, when: &str) -> Result<(), Finding> {
    match stage.double.effects() {
        0 | 1 => Ok(()),
        count => broken(format!("the same call {when} made effect {count}; the reply is {}", told.words())),
    }
}

/// What must hold before the call turns false after the person's yes, or just before it is sent.
pub(super) async fn turned_precondition(stage: &mut Stage<'_>, asked: bool) -> Result<(), Finding> {
    if stage.contract.preconditions.is_empty() {
        return skip("its contract states no `preconditions`");
    }
    if asked {
        let question = ask(stage).await?;
        if !stage.approve(&question).or_else(skip)? {
            return skip("a stored question took no answer in time");
        }
    }
    stage.double.set(Fault::Unmet);
    let told = answered(stage.send("c1", Person::Nobody, Access::Up).await)?;
    no_run(stage.double, &told, "though what must hold before it does not")?;
    match told.code() {
        "PRECONDITION_FAILED" => Ok(()),
        _ => broken(format!("what must hold before it does not, and the reply is {}", told.words())),
    }
}

/// The backend says that it succeeded, and did nothing.
pub(super) async fn hollow_success(stage: &mut Stage<'_>) -> Result<(), Finding> {
    if stage.contract.verify.is_none() {
        return skip("its contract states no `verify`, so that a success that did nothing is believed");
    }
    stage.double.set(Fault::Hollow);
    let told = answered(stage.through("c1").await)?;
    // What is hidden where it is kept cannot be looked for by another process, which then says only that it does not know.
    let hides = !stage.contract.result.redact.is_empty();
    match (told.status.as_str(), told.code()) {
        ("unknown", "VERIFICATION_FAILED") => Ok(()),
        ("unknown", "OUTCOME_UNKNOWN") if hides => Ok(()),
        _ => {
            broken(format!("the backend did nothing, its look-up says so, and the reply is {}", told.words()))
        }
    }
}

/// The gateway dies while it asks how far an operation is.
pub(super) async fn crash_while_pending(stage: &mut Stage<'_>) -> Result<(), Finding> {
    begin_operation(stage, Fault::DieLooking).await?;
    match stage.follow().await {
        Ok(None) => {}
        Ok(Some(told)) => return broken(format!("a gateway that died said {}", told.words())),
        Err(error) => return skip(error),
    }
    stage.double.set(Fault::None);
    let told = answered(stage.follow().await)?;
    if told.status != "succeeded" {
        return broken(format!("the operation came to its end, and the reply is {}", told.words()));
    }
    verified(stage, &told)?;
    begun_once(stage, &told, "after a crash while it was under way").await
}

/// An operation goes on beyond its time.
pub(super) async fn never_ends(stage: &mut Stage<'_>) -> Result<(), Finding> {
    begin_operation(stage, Fault::Stall).await?;
    let time = stage.contract.operation.as_ref().map_or(Duration::ZERO, |operation| operation.timeout);
    stage.pass(time + LATER);
    let told = answered(stage.follow().await)?;
    if told.status != "unknown" {
        return broken(format!("the operation did not end in its time, and the reply is {}", told.words()));
    }
    stage.double.set(Fault::None);
    begun_once(stage, &told, "after its time was over").await
}

async fn begin_operation(stage: &mut Stage<'_>, fault: Fault) -> Result<(), Finding> {
    if stage.contract.operation.is_none() {
        return skip("its contract states no `operation`");
    }
    stage.double.set(fault);
    let told = answered(stage.send("c1", Person::Yes, Access::Up).await)?;
    match told.status.as_str() {
        "accepted" => Ok(()),
        _ => broken(format!("the backend accepted an operation, and the reply is {}", told.words())),
    }
}

/// The same call again begins no second operation.
async fn begun_once(stage: &mut Stage<'_>, told: &Told, when: &str) -> Result<(), Finding> {
    once(stage.double, told)?;
    if !recognises(stage) {
        return Ok(());
    }
    let again = answered(stage.through("c1").await)?;
    once(stage.double, &again)?;
    if stage.double.runs() > 1 && !stage.contract.idempotency.retry_is_safe() {
        return broken(format!("the same call {when} ran again; the reply is {}", again.words()));
    }
    Ok(())
}

pub(super) async fn duplicate(stage: &mut Stage<'_>) -> Result<(), Finding> {
    if !recognises(stage) {
        return skip("its contract says that no repeated call is recognised (`idempotency: none`)");
    }
    // A stated key recognises the call under any id.
    let second = if stage.contract.idempotency.key().is_some() { "c2" } else { "c1" };
    let mut last = answered(stage.through("c1").await)?;
    once(stage.double, &last)?;
    for _ in 0..2 {
        last = answered(stage.through(second).await)?;
        once(stage.double, &last)?;
    }
    if stage.double.runs() != 1 {
        return broken(format!("the same call ran {} times", stage.double.runs()));
    }
    if last.status != "succeeded" || !last.replayed {
        return broken(format!(
            "the repeated call was not answered with the recorded outcome, but {}",
            last.words()
        ));
    }
    Ok(())
}

/// A yes that comes after the question's time.
pub(super) async fn late_answer(stage: &mut Stage<'_>) -> Result<(), Finding> {
    let question = ask(stage).await?;
    stage.pass(over(stage, &question));
    if stage.approve(&question).or_else(skip)? {
        return broken("a question whose time was over took an answer");
    }
    let told = answered(stage.send("c1", Person::Nobody, Access::Up).await)?;
    no_run(stage.double, &told, "with a yes that came too late")
}

/// A yes that came in time and is used after it.
pub(super) async fn late_use(stage: &mut Stage<'_>) -> Result<(), Finding> {
    let question = ask(stage).await?;
    if !stage.approve(&question).or_else(skip)? {
        return skip("a stored question took no answer in time");
    }
    stage.pass(over(stage, &question));
    let told = answered(stage.send("c1", Person::Nobody, Access::Up).await)?;
    no_run(stage.double, &told, "with a yes whose time was over")
}

async fn ask(stage: &Stage<'_>) -> Result<StoredApproval, Finding> {
    let told = answered(stage.send("c1", Person::Nobody, Access::Up).await)?;
    no_run(stage.double, &told, "before anyone was asked")?;
    stage.question().or_else(skip)
}

/// From now until after the end of a question.
fn over(stage: &Stage<'_>, question: &StoredApproval) -> Duration {
    let left = question.expires.0.saturating_sub(stage.session.clock.now().0);
    Duration::from_millis(left.saturating_add(1))
}

pub(super) async fn changed_policy(
    stage: &mut Stage<'_>,
    own: &Arc<Policy>,
    denying: &Arc<Policy>,
    asked: bool,
) -> Result<(), Finding> {
    stage.session.policy = Arc::clone(own);
    let before = if asked {
        let question = ask(stage).await?;
        if !stage.approve(&question).or_else(skip)? {
            return skip("a stored question took no answer in time");
        }
        0
    } else {
        let told = answered(stage.through("c1").await)?;
        once(stage.double, &told)?;
        1
    };
    stage.session.policy = Arc::clone(denying);
    let told = answered(stage.send("c1", Person::Yes, Access::Up).await)?;
    if stage.double.runs() > before {
        return broken(format!("it ran under a policy that denies it; the reply is {}", told.words()));
    }
    if told.status != "denied" || told.replayed {
        return broken(format!("the policy denies it, and the reply is {}", told.words()));
    }
    Ok(())
}

pub(super) async fn store_down(stage: &Stage<'_>) -> Result<(), Finding> {
    let told = answered(stage.send("c1", Person::Yes, Access::Down).await)?;
    no_run(stage.double, &told, "without a store")?;
    if told.status == "succeeded" {
        return broken("a call succeeded that nothing could record");
    }
    Ok(())
}

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

pub(super) async fn time_out(stage: &Stage<'_>, fault: Fault) -> Result<(), Finding> {
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
    let had = match &stage.contract.timeout {
        Timeout::Fixed(time) => *time,
        Timeout::From { max, .. } => *max,
    };
    stage.pass(had + LATER);
    settled_once(stage, "after a crash").await
}

/// The same call once more, when nobody knows what became of the first.
async fn settled_once(stage: &Stage<'_>, when: &str) -> Result<(), Finding> {
    if !recognises(stage) {
        return Ok(());
    }
    let told = answered(stage.send("c1", Person::Yes, Access::Up).await)?;
    let (runs, effects) = (stage.double.runs(), stage.double.effects());
    if effects > 1 {
        return broken(format!("the same call {when} made effect {effects}; the reply is {}", told.words()));
    }
    if stage.contract.idempotency.retry_is_safe() {
        return match told.status.as_str() {
            "succeeded" => once(stage.double, &told),
            "unknown" => Ok(()),
            _ => broken(format!("a retry that is safe was answered {}", told.words())),
        };
    }
    if runs > 1 {
        return broken(format!("the same call {when} ran again, and nothing says that this is safe"));
    }
    if told.status != "unknown" {
        return broken(format!(
            "what became of the call is not known, and the reply {when} is {}",
            told.words()
        ));
    }
    Ok(())
}

pub(super) async fn duplicate(stage: &Stage<'_>) -> Result<(), Finding> {
    if !recognises(stage) {
        return skip("its contract says that no repeated call is recognised (`idempotency: none`)");
    }
    // A stated key recognises the call under any id.
    let second = if stage.contract.idempotency.key().is_some() { "c2" } else { "c1" };
    let mut last = answered(stage.send("c1", Person::Yes, Access::Up).await)?;
    once(stage.double, &last)?;
    for _ in 0..2 {
        last = answered(stage.send(second, Person::Yes, Access::Up).await)?;
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
        let told = answered(stage.send("c1", Person::Nobody, Access::Up).await)?;
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

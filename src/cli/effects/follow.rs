//! `tgw effects wait`, `watch` and `cancel`: following what goes on elsewhere, in any process.

use std::time::{Duration, Instant};

use crate::execute::{CancelToken, Signals};
use crate::gateway::{EndOfEffect, Gateway, Pursued};
use crate::state::{Refusal, SqlStore, StoreError, StoredEffect};

use super::super::arguments::SessionArgs;
use super::super::exit::{Failure, INTERRUPTED, Outcome};
use super::super::output::print;
use super::super::run::runtime;
use super::super::session::{self, Loaded};
use super::super::store::failure;
use super::super::{table, telemetry};
use super::{Unwatched, unknown};

/// Longest pause between two looks at the store.
const LONGEST_PAUSE: Duration = Duration::from_millis(250);

/// The exit status where it is not over.
const GOES_ON: u8 = 7;

fn opened(loaded: &Loaded) -> Result<Option<SqlStore>, Failure> {
    loaded.existing_store().map_err(|error| failure(&error))
}

/// Waits until an effect is over, and prints what became of its call.
pub(crate) fn wait(arguments: &SessionArgs, id: &str, most: Option<Duration>) -> Outcome {
    let loaded = session::load(arguments)?;
    loaded.warn_untrusted();
    loaded.log_warnings();
    let store = opened(&loaded)?.ok_or_else(|| unknown(id))?;
    let gateway = Gateway::new(&loaded.session, Ok(store), None, &Unwatched, None)
        .with_telemetry(telemetry::passing(&loaded.session.environment, loaded.session.clock));
    let ended = until_signal(|cancel| async move { wait_for(&gateway, id, most, &cancel).await })?;
    match ended {
        None => Ok(INTERRUPTED),
        Some(Err(StoreError::Refused(Refusal::UnknownEffect))) => Err(unknown(id)),
        Some(Err(error)) => Err(failure(&error)),
        Some(Ok(Waited::Stuck(why))) => {
            Err(Failure::failed(format!("`{id}` cannot be followed here: {why}"))
                .with_hint(
                    "name the manifest of its tool as it was then with `--tools`; what is not followed is unknown after its \
                     deadline, and `tgw effects resolve` settles it then",
                ))
        }
        Some(Ok(Waited::GoesOn)) => Ok(GOES_ON),
        Some(Ok(Waited::Ended(ended))) => {
            let mut out = Vec::new();
            ended.encode(&mut out);
            print(&String::from_utf8_lossy(&out))?;
            let presented = &ended.presented;
            Ok(presented.status().exit_code(presented.error().map(|error| error.code)))
        }
    }
}

enum Waited {
    Ended(Box<EndOfEffect>),
    GoesOn,
    Stuck(String),
}

async fn wait_for(
    gateway: &Gateway<'_>,
    id: &str,
    most: Option<Duration>,
    cancel: &CancelToken,
) -> Result<Waited, StoreError> {
    let started = Instant::now();
    loop {
        match gateway.pursue(id, cancel).await? {
            Pursued::Ended(ended) => return Ok(Waited::Ended(ended)),
            Pursued::Stuck(why) => return Ok(Waited::Stuck(why)),
            Pursued::Over(stored) => match gateway.end_seen(*stored) {
                Some(ended) => return Ok(Waited::Ended(Box::new(ended))),
                // Its call is under way in another process; where that is gone, its effect is lost.
                None => {
                    gateway.reconcile(Some(id), cancel).await?;
                }
            },
            Pursued::Going | Pursued::NotNow => {}
        }
        if cancel.is_cancelled() || most.is_some_and(|most| started.elapsed() >= most) {
            return Ok(Waited::GoesOn);
        }
        let left = most.map_or(LONGEST_PAUSE, |most| most.saturating_sub(started.elapsed()));
        pause(left.min(LONGEST_PAUSE), cancel).await;
    }
}

/// Follows everything that goes on elsewhere until nothing does, and prints each end as a line.
pub(crate) fn watch(arguments: &SessionArgs, as_json: bool) -> Outcome {
    let loaded = session::load(arguments)?;
    loaded.warn_untrusted();
    loaded.log_warnings();
    let Some(store) = opened(&loaded)? else { return Ok(0) };
    let gateway = Gateway::new(&loaded.session, Ok(store), None, &Unwatched, None)
        .with_telemetry(telemetry::passing(&loaded.session.environment, loaded.session.clock));
    let watched = until_signal(|cancel| async move { watch_all(&gateway, as_json, &cancel).await })?;
    match watched {
        None => Ok(INTERRUPTED),
        Some(Ok(stuck)) => Ok(u8::from(stuck)),
        Some(Err(Watched::Store(error))) => Err(failure(&error)),
        Some(Err(Watched::Output(failure))) => Err(failure),
    }
}

enum Watched {
    Store(StoreError),
    Output(Failure),
}

/// Returns whether something is left that cannot be followed here.
async fn watch_all(gateway: &Gateway<'_>, as_json: bool, cancel: &CancelToken) -> Result<bool, Watched> {
    let mut stuck = std::collections::BTreeSet::new();
    loop {
        let open = gateway.going_on().map_err(Watched::Store)?;
        let mut left = open.iter().filter(|stored| !stuck.contains(&stored.id)).peekable();
        if left.peek().is_none() || cancel.is_cancelled() {
            return Ok(!stuck.is_empty());
        }
        let mut found_stuck = Vec::new();
        for stored in left {
            match gateway.pursue(&stored.id, cancel).await.map_err(Watched::Store)? {
                Pursued::Ended(ended) => say(&ended, as_json).map_err(Watched::Output)?,
                Pursued::Over(now) => {
                    if let Some(ended) = gateway.end_seen(*now) {
                        say(&ended, as_json).map_err(Watched::Output)?;
                    }
                }
                Pursued::Stuck(why) => {
                    tracing::warn!(effect = %stored.id, %why, "it cannot be followed here");
                    found_stuck.push(stored.id.clone());
                }
                Pursued::Going | Pursued::NotNow => {}
            }
        }
        stuck.extend(found_stuck);
        pause(LONGEST_PAUSE, cancel).await;
    }
}

fn say(ended: &EndOfEffect, as_json: bool) -> Result<(), Failure> {
    if as_json {
        let mut out = Vec::new();
        ended.encode(&mut out);
        return print(&String::from_utf8_lossy(&out));
    }
    let StoredEffect { id, tool, call, .. } = &ended.stored;
    let code = ended.presented.error().map(|error| format!(" ({})", error.code)).unwrap_or_default();
    let line = format!("{id} {tool} {call}: {}{code}", ended.presented.status().as_str());
    print(&format!("{}\n", table::visible(&line)))
}

/// Asks the backend to stop an operation.
pub(crate) fn cancel(arguments: &SessionArgs, id: &str) -> Outcome {
    let loaded = session::load(arguments)?;
    loaded.warn_untrusted();
    loaded.log_warnings();
    let store = opened(&loaded)?.ok_or_else(|| unknown(id))?;
    let gateway = Gateway::new(&loaded.session, Ok(store), None, &Unwatched, None)
        .with_telemetry(telemetry::passing(&loaded.session.environment, loaded.session.clock));
    let asked = until_signal(|cancel| async move { gateway.cancel_operation(id, &cancel).await })?;
    match asked {
        None => Ok(INTERRUPTED),
        Some(Ok(Ok(()))) => {
            print(&format!(
                "{id}: the backend was asked to stop it; `tgw effects wait {id}` tells what becomes of it\n"
            ))?;
            Ok(0)
        }
        Some(Ok(Err(why))) => Err(Failure::failed(format!("`{id}` was not stopped: {why}"))),
        Some(Err(StoreError::Refused(Refusal::UnknownEffect))) => Err(unknown(id)),
        Some(Err(error)) => Err(failure(&error)),
    }
}

/// Does some work until it is done, or a signal has ended it: `None` then.
fn until_signal<T, W: Future<Output = T>>(work: impl FnOnce(CancelToken) -> W) -> Result<Option<T>, Failure> {
    let cannot = |error: std::io::Error| Failure::failed(format!("cannot start: {error}"));
    runtime()?.block_on(async {
        let mut signals = Signals::new().map_err(cannot)?;
        let cancel = CancelToken::default();
        let work = work(cancel.clone());
        tokio::pin!(work);
        loop {
            tokio::select! {
                done = &mut work => return Ok((!cancel.is_cancelled()).then_some(done)),
                () = signals.received(), if !cancel.is_cancelled() => cancel.cancel(),
            }
        }
    })
}

async fn pause(pause: Duration, cancel: &CancelToken) {
    tokio::select! {
        () = tokio::time::sleep(pause) => {}
        () = cancel.cancelled() => {}
    }
}

//! `tgw effects`: what the ledger knows of every effect, and settling what is not known.

mod follow;

use clap::ValueEnum as _;
use serde_json::{Value, json};

use crate::clock::Clock;
use crate::execute::CancelToken;
use crate::execute::Signals;
use crate::gateway::{Finished, Gateway, LookedUp, Observer, settle_effect};
use crate::secret::Redactor;
use crate::state::{
    EffectState, KeyOrigin, Refusal, SettledEffect, Settlement, SqlStore, Store, StoreError, StoredEffect,
};

use super::arguments::{SessionArgs, StoreArgs};
use super::effect_arguments::{EffectStateChoice, EffectsArgs, EffectsCommand, SettledChoice};
use super::exit::{Failure, Outcome};
use super::output::print;
use super::run::runtime;
use super::session::{self, operating_system_user};
use super::store::{self, OpenedStore, failure};
use super::within::refuse_in_a_call;
use super::{table, telemetry};

/// Longest evidence, in bytes.
const MOST_EVIDENCE: usize = 4 << 10;

/// Runs one effects command.
pub(crate) fn effects(arguments: &EffectsArgs) -> Outcome {
    match &arguments.command {
        EffectsCommand::List { status, limit, json, store } => list(store, *status, *limit, *json),
        EffectsCommand::Show { id, json, store } => show(store, id, *json),
        EffectsCommand::Resolve { id, settled, evidence, store } => {
            refuse_in_a_call("settle an effect")?;
            resolve(store, id, *settled, evidence)
        }
        EffectsCommand::Wait { id, timeout, session } => follow::wait(session, id, *timeout),
        EffectsCommand::Watch { json, session } => follow::watch(session, *json),
        EffectsCommand::Cancel { id, session } => {
            refuse_in_a_call("have an operation stopped")?;
            follow::cancel(session, id)
        }
        EffectsCommand::Reconcile { id, json, session } => {
            refuse_in_a_call("settle an effect")?;
            reconcile(session, id.as_deref(), *json)
        }
    }
}

fn list(arguments: &StoreArgs, state: Option<EffectStateChoice>, limit: u64, as_json: bool) -> Outcome {
    let stated = arguments.state.as_deref().and_then(std::path::Path::to_str);
    if let Some(word) = stated.filter(|word| EffectStateChoice::from_str(word, true).is_ok()) {
        return Err(Failure::configuration(format!(
            "`--state` names the store, and `{word}` is a state of effects"
        ))
        .with_hint(format!("`tgw effects list --status {word}` lists the effects in that state")));
    }
    let OpenedStore { store, tenant } = store::open(arguments)?;
    let limit = usize::try_from(limit).unwrap_or(usize::MAX);
    let effects = match &store {
        Some(store) => {
            store.effects(&tenant, state.map(Into::into), limit).map_err(|error| failure(&error))?
        }
        None => Vec::new(),
    };
    if as_json {
        print(&table::visible_json(&effects.iter().map(value).collect()))?;
        return Ok(0);
    }
    let rows = effects.iter().map(|effect| {
        vec![
            effect.id.clone(),
            effect.tool.clone(),
            shown_key(effect).to_owned(),
            effect.state.as_str().to_owned(),
            effect.changed.rfc3339(),
            effect.call.clone(),
        ]
    });
    print(&table::render(&["id", "tool", "key", "state", "since", "call"], rows.collect()))?;
    Ok(0)
}

fn show(arguments: &StoreArgs, id: &str, as_json: bool) -> Outcome {
    let OpenedStore { store, tenant } = store::open(arguments)?;
    let store = store.ok_or_else(|| unknown(id))?;
    let effect = store.effect(&tenant, id).map_err(|error| failure(&error))?.ok_or_else(|| unknown(id))?;
    if as_json {
        print(&table::visible_json(&value(&effect)))?;
        return Ok(0);
    }
    let principal = &effect.principal;
    let mut lines = vec![
        ("tool", effect.tool.clone()),
        ("state", state_text(&effect)),
        ("key", format!("{} ({})", shown_key(&effect), effect.origin.as_str())),
        ("call", format!("{} of task {}", effect.call, effect.task)),
        ("by", format!("{} through agent {}", principal.user, principal.agent)),
        ("reserved", effect.created.rfc3339()),
        ("attempt", effect.attempt.to_string()),
    ];
    lines.extend(followed_lines(&effect));
    lines.extend(effect.code.clone().map(|code| ("code", code)));
    lines.extend(effect.shown_arguments.clone().map(|arguments| ("arguments", arguments)));
    let recorded = outcome_value(&effect);
    let content = recorded.get("content").and_then(Value::as_str).map(str::to_owned);
    lines.extend(content.map(|content| ("answered", content)));
    let text: String = lines
        .iter()
        .map(|(name, text)| {
            format!("{name:<10}{}\n", table::visible(text.trim_end()).replace('\n', "\n          "))
        })
        .collect();
    print(&format!("{}\n{text}{}", effect.id, advice(&effect)))?;
    Ok(0)
}

/// What is known of an effect that goes on elsewhere.
fn followed_lines(effect: &StoredEffect) -> Vec<(&'static str, String)> {
    let Some(pursuit) = &effect.pursuit else { return Vec::new() };
    let redactor = Redactor::default();
    let mut lines = Vec::new();
    let operation = pursuit.operation.as_ref().map(|id| id.as_str().map_or(id.to_string(), str::to_owned));
    lines.extend(operation.map(|id| ("operation", redactor.text(&id).into_owned())));
    lines.extend(pursuit.said.clone().map(|said| ("said", said)));
    if effect.state.is_pursued() {
        lines.push(("due", effect.due.rfc3339()));
        lines.push(("deadline", effect.deadline.rfc3339()));
    }
    lines
}

fn state_text(effect: &StoredEffect) -> String {
    let how = match effect.how {
        None => "no outcome is recorded yet",
        Some(Settlement::Outcome) => "as its call ended",
        Some(Settlement::Followed) => "as the system that works on it says",
        Some(Settlement::Lost) => "its process is gone or had its time",
        Some(Settlement::Reconciled) => "a look-up told",
        Some(Settlement::Resolved) => "a person said so",
    };
    format!("{}, since {}: {how}", effect.state.as_str(), effect.changed.rfc3339())
}

fn advice(effect: &StoredEffect) -> String {
    match effect.state {
        EffectState::Unknown => format!(
            "\nLook at the object itself, then say what you saw:\n  tgw effects resolve {0} --as succeeded --evidence '…'\n  \
             tgw effects resolve {0} --as failed --evidence '…'    (nothing happened: its key is free again)\n",
            effect.id
        ),
        EffectState::Accepted | EffectState::Working => format!(
            "\nIt goes on elsewhere:\n  tgw effects wait {0}\n  tgw effects cancel {0}    (where its contract says how)\n",
            effect.id
        ),
        EffectState::Running | EffectState::Succeeded | EffectState::Failed => String::new(),
    }
}

fn resolve(arguments: &StoreArgs, id: &str, settled: SettledChoice, evidence: &str) -> Outcome {
    let OpenedStore { store, tenant } = store::open(arguments)?;
    let mut store: SqlStore = store.ok_or_else(|| unknown(id))?;
    if evidence.trim().is_empty() || evidence.len() > MOST_EVIDENCE {
        return Err(Failure::configuration("`--evidence` must be some text of at most 4096 bytes")
            .with_hint("say what you looked at and what you saw"));
    }
    let effect = store.effect(&tenant, id).map_err(|error| failure(&error))?.ok_or_else(|| unknown(id))?;
    if effect.state != EffectState::Unknown {
        return Err(settled_already(&effect));
    }
    let state = match settled {
        SettledChoice::Succeeded => EffectState::Succeeded,
        SettledChoice::Failed => EffectState::Failed,
    };
    let change = SettledEffect {
        id: &effect.id,
        attempt: effect.attempt,
        state,
        how: Settlement::Resolved,
        code: None,
        outcome: None,
    };
    let (now, operator) = (Clock::System.now(), operating_system_user());
    let redactor = Redactor::default();
    let notes = [("evidence", &*redactor.text(evidence))];
    match settle_effect(&mut store, &effect, change, Some(&operator), &notes, now) {
        Ok(receipt) => {
            print(&format!("{id}: {}\nreceipt: {receipt}\n", state.as_str()))?;
            Ok(0)
        }
        Err(StoreError::Refused(Refusal::EffectSettled)) => {
            Err(Failure::failed(format!("`{id}` was settled by another process at this moment"))
                .with_hint(format!("`tgw effects show {id}` shows how")))
        }
        Err(error) => Err(failure(&error)),
    }
}

fn settled_already(effect: &StoredEffect) -> Failure {
    let message = format!("the effect `{}` is {}, not unknown", effect.id, effect.state.as_str());
    Failure::failed(message).with_hint(match effect.state {
        EffectState::Running => {
            "wait for its end; where its process is gone, `tgw effects reconcile` finds out and makes it unknown"
        }
        EffectState::Accepted | EffectState::Working => {
            "wait for its end with `tgw effects wait`; after its time it becomes unknown by itself"
        }
        EffectState::Unknown | EffectState::Succeeded | EffectState::Failed => {
            "what is settled stays so; what a person knows better is put right by another call"
        }
    })
}

/// Looks up what is not known, through the same stages as any call.
fn reconcile(arguments: &SessionArgs, id: Option<&str>, as_json: bool) -> Outcome {
    let loaded = session::look(arguments)?;
    loaded.warn_untrusted();
    loaded.log_warnings();
    let store = loaded.existing_store().map_err(|error| failure(&error))?;
    let Some(store) = store else {
        if let Some(id) = id {
            return Err(unknown(id));
        }
        if as_json {
            print("[]\n")?;
        }
        return Ok(0);
    };
    let gateway = Gateway::new(&loaded.session, Ok(store), None, &Unwatched, None)
        .with_telemetry(telemetry::passing(&loaded.session.environment, loaded.session.clock));
    let looked = runtime()?.block_on(async {
        let cancel = CancelToken::default();
        let mut signals = Signals::new().map_err(|error| StoreError::Unavailable(error.to_string()))?;
        let work = gateway.reconcile(id, &cancel);
        tokio::pin!(work);
        loop {
            tokio::select! {
                looked = &mut work => return looked,
                () = signals.received(), if !cancel.is_cancelled() => cancel.cancel(),
            }
        }
    });
    let looked = match looked {
        Ok(looked) => looked,
        Err(StoreError::Refused(Refusal::UnknownEffect)) => return Err(unknown(id.unwrap_or_default())),
        Err(error) => return Err(failure(&error)),
    };
    if as_json {
        let values: Vec<Value> = looked.iter().map(|(effect, looked)| looked_value(effect, looked)).collect();
        print(&table::visible_json(&Value::Array(values)))?;
    } else {
        let rows = looked.iter().map(|(effect, looked)| {
            let (state, why) = looked_text(looked);
            vec![effect.id.clone(), effect.tool.clone(), shown_key(effect).to_owned(), state.to_owned(), why]
        });
        print(&table::render(&["id", "tool", "key", "state", "why"], rows.collect()))?;
    }
    let open = looked.iter().any(|(_, looked)| matches!(looked, LookedUp::Nothing(_)));
    Ok(u8::from(open))
}

fn looked_text(looked: &LookedUp) -> (&'static str, String) {
    match looked {
        LookedUp::Settled(state) => (state.as_str(), String::new()),
        LookedUp::Nothing(why) => ("open", why.clone()),
    }
}

fn looked_value(effect: &StoredEffect, looked: &LookedUp) -> Value {
    let (state, why) = looked_text(looked);
    json!({
        "id": effect.id, "tool": effect.tool, "key": shown_key(effect), "state": state,
        "why": Some(why).filter(|why| !why.is_empty()),
    })
}

/// Nobody watches look-ups.
struct Unwatched;

impl Observer for Unwatched {
    fn finished(&self, _: &Finished, _: &Redactor) {}
    fn progress(&self, _: &str, _: std::time::Duration) {}
    fn operation(&self, _: &str, _: &str, _: &str, _: Option<&str>) {}
}

fn shown_key(effect: &StoredEffect) -> &str {
    match effect.origin {
        KeyOrigin::None => "none",
        KeyOrigin::Stated | KeyOrigin::Call => &effect.shown_key,
    }
}

fn outcome_value(effect: &StoredEffect) -> Value {
    let text = effect.outcome.as_deref();
    text.and_then(|text| serde_json::from_str(text).ok()).unwrap_or(Value::Null)
}

fn value(effect: &StoredEffect) -> Value {
    let arguments =
        effect.shown_arguments.as_deref().and_then(|text| serde_json::from_str::<Value>(text).ok());
    json!({
        "id": effect.id, "tool": effect.tool, "key": shown_key(effect), "key_origin": effect.origin.as_str(),
        "state": effect.state.as_str(), "how": effect.how.map(Settlement::as_str), "code": effect.code,
        "attempt": effect.attempt, "call": effect.call, "task": effect.task, "principal": effect.principal,
        "contract": effect.contract, "created": effect.created.rfc3339(), "changed": effect.changed.rfc3339(),
        "lease": (effect.state == EffectState::Running).then(|| effect.lease.rfc3339()),
        "operation": followed_value(effect), "arguments": arguments, "outcome": outcome_value(effect),
    })
}

fn followed_value(effect: &StoredEffect) -> Option<Value> {
    let pursuit = effect.pursuit.as_ref()?;
    let mut id = pursuit.operation.clone();
    if let Some(id) = &mut id {
        Redactor::default().value(id);
    }
    let goes_on = effect.state.is_pursued();
    Some(json!({
        "id": id, "said": pursuit.said, "needs_input": pursuit.needs_input, "verifying": pursuit.claimed.is_some(),
        "due": goes_on.then(|| effect.due.rfc3339()), "deadline": goes_on.then(|| effect.deadline.rfc3339()),
        "looked_at": effect.owner.is_some().then(|| effect.lease.rfc3339()),
    }))
}

fn unknown(id: &str) -> Failure {
    Failure::failed(format!("there is no effect `{}`", id.escape_debug()))
        .with_hint("`tgw effects list` shows them")
}

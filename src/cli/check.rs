//! `tgw check`: what would be decided, and why.

use crate::gateway::{Check, Gateway, Observer, Stage};
use crate::lines::{InputLine, LineReader, LineWriter};
use crate::policy::{RuleExplanation, RuleVerdict};
use crate::state::StoreError;
use crate::text::escape;
use crate::wire::{IdRegister, Incoming, JsonLimits, Line, decode_line, long_line};

use super::arguments::{CheckArgs, ColourChoice};
use super::exit::{Failure, Outcome};
use super::run::{random_run, runtime};
use super::{session, stdio};

/// Nobody watches a check.
struct Unwatched;

impl Observer for Unwatched {
    fn finished(&self, _: &crate::gateway::Finished, _: &crate::secret::Redactor) {}
    fn progress(&self, _: &str, _: std::time::Duration) {}
    fn operation(&self, _: &str, _: &str, _: &str, _: Option<&str>) {}
}

/// Decides a stream of calls.
pub(crate) fn check(arguments: &CheckArgs, _colour: ColourChoice) -> Outcome {
    let loaded = session::look(&arguments.session)?;
    loaded.warn_untrusted();
    loaded.log_warnings();
    let (input, output) = (stdio::input(arguments.file.as_deref())?, stdio::output()?);
    // Looking never makes a store; without one, nothing is known from earlier results.
    let store = loaded.existing_store().and_then(|store| store.ok_or(StoreError::Absent));
    let watcher = Unwatched;
    let gateway = Gateway::new(&loaded.session, store, None, &watcher, None);
    let run = random_run()?;
    runtime()?
        .block_on(stream(&gateway, arguments.explain, input, output, run))
        .map_err(|error| Failure::failed(format!("the stream ended early: {error}")))?;
    Ok(0)
}

async fn stream(
    gateway: &Gateway<'_>,
    explained: bool,
    input: std::os::fd::OwnedFd,
    output: std::os::fd::OwnedFd,
    run: u64,
) -> std::io::Result<()> {
    let limits = JsonLimits::default();
    let mut reader = LineReader::new(input, limits.bytes);
    let writer = LineWriter::new(output);
    let mut ids = IdRegister::new(run);
    let mut out = Vec::new();
    let mut number = 0;
    while !reader.is_finished() {
        reader.fill().await?;
        while let Some(line) = reader.next_line() {
            number += 1;
            let line = match line {
                InputLine::Bytes(bytes) => decode_line(&bytes, number, limits, &mut || ids.assign()),
                InputLine::TooLong => Line::Calls(vec![long_line(ids.assign(), number, limits)]),
            };
            if let Line::Calls(calls) = line {
                for incoming in calls {
                    let check = one(gateway, incoming, &mut ids);
                    if explained {
                        explain(gateway, &check, &mut out);
                    } else {
                        check.encode(&mut out);
                    }
                }
            }
        }
        match writer.write_all(&out).await {
            Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => return Ok(()),
            written => written?,
        }
        out.clear();
    }
    Ok(())
}

fn one(gateway: &Gateway<'_>, incoming: Incoming, ids: &mut IdRegister) -> Check {
    let (id, name, given) = (incoming.id, incoming.name, incoming.id_given);
    let claimed = match (&incoming.call, given) {
        (Ok(_), true) => ids.claim(&id),
        _ => Ok(()),
    };
    match (incoming.call, claimed) {
        (Ok(request), Ok(())) => gateway.check(request),
        (Err(error), _) | (Ok(_), Err(error)) => Check::refused(id.to_string(), name, error),
    }
}

/// Explains one check for a person.
fn explain(gateway: &Gateway<'_>, check: &Check, out: &mut Vec<u8>) {
    let mut text =
        format!("{} {}\n", escape(&check.id), escape(check.tool.as_deref().unwrap_or("(no call)")));
    match &check.stage {
        Stage::Refused { error } => {
            text.push_str(&format!("  verdict    deny: {} ({})\n", escape(&error.message), error.code));
            for violation in &error.violations {
                text.push_str(&format!(
                    "  argument   {}: expected {}, found {}\n",
                    escape(&violation.pointer),
                    escape(&violation.expected),
                    escape(&violation.found)
                ));
            }
            if let Some(hint) = &error.hint {
                text.push_str(&format!("  hint       {}\n", escape(hint)));
            }
        }
        Stage::Decided { call, decision, budgets, exceeded, place } => {
            let contract = call.contract();
            match exceeded {
                Some(error) => {
                    text.push_str(&format!(
                        "  verdict    deny: {} ({})\n",
                        escape(&error.message),
                        error.code
                    ));
                }
                None => text.push_str(&format!(
                    "  verdict    {}: {}\n",
                    decision.verdict.as_str(),
                    escape(&decision.reason_with_files())
                )),
            }
            text.push_str(&format!(
                "  tool       visible, {}, {}\n",
                contract.risk.as_str(),
                contract.location
            ));
            text.push_str(&format!("  arguments  {}\n", escape(&call.arguments().to_string())));
            let plan = serde_json::to_string(call.plan()).unwrap_or_default();
            text.push_str(&format!("  would run  {}\n", escape(&plan)));
            match place {
                Some(Ok((level, network))) => {
                    text.push_str(
                        &format!("  where      sandbox {level:?}, network {network:?}\n").to_lowercase(),
                    );
                }
                Some(Err(error)) => {
                    text.push_str(&format!("  where      {} ({})\n", escape(&error.message), error.code))
                }
                None if exceeded.is_some() => {}
                None => text.push_str("  where      in the gateway\n"),
            }
            for weighed in budgets {
                text.push_str(&format!("  budget     {}\n", escape(&weighed.account())));
            }
            for explanation in gateway.explain(call) {
                explain_rule(&explanation, &mut text);
            }
        }
    }
    text.push('\n');
    out.extend_from_slice(text.as_bytes());
}

fn explain_rule(explanation: &RuleExplanation, text: &mut String) {
    let rule = &explanation.rule;
    let outcome = match &explanation.outcome {
        RuleVerdict::Counted => "counted".to_owned(),
        RuleVerdict::CountedByFailure(why) => {
            format!("counted, since its condition cannot be evaluated: {why}")
        }
        RuleVerdict::NotCountedByFailure(why) => {
            format!("did not count: its condition cannot be evaluated: {why}")
        }
        RuleVerdict::NotSelected(selector) => format!("did not count: not for these {}", selector.as_str()),
        RuleVerdict::NotApplicable(argument) => {
            format!("did not count: the tool has no argument `{argument}`")
        }
        RuleVerdict::WhenFalse => "did not count: `when` is false".to_owned(),
        RuleVerdict::UnlessTrue => "did not count: `unless` is true".to_owned(),
    };
    text.push_str(&format!(
        "  rule       {} {} ({}): {}\n",
        rule.verdict.as_str(),
        rule.id,
        rule.location,
        escape(&outcome)
    ));
    for (label, condition) in [("when", &rule.when), ("unless", &rule.unless)] {
        if let Some(condition) = condition {
            text.push_str(&format!("             {label} {}\n", escape(condition.trim())));
        }
    }
    for (path, value) in &explanation.values {
        text.push_str(&format!("             {} = {}\n", escape(path), escape(value)));
    }
}

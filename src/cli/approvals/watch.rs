//! `tgw approvals watch`: questions as they come, one line each.

use std::collections::BTreeSet;
use std::io::{self, Write};
use std::time::Duration;

use crate::clock::Clock;
use crate::state::{ApprovalState, Store};

use super::super::approvers;
use super::super::arguments::StoreArgs;
use super::super::exit::{Failure, Outcome};
use super::super::store::{self, failure};
use super::super::table;
use super::{LISTED, question_value};

/// How often the store is looked at.
const LOOK: Duration = Duration::from_secs(1);

/// Prints each question that waits, once, until nobody reads any more. A question that is not believed is none.
pub(super) fn watch(arguments: &StoreArgs, as_json: bool) -> Outcome {
    let mut opened = store::open(arguments)?;
    let approvers = approvers::load()?;
    let mut told: BTreeSet<String> = BTreeSet::new();
    loop {
        if opened.store.is_none() {
            opened = store::open(arguments)?;
        }
        let now = Clock::System.now();
        let questions = match &opened.store {
            Some(store) => store.approvals(&opened.tenant, LISTED).map_err(|error| failure(&error))?,
            None => Vec::new(),
        };
        let waiting: Vec<_> = questions
            .iter()
            .rev()
            .filter(|one| one.state_at(now) == ApprovalState::Pending && one.seal.doubt().is_none())
            .collect();
        let mut lines = String::new();
        for question in waiting.iter().filter(|question| !told.contains(&question.id)) {
            if as_json {
                lines.push_str(&question_value(question, now, &approvers).to_string());
            } else {
                let line = format!(
                    "{} {} for {} through {}, task {}, until {}",
                    question.id,
                    question.tool,
                    question.principal.user,
                    question.principal.agent,
                    question.task,
                    question.expires.rfc3339()
                );
                lines.push_str(&table::visible(&line));
            }
            lines.push('\n');
        }
        // What no longer waits never waits again, so that only what does is remembered.
        told = waiting.iter().map(|question| question.id.clone()).collect();
        let mut out = io::stdout().lock();
        match out.write_all(lines.as_bytes()).and_then(|()| out.flush()) {
            Ok(()) => {}
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => return Ok(0),
            Err(error) => return Err(Failure::failed(format!("cannot write to stdout: {error}"))),
        }
        drop(out);
        std::thread::sleep(LOOK);
    }
}

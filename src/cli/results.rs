//! `tgw results`: what calls brought back, whole and in pages.

use serde_json::{Value, json};

use crate::clock::Clock;
use crate::code::CallError;
use crate::present::{Page, PageRequest, page};
use crate::state::{ResultScope, ResultSummary, Store};

use super::arguments::ResultsArgs;
use super::exit::{Failure, Outcome};
use super::output::print;
use super::store::{self, OpenedStore};
use super::table;

/// Most results listed.
const LISTED: usize = 100;

/// Most bytes of a page.
const PAGE: usize = 1 << 20;

/// Lists results, or prints one.
pub(crate) fn results(arguments: &ResultsArgs) -> Outcome {
    let OpenedStore { store, tenant } = store::open(&arguments.store)?;
    let now = Clock::System.now();
    let scope = ResultScope::Tenant(&tenant);
    let Some(reference) = &arguments.reference else {
        let list = match &store {
            Some(store) => store.results(scope, LISTED, now).map_err(|error| store::failure(&error))?,
            None => Vec::new(),
        };
        if arguments.json {
            let values = list.iter().map(as_value).collect();
            print(&table::visible_json(&Value::Array(values)))?;
            return Ok(0);
        }
        let rows = list
            .iter()
            .map(|result| {
                vec![
                    result.reference.clone(),
                    result.tool.clone(),
                    result.task.to_string(),
                    result.bytes.to_string(),
                    result.created.rfc3339(),
                    result.expires.rfc3339(),
                ]
            })
            .collect();
        print(&table::render(&["result", "tool", "task", "bytes", "kept since", "kept until"], rows))?;
        return Ok(0);
    };
    let found = match &store {
        Some(store) => store.result(reference, scope, now).map_err(|error| store::failure(&error))?,
        None => None,
    };
    let found = found.ok_or_else(|| {
        Failure::failed(format!("no result `{}` is kept", reference.escape_debug()))
            .with_hint("`tgw results` lists those that are; they are kept for 7 days")
    })?;
    let value: Value = serde_json::from_slice(&found.value)
        .map_err(|error| Failure::failed(format!("the stored value is damaged: {error}")))?;
    if arguments.json && arguments.filter.is_none() {
        print(&format!("{value}\n"))?;
        return Ok(0);
    }
    let request = PageRequest {
        offset: arguments.offset,
        limit: if arguments.json { u64::MAX } else { arguments.limit },
        bytes: if arguments.json { usize::MAX } else { PAGE },
        filter: arguments.filter.as_deref(),
    };
    let page = page(&value, &request).map_err(|error| refused(&error))?;
    if arguments.filter.is_some() && selected_nothing(&page) {
        return Err(Failure::failed("`--filter` selects nothing of this result")
            .with_hint(format!("`tgw results {reference} --json` shows all of it")));
    }
    let mut text = table::visible(&page.content);
    if !text.ends_with('\n') {
        text.push('\n');
    }
    print(&text)?;
    if let Some(next) = page.next {
        use std::io::Write;
        // A closed stderr leaves nobody to tell.
        let _ = writeln!(std::io::stderr(), "total {}, next page {}", json!(page.total), json!(next));
    }
    Ok(0)
}

fn as_value(result: &ResultSummary) -> Value {
    json!({
        "result": result.reference, "tool": result.tool, "task": result.task, "bytes": result.bytes,
        "created": result.created.rfc3339(), "expires": result.expires.rfc3339(),
    })
}

/// Whether a page has no line and no row in all.
fn selected_nothing(page: &Page) -> bool {
    ["rows", "lines"].iter().any(|unit| page.total.get(unit) == Some(&json!(0)))
        || matches!(page.content.trim(), "" | "null" | "[]")
}

/// What is wrong with a page that was asked for, in the words of the command line.
fn refused(error: &CallError) -> Failure {
    let Some(violation) = error.violations.first() else {
        return Failure::configuration(error.message.clone());
    };
    let flag = violation.pointer.replace('/', "--");
    let failure =
        Failure::configuration(format!("`{flag}` must be {}, found {}", violation.expected, violation.found));
    match &violation.hint {
        Some(hint) => failure.with_hint(hint.clone()),
        None => failure,
    }
}

//! `tgw results`: what calls brought back, whole and in pages.

use serde_json::json;

use crate::clock::Clock;
use crate::present::{PageRequest, page};
use crate::state::{ResultScope, Store};

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
    let value: serde_json::Value = serde_json::from_slice(&found.value)
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
    let page = page(&value, &request).map_err(|error| {
        let detail = error
            .violations
            .iter()
            .map(|v| format!(": expected {}, found {}", v.expected, v.found))
            .collect::<String>();
        Failure::configuration(format!("{}{detail}", error.message))
    })?;
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

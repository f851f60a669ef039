//! `tgw budgets`: what is used of every budget of the policy.

use serde_json::{Value, json};

use crate::clock::Timestamp;
use crate::document::write_duration;
use crate::policy::{Budget, Verdict};
use crate::state::{PurseTotal, Store};

use super::arguments::BudgetsArgs;
use super::exit::Outcome;
use super::output::print;
use super::session;
use super::store::failure;
use super::table;

/// Prints every budget with what counts of it now.
pub(crate) fn budgets(arguments: &BudgetsArgs) -> Outcome {
    let loaded = session::look(&arguments.session)?;
    loaded.warn_untrusted();
    loaded.log_warnings();
    let session = &loaded.session;
    let store = loaded.existing_store().map_err(|error| failure(&error))?;
    let limit = usize::try_from(arguments.limit).unwrap_or(usize::MAX);
    let (mut rows, mut values) = (Vec::new(), Vec::new());
    for budget in session.policy.budgets() {
        let purses = match &store {
            None => Vec::new(),
            Some(store) => {
                let since = budget.since(session.clock.now());
                let (id, per) = (budget.rule.id.as_str(), budget.per.as_str());
                store
                    .purses(&session.principal.tenant, id, per, since, limit)
                    .map_err(|error| failure(&error))?
            }
        };
        if arguments.json {
            values.push(value(budget, &purses));
        } else if purses.is_empty() {
            rows.push(row(budget, None));
        } else {
            rows.extend(purses.iter().map(|purse| row(budget, Some(purse))));
        }
    }
    if arguments.json {
        print(&table::visible_json(&Value::Array(values)))?;
    } else {
        print(&table::render(
            &["id", "per", "whose", "group", "used", "limit", "window", "frees from"],
            rows,
        ))?;
    }
    Ok(0)
}

fn row(budget: &Budget, purse: Option<&PurseTotal>) -> Vec<String> {
    vec![
        budget.rule.id.to_string(),
        budget.per.as_str().to_owned(),
        purse.map(|purse| purse.subject.clone()).unwrap_or_default(),
        purse.and_then(|purse| purse.group.clone()).unwrap_or_default(),
        purse.map_or(0, |purse| purse.used).to_string(),
        budget.limit.to_string(),
        budget.window.map(write_duration).unwrap_or_default(),
        purse.and_then(|purse| frees(budget, purse)).unwrap_or_default(),
    ]
}

/// When the oldest charge no longer counts.
fn frees(budget: &Budget, purse: &PurseTotal) -> Option<String> {
    budget.window.map(|window| purse.oldest.plus(window)).map(Timestamp::rfc3339)
}

fn value(budget: &Budget, purses: &[PurseTotal]) -> Value {
    let purses: Vec<Value> = purses
        .iter()
        .map(|purse| {
            let group = purse.group.as_deref().and_then(|text| serde_json::from_str::<Value>(text).ok());
            json!({
                "whose": purse.subject, "group": group, "used": purse.used, "calls": purse.calls,
                "left": budget.limit.saturating_sub(purse.used), "frees_from": frees(budget, purse),
            })
        })
        .collect();
    json!({
        "id": budget.rule.id, "per": budget.per, "measure": if budget.sum.is_some() { "sum" } else { "count" },
        "limit": budget.limit, "window": budget.window.map(write_duration),
        "over": match budget.rule.verdict {
            Verdict::Allow | Verdict::Deny => "deny",
            Verdict::RequireApproval => "require_approval",
        },
        "used": purses,
    })
}

//! `tgw tools`: what this principal sees in this step.

use serde_json::{Value, json};

use crate::catalog::{Contract, Limit, LimitSource};

use super::arguments::ToolsArgs;
use super::exit::Outcome;
use super::output::print;
use super::session;
use super::table;

/// Prints the visible tools.
pub(crate) fn tools(arguments: &ToolsArgs) -> Outcome {
    let loaded = session::look(&arguments.session)?;
    loaded.warn_untrusted();
    let session = &loaded.session;
    let mut rows = Vec::new();
    let mut values = Vec::new();
    for contract in session.catalog.contracts() {
        let hidden = if contract.internal {
            Some("for probes only".to_owned())
        } else {
            session.scope.hides(contract).map(|limit| hidden_by(limit, contract))
        };
        if hidden.is_some() && !arguments.all {
            continue;
        }
        if arguments.json {
            values.push(as_value(contract, hidden.as_deref()));
        } else {
            let description =
                contract.title.as_deref().unwrap_or_else(|| first_sentence(&contract.description));
            let mut row =
                vec![contract.name.to_string(), contract.risk.as_str().to_owned(), description.to_owned()];
            if arguments.all {
                row.push(hidden.unwrap_or_default());
            }
            rows.push(row);
        }
    }
    if arguments.json {
        // What a server says of its tools may hide something.
        print(&table::visible_json(&Value::Array(values)))?;
        return Ok(0);
    }
    let headings: &[&str] = if arguments.all {
        &["tool", "risk", "what it does", "hidden by"]
    } else {
        &["tool", "risk", "what it does"]
    };
    print(&table::render(headings, rows))?;
    Ok(0)
}

fn first_sentence(text: &str) -> &str {
    let text = text.trim();
    text.split_once(". ")
        .map_or(text, |(first, _)| first)
        .lines()
        .next()
        .unwrap_or_default()
        .trim_end_matches('.')
}

fn hidden_by(limit: &Limit, contract: &Contract) -> String {
    let lacking = limit.lacking(contract).map(|permission| format!(", which lacks {permission}"));
    let lacking = lacking.unwrap_or_default();
    match &limit.source {
        LimitSource::Agent(name) => format!("agent {name}{lacking}"),
        LimitSource::AgentVersion { agent, given, listed } => {
            let given =
                given.as_deref().map_or_else(|| "no version".to_owned(), |given| format!("version {given}"));
            format!("agent {agent}, which the policy lists for versions {listed}, and {given} was stated")
        }
        LimitSource::UnlistedAgent(name) => format!("agent {name}, which the policy does not list"),
        LimitSource::User(name) => format!("user {name}{lacking}"),
        LimitSource::Task(id) => format!("task {id}"),
        LimitSource::EndedTask(id) => format!("task {id}, which has ended"),
        LimitSource::Step(name) => format!("step {name}"),
    }
}

/// A contract as a harness would offer it to a model, with what a person wants to know beside it.
fn as_value(contract: &Contract, hidden: Option<&str>) -> Value {
    let mut description = contract.description.trim().to_owned();
    if let Some(use_when) = &contract.use_when {
        description.push_str(&format!(" Use when {}.", use_when.trim_end_matches('.')));
    }
    if let Some(not_for) = &contract.not_for {
        description.push_str(&format!(" Not for {}.", not_for.trim_end_matches('.')));
    }
    let mut value = json!({
        "name": contract.name,
        "description": description,
        "input_schema": *contract.input_schema.json,
        "risk": contract.risk,
        "digest": contract.digest,
    });
    if let Some(map) = value.as_object_mut() {
        let optional = [
            ("title", contract.title.clone().map(Value::from)),
            ("version", contract.version.clone().map(Value::from)),
            ("output_schema", contract.output_schema.as_ref().map(|schema| (*schema.json).clone())),
            ("hidden_by", hidden.map(Value::from)),
        ];
        for (key, entry) in optional {
            if let Some(entry) = entry {
                map.insert(key.to_owned(), entry);
            }
        }
    }
    value
}

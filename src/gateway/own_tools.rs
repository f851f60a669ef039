//! The gateway's own tools: pages of stored results, and a search over the visible tools.

use serde_json::{Value, json};

use crate::catalog::{BuiltinName, Contract};
use crate::code::{CallError, Effect, ErrorCode};
use crate::present::{BuiltinOutput, DisplayBody, PageRequest, page};
use crate::state::{ResultScope, Store};

use super::Gateway;

/// Most bytes of a page.
const PAGE_BYTES: usize = 32 << 10;

/// How much more a word in a tool's name counts than one in its description.
const NAME_WEIGHT: u32 = 4;

impl Gateway<'_> {
    /// Answers a call to one of the gateway's own tools.
    pub(super) fn own_tool(&self, name: BuiltinName, arguments: &Value) -> Result<BuiltinOutput, CallError> {
        match name {
            BuiltinName::ReadResult => self.read_result(arguments),
            BuiltinName::SearchTools => Ok(self.search_tools(arguments)),
            other => Err(CallError::new(
                ErrorCode::Internal,
                format!("`{}` is not the gateway's own tool", other.as_str()),
            )),
        }
    }

    /// A page of a result of this task.
    fn read_result(&self, arguments: &Value) -> Result<BuiltinOutput, CallError> {
        let reference = arguments.get("reference").and_then(Value::as_str).unwrap_or_default();
        let gone = || {
            CallError::new(
                ErrorCode::ResultExpired,
                format!("no result `{}` is kept for this task", reference.escape_debug()),
            )
            .with_hint("call the tool again, and use the reference of its new result")
        };
        let store = self.store.as_ref().map_err(|error| error.call_error())?;
        let scope = ResultScope::Task(&self.session.principal.tenant, &self.session.task.id);
        let found = store
            .borrow()
            .result(reference, scope, self.session.clock.now())
            .map_err(|error| error.call_error())?
            .ok_or_else(gone)?;
        let value: Value = serde_json::from_slice(&found.value)
            .map_err(|_| CallError::new(ErrorCode::Internal, "the stored value is damaged"))?;
        let request = PageRequest {
            offset: arguments.get("offset").and_then(Value::as_u64).unwrap_or(1),
            limit: arguments.get("limit").and_then(Value::as_u64).unwrap_or(200),
            bytes: PAGE_BYTES,
            filter: arguments.get("filter").and_then(Value::as_str),
        };
        let page = page(&value, &request)?;
        Ok(BuiltinOutput {
            // A page is a view of a value that is kept already.
            value: Value::Null,
            truncated: page.next.is_some(),
            text: Some(page.content),
            total: Some(page.total),
            next: page.next,
            display: DisplayBody::Content,
            effect: Effect::None,
            warnings: Vec::new(),
        })
    }

    /// The visible tools that match the words of a query, best first.
    fn search_tools(&self, arguments: &Value) -> BuiltinOutput {
        let query = arguments.get("query").and_then(Value::as_str).unwrap_or_default().to_lowercase();
        let limit = arguments.get("limit").and_then(Value::as_u64).unwrap_or(10);
        let words: Vec<&str> =
            query.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
        let session = self.session;
        let mut ranked: Vec<(u32, &Contract)> = session
            .catalog
            .contracts()
            .iter()
            .filter(|contract| !contract.internal && self.here().scope.hides(contract).is_none())
            .map(|contract| (score(contract, &words), contract.as_ref()))
            .filter(|(score, _)| *score > 0 || words.is_empty())
            .collect();
        ranked.sort_by(|(left, a), (right, b)| right.cmp(left).then_with(|| a.name.cmp(&b.name)));
        let total = ranked.len();
        ranked.truncate(usize::try_from(limit).unwrap_or(usize::MAX));
        let tools: Vec<Value> = ranked
            .iter()
            .map(|(_, contract)| {
                json!({
                    "name": contract.name,
                    "risk": contract.risk,
                    "description": contract.description.trim(),
                    "input_schema": *contract.input_schema.json,
                })
            })
            .collect();
        BuiltinOutput {
            truncated: tools.len() < total,
            value: Value::Array(tools),
            text: None,
            total: Some(json!({ "rows": total })),
            next: None,
            display: DisplayBody::Content,
            effect: Effect::None,
            warnings: Vec::new(),
        }
    }
}

/// How well a contract answers the words: how many it has, those in its name first.
fn score(contract: &Contract, words: &[&str]) -> u32 {
    let name = contract.name.as_str().to_lowercase();
    let text = [Some(contract.description.as_str()), contract.use_when.as_deref(), contract.title.as_deref()]
        .into_iter()
        .flatten()
        .map(str::to_lowercase)
        .collect::<Vec<_>>()
        .join(" ");
    words
        .iter()
        .map(|word| NAME_WEIGHT * u32::from(name.contains(word)) + u32::from(text.contains(word)))
        .sum()
}

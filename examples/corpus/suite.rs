//! A suite in one form, whatever benchmark it comes from.

use std::collections::BTreeMap;
use std::error::Error;
use std::path::Path;

use serde_json::{Map, Value, json};

use crate::bfcl;

/// Tools and the calls recorded of them.
#[derive(Default)]
pub(crate) struct Suite {
    pub name: String,
    pub tools: Vec<Tool>,
    pub calls: Vec<Call>,
    /// What was set aside while reading, with the reason: how often.
    pub set_aside: BTreeMap<String, usize>,
}

pub(crate) struct Tool {
    pub name: String,
    pub description: String,
    pub schema: Value,
    /// Whether a call was seen to change something.
    pub changes: bool,
}

pub(crate) struct Call {
    /// Where it was recorded.
    pub origin: String,
    pub tool: String,
    pub arguments: Map<String, Value>,
    pub result: String,
}

impl Suite {
    /// Reads a suite; `None` for a file of another kind.
    pub(crate) fn read(path: &Path) -> Result<Option<Self>, Box<dyn Error>> {
        let document: Value = serde_json::from_slice(&std::fs::read(path)?)?;
        let name = format!(
            "{} {}",
            path.parent().and_then(Path::file_name).unwrap_or_default().to_string_lossy(),
            path.file_stem().unwrap_or_default().to_string_lossy()
        );
        let suite = if document.get("user_tasks").is_some() {
            Some(Self::of_recorded_tasks(&document))
        } else if document.get("items").is_some() {
            Some(bfcl::of_items(&document))
        } else if document.get("tasks").is_some_and(|tasks| tasks.pointer("/0/involved_classes").is_some()) {
            let tools = path.with_file_name("multi_turn_tools.json");
            let tools: Value = serde_json::from_slice(&std::fs::read(tools)?)?;
            Some(bfcl::of_turns(&document, &tools))
        } else {
            None
        };
        Ok(suite.map(|suite| Self { name, ..suite }))
    }

    fn of_recorded_tasks(document: &Value) -> Self {
        let mut suite = Self::default();
        for tool in list(document, "tools") {
            let observed = "/observed_in_ground_truth/calls_that_changed_environment";
            suite.add_tool(Tool {
                name: text(tool, "name"),
                description: text(tool, "description"),
                schema: tool.get("inputSchema").cloned().unwrap_or_else(|| json!({"type": "object"})),
                changes: tool.pointer(observed).and_then(Value::as_u64).unwrap_or(0) > 0,
            });
        }
        for task in list(document, "user_tasks").iter().chain(list(document, "injection_tasks")) {
            for (at, call) in list(task, "calls").iter().enumerate() {
                let arguments = call.get("args").and_then(Value::as_object).cloned().unwrap_or_default();
                suite.calls.push(Call {
                    origin: format!("{} call {at}", text(task, "id")),
                    tool: text(call, "tool"),
                    arguments,
                    result: text(call, "result_text"),
                });
            }
        }
        suite
    }

    /// Adds a tool. It takes the arguments that it names and no others, since it is a function.
    pub(crate) fn add_tool(&mut self, mut tool: Tool) {
        if let Some(schema) = tool.schema.as_object_mut() {
            schema.entry("additionalProperties").or_insert(Value::Bool(false));
        }
        self.tools.push(tool);
    }

    pub(crate) fn set_aside(&mut self, reason: &str) {
        *self.set_aside.entry(reason.to_owned()).or_default() += 1;
    }
}

/// A list at a key, empty where there is none.
pub(crate) fn list<'a>(value: &'a Value, key: &str) -> &'a [Value] {
    value.get(key).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

/// A text at a key, empty where there is none.
pub(crate) fn text(value: &Value, key: &str) -> String {
    value.get(key).and_then(Value::as_str).unwrap_or_default().to_owned()
}

//! Requests to services, against a small service on this machine.

mod bodies;
mod encrypted;
mod operations;
mod outcomes;
mod placing;
pub(crate) mod service;

use regex::Regex;
use serde_json::{Value, json};

use crate::harness::{ALLOW, Space};
use service::Service;

/// A manifest with one tool `t`, of this risk, that makes this request; `loopback` is among its networks unless it says.
pub(crate) fn tool(risk: &str, http: &Value, contract: &Value) -> Value {
    let mut request = json!({ "networks": ["loopback"] });
    extend(&mut request, http);
    let mut tool = json!({
        "name": "t", "description": "Asks.", "risk": risk, "execution_mode": "exclusive",
        "input_schema": {"type": "object", "required": [], "properties": {"list": {"type": "array"}, "path": {"type": "string", "format": "workspace-path"}}},
        "result": {"trust": "trusted"}, "run": {"http": request},
    });
    if matches!(risk, "external" | "destructive") {
        extend(&mut tool, &json!({"idempotency": "none"}));
    }
    extend(&mut tool, contract);
    // Every argument that it reads without a guard must be there.
    let read = Regex::new(r"(has\()?arguments\.(\w+)").unwrap();
    for found in read.captures_iter(&tool.to_string()).filter(|found| found.get(1).is_none()) {
        let name = &found[2];
        let schema = &mut tool["input_schema"];
        if schema["properties"].get(name).is_none() {
            schema["properties"][name] = json!({});
        }
        schema["required"].as_array_mut().unwrap().push(name.into());
    }
    let required = tool["input_schema"]["required"].as_array_mut().unwrap();
    required.sort_by_key(Value::to_string);
    required.dedup();
    tool
}

pub(crate) fn extend(object: &mut Value, more: &Value) {
    object.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
}

/// A space with these tools. `KEY` names a credential from the environment.
pub(crate) fn space(tools: &[Value]) -> Space {
    let manifest = json!({
        "version": 1, "tools": tools, "credentials": {
            "key": {"source": {"env": "KEY"}},
            "roots": {"source": {"file": service::certificate("ca.pem")}},
            "identity": {"source": {"file": service::certificate("identity.pem")}},
        },
    });
    Space::with(&manifest.to_string(), ALLOW)
}

/// The answer to one call of `t`, with the credential `key` in the environment.
pub(crate) fn ask(space: &Space, arguments: &Value) -> Value {
    let line = crate::harness::call("c", "t", arguments);
    let mut answers = space.stream(&[&line]).variable("KEY", "hunter2-hunter2").answers();
    assert_eq!(answers.len(), 1, "{answers:#?}");
    answers.remove(0)
}

/// Asks a service once with this request.
pub(crate) fn once(service: &Service, risk: &str, http: &Value, arguments: &Value) -> Value {
    let mut request = json!({ "url": format!("{}/a", service.at()) });
    extend(&mut request, http);
    ask(&space(&[tool(risk, &request, &json!({}))]), arguments)
}

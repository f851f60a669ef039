//! BFCL: its own words for types, accepted values instead of recorded ones, calls of many turns as Python text.

use std::collections::{BTreeMap, HashMap};

use serde_json::{Map, Value, json};

use crate::python;
use crate::suite::{Call, Suite, Tool, list, text};

/// Items of one question each, with the functions on offer and the accepted values of each argument.
pub(crate) fn of_items(document: &Value) -> Suite {
    let mut suite = Suite::default();
    for (at, item) in list(document, "items").iter().enumerate() {
        let origin = text(item, "id");
        // The same name stands for different functions in different items.
        let named = |function: &str| format!("{function}.{at}");
        let mut schemas = HashMap::new();
        for function in list(item, "functions") {
            let schema = schema(function.get("parameters"), &mut suite);
            schemas.insert(text(function, "name"), schema.clone());
            let name = named(&text(function, "name"));
            suite.add_tool(Tool { name, description: text(function, "description"), schema, changes: false });
        }
        let calls = list(item, "ground_truth").iter().filter_map(Value::as_object).flatten();
        for (function, accepted) in calls {
            let Some(schema) = schemas.get(function) else {
                suite.set_aside("the call names a function that is not on offer");
                continue;
            };
            let arguments =
                accepted.as_object().map(|accepted| first_accepted(accepted, schema)).unwrap_or_default();
            let result = format!("answer to {origin}");
            suite.calls.push(Call { origin: origin.clone(), tool: named(function), arguments, result });
        }
    }
    suite
}

/// Tasks of many turns over the functions of whole classes.
pub(crate) fn of_turns(document: &Value, tools: &Value) -> Suite {
    const FILES: [(&str, &str); 8] = [
        ("GorillaFileSystem", "gorilla_file_system"),
        ("MathAPI", "math_api"),
        ("MessageAPI", "message_api"),
        ("TicketAPI", "ticket_api"),
        ("TradingBot", "trading_bot"),
        ("TravelAPI", "travel_booking"),
        ("TwitterAPI", "posting_api"),
        ("VehicleControlAPI", "vehicle_control"),
    ];
    let files: BTreeMap<&str, &str> = FILES.into();
    let mut suite = Suite::default();
    let mut parameters: HashMap<String, Vec<String>> = HashMap::new();
    for file in files.values() {
        for function in tools.get("api_classes").map(|classes| list(classes, file)).unwrap_or_default() {
            let name = format!("{file}.{}", text(function, "name"));
            let schema = schema(function.get("parameters"), &mut suite);
            let names = schema.get("properties").and_then(Value::as_object).into_iter().flatten();
            parameters.insert(name.clone(), names.map(|(name, _)| name.clone()).collect());
            suite.add_tool(Tool { name, description: text(function, "description"), schema, changes: false });
        }
    }
    for task in list(document, "tasks") {
        let classes = list(task, "involved_classes").iter().filter_map(Value::as_str);
        let offered: Vec<&str> = classes.filter_map(|class| files.get(class).copied()).collect();
        let calls = list(task, "ground_truth_calls_per_turn").iter().filter_map(Value::as_array).flatten();
        for written in calls.filter_map(Value::as_str) {
            let Some(call) = python::parse_call(written) else {
                suite.set_aside("the call's text is more than a call with literals");
                continue;
            };
            let tool = offered.iter().map(|file| format!("{file}.{}", call.function));
            let Some(tool) = tool.into_iter().find(|name| parameters.contains_key(name)) else {
                suite.set_aside("the call names a function that is not on offer");
                continue;
            };
            let names = parameters.get(&tool).map(Vec::as_slice).unwrap_or_default();
            let Some(arguments) = call.bind(names) else {
                suite.set_aside("the call has more arguments by position than its function has parameters");
                continue;
            };
            let result = format!("answer {} of {}", suite.calls.len(), text(task, "id"));
            suite.calls.push(Call {
                origin: format!("{}: {written}", text(task, "id")),
                tool,
                arguments,
                result,
            });
        }
    }
    suite
}

/// JSON Schema in place of BFCL's dialect.
fn schema(parameters: Option<&Value>, suite: &mut Suite) -> Value {
    let Some(parameters) = parameters.and_then(Value::as_object) else { return json!({"type": "object"}) };
    let mut schema = Map::new();
    for (key, value) in parameters {
        match (key.as_str(), value) {
            ("type", Value::String(word)) => {
                let word = match word.as_str() {
                    "dict" => "object",
                    "float" => "number",
                    "tuple" => "array",
                    "any" => continue,
                    other => other,
                };
                schema.insert(key.clone(), word.into());
            }
            ("properties", Value::Object(properties)) => {
                let properties: Map<String, Value> = properties
                    .iter()
                    .map(|(name, inner)| (name.clone(), self::schema(Some(inner), suite)))
                    .collect();
                schema.insert(key.clone(), properties.into());
            }
            ("items" | "additionalProperties", Value::Object(_)) => {
                schema.insert(key.clone(), self::schema(Some(value), suite));
            }
            // Says again what `required` says.
            ("optional", _) => {}
            _ => {
                schema.insert(key.clone(), value.clone());
            }
        }
    }
    let schema = Value::Object(schema);
    without_false_default(schema, suite)
}

/// A default that its own schema refuses, such as the text `None` for a list, is prose.
fn without_false_default(mut schema: Value, suite: &mut Suite) -> Value {
    let holds = match schema.get("default") {
        None => true,
        Some(default) => jsonschema::is_valid(&schema, default),
    };
    if !holds && let Some(object) = schema.as_object_mut() {
        object.remove("default");
        suite.set_aside("a default that its own schema refuses");
    }
    schema
}

/// One call out of the lists of accepted values; an empty text among them says that the argument may be left out.
fn first_accepted(accepted: &Map<String, Value>, schema: &Value) -> Map<String, Value> {
    let pick = |name: &String, values: &Value| {
        let inner = schema.pointer("/properties").and_then(|properties| properties.get(name));
        let chosen = match values {
            Value::Array(values) => values.iter().find(|value| **value != json!(""))?,
            only => only,
        };
        Some((name.clone(), inner.map_or_else(|| chosen.clone(), |inner| plain(chosen, inner))))
    };
    accepted.iter().filter_map(|(name, values)| pick(name, values)).collect()
}

/// The accepted values of an object's members are lists too.
fn plain(value: &Value, schema: &Value) -> Value {
    match (value, schema.get("type").and_then(Value::as_str)) {
        (Value::Object(members), Some("object")) => first_accepted(members, schema).into(),
        (Value::Array(items), Some("array")) => {
            let inner = schema.get("items").cloned().unwrap_or(Value::Bool(true));
            items.iter().map(|item| plain(item, &inner)).collect()
        }
        _ => value.clone(),
    }
}

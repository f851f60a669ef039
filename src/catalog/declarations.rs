//! What the expressions and templates of a contract may talk about, and in which slots.

use std::sync::Arc;

use serde_json::Value;

use crate::expression::{Declarations, Field, Functions, ObjectType, Type};

/// The effective arguments.
pub(crate) const ARGUMENTS: usize = 0;
/// The tenant's name.
pub(crate) const TENANT: usize = 1;
/// The user's name.
pub(crate) const USER: usize = 2;
/// The agent: `{name, version}`.
pub(crate) const AGENT: usize = 3;
/// The task: `{id, prompt, data}`.
pub(crate) const TASK: usize = 4;
/// The step's name.
pub(crate) const STEP: usize = 5;
/// The call: `{id}`.
pub(crate) const CALL: usize = 6;
/// The path of the workspace.
pub(crate) const WORKSPACE: usize = 7;
/// The item of an `each`.
pub(crate) const ITEM: usize = 8;
/// The value, where an outcome is read.
pub(crate) const VALUE: usize = 9;
/// The exit: `{status}`, where an outcome is read.
pub(crate) const EXIT: usize = 10;
/// The effect: `{key}`, where the contract states one.
pub(crate) const EFFECT: usize = 11;
/// The call's value, where `value` is what a probe brought back.
pub(crate) const RESULT: usize = 12;
/// The operation: `{id}`, where a backend works on it.
pub(crate) const OPERATION: usize = 13;

/// The answer: `{status, headers}`, where the outcome of a request is read.
pub(crate) const HTTP: usize = 14;

/// What an outcome is told by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Told {
    /// `exit`.
    Exit,
    /// `http`.
    Http,
}

/// What the effect key may talk about, and `run`, `timeout`, `parallel_when` and `object.before` where there is none.
pub(crate) fn call(input_schema: &Value) -> Declarations {
    Declarations { variables: call_variables(input_schema), functions: Functions::Plain }
}

/// What `run`, `timeout`, `parallel_when` and `object.before` may talk about where the contract states an effect key.
pub(crate) fn keyed(call: &Declarations) -> Declarations {
    let mut declarations = call.clone();
    place(&mut declarations, EFFECT, field("effect", object([field("key", Type::String)])));
    declarations
}

/// What a look-up's arguments may talk about: what is kept of a call whose outcome is not known.
pub(crate) fn look_up(keyed: &Declarations) -> Declarations {
    let mut declarations = keyed.clone();
    for forgotten in [TASK, STEP] {
        place(&mut declarations, forgotten, field("", Type::Null));
    }
    declarations
}

/// What a look-up's condition may talk about: the same, and what the look-up brought back.
pub(crate) fn looked_up(look_up: &Declarations) -> Declarations {
    let mut declarations = look_up.clone();
    place(&mut declarations, VALUE, field("value", Type::Dynamic));
    declarations
}

/// What a probe's arguments may talk about once the call has a value: what is kept of it, and that value.
pub(crate) fn valued(look_up: &Declarations, output_schema: Option<&Value>) -> Declarations {
    let mut declarations = look_up.clone();
    place(&mut declarations, VALUE, field("value", value_type(output_schema)));
    declarations
}

/// What the polls and the cancelling of an operation may talk about: what is kept of the call, and the operation's id.
pub(crate) fn operated(look_up: &Declarations) -> Declarations {
    let mut declarations = look_up.clone();
    place(&mut declarations, OPERATION, field("operation", object([field("id", Type::Dynamic)])));
    declarations
}

/// What a verification may talk about: what is kept of the call, its value as `result`, and the probe's as `value`.
pub(crate) fn verified(look_up: &Declarations, output_schema: Option<&Value>) -> Declarations {
    let mut declarations = looked_up(look_up);
    place(&mut declarations, RESULT, field("result", value_type(output_schema)));
    declarations
}

fn value_type(output_schema: Option<&Value>) -> Type {
    output_schema.map_or(Type::Dynamic, Type::from_schema)
}

/// Puts a variable into its slot. A slot that stays empty has no name, so that nothing can read it.
fn place(declarations: &mut Declarations, slot: usize, variable: Field) {
    while declarations.variables.len() <= slot {
        declarations.variables.push(field("", Type::Null));
    }
    if let Some(taken) = declarations.variables.get_mut(slot) {
        *taken = variable;
    }
}

/// The same inside `each`, where `item` is bound to an item of a list of type `list`.
pub(crate) fn each(run: &Declarations, list: &Type) -> Declarations {
    let item = match list {
        Type::List(item) => Type::clone(item),
        _ => Type::Dynamic,
    };
    let mut declarations = run.clone();
    place(&mut declarations, ITEM, field("item", item));
    declarations
}

/// The same where these arguments are known to be there.
pub(crate) fn with_present(run: &Declarations, present: &[String]) -> Declarations {
    let mut declarations = run.clone();
    if let Some(Field { value: Type::Object(arguments), .. }) = declarations.variables.get_mut(ARGUMENTS) {
        let known = present.iter().map(String::as_str).collect::<Vec<_>>();
        for argument in &mut Arc::make_mut(arguments).fields {
            argument.required |= known.contains(&argument.name.as_str());
        }
    }
    declarations
}

/// What `success`, `no_effect` and `errors` may talk about.
pub(crate) fn outcome(input_schema: &Value, output_schema: Option<&Value>, told: Told) -> Declarations {
    let mut variables = call_variables(input_schema);
    // The slot of `item` stays empty here; a variable without a name cannot be read.
    variables.push(field("", Type::Null));
    variables.push(field("value", value_type(output_schema)));
    let mut declarations = Declarations { variables, functions: Functions::Plain };
    match told {
        Told::Exit => place(&mut declarations, EXIT, field("exit", object([field("status", Type::Int)]))),
        Told::Http => {
            let headers = Type::Object(Arc::new(ObjectType { fields: Vec::new(), open: true }));
            let answer = object([field("status", Type::Int), field("headers", headers)]);
            place(&mut declarations, HTTP, field("http", answer));
        }
    }
    declarations
}

fn call_variables(input_schema: &Value) -> Vec<Field> {
    vec![
        field("arguments", Type::of_arguments(input_schema)),
        field("tenant", Type::String),
        field("user", Type::String),
        field("agent", object([field("name", Type::String), optional("version", Type::String)])),
        field(
            "task",
            object([
                field("id", Type::String),
                optional("prompt", Type::String),
                field("data", Type::Dynamic),
            ]),
        ),
        field("step", Type::String),
        field("call", object([field("id", Type::String)])),
        field("workspace", Type::String),
    ]
}

fn field(name: &str, value: Type) -> Field {
    Field { name: name.to_owned(), value, required: true }
}

fn optional(name: &str, value: Type) -> Field {
    Field { required: false, ..field(name, value) }
}

fn object<const N: usize>(fields: [Field; N]) -> Type {
    Type::Object(Arc::new(ObjectType { fields: fields.into(), open: false }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_variable_stands_in_its_slot() {
        let closed = serde_json::json!({"type": "object", "additionalProperties": false});
        let names = |declarations: Declarations| {
            declarations.variables.into_iter().map(|variable| variable.name).collect::<Vec<_>>()
        };
        let call = [
            (ARGUMENTS, "arguments"),
            (TENANT, "tenant"),
            (USER, "user"),
            (AGENT, "agent"),
            (TASK, "task"),
            (STEP, "step"),
            (CALL, "call"),
            (WORKSPACE, "workspace"),
        ];
        let keyed = keyed(&super::call(&closed));
        let run = names(super::call(&closed));
        let (each, outcome) =
            (names(each(&keyed, &Type::Dynamic)), names(outcome(&closed, None, Told::Exit)));
        let verified = names(verified(&look_up(&keyed), None));
        let operated = names(operated(&look_up(&keyed)));
        let looked_up = names(looked_up(&look_up(&keyed)));
        for (slot, name) in call {
            assert_eq!((run[slot].as_str(), each[slot].as_str(), outcome[slot].as_str()), (name, name, name));
        }
        assert_eq!((run.len(), each[ITEM].as_str(), each[EFFECT].as_str()), (call.len(), "item", "effect"));
        assert_eq!((looked_up[TASK].as_str(), looked_up[STEP].as_str()), ("", ""));
        assert_eq!((looked_up[VALUE].as_str(), looked_up[EFFECT].as_str()), ("value", "effect"));
        assert_eq!((operated[OPERATION].as_str(), operated[TASK].as_str()), ("operation", ""));
        assert_eq!((verified[VALUE].as_str(), verified[RESULT].as_str()), ("value", "result"));
        assert_eq!((outcome[VALUE].as_str(), outcome[EXIT].as_str()), ("value", "exit"));
        let answered = names(super::outcome(&closed, None, Told::Http));
        assert_eq!((answered[EXIT].as_str(), answered[HTTP].as_str()), ("", "http"));
    }
}

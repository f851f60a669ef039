//! What each fuzz target does with its bytes, and what must hold whatever they are.
//!
//! A target that returns has passed: nothing panicked, overflowed or ran away, and the laws asserted here held.

use std::borrow::Cow;
use std::path::PathBuf;
use std::sync::{Arc, LazyLock};

use serde_json::{Value, json};
use tgw::catalog::{Catalog, EMBEDDED_MANIFEST, Lock, LockFile, ManifestFile};
use tgw::code::{Effect, Status};
use tgw::diagnostic::{Report, SourceMap};
use tgw::expression::{Bindings, Declarations, Expression, Field, Functions, Placement, Template, Type};
use tgw::mcp::{Client, ListLimits, list_tools};
use tgw::policy::{Policy, PolicyFile};
use tgw::wire::{IdRegister, JsonLimits, Line, ReplyView, decode_line, encode_reply, parse_strict};

/// Loads a manifest. A file that cannot be used says why, and every problem can be shown.
pub fn manifest(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let (mut sources, mut report) = (SourceMap::default(), Report::default());
    let loaded = Catalog::load(&[file("fuzz.yaml", text)], &mut sources, &mut report);
    assert_eq!(loaded.is_err(), report.has_errors());
    let _ = report.render(&sources, false);
    // What loads can be used: a schema that the loader accepted is compiled when a call first needs it.
    for contract in loaded.iter().flat_map(Catalog::contracts) {
        let _ = contract.input_schema.compiled();
    }
}

/// Loads a policy over the shipped tools.
pub fn policy(bytes: &[u8]) {
    static CATALOG: LazyLock<Catalog> = LazyLock::new(|| {
        let (mut sources, mut report) = (SourceMap::default(), Report::default());
        Catalog::load(&[file("tools.yaml", EMBEDDED_MANIFEST)], &mut sources, &mut report)
            .expect("the shipped manifest loads")
    });
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let (mut sources, mut report) = (SourceMap::default(), Report::default());
    let loaded = Policy::load(&[PolicyFile::new("fuzz.yaml", text)], &CATALOG, &mut sources, &mut report);
    assert_eq!(loaded.is_err(), report.has_errors());
    let _ = report.render(&sources, false);
}

/// Reads accepted tools: what is read is written back as it was, and a tool that cannot be held keeps no other from loading.
pub fn lock(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let Ok(lock) = Lock::read(text) else { return };
    assert_eq!(Lock::read(&lock.write()).as_ref(), Ok(&lock));
    let manifest = "version: 1\nservers: {docs: {command: [docs]}}\n";
    let accepted = LockFile { name: Arc::from("tgw.lock"), text: Arc::from(lock.write()) };
    let (mut sources, mut report) = (SourceMap::default(), Report::default());
    let loaded = Catalog::load_locked(&[file("tools.yaml", manifest)], Some(&accepted), &mut sources, &mut report);
    for contract in loaded.iter().flat_map(Catalog::contracts) {
        let _ = contract.input_schema.compiled();
    }
}

/// Takes these bytes for all that a server ever says: its tools are listed and one is called, and both come to an end.
pub fn upstream(bytes: &[u8]) {
    let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
    runtime.block_on(async {
        let client = Client::new(bytes, tokio::io::sink(), 1 << 16);
        let _ = list_tools(&client, ListLimits::default()).await;
        if let Ok(call) = client.call_tool("t", "{}", None) {
            let furthest = std::cell::Cell::new(f64::NEG_INFINITY);
            let proceeds = |step: &tgw::mcp::Progress| assert!(step.done > furthest.replace(step.done));
            let _ = call.answer(&proceeds).await;
        }
    });
}

/// Decodes a line, and answers every call of it in its own shape: one line of JSON each.
pub fn call_line(bytes: &[u8]) {
    let mut ids = IdRegister::new(7);
    let Line::Calls(calls) = decode_line(bytes, 1, JsonLimits::default(), &mut || ids.assign()) else { return };
    assert!(!calls.is_empty(), "a line that is neither empty nor a cancellation is answered");
    for incoming in calls {
        if let Ok(request) = &incoming.call {
            assert_eq!(request.id, incoming.id);
        }
        let error = incoming.call.as_ref().err();
        let reply = ReplyView {
            operation: None,
            id: incoming.id.as_str(),
            tool: incoming.name.as_deref(),
            status: if error.is_some() { Status::Failed } else { Status::Succeeded },
            effect: Effect::None,
            verification: None,
            object: None,
            content: error.is_none().then_some("content"),
            truncated: false,
            total: None,
            next: None,
            result: None,
            replayed: false,
            warnings: &[],
            error,
            receipt: None,
        };
        let mut out = Vec::new();
        encode_reply(&reply, incoming.shape, incoming.rpc_id.as_ref(), &mut out);
        assert_eq!(out.iter().filter(|byte| **byte == b'\n').count(), 1, "one line an answer");
        serde_json::from_slice::<Value>(&out).expect("an answer is JSON");
    }
}

/// Parses JSON strictly: what is accepted means the same to the parser underneath, and is written back as it was.
pub fn json(bytes: &[u8]) {
    let Ok(value) = parse_strict(bytes, JsonLimits::default()) else { return };
    let lenient: Value = serde_json::from_slice(bytes).expect("what strict reading accepts is JSON");
    assert_eq!(value, lenient);
    let written = serde_json::to_vec(&value).expect("a value can be written");
    assert_eq!(parse_strict(&written, JsonLimits::default()).expect("what was written can be read"), value);
}

/// Compiles and evaluates an expression over arguments of every kind.
pub fn expression(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    for functions in [Functions::Plain, Functions::Rule] {
        match Expression::compile(text, &declarations(functions), &Type::Dynamic) {
            Ok(expression) => {
                let _ = expression.evaluate(&Arguments);
                let _ = expression.evaluate_bool(&Arguments);
                let _ = expression.trace(&Arguments);
                let _ = expression.fields_read("arguments");
            }
            Err(errors) => {
                for error in errors {
                    assert!(text.get(error.range).is_some(), "a problem has its place in the text");
                }
            }
        }
    }
}

/// Compiles and renders a template.
pub fn template(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    for placement in [Placement::Text, Placement::Value] {
        match Template::compile(text, &declarations(Functions::Plain), placement) {
            Ok(template) => {
                let _ = template.render_value(&Arguments);
                if let Ok(rendered) = template.render_text(&Arguments) {
                    assert!(
                        text.contains("{{") || rendered == text,
                        "text without placeholders stays as it is"
                    );
                }
            }
            Err(errors) => {
                for error in errors {
                    assert!(text.get(error.range).is_some(), "a problem has its place in the text");
                }
            }
        }
    }
}

fn file(name: &str, text: &str) -> ManifestFile {
    ManifestFile { name: Arc::from(name), text: Arc::from(text), base: PathBuf::from("/"), trusted: true }
}

/// One value of every kind that arguments can hold.
static ARGUMENTS: LazyLock<Value> = LazyLock::new(|| {
    json!({
        "text": "a/../b\u{202e} https://user@example.com:8080/x?y#z",
        "empty": "",
        "int": i64::MIN,
        "big": u64::MAX,
        "number": -0.0,
        "flag": true,
        "nothing": null,
        "list": [1, 2.5, "x", [null], {"a": 1}],
        "object": {"a": {"b": [1, 2, 3]}, "key with space": 1},
    })
});

fn declarations(functions: Functions) -> Declarations {
    let schema = json!({"type": "object", "properties": {
        "text": {"type": "string"}, "empty": {"type": "string"}, "int": {"type": "integer"}, "big": {"type": "integer"},
        "number": {"type": "number"}, "flag": {"type": "boolean"}, "nothing": {"type": "null"}, "list": {"type": "array"},
        "object": {"type": "object"}, "absent": {"type": "string"},
    }});
    let field = |name: &str, value| Field { name: name.to_owned(), value, required: true };
    let variables = vec![field("arguments", Type::of_arguments(&schema)), field("user", Type::String)];
    Declarations { variables, functions }
}

struct Arguments;

impl Bindings for Arguments {
    fn variable(&self, slot: usize) -> Option<Cow<'_, Value>> {
        match slot {
            0 => Some(Cow::Borrowed(&ARGUMENTS)),
            1 => Some(Cow::Owned(Value::from("ann"))),
            _ => None,
        }
    }
}

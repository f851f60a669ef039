//! The backend: it keeps its own truth, in steps that a kill cannot tear.
//!
//! Each effect is a symbolic link in `m/truth`, named by the call that made it and leading to `tool/ref/amount`: it is there
//! or it is not. A look-up that finds nothing closes the name of the call in the same step, so that a late order is refused
//! (an order can outlive its gateway by a moment) and what was answered stays true.

use serde_json::{Value, json};

use crate::harness::Space;

/// What the orders of one space may come to together.
pub(super) const LIMIT: u64 = 40;

/// The tools of the backend that change something.
pub(super) const CHANGING: [&str; 4] = ["order", "pay", "send", "ship"];

/// `$1` is the call, `$2` the tool, `$3` the reference, `$4` the amount, `$5` the fault. What a call does twice is noted.
const ORDER: &str = r#"[ "$5" = refuses ] && exit 9
if ! ln -sT "$2/$3/$4" "m/truth/$1" 2> /dev/null; then
  [ "$(readlink "m/truth/$1")" = void ] && exit 9
  echo "$1" >> m/twice; exit 3
fi
[ "$5" = breaks ] && exit 3
echo "{\"ref\":\"$3\",\"amount\":$4}""#;

/// Finds what a call did, or sees to it that it never does anything.
const FIND: &str = r#"if ln -sT void "m/truth/$1" 2> /dev/null || [ "$(readlink "m/truth/$1")" = void ]; then echo '{"items":[]}'; exit; fi
IFS=/ read -r tool ref amount <<END
$(readlink "m/truth/$1")
END
echo "{\"items\":[{\"ref\":\"$ref\",\"amount\":$amount}]}""#;

/// Recognises its key by itself.
const SEND: &str = r#"ln -sT "$2/$3/$4" "m/truth/send-$3" 2> /dev/null
echo "{\"ref\":\"$3\",\"amount\":$4}""#;

/// Takes a job, which gets done, or refused for a reference that ends in `x`, when it is asked about a second time.
const SHIP: &str = r#"ln -sT "$2/$3/$4" "m/jobs/$1" 2> /dev/null || { echo "$1" >> m/twice; exit 3; }
echo "{\"job\":\"$1\"}""#;

const POLL: &str = r#"echo >> "m/polls/$1"
job=$(readlink "m/jobs/$1")
[ "$(wc -l < "m/polls/$1")" -lt 2 ] && { echo '{"state":"running"}'; exit; }
case $job in */*x/*) echo '{"state":"refused"}'; exit;; esac
ln -sT "$job" "m/truth/$1" 2> /dev/null
IFS=/ read -r tool ref amount <<END
$job
END
echo "{\"state\":\"done\",\"value\":{\"ref\":\"$ref\",\"amount\":$amount} }""#;

/// Payments are asked about, and orders have a budget.
fn policy() -> String {
    format!(
        "version: 1\ndefault_verdict: allow\n\
         rules: [{{id: ask, verdict: require_approval, tools: [pay], reason: it costs money}}]\n\
         budgets: [{{id: spend, tools: [order], per: tenant, sum: arguments.amount, limit: {LIMIT}}}]\n"
    )
}

fn changes(name: &str, script: &str, more: Value) -> Value {
    let mut tool = json!({
        "name": name, "description": "Changes something.", "risk": "external", "execution_mode": "exclusive",
        "sandbox": {"level": "none", "write": ["m"]}, "result": {"trust": "trusted"}, "idempotency": {"key": "{{arguments.ref}}"},
        "input_schema": {"type": "object", "additionalProperties": false, "required": ["ref"], "properties": {
            "ref": {"type": "string"}, "amount": {"type": "integer", "default": 1}, "fault": {"type": "string", "default": "none"},
        }},
        "run": {"command": {
            "argv": ["sh", "-c", script, "sh", "{{call.id}}", name, "{{arguments.ref}}", "{{arguments.amount}}", "{{arguments.fault}}"],
            "output": "json", "no_effect": "exit.status == 9",
        }},
    });
    let Value::Object(more) = more else { panic!("{more}") };
    tool.as_object_mut().unwrap().extend(more);
    tool
}

fn looks(name: &str, script: &str) -> Value {
    json!({
        "name": name, "description": "Looks.", "risk": "read_only", "execution_mode": "exclusive", "internal": name != "look",
        "sandbox": {"level": "none"}, "result": {"trust": "trusted"},
        "input_schema": {"type": "object", "additionalProperties": false, "properties": {"call": {"type": "string"}}},
        "run": {"command": {"argv": ["sh", "-c", script, "sh", "{{arguments.?call.orValue('')}}"], "output": "json"}},
    })
}

fn tools() -> String {
    let about = json!({"call": "{{call.id}}"});
    let found = "size(value.items) == 1";
    json!({"version": 1, "tools": [
        changes("order", ORDER, json!({
            "reconcile": {"tool": "find", "arguments": about, "found_when": found, "value": "/items/0",
                "absence": {"when": "size(value.items) == 0", "proves_after": "1ms"}},
            "verify": {"tool": "find", "arguments": about, "expect": found},
        })),
        changes("pay", ORDER, json!({"idempotency": "none"})),
        changes("send", SEND, json!({"idempotency": {"key": "{{arguments.ref}}", "retry": "safe"}})),
        changes("ship", SHIP, json!({"operation": {
            "accepted_when": "has(value.job)", "id": "/job", "interval": "20ms", "timeout": "10m",
            "poll": {"tool": "poll", "arguments": {"call": "{{operation.id}}"}},
            "state": {"pointer": "/state", "map": {"running": "working", "done": "succeeded", "refused": "failed"}},
            "value": "/value",
        }})),
        looks("find", FIND),
        looks("poll", POLL),
        looks("look", "echo '{}'"),
    ]})
    .to_string()
}

/// A space with the backend in it, which has done nothing yet.
pub(super) fn space() -> Space {
    let space = Space::with(&tools(), &policy());
    for name in ["truth", "jobs", "polls"] {
        std::fs::create_dir_all(space.path("m").join(name)).unwrap();
    }
    space
}

/// What one call did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Happened {
    /// What it is known by: the call that made it, or the key where the backend goes by that.
    pub(super) by: String,
    pub(super) tool: String,
    pub(super) reference: String,
    pub(super) amount: u64,
}

/// Everything that happened.
pub(super) fn truth(space: &Space) -> Vec<Happened> {
    assert_eq!(space.read("m/twice"), None, "a call was carried out twice");
    let mut happened = Vec::new();
    for entry in std::fs::read_dir(space.path("m/truth")).unwrap() {
        let path = entry.unwrap().path();
        let target = std::fs::read_link(&path).unwrap().into_os_string().into_string().unwrap();
        let parts: Vec<&str> = target.split('/').collect();
        if let [tool, reference, amount] = parts[..] {
            happened.push(Happened {
                by: path.file_name().unwrap().to_str().unwrap().to_owned(),
                tool: tool.to_owned(),
                reference: reference.to_owned(),
                amount: amount.parse().unwrap(),
            });
        }
    }
    happened
}

/// What the backend knows an effect of the ledger by.
pub(super) fn name_of(tool: &str, reference: &str, call: &str) -> String {
    if tool == "send" { format!("send-{reference}") } else { call.to_owned() }
}

/// Sees to it that a call which did nothing never will; what a person does before saying so.
pub(super) fn close(space: &Space, call: &str) {
    let closed = std::os::unix::fs::symlink("void", space.path("m/truth").join(call));
    // A look-up may have done so before.
    assert!(closed.is_ok() || closed.is_err_and(|error| error.kind() == std::io::ErrorKind::AlreadyExists));
}

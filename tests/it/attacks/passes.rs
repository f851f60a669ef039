//! Getting a backend to act on a pass that is not for what is asked, and getting at what passes are signed with.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::{Value, json};
use tgw::signature::SecretKey;

use super::fixture::{ASK, FREE, files_below, holds, scripts};
use crate::approvals::fixture::{approval_id, approve};
use crate::place::{Ended, Place, finish, has_program, verdict};

/// The tool of the example, with a command that keeps its pass where the adversary finds it.
const CAPTURING: &str = r#"
version: 1
credentials:
  purchasing: {source: {mint: {audience: purchasing, lifetime: 60s}}}
  elsewhere: {source: {mint: {audience: elsewhere, lifetime: 60s}}}
tools:
  - name: create_purchase_request
    version: 1.0.0
    description: Keeps its pass.
    risk: write
    changes: one file
    object: {type: purchase_request, before: '{{arguments.reference}}'}
    execution_mode: exclusive
    egress: false
    input_schema:
      type: object
      additionalProperties: false
      required: [reference]
      properties:
        reference: {type: string}
        supplier_id: {type: string, default: S-2}
        amount_minor: {type: number, default: 39900}
        currency: {type: string, default: EUR}
    run: {command: {argv: [sh, -c, 'printf %s "$PASS" > pass; printf %s "$PASS"'], credentials: {PASS: purchasing}}}
    result: {trust: untrusted}
  - name: other
    version: 1.0.0
    description: Keeps its pass.
    risk: write
    changes: one file
    execution_mode: exclusive
    egress: false
    input_schema: {type: object, additionalProperties: false, properties: {}}
    run: {command: {argv: [sh, -c, 'printf %s "$PASS" > pass'], credentials: {PASS: elsewhere}}}
    result: {trust: untrusted}
"#;

struct Scene {
    place: Place,
    backend: PathBuf,
}

fn place() -> Place {
    let place = Place::new();
    place.configure(CAPTURING, FREE);
    place
}

fn order() -> Value {
    json!({"reference": "R-1", "supplier_id": "S-2", "amount_minor": 39_900, "currency": "EUR"})
}

impl Scene {
    /// A key, and the backend of the example; `None` where that is not built.
    fn begin() -> Option<Self> {
        let backend = Path::new(env!("CARGO_BIN_EXE_tgw")).with_file_name("examples").join("procurement");
        if !backend.exists() {
            eprintln!("skipped: run `cargo build --example procurement` first");
            return None;
        }
        let place = place();
        assert_eq!(place.ask(&["keys", "generate"]).code, Some(0));
        let scene = Self { place, backend };
        scene.publish();
        Some(scene)
    }

    fn publish(&self) {
        self.place.aside("jwks.json", &self.place.ask(&["keys", "jwks"]).stdout);
    }

    /// Makes a call, and returns the pass that it had.
    fn captured(&self, more: &[&str], tool: &str, arguments: &Value) -> String {
        let line = json!({"name": tool, "arguments": arguments}).to_string();
        assert_eq!(verdict(&self.place.run(more, line).line()), "succeeded");
        fs::read_to_string(self.place.workspace().join("pass")).unwrap()
    }

    /// Asks the backend for an order, as whoever holds a pass can.
    fn order(&self, pass: &str, tenant: &str, payload: &Value) -> Ended {
        let keys = self.place.workspace().parent().unwrap().join("aside/jwks.json");
        let mut command = self.place.command(&self.backend.display().to_string());
        command.args(["request", "--tenant", tenant, "--key", "R-1"]);
        command.env("PROCUREMENT_KEYS", keys).env("PURCHASING_PASS", pass);
        finish(&mut command, payload.to_string().as_bytes())
    }

    fn refused(&self, pass: &str, tenant: &str, payload: &Value, why: &str) {
        let ended = self.order(pass, tenant, payload);
        assert_eq!(ended.code, Some(2), "{ended:?}");
        assert!(
            ended.stderr.contains("the pass is refused") && ended.stderr.contains(why),
            "{why}: {ended:?}"
        );
    }
}

/// A pass with other claims, signed with a key of the adversary's or not at all.
fn altered(pass: &str, change: impl FnOnce(&mut Value, &mut Value), key: Option<&SecretKey>) -> String {
    let parts: Vec<&str> = pass.split('.').collect();
    let read = |part: &str| serde_json::from_slice(&URL_SAFE_NO_PAD.decode(part).unwrap()).unwrap();
    let (mut header, mut claims): (Value, Value) = (read(parts[0]), read(parts[1]));
    change(&mut header, &mut claims);
    let write = |value: &Value| URL_SAFE_NO_PAD.encode(value.to_string());
    let signed = format!("{}.{}", write(&header), write(&claims));
    let signature =
        key.map_or(parts[2].to_owned(), |key| URL_SAFE_NO_PAD.encode(key.sign(signed.as_bytes())));
    format!("{signed}.{signature}")
}

#[test]
fn a_pass_is_good_once_for_its_own_call_and_replayed_for_nothing() {
    let Some(scene) = Scene::begin() else { return };
    let pass = scene.captured(&[], "create_purchase_request", &json!({"reference": "R-1"}));
    assert_eq!(scene.order(&pass, "local", &order()).code, Some(0), "defaults are part of the arguments");
    scene.refused(&pass, "local", &order(), "it was used before");
}

#[test]
fn a_forged_pass_is_refused() {
    let Some(scene) = Scene::begin() else { return };
    let pass = scene.captured(&[], "create_purchase_request", &order());
    let own = SecretKey::random().unwrap();
    let kid = own.public().thumbprint();
    let later = |_: &mut Value, claims: &mut Value| claims["exp"] = json!(9_999_999_999_u64);
    let unsigned = altered(&pass, |header, _| header["alg"] = json!("none"), None);
    for forged in [
        String::new(),
        "a.b.c".to_owned(),
        pass[..pass.len() - 4].to_owned(),
        format!("{}.", pass.rsplit_once('.').unwrap().0),
        format!("{}.", unsigned.rsplit_once('.').unwrap().0),
        unsigned,
        altered(&pass, later, None),
        altered(&pass, later, Some(&own)),
        altered(&pass, |header, _| header["kid"] = json!(kid), Some(&own)),
        altered(&pass, |header, _| header["typ"] = json!("JWT"), None),
    ] {
        scene.refused(&forged, "local", &order(), "it is forged");
    }
    assert_eq!(scene.order(&pass, "local", &order()).code, Some(0), "the pass itself is good");
}

#[test]
fn a_pass_is_worth_nothing_for_other_arguments_another_tenant_tool_or_audience() {
    let Some(scene) = Scene::begin() else { return };
    let pass = scene.captured(&[], "create_purchase_request", &order());
    for (field, value) in [
        ("amount_minor", json!(39_901)),
        ("supplier_id", json!("S-1")),
        ("note", json!("more")),
        ("currency", Value::Null),
    ] {
        let mut other = order();
        other[field] = value;
        scene.refused(&pass, "local", &other, "`arguments` differs");
    }
    scene.refused(&pass, "other", &order(), "`tenant` differs");
    let other = scene.captured(&["--tenant", "other"], "create_purchase_request", &order());
    scene.refused(&other, "local", &order(), "`tenant` differs");
    scene.refused(&scene.captured(&[], "other", &json!({})), "local", &order(), "`aud` differs");
    let mut lent =
        fs::read_to_string(scene.place.workspace().parent().unwrap().join("aside/tools.yaml")).unwrap();
    lent = lent.replace("{PASS: elsewhere}", "{PASS: purchasing}");
    scene.place.aside("tools.yaml", &lent);
    scene.refused(&scene.captured(&[], "other", &json!({})), "local", &order(), "`tool` differs");
}

#[test]
fn a_stale_pass_is_refused() {
    let Some(scene) = Scene::begin() else { return };
    let key = fs::read_to_string(scene.place.state().join("pass.key")).unwrap();
    let key = SecretKey::from_pem(&key[key.find("-----BEGIN").unwrap()..]).unwrap();
    let pass = scene.captured(&[], "create_purchase_request", &order());
    // Signed with the real key: only its time is over, or not yet there.
    for (claim, at) in [("exp", 1_000_000_000_u64), ("nbf", 9_999_999_999)] {
        let stale = altered(&pass, |_, claims| claims[claim] = json!(at), Some(&key));
        scene.refused(&stale, "local", &order(), "it is stale");
    }
}

#[test]
fn a_rotation_counts_at_once_and_what_was_signed_before_holds_to_its_end() {
    let Some(scene) = Scene::begin() else { return };
    let before = scene.captured(&[], "create_purchase_request", &order());
    assert_eq!(scene.place.ask(&["keys", "rotate"]).code, Some(0));
    let after = scene.captured(&[], "create_purchase_request", &order());
    scene.refused(&after, "local", &order(), "it is forged");
    scene.publish();
    assert_eq!(scene.order(&before, "local", &order()).code, Some(0));
    assert_eq!(scene.order(&after, "local", &order()).code, Some(0));
}

#[test]
fn the_python_of_the_documentation_takes_a_pass_and_refuses_what_the_backend_refuses() {
    let Some(scene) = Scene::begin() else { return };
    let probe = "import cryptography.hazmat.primitives.asymmetric.ed25519";
    let has = has_program("python3")
        && finish(scene.place.command("python3").args(["-c", probe]), b"").code == Some(0);
    if crate::place::skipped(has, "Python with `cryptography`") {
        return;
    }
    let page = fs::read_to_string(crate::harness::checkout().join("docs/backend.md")).unwrap();
    let mut program: String =
        page.split("```python\n").skip(1).map(|rest| rest.split("```").next().unwrap()).collect();
    program.push_str(
        r#"
import sys
pass_, keys, good = sys.argv[1], json.loads(sys.argv[2]), json.loads(sys.argv[3])
assert plain_json({"b": 2.0, "a": [12.5, "é"]}) == '{"a":[1.25e1,"é"],"b":2}'
assert plain_json([1e21, -0.0, 5e-324, 9007199254740993, "\x07\x7f/"]) == '[1000000000000000000000,0,5e-324,9007199254740993,"\\u0007\x7f/"]'
used = set()
def refused(*words):
    try: check(*words, used)
    except Exception: return
    raise SystemExit("taken")
tool = "create_purchase_request"
refused(keys, pass_, "other", tool, good)
refused(keys, pass_, "local", "other", good)
refused(keys, pass_, "local", tool, {**good, "amount_minor": 1})
refused(keys, pass_[:-4] + "AAAA", "local", tool, good)
refused({"keys": []}, pass_, "local", tool, good)
check(keys, pass_, "local", tool, good, used)
refused(keys, pass_, "local", tool, good)
print("checked")
"#,
    );
    let script = scene.place.aside("check.py", &program);
    let mut arguments = order();
    arguments["amount_minor"] = json!(12.5);
    let pass = scene.captured(&[], "create_purchase_request", &arguments);
    let keys = scene.place.ask(&["keys", "jwks"]).stdout;
    let mut command = scene.place.command("python3");
    command.arg(script).args([&pass, &keys, &arguments.to_string()]);
    let ended = finish(&mut command, b"");
    assert_eq!(ended.stdout, "checked\n", "{ended:?}");
}

#[test]
fn the_rust_of_the_documentation_is_the_example() {
    let read = |name: &str| fs::read_to_string(crate::harness::checkout().join(name)).unwrap();
    let page = read("docs/backend.md");
    let shown = page.split("```rust\n").nth(1).unwrap().split("```").next().unwrap();
    assert!(read("examples/procurement/pass.rs").contains(shown), "{shown}");
}

#[test]
fn a_pass_is_shown_and_kept_nowhere() {
    let place = place();
    assert_eq!(place.ask(&["keys", "generate"]).code, Some(0));
    let answer = place.call("create_purchase_request", order());
    assert_eq!(answer["content"], "[secret:purchasing]", "{answer}");
    let pass = fs::read_to_string(place.workspace().join("pass")).unwrap();
    for (path, bytes) in files_below(&place.state()) {
        assert!(!holds(&bytes, &pass), "{}", path.display());
    }
    let audit = place.audit();
    let used: Vec<&Value> = audit.iter().filter_map(|line| line["record"]["credentials"].get(0)).collect();
    assert_eq!(used.len(), 2, "{audit:?}");
    for used in used {
        let kid = place.ask(&["keys", "list", "--json"]).stdout;
        assert!(kid.contains(used["key"].as_str().unwrap()), "{used}");
        assert!(used["expires"].as_u64().unwrap() > 1_700_000_000_000, "{used}");
        assert_eq!((&used["name"], &used["source"]), (&json!("purchasing"), &json!("mint")));
    }
}

#[test]
fn without_a_key_that_is_its_owners_alone_nothing_runs() {
    let place = place();
    let unavailable = |hint: &str| {
        let answer = place.call("create_purchase_request", order());
        assert_eq!(verdict(&answer), "failed/CREDENTIAL_UNAVAILABLE", "{answer}");
        assert!(answer["error"]["hint"].as_str().unwrap().contains(hint), "{answer}");
        assert!(!answer.to_string().contains("pass.key"), "{answer}");
        assert!(!place.workspace().join("pass").exists());
    };
    unavailable("tgw keys generate");
    place.ask(&["keys", "generate"]);
    let file = place.state().join("pass.key");
    for mode in [0o640, 0o604, 0o660] {
        fs::set_permissions(&file, fs::Permissions::from_mode(mode)).unwrap();
        unavailable("tgw doctor");
        for command in ["generate", "rotate", "list", "jwks"] {
            let ended = place.ask(&["keys", command]);
            assert_eq!(ended.code, Some(1), "{command}: {ended:?}");
        }
        let doctor = place.ask(&["doctor"]).stdout;
        assert!(doctor.contains("PROBLEM") && doctor.contains("others may use it"), "{doctor}");
    }
    fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).unwrap();
    assert_eq!(verdict(&place.call("create_purchase_request", order())), "succeeded");
}

#[test]
fn a_key_in_the_workspace_signs_nothing() {
    let place = place();
    let inside = place.workspace().join("state");
    let store = place.workspace().parent().unwrap().join("elsewhere");
    fs::create_dir(&store).unwrap();
    fs::set_permissions(&store, fs::Permissions::from_mode(0o700)).unwrap();
    let store = store.join("state.db").display().to_string();
    let run = |words: &[&str], input: &[u8]| {
        let mut command = place.tgw(&[words, &["--state", &store]].concat());
        finish(command.env("XDG_STATE_HOME", &inside), input)
    };
    let mut generate = place.tgw(&["keys", "generate"]);
    assert_eq!(finish(generate.env("XDG_STATE_HOME", &inside), b"").code, Some(0));
    let line = json!({"name": "create_purchase_request", "arguments": order()}).to_string();
    let answer = run(&["run"], line.as_bytes()).line();
    assert_eq!(verdict(&answer), "failed/CREDENTIAL_UNAVAILABLE", "{answer}");
    assert!(answer["error"]["message"].as_str().unwrap().contains("lies in the workspace"), "{answer}");
    assert!(!place.workspace().join("pass").exists());
    let doctor = run(&["doctor"], b"").stdout;
    assert!(doctor.contains("purchasing: the key to sign passes with lies in the workspace"), "{doctor}");
}

#[test]
fn an_object_whose_id_makes_a_pass_too_long_has_none_and_uses_no_yes_up() {
    let place = place();
    place.ask(&["keys", "generate"]);
    place.aside("policy.yaml", &ASK.replace(", approval: {remember: [[/word]]}", ""));
    let asked = place.call("create_purchase_request", json!({"reference": "R".repeat(200_000)}));
    let id = approval_id(&asked);
    approve(&place, &id);
    for _ in 0..2 {
        let answer = place.ask(&["approvals", "run", &id]).line();
        assert_eq!(verdict(&answer), "failed/CREDENTIAL_UNAVAILABLE", "{answer}");
        assert!(answer["error"]["message"].as_str().unwrap().contains("longer than 8 KiB"), "{answer}");
    }
}

#[test]
fn a_call_cannot_show_its_own_pass_however_many_others_were_made_since() {
    let names: Vec<String> = (0..20).map(|number| format!("c{number}")).collect();
    let sources: String = names
        .iter()
        .map(|name| format!("  {name}: {{source: {{mint: {{audience: a, lifetime: 60s}}}}}}\n"))
        .collect();
    let variables: Vec<String> =
        names.iter().map(|name| format!("{}: {name}", name.to_uppercase())).collect();
    let tools = format!(
        r#"
version: 1
credentials:
{sources}tools:
  - name: show
    version: 1.0.0
    description: Shows its first pass, encoded.
    risk: read_only
    execution_mode: exclusive
    egress: false
    input_schema: {{type: object, additionalProperties: false, properties: {{}}}}
    run: {{command: {{argv: [sh, -c, 'printf %s "$C0" | base64 | tr -d "=\n"'], credentials: {{{}}}}}}}
    result: {{trust: untrusted}}
"#,
        variables.join(", ")
    );
    let place = Place::new();
    place.configure(&tools, FREE);
    place.ask(&["keys", "generate"]);
    let answer = place.call("show", json!({}));
    assert_eq!(answer["content"], "[secret:c0]", "{answer}");
}

#[test]
fn a_leaked_key_is_withdrawn_at_once() {
    let Some(scene) = Scene::begin() else { return };
    let pass = scene.captured(&[], "create_purchase_request", &order());
    let kid = scene.place.ask(&["keys", "list", "--json"]).line()[0]["kid"].as_str().unwrap().to_owned();
    let ended = scene.place.ask(&["keys", "retire", &kid]);
    assert_eq!(ended.code, Some(1));
    assert!(ended.stderr.contains("tgw keys rotate"), "the key in use: {ended:?}");
    assert_eq!(scene.place.ask(&["keys", "rotate"]).code, Some(0));
    assert_eq!(scene.place.ask(&["keys", "retire", &kid]).code, Some(0));
    scene.publish();
    scene.refused(&pass, "local", &order(), "it is forged");
    let pass = scene.captured(&[], "create_purchase_request", &order());
    assert_eq!(scene.order(&pass, "local", &order()).code, Some(0));
}

#[test]
fn an_id_of_a_key_that_begins_like_a_flag_is_an_id() {
    let place = place();
    place.ask(&["keys", "generate"]);
    let ended = place.ask(&["keys", "retire", "-x"]);
    assert!(ended.code == Some(1) && ended.stderr.contains("no earlier key has the id `-x`"), "{ended:?}");
}

#[test]
fn a_missing_key_uses_no_yes_up() {
    let place = place();
    place.aside("policy.yaml", &ASK.replace(", approval: {remember: [[/word]]}", ""));
    let asked = place.call("create_purchase_request", order());
    let id = approval_id(&asked);
    approve(&place, &id);
    let run = || place.ask(&["approvals", "run", &id]).line();
    assert_eq!(verdict(&run()), "failed/CREDENTIAL_UNAVAILABLE");
    place.ask(&["keys", "generate"]);
    assert_eq!(verdict(&run()), "succeeded");
}

#[test]
fn a_policy_keeps_a_pass_from_other_tools_and_agents() {
    let place = place();
    place.ask(&["keys", "generate"]);
    let limited = |limit: &str| {
        place.aside(
            "policy.yaml",
            &format!("version: 1\ndefault_verdict: allow\nagents: {{buyer: {{}}, clerk: {{}}}}\ncredentials: [{limit}]\nrules: []\n"),
        );
        let _ = fs::remove_file(place.workspace().join("pass"));
        let line = json!({"name": "create_purchase_request", "arguments": order()}).to_string();
        let said = verdict(&place.run(&["--agent", "buyer"], line).line());
        assert_eq!(place.workspace().join("pass").exists(), said == "succeeded", "{limit}");
        said
    };
    let own = "{credential: purchasing, tools: [create_purchase_request], agents: [buyer]}";
    assert_eq!(limited(own), "succeeded");
    assert_eq!(limited("{credential: purchasing, tools: [other]}"), "denied/PERMISSION_DENIED");
    assert_eq!(limited("{credential: purchasing, agents: [clerk]}"), "denied/PERMISSION_DENIED");
}

#[test]
fn a_sandboxed_command_cannot_read_what_passes_are_signed_with() {
    let place = scripts("{level: confined}");
    place.ask(&["keys", "generate"]);
    let file = place.state().join("pass.key");
    let inner = fs::read_to_string(&file).unwrap().lines().nth(2).unwrap().to_owned();
    let state = place.state().parent().unwrap().display().to_string();
    let binary = crate::harness::BINARY;
    for attempt in [
        format!("cat {}", file.display()),
        format!("ln {} stolen; cat stolen", file.display()),
        format!("ln -s {} stolen2; cat stolen2", file.display()),
        format!("ls -la {}", place.state().display()),
        format!("XDG_STATE_HOME={state} {binary} keys list"),
    ] {
        let answer = place.call("sh", json!({ "script": attempt }));
        if verdict(&answer) == "failed/SANDBOX_UNAVAILABLE" {
            crate::place::skipped(false, "sandbox");
            return;
        }
        let said = answer.to_string();
        assert!(!said.contains(&inner) && !said.contains("rw-------"), "{attempt}: {answer}");
    }
    for (path, bytes) in files_below(&place.workspace()) {
        assert!(!holds(&bytes, &inner), "{}", path.display());
    }
}

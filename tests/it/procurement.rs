//! The worked example, `examples/procurement`: compare and ask, then order once, with two people's yes.

use std::path::{Path, PathBuf};

use rustix::process::Signal;
use serde_json::{Value, json};

use crate::documents::difference;
use crate::harness::{Run, Space, call, checkout, code, outcomes, process, status};
use crate::pipeline::signal;

const BACKEND: &str = "procurement";

struct Story {
    space: Space,
    backend: PathBuf,
}

impl Story {
    /// The example beside an empty workspace; `None` where its backend is not built.
    fn begin() -> Option<Self> {
        Self::begin_with(|tools| tools)
    }

    /// The same with tools that were changed.
    fn begin_with(change: impl FnOnce(String) -> String) -> Option<Self> {
        let backend = Path::new(env!("CARGO_BIN_EXE_tgw")).with_file_name("examples").join(BACKEND);
        if !backend.exists() {
            eprintln!("skipped: run `cargo build --example procurement` first");
            return None;
        }
        let read =
            |name: &str| std::fs::read_to_string(checkout().join("examples/procurement").join(name)).unwrap();
        let space = Space::with(&change(read("tools.yaml")), &read("policy.yaml"));
        space.write_beside("files/task.yaml", read("task.yaml"));
        Some(Self { space, backend })
    }

    fn tgw<'a>(&'a self, arguments: &[&'a str]) -> Run<'a> {
        let folder = self.backend.parent().unwrap().display();
        let path = format!("{folder}:{}", std::env::var("PATH").unwrap_or_default());
        self.space.tgw(arguments.iter().copied()).variable("PATH", &path)
    }

    /// Sends these calls in the task, for ann.
    fn send<'a>(&'a self, lines: &[String]) -> Run<'a> {
        let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
        self.tgw(&["run", "--task", "desks", "--user", "ann"]).with_files().lines_in(&lines)
    }

    /// What the backend itself says.
    fn backend(&self, words: &[&str]) -> Value {
        let output = process(&self.backend).args(words).current_dir(self.space.path("")).output().unwrap();
        assert!(output.status.success(), "{words:?}: {output:?}");
        serde_json::from_slice(&output.stdout).unwrap()
    }

    fn happened(&self) -> [usize; 4] {
        let told = self.backend(&["tell"]);
        ["drafts", "inquiries", "deliveries", "requests"].map(|kind| told[kind].as_array().unwrap().len())
    }

    /// The effects that are in this state.
    fn effects(&self, state: &str) -> Vec<String> {
        let text = self.tgw(&["effects", "list", "--json", "--status", state]).text();
        let listed: Vec<Value> = serde_json::from_str(&text).unwrap();
        listed.iter().map(|effect| effect["id"].as_str().unwrap().to_owned()).collect()
    }

    /// Waits for the one effect that goes on elsewhere, and returns what became of it.
    fn wait(&self) -> Value {
        let going = [self.effects("accepted"), self.effects("working")].concat();
        let [id] = going.as_slice() else { panic!("{going:?} go on") };
        serde_json::from_str(&self.tgw(&["effects", "wait", id]).with_files().text()).unwrap()
    }
}

fn ask(id: &str, reference: &str, supplier: &str) -> String {
    call(
        id,
        "ask_supplier",
        &json!({"reference": reference, "supplier_id": supplier, "question": "When do you deliver?"}),
    )
}

#[test]
fn suppliers_are_compared_and_asked_and_nothing_is_ordered() {
    let Some(story) = Story::begin() else { return };
    let task = story.space.beside("files/task.yaml").display().to_string();
    story.tgw(&["task", "start", &task]).with_files().text();
    let seen = story.tgw(&["tools", "--task", "desks", "--json"]).with_files().text();
    let offers = |name: &str| seen.contains(&format!("\"name\": \"{name}\""));
    assert!(offers("ask_supplier") && !offers("create_purchase_request"), "{seen}");

    let order = json!({"reference": "R-1", "supplier_id": "S-2", "amount_minor": 39_900, "currency": "EUR"});
    let answers = story
        .send(&[
            call("c1", "search_suppliers", &json!({"item": "desk"})),
            call("c2", "create_purchase_request", &order),
            call(
                "c3",
                "save_supplier_comparison_draft",
                &json!({"reference": "C-1", "summary": "S-2 is cheapest."}),
            ),
            ask("c4", "I-1", "S-2"),
            ask("c5", "I-2", "S-9"),
        ])
        .answers();
    assert_eq!(
        outcomes(&answers),
        [("c1", "succeeded"), ("c2", "denied"), ("c3", "succeeded"), ("c4", "accepted"), ("c5", "failed")]
    );
    assert_eq!((code(&answers[1]), code(&answers[4])), ("PERMISSION_DENIED", "PRECONDITION_FAILED"));
    assert!(
        answers[1]["error"]["message"].as_str().unwrap().contains("the step `compare`"),
        "{}",
        answers[1]
    );

    let resolved = story.wait();
    assert_eq!(
        (&resolved["id"], &resolved["status"], &resolved["verification"]),
        (&json!("c4"), &json!("succeeded"), &json!("verified"))
    );
    assert_eq!(story.happened(), [1, 1, 1, 0]);
    story.space.intact();
}

#[test]
fn an_inquiry_that_is_killed_half_way_is_one_mail() {
    let Some(story) = Story::begin() else { return };
    let task = story.space.beside("files/task.yaml").display().to_string();
    story.tgw(&["task", "start", &task]).with_files().text();
    story.backend(&["fault", "--name", "hang-after"]);
    let mut running = story.send(&[]).start();
    std::io::Write::write_all(&mut running.stdin.take().unwrap(), ask("c1", "I-1", "S-2").as_bytes())
        .unwrap();
    while story.happened()[1] == 0 {
        assert!(running.try_wait().unwrap().is_none(), "it ended before the mail was taken");
        std::thread::yield_now();
    }
    signal(running.id(), Signal::KILL);
    running.wait().unwrap();

    // Another gateway finds what became of it, and goes on with it; the same inquiry again is the same mail.
    let again = story.send(&[ask("c2", "I-1", "S-2")]).answers().remove(0);
    assert!(matches!(status(&again), "accepted" | "working" | "succeeded"), "{again}");
    if status(&again) != "succeeded" {
        assert_eq!(story.wait()["status"], "succeeded");
    }
    assert_eq!(story.happened(), [0, 1, 1, 0]);
    story.space.intact();
}

#[test]
fn an_order_takes_two_others_and_happens_once() {
    let Some(story) = Story::begin() else { return };
    let task = story.space.beside("files/task.yaml").display().to_string();
    story.tgw(&["task", "start", &task]).with_files().text();
    let step = |more: &'static [&'static str]| {
        story.tgw(&[&["task", "step", "desks", "execute"], more].concat()).with_files().ended()
    };
    assert_eq!(step(&[]).status, Some(3), "the gate is closed until a supplier is chosen");
    assert_eq!(step(&["--data", r#"{"chosen_supplier":"S-2"}"#]).status, Some(0));

    let order = |reference: &str, amount: u64| {
        let arguments =
            json!({"reference": reference, "supplier_id": "S-2", "amount_minor": amount, "currency": "EUR"});
        story.send(&[call("o1", "create_purchase_request", &arguments)]).answers().remove(0)
    };
    assert_eq!(code(&order("R-9", 399_000)), "PRECONDITION_FAILED", "the backend's budget does not suffice");
    let asked = order("R-1", 39_900);
    assert_eq!(status(&asked), "input_required", "{asked}");
    let id = asked["error"]["hint"]
        .as_str()
        .unwrap()
        .split('`')
        .find_map(|part| part.strip_prefix("tgw approvals show "));
    let id = id.unwrap();
    let shown = story.tgw(&["approvals", "show", id]).text();
    let digest = shown.lines().find_map(|line| line.strip_prefix("question digest: ")).unwrap().to_owned();
    let approve = |name: &str| {
        let key = story.space.beside(&format!("{name}.key")).display().to_string();
        let public = story.tgw(&["approvers", "keygen", &key]).text();
        story.tgw(&["approvers", "add", name, public.trim()]).text();
        story.tgw(&["approvals", "approve", id, "--as", name, "--key", &key, "--digest", &digest]).ended()
    };
    assert_ne!(approve("ann").status, Some(0), "who asked does not count");
    assert_eq!(approve("bo").status, Some(0));
    let run = || story.tgw(&["approvals", "run", id]).with_files().ended();
    assert_eq!((run().status, story.happened()[3]), (Some(4), 0), "one of two is not enough");
    assert_eq!(approve("cy").status, Some(0));
    let ran = run();
    assert_eq!(ran.status, Some(0), "{ran:?}");
    assert!(ran.stdout.contains(r#""verification":"verified""#), "{ran:?}");
    run();
    assert_eq!(story.happened()[3], 1);
    story.space.intact();
}

/// The commands of the tour with what is shown for each, in order.
fn tour() -> Vec<(String, String)> {
    let page = std::fs::read_to_string(checkout().join("docs/tour.md")).unwrap();
    let mut commands: Vec<(String, String)> = Vec::new();
    for block in page.split("```console tour\n").skip(1) {
        for line in block.split("```").next().unwrap().lines() {
            match line.strip_prefix("$ ") {
                Some(command) => commands.push((command.to_owned(), String::new())),
                None => commands.last_mut().unwrap().1.push_str(&format!("{line}\n")),
            }
        }
    }
    commands
}

#[test]
fn the_tour_prints_what_its_page_shows() {
    let Some(story) = Story::begin() else { return };
    let commands = tour();
    assert!(commands.len() > 20, "the page has its commands in blocks of `console tour`");
    // One shell, so that what one command names the next can use; a mark of our own ends each one's output.
    let mark = "end of a command of the tour\n";
    let script: String =
        commands.iter().map(|(command, _)| format!("{command}\nprintf '%s' '{mark}'\n")).collect();
    let binaries = Path::new(env!("CARGO_BIN_EXE_tgw")).parent().unwrap();
    let search = std::env::var_os("PATH").unwrap_or_default();
    let folders = [binaries.to_owned(), binaries.join("examples")];
    let output = process("sh")
        .args(["-c", &script])
        .current_dir(checkout())
        .env("PATH", std::env::join_paths(folders.into_iter().chain(std::env::split_paths(&search))).unwrap())
        .env("TGW_TOOLS", "examples/procurement/tools.yaml")
        .env("TGW_POLICY", "examples/procurement/policy.yaml")
        .env("TGW_WORKSPACE", story.space.path(""))
        .env("XDG_STATE_HOME", story.space.beside("tour-state"))
        .env("XDG_CONFIG_HOME", story.space.beside("tour-configuration"))
        .output()
        .unwrap();
    let printed = String::from_utf8(output.stdout).unwrap();
    let mut printed = printed.split(mark);
    for (command, shown) in &commands {
        let found = printed.next().unwrap_or_default();
        if let Some(difference) = difference(shown, found) {
            panic!("$ {command}\n{difference}\n{}", String::from_utf8_lossy(&output.stderr));
        }
    }
}

/// The tools of the example where the system requires a pass for each command.
fn requiring_passes(tools: String) -> String {
    const PASS: &str = "credentials: {PURCHASING_PASS: purchasing}, env: {PROCUREMENT_KEYS: keys.json}";
    const SOURCE: &str = "credentials: {purchasing: {source: {mint: {audience: purchasing, lifetime: 60s}}}}";
    let block = PASS.replace(", env", "\n        env");
    tools
        .replace("{command: {argv: [procurement", &format!("{{command: {{{PASS}, argv: [procurement"))
        .replace(
            "command:\n        argv: [procurement",
            &format!("command:\n        {block}\n        argv: [procurement"),
        )
        .replacen("version: 1\n", &format!("version: 1\n{SOURCE}\n"), 1)
}

#[test]
fn a_system_that_requires_passes_is_given_one_for_every_call_and_look_up() {
    let Some(story) = Story::begin_with(requiring_passes) else { return };
    let task = story.space.beside("files/task.yaml").display().to_string();
    story.tgw(&["task", "start", &task]).with_files().text();
    let search =
        || story.send(&[call("c1", "search_suppliers", &json!({"item": "desk"}))]).answers().remove(0);
    assert_eq!(code(&search()), "CREDENTIAL_UNAVAILABLE", "there is no key yet");
    story.tgw(&["keys", "generate"]).text();
    story.space.write("keys.json", "{\"keys\":[]}");
    assert_eq!(code(&search()), "EXECUTION_FAILED", "the system does not know the key");
    story.space.write("keys.json", story.tgw(&["keys", "jwks"]).text());

    let draft = json!({"reference": "C-1", "summary": "S-2 is cheapest."});
    let answers = story
        .send(&[
            call("c1", "search_suppliers", &json!({"item": "desk"})),
            call("c1b", "search_suppliers", &json!({"item": "desk"})),
            call("c3", "save_supplier_comparison_draft", &draft),
            ask("c4", "I-1", "S-2"),
            ask("c5", "I-2", "S-9"),
        ])
        .answers();
    assert_eq!(
        outcomes(&answers),
        [
            ("c1", "succeeded"),
            ("c1b", "succeeded"),
            ("c3", "succeeded"),
            ("c4", "accepted"),
            ("c5", "failed")
        ]
    );
    assert_eq!(code(&answers[4]), "PRECONDITION_FAILED", "look-ups have passes too");
    assert_eq!(story.wait()["verification"], "verified", "and so have polls and verification");
    assert_eq!(story.happened(), [1, 1, 1, 0]);
    story.space.intact();
}

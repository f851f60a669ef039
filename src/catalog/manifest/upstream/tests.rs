use std::path::PathBuf;

use crate::catalog::{
    Catalog, ExecutionMode, Lock, LockFile, LockedServer, LockedTool, ManifestFile, Risk, Timeout, Trust,
};
use crate::diagnostic::{Report, SourceMap};

fn file(text: &str) -> ManifestFile {
    ManifestFile { name: "tools.yaml".into(), text: text.into(), base: PathBuf::from("/base"), trusted: true }
}

/// What loading a manifest says.
fn load(text: &str) -> String {
    let (mut sources, mut report) = (SourceMap::default(), Report::default());
    // What is wrong is in the report.
    let _refused = Catalog::load(&[file(text)], &mut sources, &mut report);
    report.render(&sources, false)
}

/// A manifest with one server, and what its loading says.
fn server(stated: &str) -> String {
    let text = format!("version: 1\nservers:\n  docs: {{command: [docs-server], {stated}}}\n");
    load(&text)
}

#[test]
fn each_mistake_in_a_server_is_named() {
    for (stated, expected) in [
        ("prefix: a.b", "`prefix` cannot stand before a name"),
        ("prefix: tgw", "reserved"),
        ("command: []", "occurs twice"),
        ("max_message_bytes: 1", "`max_message_bytes` must be a whole number from 1024"),
        ("timeuot: 1s", "did you mean `timeout`?"),
        ("start_timeout: 0s", "`start_timeout` must be longer than zero"),
        ("credentials: {TOKEN: nowhere}", "the credential `nowhere` is not declared"),
        ("credentials: {LD_PRELOAD: x}", "decides which code a program runs"),
        ("sandbox: {write: [../x]}", "must name paths inside the workspace"),
        ("tools: [search]", "`tools` must be a mapping"),
        ("tools: {search: {run: {command: [x]}}}", "`run` is not for a tool of a server"),
        ("tools: {search: {sandbox: {level: none}}}", "write it for the whole server"),
        ("tools: {search: {alias: 'a b'}}", "providers take A-Z a-z 0-9 _ -"),
    ] {
        let rendered = server(stated);
        assert!(rendered.contains(expected), "{stated}:\n{rendered}");
    }
    for (command, expected) in [
        ("[]", "`argv` is an empty list"),
        ("['{{arguments.x}}']", "nothing can be filled in here"),
        ("{argv: [x], cwd: /etc}", "`cwd` must be a path inside the workspace"),
        ("{argv: [x], env: {PATH: /x}}", "`PATH` is always the gateway's own"),
        ("{argv: [x], env: {A: '1'}, pass_env: [A]}", "the variable `A` is set twice"),
    ] {
        let rendered = load(&format!("version: 1\nservers: {{docs: {{command: {command}}}}}\n"));
        assert!(rendered.contains(expected), "{command}:\n{rendered}");
    }
    let twice = "version: 1\nservers: {docs: {command: [a]}, Docs: {command: [a]}, d.x: {command: [a]}}\n";
    assert!(load(twice).contains("server name `d.x` has `.`"));
}

#[test]
fn a_manifest_that_nobody_vouches_for_declares_no_server() {
    let text = "version: 1\nservers: {docs: {command: [a]}}\n";
    let file = ManifestFile { trusted: false, ..file(text) };
    let (mut sources, mut report) = (SourceMap::default(), Report::default());
    assert!(Catalog::load(&[file], &mut sources, &mut report).is_err());
    assert!(report.render(&sources, false).contains("cannot declare servers"));
}

/// A catalog of one server with one accepted tool, and what is stated of that tool.
fn upstream(listed: &str, stated: &str) -> (Option<Catalog>, String) {
    let tool = LockedTool::read(listed).unwrap();
    let server = LockedServer { protocol: None, tools: [(tool.name.clone(), tool)].into() };
    let lock = Lock { servers: [("docs".to_owned(), server)].into() };
    let lock = LockFile { name: "tgw.lock".into(), text: lock.write().into() };
    let text = format!(
        "version: 1\nservers: {{docs: {{command: [a], timeout: 7s, tools: {{search: {{{stated}}}}}}}}}\n"
    );
    let (mut sources, mut report) = (SourceMap::default(), Report::default());
    let catalog = Catalog::load_locked(&[file(&text)], Some(&lock), &mut sources, &mut report).ok();
    (catalog, report.render(&sources, false))
}

const SEARCH: &str = r#"{"name":"search","annotations":{"readOnlyHint":true},"inputSchema":{"type":"object",
    "properties":{"q":{"type":"string"}},"required":["q"]}}"#;

#[test]
fn a_servers_tool_is_the_strictest_until_the_person_says_otherwise() {
    let (catalog, rendered) = upstream(SEARCH, "");
    assert_eq!(rendered, "");
    let catalog = catalog.unwrap();
    let contract = catalog.find("mcp__docs__search").unwrap();
    assert_eq!((contract.risk, contract.egress), (Risk::Destructive, true));
    assert!(matches!(contract.execution_mode, ExecutionMode::Exclusive));
    assert!(matches!(contract.timeout, Timeout::Fixed(duration) if duration.as_secs() == 7));
    assert_eq!(contract.result.trust, Trust::Untrusted);
    assert_eq!(contract.server().map(ToString::to_string).as_deref(), Some("docs"));
    let stated = "alias: find, risk: read_only, execution_mode: parallel, timeout: 2s, egress: false, result: {content: {max_bytes: 9}}";
    let (catalog, rendered) = upstream(SEARCH, stated);
    assert_eq!(rendered, "");
    let catalog = catalog.unwrap();
    let contract = catalog.find("find").unwrap();
    assert_eq!((contract.risk, contract.egress, contract.result.max_bytes), (Risk::ReadOnly, false, 9));
    assert_eq!(contract.result.trust, Trust::Untrusted);
}

#[test]
fn what_a_person_says_wrongly_of_a_servers_tool_is_an_error_and_what_the_server_says_leaves_it_out() {
    for (stated, expected) in [
        ("idempotency: {key: '{{arguments.query}}'}", "`arguments.query` may be absent"),
        ("risk: reed_only", "`risk` must be one of"),
        ("no_effect: 'exit.status == 0'", "exit"),
        ("risk: read_only, no_effect: 'true'", "this one is `read_only`"),
        ("idempotency: {key: '{{arguments.q}}', send_as: {env: KEY}}", "`send_as` is for commands"),
    ] {
        let (catalog, rendered) = upstream(SEARCH, stated);
        assert!(catalog.is_none() && rendered.contains(expected), "{stated}:\n{rendered}");
    }
    let (catalog, rendered) = upstream(&SEARCH.replace("\"string\"", "\"strnig\""), "risk: read_only");
    assert!(catalog.unwrap().find("mcp__docs__search").is_none());
    assert!(rendered.starts_with("warning: the tool `search` of `docs` cannot be used: "), "{rendered}");
}

#[test]
fn another_program_or_another_description_is_another_contract() {
    let digest = |listed: &str, stated: &str| {
        let (catalog, _) = upstream(listed, stated);
        catalog.unwrap().find("mcp__docs__search").unwrap().digest
    };
    let first = digest(SEARCH, "");
    assert_eq!(first, digest(SEARCH, ""));
    assert_ne!(first, digest(&SEARCH.replace("{\"name\"", "{\"description\":\"d\",\"name\""), ""));
    assert_ne!(first, digest(SEARCH, "risk: write"));
}

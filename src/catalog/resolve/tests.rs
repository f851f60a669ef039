use std::path::PathBuf;

use super::*;
use crate::catalog::{ManifestFile, NamePattern};
use crate::diagnostic::{Report, SourceMap};
use crate::ident::{AgentName, StepName, TaskId, UserName};

const MANIFEST: &str = "\
version: 1
tools:
  - name: show_status
    description: d
    risk: read_only
    execution_mode: parallel
    permissions: [repo.read]
    input_schema: {type: object, additionalProperties: false}
    run: {builtin: git_status}
    result: {trust: untrusted}
  - name: drop_path
    description: d
    risk: destructive
    execution_mode: exclusive
    idempotency: none
    input_schema: {type: object, additionalProperties: false, required: [path], properties: {path: {type: string, format: workspace-path}}}
    run: {builtin: delete_path}
    result: {trust: untrusted}
  - name: probe_status
    internal: true
    description: d
    risk: read_only
    execution_mode: parallel
    input_schema: {type: object, additionalProperties: false}
    run: {builtin: git_status}
    result: {trust: untrusted}
";

fn catalog() -> Catalog {
    let file = ManifestFile { name: "t".into(), text: MANIFEST.into(), base: PathBuf::new(), trusted: true };
    let (mut sources, mut report) = (SourceMap::default(), Report::default());
    let loaded = Catalog::load(&[file], &mut sources, &mut report);
    assert_eq!(report.render(&sources, false), "");
    loaded.unwrap()
}

fn call(name: &str, risk: Option<&str>) -> CallRequest {
    CallRequest {
        id: CallId::parse("c1").unwrap(),
        name: name.to_owned(),
        arguments: Map::new(),
        expects: risk.map(|risk| Expectation { risk: risk.to_owned() }),
        shape: Shape::Native,
        rpc_id: None,
        traceparent: None,
    }
}

fn limit(source: LimitSource) -> Limit {
    Limit { source, tools: None, risks: None, permissions: None, location: None }
}

fn only(source: LimitSource, pattern: &str) -> Scope {
    Scope { limits: vec![Limit { tools: Some(vec![NamePattern::new(pattern)]), ..limit(source) }] }
}

fn refusal(name: &str, risk: Option<&str>, scope: &Scope) -> (ErrorCode, String, Option<String>, bool) {
    let Unresolved { error, contract } = catalog().resolve(call(name, risk), scope).unwrap_err();
    (error.code, error.message, error.hint, contract.is_some())
}

#[test]
fn a_visible_tool_resolves_with_its_call_unchanged() {
    let resolved = catalog().resolve(call("show_status", Some("read_only")), &Scope::default()).unwrap();
    assert_eq!(resolved.contract().name.as_str(), "show_status");
    assert_eq!(resolved.id().as_str(), "c1");
    assert!(resolved.arguments().is_empty());
}

#[test]
fn unknown_and_internal_tools_are_equally_unknown() {
    let hint = Some("did you mean `show_status`?".to_owned());
    assert_eq!(
        refusal("showStatus", None, &Scope::default()),
        (ErrorCode::UnknownTool, "there is no tool `showStatus`".to_owned(), hint, false)
    );
    let (code, message, hint, has_contract) = refusal("probe_status", None, &Scope::default());
    assert_eq!(
        (code, message.as_str(), has_contract),
        (ErrorCode::UnknownTool, "there is no tool `probe_status`", false)
    );
    assert_eq!(hint.as_deref(), Some("search for a tool with `tgw__search_tools`"));
}

#[test]
fn the_nearest_name_is_one_that_the_caller_sees() {
    let step = only(LimitSource::Step(StepName::parse("analyse").unwrap()), "drop_path");
    let (code, _, hint, _) = refusal("showStatus", None, &step);
    assert_eq!(
        (code, hint.as_deref()),
        (ErrorCode::UnknownTool, Some("search for a tool with `tgw__search_tools`"))
    );
}

#[test]
fn a_hidden_tool_is_denied_and_the_limit_is_named() {
    let cases = [
        (LimitSource::Agent(AgentName::parse("buyer").unwrap()), "the agent `buyer` may not use `drop_path`"),
        (
            LimitSource::UnlistedAgent(AgentName::parse("x").unwrap()),
            "the agent `x` is not listed in the policy, so it may use no tool",
        ),
        (
            LimitSource::AgentVersion {
                agent: AgentName::parse("x").unwrap(),
                given: Some("1.1".to_owned()),
                listed: ">=1.2, <2".to_owned(),
            },
            "the agent `x` is listed in the policy for versions `>=1.2, <2` only, and it was started as version `1.1`",
        ),
        (
            LimitSource::AgentVersion {
                agent: AgentName::parse("x").unwrap(),
                given: None,
                listed: ">=1.2".to_owned(),
            },
            "the agent `x` is listed in the policy for versions `>=1.2` only, and no version of it was stated",
        ),
        (
            LimitSource::User(UserName::parse("ann").unwrap()),
            "the user `ann` lacks a permission that `drop_path` needs",
        ),
        (
            LimitSource::Task(TaskId::parse("t-1").unwrap()),
            "the task `t-1` is narrowed to other tools than `drop_path`",
        ),
        (
            LimitSource::Step(StepName::parse("analyse").unwrap()),
            "the step `analyse` does not include `drop_path`",
        ),
    ];
    for (source, expected) in cases {
        let (code, message, hint, has_contract) = refusal("drop_path", None, &only(source, "show_*"));
        assert_eq!((code, message.as_str(), has_contract), (ErrorCode::PermissionDenied, expected, true));
        let hint = hint.unwrap();
        assert!(
            !hint.contains("show_status") && !message.contains("show_status"),
            "no list of what others see"
        );
    }
}

#[test]
fn permissions_and_risks_narrow_like_names() {
    let user = LimitSource::User(UserName::parse("ann").unwrap());
    let none = Scope { limits: vec![Limit { permissions: Some([].into()), ..limit(user) }] };
    assert_eq!(refusal("show_status", None, &none).0, ErrorCode::PermissionDenied);
    assert!(catalog().resolve(call("drop_path", None), &none).is_ok());
    let step = LimitSource::Step(StepName::parse("read").unwrap());
    let mild = Scope { limits: vec![Limit { risks: Some(vec![Risk::ReadOnly]), ..limit(step) }] };
    assert_eq!(refusal("drop_path", None, &mild).0, ErrorCode::PermissionDenied);
    let catalog = catalog();
    let seen: Vec<_> = catalog.visible(&mild).map(|contract| contract.name.as_str()).collect();
    assert_eq!(seen, ["show_status", "tgw__read_result", "tgw__search_tools"]);
}

#[test]
fn an_expectation_only_tightens() {
    assert!(catalog().resolve(call("show_status", Some("destructive")), &Scope::default()).is_ok());
    let (code, message, _, has_contract) = refusal("drop_path", Some("write"), &Scope::default());
    assert_eq!(
        (code, message.as_str(), has_contract),
        (
            ErrorCode::ExpectationMismatch,
            "`drop_path` is `destructive`, and the call expects at most `write`",
            true
        )
    );
    let (code, message, ..) = refusal("show_status", Some("harm\u{202e}less"), &Scope::default());
    assert_eq!(
        (code, message.as_str()),
        (ErrorCode::MalformedCall, "`expects.risk` cannot be `harm\\u{202e}less`")
    );
}

#[test]
fn a_models_words_are_bounded_and_escaped_in_messages() {
    let (_, message, ..) = refusal(&format!("x\u{1b}[2J{}", "y".repeat(1 << 20)), None, &Scope::default());
    assert!(message.starts_with("there is no tool `x\\u{1b}[2Jy"), "{message}");
    assert!(message.len() < 200);
}

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use super::*;
use crate::catalog::{
    CommandSpec, Digest, ExecutionMode, OutputFormat, Overflow, ResultSpec, SandboxRequest, Schema,
    StdinSpec, Streams, Timeout,
};
use crate::diagnostic::Location;
use crate::ident::ToolName;

/// A contract that runs a command, with a risk and a sandbox.
pub(in crate::execute) fn contract(risk: Risk, sandbox: Option<SandboxRequest>) -> Contract {
    Contract {
        name: ToolName::parse("tool").unwrap(),
        version: None,
        title: None,
        description: String::new(),
        use_when: None,
        not_for: None,
        risk,
        changes: None,
        object: None,
        execution_mode: ExecutionMode::Exclusive,
        timeout: Timeout::Fixed(Duration::from_secs(1)),
        permissions: Vec::new(),
        input_schema: Schema { json: Arc::new(true.into()), compiled: OnceLock::new() },
        output_schema: None,
        errors: Vec::new(),
        idempotency: crate::catalog::Idempotency::Unstated,
        preconditions: Vec::new(),
        operation: None,
        reconcile: None,
        verify: None,
        internal: false,
        run: Run::Command(Box::new(CommandSpec {
            argv: Vec::new(),
            program_base: "/".into(),
            cwd: None,
            env: Vec::new(),
            pass_env: vec!["CARGO_HOME".to_owned(), "EDITOR".to_owned()],
            credentials: Vec::new(),
            stdin: StdinSpec::Empty,
            output: OutputFormat::Text,
            streams: Streams::Stdout,
            success: None,
            no_effect: None,
            max_output_bytes: 1,
            on_overflow: Overflow::Fail,
        })),
        sandbox,
        egress: false,
        result: ResultSpec::default(),
        examples: Vec::new(),
        location: Location { file: Arc::from("tools.yaml"), line: 1, column: 1 },
        digest: Digest([0; 32]),
    }
}

fn level(
    asked: Option<SandboxLevel>,
    demanded: Option<SandboxLevel>,
    machine: &[SandboxLevel],
) -> Option<SandboxLevel> {
    let request = SandboxRequest { level: asked, ..SandboxRequest::default() };
    let demand = Environment { sandbox: demanded, network: None };
    let resolved =
        resolve_profile(&contract(Risk::Write, Some(request)), &demand, &Capability::imagined(machine));
    match resolved {
        Ok(profile) => Some(profile.level()),
        Err(error) => {
            assert_eq!(error.code, ErrorCode::SandboxUnavailable);
            None
        }
    }
}

#[test]
fn without_a_word_the_best_level_of_the_machine_is_taken() {
    use SandboxLevel::{Confined, Isolated, None as Bare};
    assert_eq!(level(None, None, &[Confined, Isolated]), Some(Isolated));
    assert_eq!(level(None, None, &[Confined]), Some(Confined));
    assert_eq!(level(None, None, &[]), Some(Bare));
}

#[test]
fn the_stricter_of_contract_and_policy_is_a_minimum() {
    use SandboxLevel::{Confined, Isolated, None as Bare};
    let all = [Confined, Isolated];
    assert_eq!(level(Some(Bare), None, &all), Some(Bare));
    assert_eq!(level(Some(Confined), None, &all), Some(Confined));
    assert_eq!(level(Some(Confined), Some(Isolated), &all), Some(Isolated));
    assert_eq!(level(Some(Isolated), Some(Confined), &all), Some(Isolated));
    assert_eq!(level(None, Some(Confined), &all), Some(Confined));
    assert_eq!(level(Some(Confined), None, &[Isolated]), Some(Isolated));
    assert_eq!(level(Some(Isolated), None, &[Confined]), None);
    assert_eq!(level(Some(Bare), Some(Confined), &[]), None);
}

#[test]
fn the_network_is_open_only_where_the_contract_opens_it_and_no_rule_closes_it() {
    use NetworkRule::{None as Closed, Open};
    let machine = Capability::imagined(&[SandboxLevel::Confined]);
    let cases = [
        (None, None, Closed),
        (Some(Open), None, Open),
        (Some(Open), Some(Open), Open),
        (Some(Open), Some(Closed), Closed),
        (Some(Closed), Some(Open), Closed),
        (None, Some(Open), Closed),
    ];
    for (asked, demanded, expected) in cases {
        let request = SandboxRequest { network: asked, ..SandboxRequest::default() };
        let demand = Environment { sandbox: None, network: demanded };
        let profile = resolve_profile(&contract(Risk::Write, Some(request)), &demand, &machine).unwrap();
        assert_eq!(profile.network(), expected, "{asked:?} {demanded:?}");
    }
}

#[test]
fn a_rule_that_closes_the_network_needs_a_level_that_can() {
    let demand = Environment { sandbox: None, network: Some(NetworkRule::None) };
    let request = SandboxRequest { level: Some(SandboxLevel::None), ..SandboxRequest::default() };
    let contract = contract(Risk::Write, Some(request));
    let profile =
        resolve_profile(&contract, &demand, &Capability::imagined(&[SandboxLevel::Confined])).unwrap();
    assert_eq!(profile.level(), SandboxLevel::Confined);
    let error = resolve_profile(&contract, &demand, &Capability::imagined(&[])).unwrap_err();
    assert_eq!(error.code, ErrorCode::SandboxUnavailable);
}

#[test]
fn the_workspace_is_writable_only_above_read_only_unless_stated() {
    let machine = Capability::imagined(&[SandboxLevel::Confined]);
    let written = |risk, write: Option<&[&str]>| {
        let write = write.map(|paths| paths.iter().map(|path| (*path).to_owned()).collect());
        let request = SandboxRequest { write, ..SandboxRequest::default() };
        let contract = contract(risk, Some(request));
        resolve_profile(&contract, &Environment::default(), &machine).unwrap().write().to_vec()
    };
    assert!(written(Risk::ReadOnly, None).is_empty());
    assert_eq!(written(Risk::ReadOnly, Some(&["target"])), ["target"]);
    assert_eq!(written(Risk::Destructive, None), ["."]);
    assert!(written(Risk::Write, Some(&[])).is_empty());
}

#[test]
fn only_toolchain_variables_that_are_passed_on_open_a_folder() {
    let machine = Capability::imagined(&[SandboxLevel::Confined]);
    let profile =
        resolve_profile(&contract(Risk::ReadOnly, None), &Environment::default(), &machine).unwrap();
    assert_eq!(profile.toolchains(), ["CARGO_HOME"]);
}

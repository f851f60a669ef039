use std::path::PathBuf;

use serde_json::{Map, json};

use super::*;
use crate::catalog::{Catalog, ManifestFile, Scope, TaskContext, TaskSpan};
use crate::diagnostic::{Report, SourceMap};
use crate::ident::{AgentName, CallId, Principal, StepName, TaskId, Tenant, UserName};
use crate::validate::{Rejected, ValidatedCall, ValidationContext, validate};
use crate::wire::{CallRequest, Shape};
use crate::workspace::Protected;

const HEAD: &str = "\
version: 1
credentials: {tracker: {source: {env: TRACKER_TOKEN}}}
tools:
  - name: t
    description: d
    risk: read_only
    execution_mode: parallel
    result: {trust: untrusted}
";

fn catalog(tool: &str) -> Catalog {
    let text = format!("{HEAD}{tool}");
    let file = ManifestFile {
        name: "t".into(),
        text: text.into(),
        base: PathBuf::from("/manifests"),
        trusted: true,
    };
    let (mut sources, mut report) = (SourceMap::default(), Report::default());
    let loaded = Catalog::load(&[file], &mut sources, &mut report);
    assert_eq!(report.render(&sources, false), "");
    loaded.unwrap()
}

fn principal() -> Principal {
    Principal {
        user: UserName::parse("ann").unwrap(),
        agent: AgentName::parse("coder").unwrap(),
        agent_version: Some("1.2".to_owned()),
        tenant: Tenant::parse("acme").unwrap(),
    }
}

/// Validates one call of the tool and hands it to `look`.
fn with_call<T>(
    tool: &str,
    arguments: Value,
    timing: Timing,
    look: impl FnOnce(Result<ValidatedCall, Box<Rejected>>, &ValidationContext<'_>) -> T,
) -> T {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("sub")).unwrap();
    let workspace = Workspace::open(folder.path(), Protected::default()).unwrap();
    let Value::Object(arguments) = arguments else { panic!("arguments are an object") };
    let request = CallRequest {
        id: CallId::parse("c1").unwrap(),
        name: "t".to_owned(),
        arguments: arguments.into_iter().collect::<Map<_, _>>(),
        expects: None,
        shape: Shape::Native,
        rpc_id: None,
        traceparent: None,
    };
    let resolved = catalog(tool).resolve(request, &Scope::default()).unwrap();
    let task = TaskContext {
        id: TaskId::parse("t1").unwrap(),
        span: TaskSpan::Stated,
        prompt: None,
        tools: None,
        data: json!({"branch": "main"}),
    };
    let (principal, step) = (principal(), StepName::parse("analyse").unwrap());
    let context = ValidationContext {
        workspace: &workspace,
        principal: &principal,
        task: &task,
        step: Some(&step),
        known: &|_, _, _| false,
        timing,
    };
    look(validate(resolved, &context), &context)
}

fn command(tool: &str, arguments: Value) -> CommandPlan {
    with_call(tool, arguments, Timing::Now, |call, _| match call.unwrap().plan() {
        Plan::Command(plan) => plan.clone(),
        Plan::Builtin { .. } | Plan::Http(_) | Plan::Mcp(_) => panic!("a command was planned"),
    })
}

fn refused(tool: &str, arguments: Value) -> (ErrorCode, String) {
    with_call(tool, arguments, Timing::Now, |call, _| {
        let error = call.map_or_else(|rejected| rejected.error, |call| call.obstacle().unwrap().clone());
        (error.code, error.message)
    })
}

const GREP: &str = "    input_schema: {type: object, additionalProperties: false, required: [pattern], properties: {
      pattern: {type: string}, paths: {type: array, items: {type: string}, default: []}, deep: {type: boolean, default: false}}}
    run: {command: {argv: [grep, {when: arguments.deep, args: [-r]}, --, '{{arguments.pattern}}', {each: arguments.paths, args: ['./{{item}}']}]}}
";

#[test]
fn a_command_is_filled_argument_by_argument() {
    let plan = command(GREP, json!({"pattern": "-x; rm -rf $HOME", "paths": ["a b", "c\"d"], "deep": true}));
    assert_eq!(plan.argv, ["grep", "-r", "--", "-x; rm -rf $HOME", "./a b", "./c\"d"]);
    assert_eq!(plan.program, ProgramSource::Search("grep".to_owned()));
    assert_eq!(command(GREP, json!({"pattern": "x"})).argv, ["grep", "--", "x"]);
}

#[test]
fn everything_a_command_takes_is_in_the_plan() {
    let plan = command(
        "    input_schema: {type: object, additionalProperties: false, required: [ms, where], properties: {
      ms: {type: integer}, where: {type: string, format: workspace-path}}}
    timeout: {from: 'arguments.ms', max: 2s}
    run:
      command:
        argv: [bin/tool, '--by={{user}}@{{tenant}}', '{{agent.name}}/{{agent.?version.orValue(\"none\")}}', '{{task.id}}', '{{task.data.branch}}', '{{step}}', '{{call.id}}']
        cwd: '{{arguments.where}}'
        env: {NAME: '{{arguments.ms}}'}
        pass_env: [CARGO_HOME]
        credentials: {TOKEN: tracker}
        stdin: '{{json(arguments)}}'
        output: json
",
        json!({"ms": 1500, "where": "./sub/."}),
    );
    let expected = CommandPlan {
        program: ProgramSource::Path(PathBuf::from("/manifests/bin/tool")),
        argv: ["bin/tool", "--by=ann@acme", "coder/1.2", "t1", "main", "analyse", "c1"]
            .map(str::to_owned)
            .into(),
        cwd: "sub".to_owned(),
        env: vec![("NAME".to_owned(), "1500".to_owned())],
        pass_env: vec!["CARGO_HOME".to_owned()],
        credentials: vec![("TOKEN".to_owned(), crate::ident::CredentialName::parse("tracker").unwrap())],
        stdin: StdinPlan::Text(r#"{"ms":1500,"where":"./sub/."}"#.to_owned()),
        output: crate::catalog::OutputFormat::Json,
        streams: crate::catalog::Streams::Stdout,
        max_output_bytes: plan.max_output_bytes,
        on_overflow: plan.on_overflow,
        timeout: Duration::from_millis(1500),
    };
    assert_eq!(plan, expected);
}

const OPTION: &str = "    input_schema: {type: object, additionalProperties: false, properties: {
      target: {type: string, default: ''}, other: {type: string, default: ''}}}
    run: {command: {argv: [tool, '{{arguments.target}}', '--name={{arguments.other}}']}}
";

#[test]
fn a_placeholder_never_becomes_an_option() {
    for target in ["-x", "--config=evil", "-"] {
        assert_eq!(
            refused(OPTION, json!({"target": target})),
            (
                ErrorCode::InvalidArguments,
                format!("`/target`: expected text that does not start with `-`, found \"{target}\"")
            )
        );
    }
    assert_eq!(command(OPTION, json!({"target": "x", "other": "--y"})).argv, ["tool", "x", "--name=--y"]);
    let leading = "    input_schema: {type: object, additionalProperties: false, properties: {a: {type: string, default: ''}}}
    run: {command: {argv: [tool, '{{arguments.a}}{{arguments.a}}']}}
";
    assert_eq!(refused(leading, json!({"a": "-"})).0, ErrorCode::InvalidArguments);
}

#[test]
fn dashes_that_a_call_brought_do_not_end_the_options() {
    let tool = "    input_schema: {type: object, additionalProperties: false, required: [l], properties: {l: {type: array, items: {type: string}}}}
    run: {command: {argv: [tool, {each: arguments.l, args: ['{{item}}']}]}}
";
    assert_eq!(refused(tool, json!({"l": ["--", "-x"]})).0, ErrorCode::InvalidArguments);
}

#[test]
fn a_nul_character_is_refused() {
    let (code, message) = refused(OPTION, json!({"target": "a\u{0}b"}));
    assert_eq!(code, ErrorCode::InvalidArguments);
    assert!(message.ends_with("in argument `/target`") && message.contains("NUL"), "{message}");
}

#[test]
fn arguments_are_bounded_in_number_and_bytes() {
    let many: Vec<Value> = (0..5000).map(Value::from).map(|n| n.to_string().into()).collect();
    let too_much = "the command would have more than 4096 arguments or 131072 bytes of them";
    assert_eq!(refused(GREP, json!({"pattern": "x", "paths": many})).1, too_much);
    assert_eq!(refused(GREP, json!({"pattern": "x".repeat(200_000)})).1, too_much);
}

#[test]
fn a_timeout_from_the_arguments_is_positive_and_bounded() {
    let tool = "    input_schema: {type: object, additionalProperties: false, required: [s], properties: {s: {type: integer}}}
    timeout: {from: 'arguments.s * 1000', max: 10m}
    run: {command: [tool]}
";
    assert_eq!(command(tool, json!({"s": 30})).timeout, Duration::from_secs(30));
    assert_eq!(command(tool, json!({"s": 86_400})).timeout, Duration::from_secs(600));
    for seconds in [0, -5] {
        assert_eq!(
            refused(tool, json!({"s": seconds})),
            (
                ErrorCode::InvalidArguments,
                format!("`/s`: expected a time of at least 1 millisecond, found {}", seconds * 1000)
            )
        );
    }
    assert_eq!(refused(tool, json!({"s": i64::MAX})).0, ErrorCode::InvalidArguments);
}

#[test]
fn a_working_directory_stays_inside_and_must_be_there() {
    let tool = "    input_schema: {type: object, additionalProperties: false, required: [d], properties: {d: {type: string}}}
    run: {command: {argv: [tool], cwd: '{{arguments.d}}'}}
";
    assert_eq!(refused(tool, json!({"d": "../x"})).0, ErrorCode::PathOutsideWorkspace);
    assert_eq!(refused(tool, json!({"d": "nope"})).0, ErrorCode::FileNotFound);
    assert!(with_call(tool, json!({"d": "nope"}), Timing::Provisional, |call, _| call.is_ok()));
}

#[test]
fn only_a_read_that_says_so_runs_beside_others() {
    let parallel = |tool: &str, arguments: Value| {
        with_call(tool, arguments, Timing::Now, |call, context| {
            let call = call.unwrap();
            call.is_parallel(&call.bindings(context))
        })
    };
    assert!(parallel(GREP, json!({"pattern": "x"})));
    let when = "    parallel_when: 'arguments.n < 3 || arguments.list[5] == 1'
    input_schema: {type: object, additionalProperties: false, required: [\"n\"], properties: {\"n\": {type: integer}, list: {type: array, items: {type: integer}, default: []}}}
    run: {command: [tool]}
";
    assert!(parallel(when, json!({"n": 1})));
    assert!(!parallel(when, json!({"n": 5})), "an error means alone");
}

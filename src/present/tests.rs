use std::path::Path;
use std::time::Duration;

use proptest::prelude::*;
use serde_json::{Value, json};

use crate::catalog::{
    BuiltinName, CommandSpec, Contract, ContractError, Digest, ExecutionMode, Keep, ObjectSpec, OutputFormat,
    Overflow, ResultSpec, Risk, Run, SandboxLevel, Schema, StdinSpec, Streams, TaskContext, Timeout,
};
use crate::code::{CallError, Effect, ErrorCode, Retry, Status};
use crate::diagnostic::Location;
use crate::expression::{Expression, Type};
use crate::ident::{AgentName, CallId, Principal, TaskId, Tenant, ToolName, UserName};
use crate::secret::Redactor;
use crate::validate::CallBindings;

use super::*;

fn schema(json: Value) -> Schema {
    Schema::new(json)
}

fn contract(risk: Risk, run: Run) -> Contract {
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
        timeout: Timeout::Fixed(Duration::from_secs(30)),
        permissions: Vec::new(),
        input_schema: schema(json!({})),
        output_schema: None,
        errors: Vec::new(),
        idempotency: crate::catalog::Idempotency::Unstated,
        preconditions: Vec::new(),
        operation: None,
        reconcile: None,
        verify: None,
        internal: false,
        run,
        sandbox: None,
        egress: false,
        result: ResultSpec::default(),
        examples: Vec::new(),
        location: Location { file: "tools.yaml".into(), line: 1, column: 1 },
        digest: Digest([0; 32]),
    }
}

fn command(risk: Risk, output: OutputFormat) -> Contract {
    let spec = CommandSpec {
        argv: Vec::new(),
        program_base: "/".into(),
        cwd: None,
        env: Vec::new(),
        pass_env: Vec::new(),
        credentials: Vec::new(),
        stdin: StdinSpec::Empty,
        output,
        streams: Streams::Stdout,
        success: None,
        no_effect: None,
        max_output_bytes: 1000,
        on_overflow: Overflow::Truncate,
    };
    contract(risk, Run::Command(Box::new(spec)))
}

fn builtin(risk: Risk) -> Contract {
    contract(risk, Run::Builtin(BuiltinName::ReadFile))
}

fn printed(output: &[u8]) -> CommandCapture {
    CommandCapture {
        output: output.to_vec(),
        output_cut: false,
        stderr: Vec::new(),
        stderr_cut: false,
        end: CommandEnd::Exited(0),
        level: SandboxLevel::Confined,
        advice: None,
        undone: crate::workspace::Undone::default(),
    }
}

fn read(value: Value) -> BuiltinOutput {
    BuiltinOutput {
        value,
        text: None,
        total: None,
        next: None,
        truncated: false,
        display: DisplayBody::Content,
        effect: Effect::None,
        warnings: Vec::new(),
    }
}

fn redactor() -> Redactor {
    let mut redactor = Redactor::default();
    redactor.add("token", b"hunter2-hunter2");
    redactor
}

fn run(captured: Captured, contract: &Contract) -> Presented {
    let principal = Principal {
        user: UserName::parse("ann").unwrap(),
        agent: AgentName::parse("default").unwrap(),
        agent_version: None,
        tenant: Tenant::parse("local").unwrap(),
    };
    let task = TaskContext {
        id: TaskId::parse("t-1").unwrap(),
        span: crate::catalog::TaskSpan::Stated,
        prompt: None,
        tools: None,
        data: json!({}),
    };
    let arguments = json!({});
    let bindings = CallBindings {
        effect_key: None,
        arguments: &arguments,
        principal: &principal,
        task: &task,
        step: None,
        call_id: &CallId::parse("c1").unwrap(),
        workspace: Path::new("/work"),
        item: None,
        value: None,
        result: None,
        operation: None,
        exit: None,
        http: None,
    };
    present(interpret(captured, contract, &bindings), contract, &redactor(), PresentLimits::default())
}

fn code(presented: &Presented) -> Option<ErrorCode> {
    presented.error().map(|error| error.code)
}

#[test]
fn a_command_that_never_began_has_no_value_and_nothing_to_withhold() {
    for output in [OutputFormat::Text, OutputFormat::Json] {
        let mut contract = command(Risk::External, output);
        contract.result.redact = vec!["/email".to_owned()];
        let error = CallError::new(ErrorCode::BackendUnavailable, "program `x` is not installed");
        let capture = CommandCapture { end: CommandEnd::NotStarted(error.clone()), ..printed(b"") };
        let presented = run(Captured::command(capture), &contract);
        assert_eq!((presented.status(), presented.effect()), (Status::Failed, Effect::None));
        assert_eq!((presented.error(), presented.content()), (Some(&error), None));
        assert!(presented.warnings().is_empty() && matches!(presented.stored(), Stored::Nothing));
    }
}

#[test]
fn a_commands_text_is_its_content() {
    let presented = run(Captured::command(printed(b"hello\n")), &command(Risk::ReadOnly, OutputFormat::Text));
    assert_eq!((presented.status(), presented.effect()), (Status::Succeeded, Effect::None));
    assert_eq!(presented.content(), Some("hello\n"));
    assert_eq!(presented.stored(), &Stored::Value(json!("hello\n"), 9));
    assert_eq!((presented.verification(), presented.truncated()), (None, false));
}

#[test]
fn an_effect_that_succeeded_is_unverified_and_names_its_object() {
    let mut contract = command(Risk::External, OutputFormat::Json);
    contract.object = Some(ObjectSpec { kind: "ticket".into(), before: None, id: Some("/id".into()) });
    let presented = run(Captured::command(printed(br#"{"id":7}"#)), &contract);
    assert_eq!((presented.status(), presented.effect()), (Status::Succeeded, Effect::Happened));
    assert_eq!(presented.verification(), Some("unverified"));
    assert_eq!(presented.object(), Some(&json!({"type": "ticket", "id": 7})));
    assert_eq!(presented.content(), Some(r#"{"id":7}"#));
}

#[test]
fn a_failed_read_shows_what_was_printed_and_the_end_of_standard_error() {
    let capture = CommandCapture {
        end: CommandEnd::Exited(101),
        stderr: b"error: hunter2-hunter2 refused\n".to_vec(),
        ..printed(b"running 3 tests")
    };
    let presented = run(Captured::command(capture), &command(Risk::ReadOnly, OutputFormat::Text));
    assert_eq!(presented.status(), Status::Failed);
    assert_eq!(
        presented.error(),
        Some(
            &CallError::new(ErrorCode::ExecutionFailed, "the command exited with status 101")
                .with_hint("the content is what it printed: find the reason there before calling again")
        )
    );
    let both = "running 3 tests\n--- standard error ---\nerror: [secret:token] refused\n";
    assert_eq!(presented.content(), Some(both));
    // What is kept for later pages is no less.
    assert_eq!(presented.stored(), &Stored::Value(json!(both), json!(both).to_string().len()));
}

#[test]
fn the_pages_of_a_failed_command_end_with_its_standard_error() {
    let mut contract = command(Risk::ReadOnly, OutputFormat::Text);
    contract.result.max_bytes = 200;
    let output: String = (1..=100).map(|number| format!("line {number}\n")).collect();
    let capture = CommandCapture {
        end: CommandEnd::Exited(1),
        stderr: b"why\n".to_vec(),
        ..printed(output.as_bytes())
    };
    let presented = run(Captured::command(capture), &contract);
    let errors = "\n--- standard error ---\nwhy\n";
    let content = presented.content().unwrap();
    assert!(content.ends_with(errors) && content.len() <= 200, "{content}");
    let Stored::Value(value, _) = presented.stored() else { panic!("{presented:?}") };
    assert_eq!(value, &json!(format!("{}{errors}", output.trim_end())));
    assert_eq!(presented.total(), Some(&json!({ "lines": 102 })));
}

#[test]
fn a_command_that_failed_in_silence_has_advice_too() {
    let hint = |end| {
        let capture = CommandCapture { end, ..printed(b"") };
        let presented = run(Captured::command(capture), &command(Risk::ReadOnly, OutputFormat::Text));
        presented.error().unwrap().hint.clone().unwrap()
    };
    assert!(hint(CommandEnd::Exited(1)).starts_with("it printed nothing"));
    assert!(hint(CommandEnd::Signalled(9)).contains("memory"));
}

#[test]
fn standard_error_of_a_success_is_not_content() {
    let capture = CommandCapture { stderr: b"warning: x\n".to_vec(), ..printed(b"ok") };
    let presented = run(Captured::command(capture), &command(Risk::ReadOnly, OutputFormat::Text));
    assert_eq!((presented.content(), presented.stderr()), (Some("ok"), Some("warning: x\n")));
}

#[test]
fn what_is_not_the_declared_json_fails_a_read_and_warns_about_an_effect() {
    let output = || Captured::command(printed(b"oops"));
    let failed = run(output(), &command(Risk::ReadOnly, OutputFormat::Json));
    assert_eq!((failed.status(), code(&failed)), (Status::Failed, Some(ErrorCode::InvalidResult)));
    assert_eq!((failed.content(), failed.stored()), (None, &Stored::Nothing));
    let happened = run(output(), &command(Risk::Write, OutputFormat::Json));
    assert_eq!(
        (happened.status(), happened.effect(), code(&happened)),
        (Status::Succeeded, Effect::Happened, None)
    );
    assert_eq!(happened.content(), None);
    assert_eq!(
        happened.warnings(),
        ["the output is not valid JSON: expected value at line 1 column 1; the content is withheld"]
    );
}

#[test]
fn a_value_that_breaks_the_output_schema_is_withheld() {
    let promise = || Some(schema(json!({"required": ["id"]})));
    let mut contract = builtin(Risk::ReadOnly);
    contract.output_schema = promise();
    let failed = run(Captured::builtin(Ok(read(json!({"x": "private"})))), &contract);
    assert_eq!(
        (failed.status(), code(&failed), failed.content()),
        (Status::Failed, Some(ErrorCode::InvalidResult), None)
    );
    let mut contract = builtin(Risk::Write);
    contract.output_schema = promise();
    let happened =
        run(Captured::builtin(Ok(BuiltinOutput { effect: Effect::Happened, ..read(json!({})) })), &contract);
    assert_eq!((happened.status(), happened.content()), (Status::Succeeded, None));
    assert_eq!(happened.warnings().len(), 1);
}

#[test]
fn an_output_cut_at_the_cap_says_that_it_is_and_what_is_known() {
    let capture = CommandCapture { output_cut: true, ..printed(b"one\ntwo\nthr") };
    let presented = run(Captured::command(capture), &command(Risk::ReadOnly, OutputFormat::Text));
    assert_eq!(presented.status(), Status::Succeeded);
    assert_eq!((presented.content(), presented.truncated()), (Some("one\ntwo\nthr"), true));
    assert_eq!(presented.total(), Some(&json!({"lines": 3, "exact": false})));
}

#[test]
fn a_cut_json_document_is_too_large_rather_than_invalid() {
    let capture = CommandCapture { output_cut: true, ..printed(b"[1,2") };
    let presented = run(Captured::command(capture), &command(Risk::ReadOnly, OutputFormat::Json));
    assert_eq!((presented.status(), code(&presented)), (Status::Failed, Some(ErrorCode::ResultTooLarge)));
}

#[test]
fn an_overflow_is_too_large_for_a_read_and_unknown_for_an_effect() {
    let capture = || CommandCapture { end: CommandEnd::Overflowed, output_cut: true, ..printed(b"yyyy") };
    let read = run(Captured::command(capture()), &command(Risk::ReadOnly, OutputFormat::Text));
    assert_eq!((read.status(), code(&read)), (Status::Failed, Some(ErrorCode::ResultTooLarge)));
    let write = run(Captured::command(capture()), &command(Risk::Write, OutputFormat::Text));
    assert_eq!(
        (write.status(), write.effect(), code(&write)),
        (Status::Unknown, Effect::Possible, Some(ErrorCode::OutcomeUnknown))
    );
}

#[test]
fn secrets_are_redacted_in_values_keys_texts_and_displays() {
    let output = BuiltinOutput {
        text: Some("the key is hunter2-hunter2".into()),
        display: DisplayBody::FileWindow {
            path: "p".into(),
            first: 1,
            lines: vec!["k=hunter2-hunter2".into()],
        },
        warnings: vec!["saw hunter2-hunter2".into()],
        ..read(json!({"hunter2-hunter2": ["x hunter2-hunter2"]}))
    };
    let presented = run(Captured::builtin(Ok(output)), &builtin(Risk::ReadOnly));
    assert_eq!(presented.content(), Some("the key is [secret:token]"));
    assert_eq!(presented.stored(), &Stored::Value(json!({"[secret:token]": ["x [secret:token]"]}), 39));
    assert_eq!(
        presented.display(),
        &DisplayBody::FileWindow { path: "p".into(), first: 1, lines: vec!["k=[secret:token]".into()] }
    );
    assert_eq!(presented.warnings(), ["saw [secret:token]"]);
}

#[test]
fn a_secret_that_the_read_cap_cut_is_dropped() {
    let capture = CommandCapture { output_cut: true, ..printed(b"key: hunter2-hun") };
    let presented = run(Captured::command(capture), &command(Risk::ReadOnly, OutputFormat::Text));
    assert_eq!(presented.content(), Some("key: "));
}

#[test]
fn hidden_fields_are_hidden_everywhere_even_from_the_executors_own_text() {
    let mut contract = builtin(Risk::ReadOnly);
    contract.result.redact = vec!["/items/*/mail".into()];
    let output = BuiltinOutput {
        text: Some("ann@example.org".into()),
        display: DisplayBody::Text("ann@example.org".into()),
        ..read(json!({"items": [{"mail": "ann@example.org", "id": 1}]}))
    };
    let presented = run(Captured::builtin(Ok(output)), &contract);
    assert_eq!(presented.content(), Some(r#"{"items":[{"mail":"[hidden]","id":1}]}"#));
    assert_eq!(presented.display(), &DisplayBody::Content);
    let mut contract = command(Risk::ReadOnly, OutputFormat::Json);
    contract.result.redact = vec!["/mail".into()];
    let capture = CommandCapture { end: CommandEnd::Exited(1), ..printed(b"mail: ann@example.org") };
    assert_eq!(run(Captured::command(capture), &contract).content(), None);
}

#[test]
fn the_contracts_selection_is_the_content_and_the_whole_is_stored() {
    let mut contract = builtin(Risk::ReadOnly);
    contract.result.select = Some("$.items[*].id".into());
    contract.result.max_rows = Some(2);
    let value = json!({"items": [{"id": 1}, {"id": 2}, {"id": 3}]});
    let presented = run(Captured::builtin(Ok(read(value.clone()))), &contract);
    assert_eq!((presented.content(), presented.truncated()), (Some("[1,2]"), true));
    assert_eq!(presented.total(), Some(&json!({"rows": 3})));
    assert_eq!(presented.next(), Some(&json!({"offset": 3, "filter": "$.items[*].id"})));
    assert_eq!(presented.stored(), &Stored::Value(value, 38));
}

#[test]
fn a_builtin_speaks_for_itself_about_what_is_left() {
    let output = BuiltinOutput {
        text: Some("1\ta\n".into()),
        total: Some(json!({"lines": 412})),
        next: Some(json!({"offset": 201})),
        truncated: true,
        ..read(json!({"lines": ["a"]}))
    };
    let presented = run(Captured::builtin(Ok(output)), &builtin(Risk::ReadOnly));
    assert_eq!((presented.content(), presented.truncated()), (Some("1\ta\n"), true));
    assert_eq!(
        (presented.total(), presented.next()),
        (Some(&json!({"lines": 412})), Some(&json!({"offset": 201})))
    );
}

#[test]
fn a_result_too_large_to_store_says_so_and_offers_no_page() {
    let contract = builtin(Risk::ReadOnly);
    let presented = run(Captured::builtin(Ok(read(json!("x".repeat(20 << 20))))), &contract);
    assert_eq!(presented.stored(), &Stored::TooLarge((20 << 20) + 2));
    assert_eq!(presented.content().map(str::len), Some(32 << 10));
    assert_eq!((presented.truncated(), presented.next()), (true, None));
    assert_eq!(
        presented.warnings(),
        ["the whole result has 20971522 bytes, more than the 8388608 that are kept: it cannot be paged"]
    );
}

#[test]
fn the_tail_of_a_log_is_kept_where_the_contract_says_so() {
    let mut contract = command(Risk::ReadOnly, OutputFormat::Text);
    contract.result.keep = Keep::Tail;
    contract.result.max_bytes = 8;
    let presented = run(Captured::command(printed(b"one\ntwo\nsix\n")), &contract);
    assert_eq!((presented.content(), presented.truncated()), (Some("two\nsix\n"), true));
}

#[test]
fn a_builtins_error_is_its_own() {
    let error = CallError::new(ErrorCode::FileNotFound, "no file `hunter2-hunter2`");
    let presented = run(Captured::builtin(Err(error)), &builtin(Risk::Write));
    assert_eq!((presented.status(), presented.effect()), (Status::Failed, Effect::None));
    assert_eq!(presented.error().unwrap().message, "no file `[secret:token]`");
    let error = CallError::new(ErrorCode::OutcomeUnknown, "the disk went away while writing");
    let presented = run(Captured::builtin(Err(error)), &builtin(Risk::Write));
    assert_eq!((presented.status(), presented.effect()), (Status::Unknown, Effect::Possible));
}

/// Sets conditions over the exit status and the value of a JSON command.
fn conditioned(risk: Risk, success: Option<&str>, no_effect: Option<&str>) -> Contract {
    let mut contract = command(risk, OutputFormat::Json);
    let Run::Command(spec) = &mut contract.run else { unreachable!() };
    spec.success = success.map(condition);
    spec.no_effect = no_effect.map(condition);
    contract
}

fn condition(source: &str) -> Expression {
    let declarations =
        crate::catalog::declarations::outcome(&json!({}), None, crate::catalog::declarations::Told::Exit);
    Expression::compile(source, &declarations, &Type::Bool).unwrap()
}

fn exited(status: i32, output: &str) -> Captured {
    Captured::command(CommandCapture { end: CommandEnd::Exited(status), ..printed(output.as_bytes()) })
}

#[test]
fn the_contracts_own_condition_decides_success() {
    let contract = conditioned(Risk::ReadOnly, Some("exit.status in [0, 101] && !has(value.error)"), None);
    assert_eq!(run(exited(101, "{}"), &contract).status(), Status::Succeeded);
    assert_eq!(run(exited(1, "{}"), &contract).status(), Status::Failed);
    // A tool that exits well and says that it failed.
    let failed = run(exited(0, r#"{"error":"no"}"#), &contract);
    assert_eq!((failed.status(), code(&failed)), (Status::Failed, Some(ErrorCode::ExecutionFailed)));
    assert_eq!(failed.content(), Some(r#"{"error":"no"}"#));
}

#[test]
fn a_condition_that_has_no_answer_is_no_success_and_proves_nothing() {
    let contract = conditioned(Risk::Write, Some("value.ok == true"), Some("value.nothing == true"));
    let unknown = run(exited(0, "{}"), &contract);
    assert_eq!((unknown.status(), unknown.effect()), (Status::Unknown, Effect::Possible));
}

#[test]
fn an_exit_that_proves_that_nothing_happened_is_a_failure() {
    let contract = conditioned(Risk::External, None, Some("exit.status == 2"));
    let failed = run(exited(2, "{}"), &contract);
    assert_eq!((failed.status(), failed.effect()), (Status::Failed, Effect::None));
    let unknown = run(exited(3, "{}"), &contract);
    assert_eq!((unknown.status(), unknown.effect()), (Status::Unknown, Effect::Possible));
}

#[test]
fn a_failure_that_the_contract_names_carries_its_name() {
    let mut contract = conditioned(Risk::ReadOnly, None, None);
    contract.errors = vec![ContractError {
        code: "SUPPLIER_BLOCKED".into(),
        when: condition("exit.status == 4"),
        message: "the supplier is blocked".into(),
        hint: Some("choose another supplier".into()),
        retry: Retry::ChangedCall,
    }];
    let failed = run(exited(4, "{}"), &contract);
    let error = failed.error().unwrap();
    assert_eq!(error.contract_code.as_deref(), Some("SUPPLIER_BLOCKED"));
    assert_eq!((error.message.as_str(), error.retry), ("the supplier is blocked", Retry::ChangedCall));
    assert_eq!(run(exited(5, "{}"), &contract).error().unwrap().contract_code, None);
}

fn shown(presented: &Presented, options: &DisplayOptions) -> String {
    let line = CallLine {
        id: "c1",
        tool: "read_file",
        subject: Some("src/main.rs"),
        elapsed: Duration::from_millis(3),
        result: Some("r_1"),
    };
    render_call(&line, presented, options)
}

#[test]
fn a_call_is_one_heading_and_its_body() {
    let presented =
        run(Captured::command(printed(b"one\ntwo\n")), &command(Risk::ReadOnly, OutputFormat::Text));
    let options = DisplayOptions::default();
    assert_eq!(shown(&presented, &options), "✓ read_file src/main.rs  3 ms\n  one\n  two\n");
    let ascii = DisplayOptions { unicode: false, width: 20, ..options };
    assert_eq!(shown(&presented, &ascii), "ok read_file  3 ms\n  one\n  two\n");
    let coloured = DisplayOptions { colour: true, ..options };
    assert_eq!(
        shown(&presented, &coloured),
        "\u{1b}[32m✓ \u{1b}[0mread_file src/main.rs\u{1b}[2m  3 ms\u{1b}[0m\n  one\n  two\n"
    );
}

#[test]
fn a_refusal_shows_its_code_its_violations_and_its_hint() {
    let error = CallError::new(ErrorCode::PermissionDenied, "rule `no` denies \u{1b}[2K").with_hint("ask");
    let presented = refuse(error, &redactor());
    assert_eq!(
        shown(&presented, &DisplayOptions::default()),
        "✗ denied read_file src/main.rs  3 ms\n  PERMISSION_DENIED: rule `no` denies \\u{1b}[2K\n  hint: ask\n"
    );
}

#[test]
fn a_value_is_shown_as_indented_json_or_as_the_contracts_table() {
    let mut contract = builtin(Risk::ReadOnly);
    let value = json!({"items": [{"id": 1, "name": "a"}]});
    let presented = run(Captured::builtin(Ok(read(value.clone()))), &contract);
    let options = DisplayOptions { unicode: false, ..DisplayOptions::default() };
    assert_eq!(
        shown(&presented, &options),
        "ok read_file src/main.rs  3 ms\n  {\n    \"items\": [\n      {\n        \"id\": 1,\n        \"name\": \"a\"\n      }\n    ]\n  }\n"
    );
    contract.result.table = vec!["id".into(), "name".into()];
    contract.result.rows = Some("/items".into());
    let presented = run(Captured::builtin(Ok(read(value))), &contract);
    assert_eq!(
        shown(&presented, &options),
        "ok read_file src/main.rs  3 ms\n  +----+------+\n  | id | name |\n  +===========+\n  | 1  | a    |\n  +----+------+\n"
    );
}

#[test]
fn a_wide_table_is_arranged_within_its_margin() {
    let mut contract = builtin(Risk::ReadOnly);
    contract.result.table = vec!["id".into(), "name".into()];
    let presented =
        run(Captured::builtin(Ok(read(json!([{"id": 1, "name": "word ".repeat(20)}])))), &contract);
    let options = DisplayOptions { unicode: false, width: 30, ..DisplayOptions::default() };
    let shown = shown(&presented, &options);
    assert!(shown.lines().skip(1).all(|line| line.ends_with(['|', '+'])), "{shown}");
}

#[test]
fn an_event_is_one_line_of_json() {
    let presented = run(Captured::command(printed(b"x\n")), &command(Risk::ReadOnly, OutputFormat::Text));
    let line = CallLine { id: "c1", tool: "t", subject: None, elapsed: Duration::ZERO, result: None };
    let event = render_event(&line, &presented);
    assert_eq!(event.matches('\n').count(), 1);
    let event: Value = serde_json::from_str(&event).unwrap();
    assert_eq!(event["status"], "succeeded");
    assert_eq!(event["text"], "✓ t  0 ms\n  x\n");
}

#[test]
fn a_subject_is_the_telling_argument_redacted_and_escaped() {
    let redactor = redactor();
    assert_eq!(subject(&json!({"limit": 5, "path": "a\tb"}), &redactor).as_deref(), Some("a\\tb"));
    assert_eq!(subject(&json!({"x": "hunter2-hunter2"}), &redactor).as_deref(), Some("[secret:token]"));
    assert_eq!(subject(&json!({"x": 1}), &redactor), None);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn displays_never_print_what_a_terminal_obeys(text in any::<String>(), width in 1_usize..100) {
        let presented = run(Captured::builtin(Ok(read(json!(text)))), &builtin(Risk::ReadOnly));
        let options = DisplayOptions { width, ..DisplayOptions::default() };
        let shown = shown(&presented, &options);
        prop_assert!(!shown.chars().any(|c| c != '\n' && crate::text::is_hidden(c)), "{shown:?}");
        let fits = shown.lines().all(|line| crate::text::width(line) <= width.max(2));
        prop_assert!(fits, "{shown:?}");
    }

    #[test]
    fn no_secret_survives_whatever_surrounds_it(before in any::<String>(), after in any::<String>(), max in 10_usize..200) {
        let mut contract = command(Risk::ReadOnly, OutputFormat::Text);
        contract.result.max_bytes = max;
        let output = format!("{before}hunter2-hunter2{after}");
        let presented = run(Captured::command(printed(output.as_bytes())), &contract);
        let content = presented.content().unwrap_or_default();
        prop_assert!(content.len() <= max);
        prop_assert!(!content.contains("hunter2-hunter2"));
    }
}

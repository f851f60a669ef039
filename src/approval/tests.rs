use std::path::{Path, PathBuf};
use std::time::Duration;

use proptest::prelude::*;
use serde_json::{Value, json};

use crate::catalog::{
    BuiltinName, Contract, Digest, ExecutionMode, HttpAuth, HttpProxy, HttpTls, NamePattern, Network,
    NetworkRule, OutputFormat, Overflow, Redirects, ResultSpec, Risk, Run, SandboxLevel, Schema, Streams,
    TaskContext, TaskSpan, Timeout,
};
use crate::clock::Timestamp;
use crate::code::ErrorCode;
use crate::diagnostic::Location;
use crate::ident::{
    AgentName, CallId, CredentialName, Principal, RuleId, StepName, TaskId, Tenant, ToolName, UserName,
};
use crate::policy::{ApprovalDemand, ApprovalTerms, Quorum};
use crate::present::DisplayBody;
use crate::secret::Redactor;
use crate::validate::{CommandPlan, HttpBody, HttpPlan, Plan, ProgramSource, StdinPlan};

use super::*;

const NOW: Timestamp = Timestamp(1_000_000);

/// Everything a subject borrows; each test changes what it is about.
struct Case {
    principal: Principal,
    task: TaskId,
    step: Option<StepName>,
    workspace: PathBuf,
    contract: Contract,
    arguments: Value,
    defaulted: Vec<String>,
    plan: Plan,
    demand: ApprovalDemand,
    effect_key: Option<String>,
    preview: Option<Preview>,
}

impl Case {
    fn new(arguments: Value) -> Self {
        Self {
            principal: Principal {
                user: UserName::parse("ann").unwrap(),
                agent: AgentName::parse("coder").unwrap(),
                agent_version: Some("1.2".into()),
                tenant: Tenant::parse("local").unwrap(),
            },
            task: TaskId::parse("t-1").unwrap(),
            step: Some(StepName::parse("edit").unwrap()),
            workspace: "/work".into(),
            contract: contract(),
            arguments,
            defaulted: Vec::new(),
            plan: Plan::Builtin { name: BuiltinName::WriteFile, timeout: Duration::from_secs(30) },
            demand: asking(ApprovalTerms::default()),
            effect_key: None,
            preview: None,
        }
    }

    fn subject(&self) -> Subject<'_> {
        Subject {
            principal: &self.principal,
            task: &self.task,
            span: TaskSpan::Stated,
            step: self.step.as_ref(),
            workspace: &self.workspace,
            contract: &self.contract,
            arguments: &self.arguments,
            led: std::borrow::Cow::Borrowed(&self.arguments),
            defaulted: &self.defaulted,
            plan: &self.plan,
            demand: Some(self.demand.clone()),
            reasons: vec![Reason {
                rule: "rule ask-writes".into(),
                place: "policy.yaml:12:5".into(),
                reason: Some("writes are asked".into()),
            }],
            effect_key: self.effect_key.as_deref(),
            preview: self.preview.as_ref(),
        }
    }

    fn binding(&self) -> Binding {
        Binding::compute(&self.subject())
    }

    fn question(&self) -> Question {
        let mut redactor = Redactor::default();
        redactor.add("deploy", b"hunter2-hunter2");
        let place = matches!(self.plan, Plan::Command(_))
            .then_some(Place { sandbox: SandboxLevel::Confined, network: NetworkRule::None });
        Question::new(&self.subject(), place, &redactor)
    }

    fn shown(&self) -> String {
        render_question(&self.question(), Extent::Usual, 80, false, true).text
    }
}

fn contract() -> Contract {
    Contract {
        name: ToolName::parse("write_file").unwrap(),
        version: Some("1.0.0".into()),
        title: None,
        description: String::new(),
        use_when: None,
        not_for: None,
        risk: Risk::Write,
        changes: Some("one file of the workspace".into()),
        object: None,
        execution_mode: ExecutionMode::Exclusive,
        timeout: Timeout::Fixed(Duration::from_secs(30)),
        permissions: Vec::new(),
        input_schema: Schema::new(json!({})),
        output_schema: None,
        errors: Vec::new(),
        idempotency: crate::catalog::Idempotency::Unstated,
        preconditions: Vec::new(),
        operation: None,
        reconcile: None,
        verify: None,
        internal: false,
        run: Run::Builtin(BuiltinName::WriteFile),
        sandbox: None,
        egress: false,
        result: ResultSpec::default(),
        examples: Vec::new(),
        location: Location { file: "tools.yaml".into(), line: 1, column: 1 },
        digest: Digest([7; 32]),
    }
}

fn asking(terms: ApprovalTerms) -> ApprovalDemand {
    ApprovalDemand {
        rules: vec![RuleId::parse("ask-writes").unwrap()],
        quorums: terms.quorum.into_iter().collect(),
        expires: terms.expires,
        remember: terms.remember,
    }
}

/// So many of ann and bo.
fn quorum(count: u32) -> Quorum {
    Quorum {
        rule: RuleId::parse("ask-writes").unwrap(),
        by: vec!["finance".into()],
        members: ["ann", "bo"].map(|name| UserName::parse(name).unwrap()).into(),
        count,
        not_requester: false,
    }
}

fn remembering(alternatives: &[&[&str]]) -> ApprovalTerms {
    let remember =
        alternatives.iter().map(|fields| fields.iter().map(|f| (*f).to_owned()).collect()).collect();
    ApprovalTerms { remember, ..ApprovalTerms::default() }
}

fn command(argv: &[&str]) -> Plan {
    Plan::Command(CommandPlan {
        program: ProgramSource::Search(argv[0].into()),
        argv: argv.iter().map(|word| (*word).to_owned()).collect(),
        cwd: String::new(),
        env: vec![("CARGO_TERM_COLOR".into(), "never".into())],
        pass_env: vec!["CARGO_HOME".into()],
        credentials: vec![("API_TOKEN".into(), CredentialName::parse("tracker").unwrap())],
        stdin: StdinPlan::Empty,
        output: OutputFormat::Text,
        streams: Streams::Stdout,
        max_output_bytes: 1000,
        on_overflow: Overflow::Truncate,
        timeout: Duration::from_secs(90),
    })
}

fn answered(answer: Answer) -> Answered {
    Answered { answer, shown: Digest([0; 32]) }
}

fn yes(case: &Case, answer: Answer) -> Option<Grant> {
    Grant::from_answer(&answered(answer), &case.subject(), &GrantId::random().unwrap(), "ann", NOW)
}

#[test]
fn the_question_shows_everything_that_a_yes_would_cover() {
    let mut case = Case::new(
        json!({"path": "src/a.rs", "content": "fn a() {}\n", "limit": 5, "options": {"deep": true}}),
    );
    case.defaulted = vec!["/limit".into(), "/options/deep".into()];
    case.demand = asking(remembering(&[&["/path"], &[]]));
    case.preview = Some(Preview {
        display: DisplayBody::Diff {
            path: "src/a.rs".into(),
            before: None,
            after: Some("fn a() {}\n".into()),
        },
        basis: Digest([1; 32]),
    });
    assert_eq!(
        case.shown(),
        "May `write_file` run?
  tool      write_file, version 1.0.0, risk write
  changes   one file of the workspace
  for       ann through agent coder 1.2, tenant local
  task      t-1, step edit
arguments
  path (untrusted): \"src/a.rs\"
  content (text, untrusted):
    │ fn a() {}
    │
  limit (contract): 5
  options (json, untrusted):
    │ {
    │   \"deep\": true
    │ }
    /options/deep is the contract's default
would run
  builtin   write_file, in the gateway itself, at most 30s
asked because
  rule ask-writes (policy.yaml:12:5): writes are asked
would change
    │ src/a.rs, new file  +1 -0
    │ @@ -0,0 +1 @@
    │ +fn a() {}
a yes for this task, where it is offered, would also cover later calls
  1. with /path = \"src/a.rs\"; whatever is in: /content, /limit, /options
  2. with nothing; whatever is in: /path, /content, /limit, /options
"
    );
}

#[test]
fn a_commands_words_place_and_credentials_are_shown() {
    let mut case = Case::new(json!({"target": "a b"}));
    case.plan = command(&["cargo", "test", "--", "a b", "x\u{1b}[2K"]);
    let shown = case.shown();
    let runs = shown.split("would run\n").nth(1).unwrap().split("asked because").next().unwrap();
    assert_eq!(
        runs,
        "  program   cargo, found in PATH
  argv      cargo test -- 'a b' $'x\\u{1b}[2K'
  in        .
  env       CARGO_TERM_COLOR=never
  passes on CARGO_HOME
  stdin     nothing
  at most   90s
  sandbox   confined, no network
  gets      tracker as API_TOKEN
"
    );
}

#[test]
fn a_terminals_own_sequences_are_printed_literally() {
    let shown = Case::new(json!({"path": "a\u{1b}[2K\u{1b}]8;;\r\tb\u{200b}\u{202e}"})).shown();
    assert!(
        shown.contains(
            "  path (untrusted): \"a\\u{1b}[2K\\u{1b}]8;;\\r\\tb\\u{200b}\\u{202e}\"\n    ! it holds characters that cannot be seen; they are spelled out as \\u{…}\n"
        ),
        "{shown}"
    );
}

#[test]
fn look_alike_letters_are_flagged() {
    let shown = Case::new(json!({"to": "p\u{430}ypal.com"})).shown();
    assert!(shown.contains("    ! look-alike letters: `p\u{430}ypal` is not `paypal`\n"), "{shown}");
}

#[test]
fn the_end_of_a_long_argument_comes_last() {
    let command = (1..200).map(|n| format!("echo {n}\n")).collect::<String>() + "rm -rf ~";
    let shown = Case::new(json!({"command": command})).shown();
    assert!(shown.contains("    │ echo 1\n") && shown.contains("    │ echo 100\n"));
    assert!(
        shown.ends_with(
            "long values end with\n  command:\n    │ echo 196\n    │ echo 197\n    │ echo 198\n    │ echo 199\n    │ rm -rf ~\n"
        ),
        "{shown}"
    );
}

#[test]
fn a_huge_argument_is_abridged_in_the_middle_and_can_be_seen_whole() {
    let case = Case::new(json!({"content": "line\n".repeat(1000)}));
    let usual = render_question(&case.question(), Extent::Usual, 80, false, true);
    assert!(usual.abridged);
    assert!(usual.text.contains("    … 601 lines are not shown here; choose `view` to see them\n"));
    let whole = render_question(&case.question(), Extent::Whole, 80, false, true);
    assert!(!whole.abridged);
    assert_eq!(whole.text.matches("│ line\n").count(), 1000 + 4);
}

#[test]
fn no_line_of_an_argument_passes_for_a_line_of_the_question() {
    let wide = format!("{}  path (contract): \"safe\"", "x".repeat(58));
    let shown = Case::new(json!({"text": wide, "more": "a\n  path (contract): \"safe\""})).shown();
    assert!(!shown.contains("\n  path (contract)"), "{shown}");
    assert!(shown.contains("    ┊ ") && shown.contains("    │   path (contract): \"safe\"\n"), "{shown}");
}

#[test]
fn secrets_are_masked_and_the_rest_stays_readable() {
    let mut case =
        Case::new(json!({"command": "curl -H 'Authorization: hunter2-hunter2' https://example.org"}));
    case.plan = command(&["curl", "-H", "Authorization: hunter2-hunter2", "https://example.org"]);
    let shown = case.shown();
    assert!(!shown.contains("hunter2"));
    assert!(shown.contains("curl -H 'Authorization: [secret:deploy]' https://example.org"), "{shown}");
}

#[test]
fn a_model_cannot_describe_its_arguments_away() {
    let shown = Case::new(json!({"description": "harmless", "command": "rm -rf ~"})).shown();
    assert!(shown.contains("  description (untrusted): \"harmless\"\n  command (untrusted): \"rm -rf ~\"\n"));
}

#[test]
fn a_question_survives_a_tiny_terminal_and_its_digest_is_of_what_was_shown() {
    let case = Case::new(json!({"path": "src/main.rs"}));
    let small = render_question(&case.question(), Extent::Usual, 1, false, false);
    let large = render_question(&case.question(), Extent::Usual, 80, false, false);
    assert_ne!(small.digest, large.digest);
    assert!(large.text.is_ascii());
    assert_eq!(large, render_question(&case.question(), Extent::Usual, 80, false, false));
}

#[test]
fn only_a_yes_becomes_a_grant() {
    let case = Case::new(json!({}));
    let grant = |answer| yes(&case, answer).is_some();
    assert!(grant(Answer::Once) && grant(Answer::ForTask { alternative: 0 }));
    let deny = Answer::Deny { feedback: None };
    for answer in [Answer::Edit { arguments: serde_json::Map::new() }, deny, Answer::Stop, Answer::Expired] {
        assert!(!grant(answer));
    }
}

#[test]
fn a_grant_is_worth_nothing_for_anything_else() {
    let case = Case::new(json!({"path": "a", "n": 1}));
    let grant = yes(&case, Answer::Once).unwrap();
    assert_eq!(grant.check(&case.subject(), NOW), Ok(()));
    let changed: [fn(&mut Case); 13] = [
        |c| c.arguments = json!({"path": "b", "n": 1}),
        |c| c.arguments = json!({"path": "a", "n": 1, "extra": null}),
        |c| c.principal.tenant = Tenant::parse("other").unwrap(),
        |c| c.principal.user = UserName::parse("bo").unwrap(),
        |c| c.principal.agent = AgentName::parse("other").unwrap(),
        |c| c.principal.agent_version = None,
        |c| c.task = TaskId::parse("t-2").unwrap(),
        |c| c.step = None,
        |c| c.workspace = "/elsewhere".into(),
        |c| c.contract.digest = Digest([8; 32]),
        |c| c.plan = command(&["true"]),
        |c| c.effect_key = Some("k".into()),
        |c| c.preview = Some(Preview { display: DisplayBody::Content, basis: Digest([9; 32]) }),
    ];
    for change in changed {
        let mut other = Case::new(json!({"path": "a", "n": 1}));
        change(&mut other);
        assert_eq!(grant.check(&other.subject(), NOW), Err(GrantMismatch::OtherCall));
    }
    let mut other = Case::new(json!({"path": "a", "n": 1}));
    other.demand.rules.push(RuleId::parse("another").unwrap());
    assert_eq!(grant.check(&other.subject(), NOW), Err(GrantMismatch::OtherCall));
}

#[test]
fn a_binding_does_not_depend_on_the_order_of_keys() {
    let binding = |text: &str| Case::new(serde_json::from_str(text).unwrap()).binding();
    assert_eq!(binding(r#"{"a":1,"b":{"c":2,"d":3}}"#), binding(r#"{"b":{"d":3,"c":2},"a":1}"#));
    assert_ne!(binding(r#"{"a":18446744073709551615}"#), binding(r#"{"a":18446744073709551614}"#));
}

#[test]
fn a_grant_expires() {
    let case = Case::new(json!({}));
    let grant = yes(&case, Answer::Once).unwrap();
    let later = NOW.plus(Duration::from_secs(15 * 60));
    assert_eq!(grant.check(&case.subject(), later), Err(GrantMismatch::Expired));
}

#[test]
fn where_signed_answers_are_needed_no_yes_at_the_terminal_counts() {
    let terms = [
        ApprovalTerms { quorum: Some(quorum(1)), ..remembering(&[&[]]) },
        ApprovalTerms { quorum: Some(quorum(2)), ..remembering(&[&[]]) },
    ];
    for terms in terms {
        let mut case = Case::new(json!({}));
        case.demand = asking(terms);
        assert!(yes(&case, Answer::Once).is_none());
        let id = GrantId::random().unwrap();
        let yes = answered(Answer::ForTask { alternative: 0 });
        assert!(StandingGrant::from_answer(&yes, &case.subject(), id, NOW).is_none());
        assert!(case.shown().contains("nothing said here is a yes"));
        assert!(case.question().alternatives().is_empty());
    }
}

fn standing(case: &Case) -> StandingGrant {
    let id = GrantId::parse("g_aaaaaaaaaaaaaaaa").unwrap();
    StandingGrant::from_answer(&answered(Answer::ForTask { alternative: 0 }), &case.subject(), id, NOW)
        .unwrap()
}

fn pinning(arguments: Value) -> Case {
    let mut case = Case::new(arguments);
    case.demand = asking(remembering(&[&["/to", "/cc"]]));
    case
}

#[test]
fn a_standing_grant_covers_calls_whose_pinned_fields_are_the_same() {
    let grant = standing(&pinning(json!({"to": "bo", "body": "x"})));
    assert!(grant.covers(&pinning(json!({"to": "bo", "body": "other"})).subject(), NOW));
    assert!(!grant.covers(&pinning(json!({"to": "eve", "body": "x"})).subject(), NOW));
    // A pinned field that was absent must stay absent; null is a value.
    assert!(!grant.covers(&pinning(json!({"to": "bo", "cc": "eve"})).subject(), NOW));
    assert!(!grant.covers(&pinning(json!({"to": "bo", "cc": null})).subject(), NOW));
}

#[test]
fn a_standing_grant_covers_no_other_shape() {
    let case = || pinning(json!({"to": "bo"}));
    let grant = standing(&case());
    let changed: [fn(&mut Case); 7] = [
        |c| c.contract.digest = Digest([8; 32]),
        |c| c.contract.name = ToolName::parse("other").unwrap(),
        |c| c.principal.tenant = Tenant::parse("other").unwrap(),
        |c| c.principal.agent = AgentName::parse("other").unwrap(),
        |c| c.task = TaskId::parse("t-2").unwrap(),
        |c| c.demand.rules.push(RuleId::parse("another").unwrap()),
        |c| c.demand = asking(remembering(&[&["/to"]])),
    ];
    for change in changed {
        let mut other = case();
        change(&mut other);
        assert!(!grant.covers(&other.subject(), NOW));
    }
    let mut other = case();
    other.demand.quorums = vec![quorum(2)];
    assert!(!grant.covers(&other.subject(), NOW));
}

#[test]
fn a_standing_grant_ends() {
    let case = pinning(json!({"to": "bo"}));
    let grant = standing(&case);
    assert!(!grant.covers(&case.subject(), grant.expires()));
}

#[test]
fn a_standing_grant_survives_the_store_and_a_damaged_one_is_worth_nothing() {
    let case = pinning(json!({"to": null}));
    let grant = standing(&case);
    let pinned = serde_json::to_string(grant.pinned()).unwrap();
    assert_eq!(pinned, r#"[{"pointer":"/to","value":null},{"pointer":"/cc"}]"#);
    let rules = serde_json::to_string(grant.rules()).unwrap();
    let stored = StoredStanding {
        id: grant.id(),
        principal: &case.principal,
        task: &case.task,
        workspace: grant.workspace(),
        tool: grant.tool(),
        contract: case.contract.digest,
        pinned: &pinned,
        rules: &rules,
        expires: grant.expires(),
    };
    assert_eq!(StandingGrant::from_store(&stored), Some(grant.clone()));
    for damaged in ["", "{}", r#"[{"pointer":"/to","values":1}]"#] {
        assert_eq!(StandingGrant::from_store(&StoredStanding { pinned: damaged, ..stored }), None);
    }
}

fn task_context() -> TaskContext {
    TaskContext {
        id: TaskId::parse("t-1").unwrap(),
        span: TaskSpan::Stated,
        prompt: Some("tidy".into()),
        tools: Some(vec![NamePattern::new("write_*")]),
        data: json!({"known": [1]}),
    }
}

#[test]
fn the_task_of_a_stored_call_comes_back_whole() {
    let task = task_context();
    let stored = StoredTask::of(&task);
    assert_eq!(format!("{:?}", stored.context(&task.id)), format!("{task:?}"));
}

#[test]
fn a_task_that_was_made_for_a_run_binds_nothing_and_a_stated_one_does() {
    let binding = |task: &str, span| {
        let mut case = Case::new(json!({"path": "a"}));
        case.task = TaskId::parse(task).unwrap();
        Binding::compute(&Subject { span, ..case.subject() })
    };
    assert_eq!(binding("run-1", TaskSpan::Run), binding("run-2", TaskSpan::Call));
    assert_ne!(binding("t-1", TaskSpan::Stated), binding("t-2", TaskSpan::Stated));
    assert_ne!(binding("t-1", TaskSpan::Stated), binding("t-1", TaskSpan::Run));
}

#[test]
fn a_stored_yes_is_a_grant_for_its_own_call_only() {
    let case = Case::new(json!({"path": "a"}));
    let rendered = render_question(&case.question(), Extent::Whole, 100, false, true);
    let id = ApprovalId::parse("a_aaaaaaaaaaaaaaaa").unwrap();
    let pending = PendingApproval::new(
        id,
        &CallId::parse("c1").unwrap(),
        &case.subject(),
        &task_context(),
        &rendered,
        NOW,
    );
    assert_eq!(pending.expires(), NOW.plus(Duration::from_secs(24 * 60 * 60)));
    let stored = StoredYes {
        id: pending.id(),
        binding: pending.binding().0,
        question: pending.question(),
        by: "ann",
        signers: &[],
        note: Some("once"),
        expires: pending.expires(),
    };
    let grant = Grant::from_store(&stored);
    assert_eq!((grant.id(), grant.source(), grant.by()), ("a_aaaaaaaaaaaaaaaa", GrantSource::Stored, "ann"));
    assert_eq!(grant.check(&case.subject(), NOW), Ok(()));
    assert_eq!(grant.check(&case.subject(), pending.expires()), Err(GrantMismatch::Expired));
    assert_eq!(grant.check(&Case::new(json!({"path": "b"})).subject(), NOW), Err(GrantMismatch::OtherCall));
    let mut stricter = Case::new(json!({"path": "a"}));
    stricter.demand.quorums = vec![quorum(1)];
    assert_eq!(grant.check(&stricter.subject(), NOW), Err(GrantMismatch::NeedsSignature));
}

#[test]
fn every_rule_that_asks_must_have_its_own_answers() {
    let mut case = Case::new(json!({}));
    let only_bo = Quorum { members: [UserName::parse("bo").unwrap()].into(), ..quorum(1) };
    let check = |case: &Case, signers: &[&str]| {
        let signers: Vec<UserName> = signers.iter().map(|name| UserName::parse(name).unwrap()).collect();
        let yes = StoredYes {
            id: "a_aaaaaaaaaaaaaaaa",
            binding: case.binding().0,
            question: Digest([1; 32]),
            by: "ann, bo",
            signers: &signers,
            note: None,
            expires: NOW.plus(Duration::from_secs(60)),
        };
        Grant::from_store(&yes).check(&case.subject(), NOW)
    };
    case.demand.quorums = vec![quorum(1), only_bo];
    assert_eq!(check(&case, &["ann"]), Err(GrantMismatch::NeedsSignature));
    assert_eq!(check(&case, &["bo"]), Ok(()));
    case.demand.quorums = vec![quorum(2)];
    for (signers, expected) in [
        (vec![], Err(GrantMismatch::NeedsSignature)),
        (vec!["ann", "ann"], Err(GrantMismatch::NeedsSignature)),
        (vec!["ann", "eve"], Err(GrantMismatch::NeedsSignature)),
        (vec!["ann", "bo"], Ok(())),
    ] {
        assert_eq!(check(&case, &signers), expected, "{signers:?}");
    }
    // The requester is ann.
    case.demand.quorums = vec![Quorum { not_requester: true, ..quorum(1) }];
    assert_eq!(check(&case, &["ann"]), Err(GrantMismatch::NeedsSignature));
    assert_eq!(check(&case, &["bo"]), Ok(()));
}

#[test]
fn a_stored_call_reads_back_and_a_forged_question_does_not() {
    let case = Case::new(json!({"path": "a", "n": 18_446_744_073_709_551_615_u64}));
    let rendered = render_question(&case.question(), Extent::Whole, 100, false, true);
    let id = ApprovalId::random().unwrap();
    let pending = PendingApproval::new(
        id,
        &CallId::parse("c1").unwrap(),
        &case.subject(),
        &task_context(),
        &rendered,
        NOW,
    );
    let text = pending.call().to_json().unwrap();
    assert_eq!(&StoredCall::from_json(&text, pending.question()).unwrap(), pending.call());
    assert_eq!(pending.call().arguments, case.arguments);
    let forged = text.replace("May `write_file` run?", "May `nothing` run?");
    assert_eq!(StoredCall::from_json(&forged, pending.question()).unwrap_err().code, ErrorCode::Internal);
}

#[test]
fn a_refusal_says_who_said_no_and_silence_is_not_a_person() {
    let no = Answer::Deny { feedback: Some(" use the other file \u{1b}".into()) };
    let error = no.refusal().unwrap();
    assert_eq!(error.message, "a person denied the call: use the other file \\u{1b}");
    assert_eq!((error.code, no.as_str()), (ErrorCode::ApprovalDenied, "denied"));
    let error = Answer::Expired.refusal().unwrap();
    assert_eq!((error.code, Answer::Expired.as_str()), (ErrorCode::ApprovalExpired, "expired"));
    assert_eq!(Answer::Once.refusal(), None);
}

#[test]
fn ids_are_random_and_read_back_only_as_they_were() {
    let (one, two) = (ApprovalId::random().unwrap(), ApprovalId::random().unwrap());
    assert_ne!(one, two);
    assert_eq!(ApprovalId::parse(one.as_str()), Some(one));
    for text in ["", "a_", "g_aaaaaaaaaaaaaaaa", "a_AAAAAAAAAAAAAAAA", "a_aaaaaaaaaaaaaaaaa"] {
        assert_eq!(ApprovalId::parse(text), None, "{text}");
    }
}

#[test]
fn a_workspace_of_another_name_is_another_binding_even_where_it_is_not_unicode() {
    use std::os::unix::ffi::OsStrExt;
    let at = |bytes: &[u8]| {
        let mut case = Case::new(json!({}));
        case.workspace = Path::new(std::ffi::OsStr::from_bytes(bytes)).to_owned();
        case.binding()
    };
    assert_ne!(at(b"/w\xff"), at(b"/w\xfe"));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn a_question_never_holds_what_a_terminal_obeys(
        name in any::<String>(), text in any::<String>(), word in any::<String>(), width in 0_usize..120,
    ) {
        let mut case = Case::new(json!({name: text.clone(), "nested": [{"k": text}]}));
        case.plan = command(&["run", &word]);
        let rendered = render_question(&case.question(), Extent::Usual, width, false, true);
        prop_assert!(!rendered.text.chars().any(|c| c != '\n' && crate::text::is_hidden(c)), "{}", rendered.text);
    }

    #[test]
    fn a_question_loses_no_argument(text in "[a-z \\n]{0,400}", width in 20_usize..120) {
        let shown = render_question(&Case::new(json!({"x": text.clone()})).question(), Extent::Whole, width, false, true).text;
        let letters = |text: &str| text.chars().filter(char::is_ascii_lowercase).collect::<String>();
        prop_assert!(letters(&shown).contains(&letters(&text)));
    }
}

#[test]
fn a_standing_grant_is_for_its_own_workspace() {
    let mut case = pinning(json!({"to": "a"}));
    let grant = standing(&case);
    assert!(grant.covers(&case.subject(), NOW));
    case.workspace = "/elsewhere".into();
    assert!(!grant.covers(&case.subject(), NOW));
}

#[test]
fn the_same_call_sent_again_is_alike_and_another_one_is_not() {
    let likeness = |case: &Case, span| Likeness::compute(&Subject { span, ..case.subject() });
    let case = Case::new(json!({"path": "a"}));
    let known = likeness(&case, TaskSpan::Run);
    let changed = |change: fn(&mut Case)| {
        let mut case = Case::new(json!({"path": "a"}));
        change(&mut case);
        (likeness(&case, TaskSpan::Run), likeness(&case, TaskSpan::Stated))
    };
    // A task that was made for one run has another name in the next, and a rule may ask with other terms.
    assert_eq!(changed(|case| case.task = TaskId::parse("t-2").unwrap()).0, known);
    assert_eq!(changed(|case| case.demand = asking(remembering(&[&["/path"]]))).0, known);
    let stated = likeness(&case, TaskSpan::Stated);
    assert_ne!(changed(|case| case.task = TaskId::parse("t-2").unwrap()).1, stated);
    assert_ne!(stated, known);
    for change in [
        (|case| case.arguments = json!({"path": "b"})) as fn(&mut Case),
        |case| case.workspace = "/elsewhere".into(),
        |case| case.step = None,
        |case| case.principal.agent_version = None,
        |case| case.contract.digest = Digest([9; 32]),
        |case| case.plan = Plan::Builtin { name: BuiltinName::WriteFile, timeout: Duration::from_secs(1) },
    ] {
        assert_ne!(changed(change).0, known);
    }
}

#[test]
fn a_person_is_told_why_their_edit_cannot_run_and_nothing_in_it_moves_the_cursor() {
    let case = Case::new(json!({"path": "a"}));
    let mut error = crate::code::CallError::new(ErrorCode::InvalidArguments, "the arguments do not hold");
    error.violations.push(crate::code::Violation {
        pointer: "/x\u{1b}[2K".to_owned(),
        expected: "absent".to_owned(),
        found: "1\r".to_owned(),
        hint: None,
    });
    let refused = RefusedEdit { arguments: json!({}), error };
    let shown = render_refused_edit(&case.question(), &refused, 80, false, true);
    assert!(shown.text.contains("nothing has run yet"), "{}", shown.text);
    assert!(shown.text.contains("INVALID_ARGUMENTS: the arguments do not hold"), "{}", shown.text);
    assert!(shown.text.contains("must be absent"), "{}", shown.text);
    assert!(!shown.text.contains(['\u{1b}', '\r']), "{:?}", shown.text);
}

#[test]
fn a_question_about_a_request_shows_all_that_would_be_sent_and_credentials_by_name() {
    let credential = CredentialName::parse("purchasing").unwrap();
    let mut case = Case::new(json!({"ref": "R-1"}));
    case.plan = Plan::Http(HttpPlan {
        method: "POST".into(),
        url: "https://shop.example/orders/R%201?dry=false&token=hunter2-hunter2".into(),
        headers: vec![("Idempotency-Key".into(), "R-1".into()), ("X-Note".into(), "hunter2-hunter2".into())],
        auth: Some(HttpAuth::Bearer(credential.clone())),
        body: HttpBody::Json(json!({"amount": 5, "note": "a\u{202e}b hunter2-hunter2"})),
        networks: vec![Network::Loopback],
        proxy: Some(HttpProxy { url: "http://proxy.example:3128".into(), basic: Some(credential.clone()) }),
        tls: HttpTls { roots: None, identity: Some(credential) },
        redirects: Redirects { max: 2, hosts: vec!["cdn.example".into()] },
        is_keyed: true,
        connect_timeout: Duration::from_secs(10),
        read_timeout: None,
        retries: 0,
        max_response_bytes: 1000,
        timeout: Duration::from_secs(20),
    });
    let shown = case.shown();
    for expected in [
        "POST https://shop.example/orders/R%201?dry=false&token=[secret:deploy]",
        "Idempotency-Key: R-1",
        "X-Note: [secret:deploy]",
        "as JSON:",
        "\"amount\": 5",
        "a\\u{202e}b [secret:deploy]",
        "the private networks loopback",
        "at most 2 redirects, also to cdn.example",
        "http://proxy.example:3128",
        "purchasing as bearer token, purchasing for the proxy, purchasing as client",
    ] {
        assert!(shown.contains(expected), "{expected}\n{shown}");
    }
    assert!(!shown.contains("hunter2"), "{shown}");
    // What would be sent is part of what a yes is for.
    let before = case.binding();
    if let Plan::Http(plan) = &mut case.plan {
        plan.url.push('1');
    }
    assert_ne!(before, case.binding());
}

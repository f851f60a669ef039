use std::cell::Cell;
use std::path::PathBuf;
use std::pin::Pin;
use std::sync::Arc;

use serde_json::{Map, Value};

use super::*;
use crate::catalog::{Catalog, ManifestFile, TaskContext, TaskSpan};
use crate::clock::{Clock, Timestamp};
use crate::diagnostic::{Report, SourceMap};
use crate::execute::{Look, ParentEnvironment, StandIn};
use crate::ident::{AgentName, Principal, TaskId, Tenant, UserName};
use crate::policy::{Policy, PolicyFile};
use crate::present::Captured;
use crate::session::Session;
use crate::validate::ValidatedCall;
use crate::workspace::{Protected, Workspace};

const ALLOW: &str = "version: 1\ndefault_verdict: allow\n";
const DENY: &str = "version: 1\ndefault_verdict: deny\n";
const ASK: &str =
    "version: 1\ndefault_verdict: deny\nrules: [{id: ask, verdict: require_approval, reason: money}]\n";
const DENYING: &str =
    "version: 1\ndefault_verdict: allow\nrules: [{id: denying, verdict: deny, reason: changed}]\n";

/// A tool that no machine has, with what its contract says of repeated calls and of its command.
fn order(repeated: &str, command: &str) -> String {
    format!(
        "version: 1
tools:
  - name: order
    description: Orders.
    risk: external
    execution_mode: exclusive
    {repeated}
    input_schema: {{type: object, additionalProperties: false, required: [ref], properties: {{ref: {{type: string}}}}}}
    run: {{command: {{argv: [no-such-program, --, '{{{{arguments.ref}}}}'], {command}}}}}
    result: {{trust: trusted}}
"
    )
}

const KEY: &str = "idempotency: {key: '{{arguments.ref}}'}";
const SAFE: &str = "idempotency: {key: '{{arguments.ref}}', retry: safe}";
const NONE: &str = "idempotency: none";

/// The laws about what a contract like that does not state.
const UNSTATED: [Law; 4] =
    [Law::TurnedPrecondition, Law::HollowSuccess, Law::CrashWhilePending, Law::NeverEnds];

struct Place {
    folder: tempfile::TempDir,
}

impl Place {
    fn ground(&self, tools: &str, policy: &str) -> Ground {
        let (mut sources, mut report) = (SourceMap::default(), Report::default());
        let manifest = ManifestFile {
            name: Arc::from("tools.yaml"),
            text: Arc::from(tools),
            base: PathBuf::from("/"),
            trusted: true,
        };
        let Ok(catalog) = Catalog::load(&[manifest], &mut sources, &mut report) else {
            panic!("{}", report.render(&sources, false))
        };
        let mut load = |texts: &[&str]| {
            let files: Vec<PolicyFile> =
                texts.iter().map(|text| PolicyFile::new("policy.yaml", *text)).collect();
            match Policy::load(&files, &catalog, &mut sources, &mut report) {
                Ok(policy) => Arc::new(policy),
                Err(()) => panic!("{}", report.render(&sources, false)),
            }
        };
        let (own, denying) = (load(&[policy]), load(&[policy, DENYING]));
        let principal = Principal {
            user: UserName::parse("ann").unwrap(),
            agent: AgentName::parse("default").unwrap(),
            agent_version: None,
            tenant: Tenant::parse("local").unwrap(),
        };
        let task = TaskContext {
            id: TaskId::parse("t").unwrap(),
            span: TaskSpan::Run,
            prompt: None,
            tools: None,
            data: Value::Object(Map::new()),
        };
        let scope = own.scope(&principal, &task, None);
        let workspace = self.folder.path().join("work");
        std::fs::create_dir_all(&workspace).unwrap();
        Ground {
            session: Session {
                catalog,
                policy: own,
                workspace: Arc::new(Workspace::open(&workspace, Protected::default()).unwrap()),
                principal,
                operator: UserName::parse("ann").unwrap(),
                approvers: crate::approval::Approvers::default(),
                kept: None,
                later: crate::session::LaterPositions::default(),
                task,
                step: None,
                scope,
                environment: ParentEnvironment::current(),
                pass_keys: crate::state::PassKeys::new(self.folder.path()),
                server_logs: None,
                clock: Clock::Fixed(Timestamp(1_767_323_045_678)),
                facts: Arc::default(),
            },
            denying,
            folder: self.folder.path().join("stores"),
            tools: Vec::new(),
        }
    }
}

fn drilled(tools: &str, policy: &str, double: &dyn Double) -> DrillReport {
    let place = Place { folder: tempfile::tempdir().unwrap() };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(drill(place.ground(tools, policy), double))
}

fn finding(report: &DrillReport, law: Law) -> &Finding {
    &report.findings.iter().find(|drilled| drilled.law == law).unwrap().finding
}

/// The laws that were broken, in order.
fn broken(report: &DrillReport) -> Vec<Law> {
    let broken = |drilled: &&Drilled| matches!(drilled.finding, Finding::Broken(_));
    report.findings.iter().filter(broken).map(|drilled| drilled.law).collect()
}

/// The laws that were not drilled, in order.
fn all_not_drilled(report: &DrillReport) -> Vec<Law> {
    let skipped = |drilled: &&Drilled| matches!(drilled.finding, Finding::NotDrilled(_));
    report.findings.iter().filter(skipped).map(|drilled| drilled.law).collect()
}

/// The same without those about what a contract does not state, of which each must be there.
fn not_drilled(report: &DrillReport) -> Vec<Law> {
    let mut laws = all_not_drilled(report);
    assert!(UNSTATED.iter().all(|law| laws.contains(law)), "{laws:?}");
    laws.retain(|law| !UNSTATED.contains(law));
    laws
}

#[test]
fn every_law_holds_whatever_a_contract_says_of_repeated_calls() {
    for (repeated, skipped) in [
        (KEY, vec![Law::LateApproval]),
        (SAFE, vec![Law::LateApproval]),
        (NONE, vec![Law::DuplicateCall, Law::LateApproval]),
    ] {
        let report = drilled(&order(repeated, "output: text"), ALLOW, &World::default());
        assert_eq!(report.findings.len(), Law::ALL.len());
        assert_eq!(broken(&report), [], "{repeated}: {report:?}");
        assert_eq!(not_drilled(&report), skipped, "{repeated}: {report:?}");
    }
    let write = order("changes: something", "output: text").replace("external", "write");
    let report = drilled(&write, ALLOW, &World::default());
    assert_eq!((broken(&report), not_drilled(&report)), (vec![], vec![Law::LateApproval]), "{report:?}");
}

#[test]
fn where_the_policy_asks_the_yes_is_drilled_as_well() {
    for repeated in [KEY, SAFE] {
        let report = drilled(&order(repeated, "output: text"), ASK, &World::default());
        assert_eq!((broken(&report), not_drilled(&report)), (vec![], vec![]), "{repeated}: {report:?}");
    }
}

#[test]
fn a_tool_that_is_denied_never_runs_and_is_named_with_the_reason() {
    let report = drilled(&order(KEY, "output: text"), DENY, &World::default());
    assert_eq!(broken(&report), []);
    assert_eq!(*finding(&report, Law::Outcome), Finding::Held);
    assert_eq!(*finding(&report, Law::StoreDown), Finding::Held);
    let Finding::NotDrilled(why) = finding(&report, Law::TimeOutAfter) else { panic!("{report:?}") };
    assert!(why.contains("PERMISSION_DENIED"), "{why}");
}

#[test]
fn a_success_is_found_by_the_contracts_own_condition() {
    for command in ["success: 'exit.status == 42'", "output: json", "output: json_lines"] {
        let report = drilled(&order(KEY, command), ALLOW, &World::default());
        assert_eq!(broken(&report), [], "{command}: {report:?}");
        assert_eq!(not_drilled(&report), [Law::LateApproval], "{command}: {report:?}");
    }
    let report = drilled(&order(KEY, "success: 'exit.status == 300'"), ALLOW, &World::default());
    assert_eq!(all_not_drilled(&report), Law::ALL);
}

/// What a double does wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Wrong {
    /// Each run has two effects.
    Twice,
    /// It says that it succeeded and does nothing.
    Hollow,
    /// It promised to recognise keys and does not.
    Forgetful,
    /// It acts without being asked.
    Unbidden,
    /// It acts without being asked, once someone has looked.
    Belated,
}

/// A double that breaks a law.
struct Wronged {
    wrong: Wrong,
    world: World,
    more: Cell<u64>,
    looks: Cell<u64>,
}

impl Wronged {
    fn new(wrong: Wrong) -> Self {
        Self { wrong, world: World::default(), more: Cell::new(0), looks: Cell::new(0) }
    }
}

impl StandIn for Wronged {
    fn run<'a>(&'a self, call: &'a ValidatedCall) -> Pin<Box<dyn Future<Output = Captured> + 'a>> {
        self.more.set(self.more.get() + 1);
        self.world.run(call)
    }

    fn sees(&self, look: Look) -> Option<bool> {
        self.world.sees(look)
    }
}

impl Double for Wronged {
    fn begin(&self, tool: &str, recipe: &Recipe) {
        self.more.set(0);
        self.looks.set(0);
        self.world.begin(tool, recipe);
    }

    fn set(&self, fault: Fault) {
        self.world.set(fault);
    }

    fn runs(&self) -> u64 {
        let looked = self.looks.replace(self.looks.get() + 1) > 0;
        let belated = self.wrong == Wrong::Belated && looked && self.world.runs() == 0;
        self.world.runs() + u64::from(self.wrong == Wrong::Unbidden || belated)
    }

    fn effects(&self) -> u64 {
        match self.wrong {
            Wrong::Twice => 2 * self.world.effects(),
            Wrong::Hollow => 0,
            Wrong::Forgetful => self.more.get(),
            Wrong::Unbidden | Wrong::Belated => self.world.effects(),
        }
    }

    fn is_dead(&self) -> bool {
        self.world.is_dead()
    }
}

#[test]
fn a_double_that_breaks_a_law_shows_as_broken() {
    use Law::{
        Audit, ChangedPolicy, CrashAfterRun, CrashBeforeRun, LateApproval, Outcome, StoreDown, TimeOutAfter,
        TimeOutBefore,
    };
    for (wrong, repeated, policy, expected) in [
        (Wrong::Twice, KEY, ALLOW, vec![Outcome]),
        (Wrong::Hollow, KEY, ALLOW, vec![Outcome]),
        (Wrong::Forgetful, SAFE, ALLOW, vec![TimeOutBefore, TimeOutAfter, CrashBeforeRun, CrashAfterRun]),
        (Wrong::Unbidden, KEY, ASK, vec![Outcome, StoreDown, Audit]),
        (Wrong::Unbidden, KEY, DENY, vec![Outcome, StoreDown, Audit]),
        (Wrong::Belated, KEY, ASK, vec![LateApproval, ChangedPolicy, Audit]),
    ] {
        let report = drilled(&order(repeated, "output: text"), policy, &Wronged::new(wrong));
        assert_eq!(broken(&report), expected, "{wrong:?}: {report:?}");
        assert!(report.has_broken());
    }
}

#[test]
fn a_policy_that_does_not_deny_after_all_shows_as_broken() {
    for policy in [ALLOW, ASK] {
        let place = Place { folder: tempfile::tempdir().unwrap() };
        let mut ground = place.ground(&order(KEY, "output: text"), policy);
        ground.denying = Arc::clone(&ground.session.policy);
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let report = runtime.block_on(drill(ground, &World::default()));
        assert_eq!(broken(&report), [Law::ChangedPolicy], "{report:?}");
    }
}

/// An order that states what must hold before it, how it is followed, checked and looked up.
fn full(extra: &str) -> String {
    let look = |name: &str| {
        format!(
            "
  - name: {name}
    internal: true
    description: Looks.
    risk: read_only
    execution_mode: parallel
    input_schema: {{type: object, additionalProperties: false, required: [id], properties: {{id: {{type: string, minLength: 1}}}}}}
    run: {{command: {{argv: [no-such-program, '{{{{arguments.id}}}}'], output: json}}}}
    result: {{trust: trusted}}"
        )
    };
    let looks: String = ["budget", "poll", "find", "fetch"].map(look).concat();
    format!("{}    {extra}{looks}\n", order(KEY, "output: json"))
}

const BEFORE: &str = "preconditions: [{tool: budget, arguments: {id: x}, expect: value.left >= 3 && !value.blocked, message: too little}]";
const VERIFY: &str = "verify: {tool: fetch, arguments: {id: '{{value.order.id}}'}, expect: value.amount == result.amount, within: 30s, every: 2s}";
const FIND: &str = "reconcile: {tool: find, arguments: {id: '{{arguments.ref}}'}, found_when: size(value.items) == 1, value: /items/0}";
const ABSENT: &str = "reconcile: {tool: find, arguments: {id: '{{arguments.ref}}'}, found_when: size(value.items) == 1, value: /items/0, absence: {when: size(value.items) == 0, proves_after: 10m}}";
const LATER: &str = "operation: {accepted_when: 'value.state == \"taken\" && value.count == 2', id: /operation/id, interval: 2s, timeout: 1h, poll: {tool: poll, arguments: {id: '{{operation.id}}'}}, state: {pointer: /state, map: {queued: accepted, sending: working, done: succeeded, lost: failed}}, value: /result}";

#[test]
fn what_a_contract_states_of_look_ups_is_drilled() {
    use Law::{CrashWhilePending, HollowSuccess, LateApproval, NeverEnds, TurnedPrecondition};
    for (extra, skipped) in [
        (vec![BEFORE, VERIFY], vec![CrashWhilePending, NeverEnds]),
        (vec![FIND], vec![TurnedPrecondition, HollowSuccess, CrashWhilePending, NeverEnds]),
        (vec![VERIFY, ABSENT], vec![TurnedPrecondition, CrashWhilePending, NeverEnds]),
        (vec![LATER], vec![TurnedPrecondition, HollowSuccess]),
        (vec![LATER, VERIFY, FIND, BEFORE], vec![]),
        (vec![LATER, VERIFY, ABSENT, BEFORE], vec![]),
    ] {
        let tools = full(&extra.join("\n    "));
        let asked = drilled(&tools, ASK, &World::default());
        assert_eq!(
            (broken(&asked), all_not_drilled(&asked)),
            (vec![], skipped.clone()),
            "{extra:?}: {asked:?}"
        );
        let safe = tools.replace(KEY, SAFE);
        let report = drilled(&safe, ALLOW, &World::default());
        let skipped = Law::ALL.into_iter().filter(|law| *law == LateApproval || skipped.contains(law));
        assert_eq!(
            (broken(&report), all_not_drilled(&report)),
            (vec![], skipped.collect::<Vec<_>>()),
            "{extra:?}: {report:?}"
        );
    }
}

#[test]
fn a_tool_that_takes_signed_answers_and_another_step_is_drilled_there() {
    let policy = "version: 1
default_verdict: deny
initial_step: look
steps: {look: {risks: [read_only]}, act: {tools: [order], enter: {approval: {by: [finance]}}}}
approvers: {finance: {members: [ann, bo, cy]}}
rules: [{id: ask, verdict: require_approval, approval: {by: [finance], count: 2, not_requester: true}},
        {id: any, verdict: require_approval, approval: {count: 2}}]
";
    let report = drilled(&order(KEY, "output: text"), policy, &World::default());
    assert_eq!((broken(&report), not_drilled(&report)), (vec![], vec![]), "{report:?}");
    let nobody = policy.replace("[ann, bo, cy]", "[ann, bo]");
    let report = drilled(&order(KEY, "output: text"), &nobody, &World::default());
    let Finding::NotDrilled(why) = finding(&report, Law::TimeOutAfter) else { panic!("{report:?}") };
    assert!(why.contains("nobody can give the signed answers that it takes: 2 from finance"), "{why}");
}

/// A double whose look-ups lie.
struct Lying {
    world: World,
    about: Look,
    says: bool,
}

impl StandIn for Lying {
    fn run<'a>(&'a self, call: &'a ValidatedCall) -> Pin<Box<dyn Future<Output = Captured> + 'a>> {
        self.world.run(call)
    }

    fn sees(&self, look: Look) -> Option<bool> {
        if look == self.about { Some(self.says) } else { self.world.sees(look) }
    }
}

impl Double for Lying {
    fn begin(&self, tool: &str, recipe: &Recipe) {
        self.world.begin(tool, recipe);
    }

    fn set(&self, fault: Fault) {
        self.world.set(fault);
    }

    fn runs(&self) -> u64 {
        self.world.runs()
    }

    fn effects(&self) -> u64 {
        self.world.effects()
    }

    fn is_dead(&self) -> bool {
        self.world.is_dead()
    }
}

#[test]
fn look_ups_that_lie_show_as_broken_laws() {
    let tools = full(&[VERIFY, ABSENT, BEFORE].join("\n    "));
    for (about, says, law) in [
        (Look::Precondition, true, Law::TurnedPrecondition),
        (Look::Verified, true, Law::HollowSuccess),
        (Look::Found, false, Law::TimeOutAfter),
    ] {
        let report = drilled(&tools, ALLOW, &Lying { world: World::default(), about, says });
        assert!(broken(&report).contains(&law), "{about:?}: {report:?}");
    }
}

#[test]
fn a_contract_that_makes_a_request_is_drilled_without_one_being_made() {
    let tools = |repeated: &str| {
        format!(
            "version: 1
tools:
  - name: order
    description: Orders.
    risk: external
    execution_mode: exclusive
    {repeated}
    input_schema: {{type: object, additionalProperties: false, required: [ref], properties: {{ref: {{type: string}}}}}}
    run: {{http: {{method: POST, url: 'https://shop.invalid/orders', body: '{{{{arguments}}}}'}}}}
    operation: {{accepted_when: 'http.status == 202', id: /job, timeout: 1h, poll: {{tool: look, arguments: {{id: '{{{{operation.id}}}}'}}}},
                state: {{pointer: /state, map: {{queued: accepted, done: succeeded}}}}, value: /order}}
    result: {{trust: trusted}}
  - name: look
    description: Looks.
    internal: true
    risk: read_only
    execution_mode: exclusive
    input_schema: {{type: object, additionalProperties: false, required: [id], properties: {{id: {{type: string}}}}}}
    run: {{http: {{url: 'https://shop.invalid/jobs/{{{{arguments.id}}}}'}}}}
    result: {{trust: trusted}}
"
        )
    };
    for repeated in [KEY, SAFE, NONE] {
        let report = drilled(&tools(repeated), ALLOW, &World::default());
        assert_eq!(broken(&report), [], "{repeated} {report:#?}");
        let held = report.findings.iter().filter(|drilled| matches!(drilled.finding, Finding::Held)).count();
        assert!(held > 3, "{repeated} {report:#?}");
    }
}

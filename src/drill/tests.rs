use std::cell::Cell;
use std::path::PathBuf;
use std::pin::Pin;
use std::sync::Arc;

use serde_json::{Map, Value};

use super::*;
use crate::catalog::{Catalog, ManifestFile, TaskContext, TaskSpan};
use crate::clock::{Clock, Timestamp};
use crate::diagnostic::{Report, SourceMap};
use crate::execute::{ParentEnvironment, StandIn};
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
fn not_drilled(report: &DrillReport) -> Vec<Law> {
    let skipped = |drilled: &&Drilled| matches!(drilled.finding, Finding::NotDrilled(_));
    report.findings.iter().filter(skipped).map(|drilled| drilled.law).collect()
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
    assert_eq!(not_drilled(&report), Law::ALL);
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

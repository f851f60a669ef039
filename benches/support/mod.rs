//! What the benches stand on: manifests, policies and calls made to size, and sessions over them.

#![expect(
    dead_code,
    clippy::unwrap_used,
    clippy::panic,
    reason = "each bench uses a part of this, and ends where something is wrong"
)]

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Map, Value, json};
use tgw::approval::Approvers;
use tgw::catalog::{Catalog, EMBEDDED_MANIFEST, LockFile, ManifestFile, TaskContext, TaskSpan};
use tgw::clock::Clock;
use tgw::diagnostic::{Report, SourceMap};
use tgw::execute::ParentEnvironment;
use tgw::gateway::{Finished, Observer};
use tgw::ident::{AgentName, Principal, TaskId, Tenant, UserName};
use tgw::policy::{Policy, PolicyFile};
use tgw::secret::Redactor;
use tgw::session::Session;
use tgw::workspace::{Protected, Workspace};

/// How many tools a manifest has.
pub(crate) const TOOLS: usize = 100;

/// The tool that the calls name.
pub(crate) const TOOL: &str = "transfer_050";

/// A manifest of [`TOOLS`] tools, each with a schema of six fields.
pub(crate) fn manifest() -> String {
    let mut text = String::from("version: 1\ntools:\n");
    for number in 0..TOOLS {
        let _ = write!(
            text,
            "  - name: transfer_{number:03}
    version: 1.0.0
    description: Transfers an amount between two accounts.
    risk: external
    timeout: 5s
    idempotency: none
    input_schema:
      type: object
      additionalProperties: false
      required: [account, amount, currency]
      properties:
        account: {{type: string, pattern: '^acct-[0-9]+$', maxLength: 64}}
        amount: {{type: integer, minimum: 1, maximum: 1000000}}
        currency: {{enum: [EUR, USD, GBP]}}
        memo: {{type: string, maxLength: 200}}
        priority: {{enum: [low, normal, high], default: normal}}
        dry_run: {{type: boolean, default: false}}
    run: {{command: {{argv: [/bin/true], stdin: '{{{{json(arguments)}}}}'}}}}
"
        );
    }
    text
}

/// A policy of `rules` rules with a condition of two clauses each, of which `concerned` select [`TOOL`]. The others select
/// one of the other tools each. The last that selects [`TOOL`] decides: it has `verdict`, and the others do not hold.
pub(crate) fn policy(rules: usize, concerned: usize, verdict: &str) -> String {
    let mut text = String::from("version: 1\ndefault_verdict: deny\nrules:\n");
    for number in 0..rules {
        let (tool, id) = if number < concerned {
            (TOOL.to_owned(), format!("concerned-{number}"))
        } else {
            let other = (number - concerned) % (TOOLS - 1);
            (format!("transfer_{:03}", if other < 50 { other } else { other + 1 }), format!("other-{number}"))
        };
        let (verdict, when) = if number + 1 == concerned {
            (verdict, r#"arguments.currency == "EUR" && arguments.amount <= 1000000"#.to_owned())
        } else {
            let bound = 500_000 + number;
            ("deny", format!(r#"arguments.amount > {bound} && arguments.priority == "high""#))
        };
        let _ = writeln!(
            text,
            "  - {{id: {id}, verdict: {verdict}, tools: [{tool}], when: '{when}', reason: the amount decides}}"
        );
    }
    text
}

/// The line of one call that holds.
pub(crate) fn line(number: usize) -> String {
    format!(
        r#"{{"id":"c{number}","name":"{TOOL}","arguments":{{"account":"acct-{number}","amount":12550,"currency":"EUR","memo":"invoice {number} of the second quarter"}}}}"#
    )
}

/// A session over a manifest and a policy, in a folder.
pub(crate) fn session(manifest: &str, policy: &str, root: &Path) -> Session {
    locked(manifest, None, policy, root)
}

/// The same, with accepted tools of upstream servers.
pub(crate) fn locked(manifest: &str, lock: Option<&str>, policy: &str, root: &Path) -> Session {
    let (mut sources, mut report) = (SourceMap::default(), Report::default());
    let file = ManifestFile {
        name: Arc::from("tools.yaml"),
        text: Arc::from(manifest),
        base: PathBuf::from("/"),
        trusted: true,
    };
    let lock = lock.map(|text| LockFile { name: Arc::from("tgw.lock"), text: Arc::from(text) });
    let Ok(catalog) = Catalog::load_locked(&[file], lock.as_ref(), &mut sources, &mut report) else {
        panic!("{}", report.render(&sources, false))
    };
    let file = PolicyFile::new("policy.yaml", policy);
    let Ok(policy) = Policy::load(&[file], &catalog, &mut sources, &mut report) else {
        panic!("{}", report.render(&sources, false))
    };
    let principal = Principal {
        user: UserName::parse("ann").unwrap(),
        agent: AgentName::parse("default").unwrap(),
        agent_version: None,
        tenant: Tenant::parse("local").unwrap(),
    };
    let task = TaskContext {
        id: TaskId::parse("bench").unwrap(),
        span: TaskSpan::Stated,
        prompt: None,
        tools: None,
        data: Value::Object(Map::new()),
    };
    let scope = policy.scope(&principal, &task, None);
    Session {
        kept: None,
        later: tgw::session::LaterPositions::default(),
        catalog,
        policy: Arc::new(policy),
        workspace: Arc::new(Workspace::open(root, Protected::default()).unwrap()),
        principal,
        operator: UserName::parse("ann").unwrap(),
        approvers: Approvers::default(),
        task,
        step: None,
        scope,
        environment: ParentEnvironment::current(),
        pass_keys: tgw::state::PassKeys::new(root),
        server_logs: None,
        clock: Clock::System,
        facts: Arc::default(),
    }
}

/// The tools that are shipped, with everything allowed.
pub(crate) fn shipped(root: &Path) -> Session {
    session(EMBEDDED_MANIFEST, "version: 1\ndefault_verdict: allow\nrules: []\n", root)
}

/// Nobody watches.
pub(crate) struct Unwatched;

impl Observer for Unwatched {
    fn finished(&self, _: &Finished, _: &Redactor) {}
    fn progress(&self, _: &str, _: Duration) {}
    fn operation(&self, _: &str, _: &str, _: &str, _: Option<&str>) {}
}

/// Arguments of a call, as JSON.
pub(crate) fn arguments() -> Value {
    json!({"account": "acct-12", "amount": 12550, "currency": "EUR", "memo": "invoice 7"})
}

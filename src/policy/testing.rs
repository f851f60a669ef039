//! Catalogs, policies and callers for the tests of this module.

use std::path::PathBuf;
use std::sync::Arc;

use serde_json::{Value, json};

use crate::catalog::{Catalog, ManifestFile, TaskContext, TaskSpan};
use crate::diagnostic::{Report, SourceMap};
use crate::ident::{AgentName, Principal, StepName, TaskId, Tenant, UserName};

use super::decide::decide_arguments;
use super::{Decision, Facts, Policy, PolicyFile};

/// A condition that fits every tool and cannot be evaluated: the task of [`Caller`] has no data, and nothing divides by 0.
pub(super) const FAILS: &str = "1 / size(task.data) == 1";

/// Tools of every risk, with required, optional and missing arguments.
pub(super) const TOOLS: &str = r#"
version: 1
credentials:
  deploy: {source: {env: DEPLOY_TOKEN}}
  docs: {source: {env: DOCS_TOKEN}}
tools:
  - name: read_file
    description: Reads a file.
    risk: read_only
    execution_mode: parallel
    input_schema: {type: object, additionalProperties: false, required: [path], properties: {path: {type: string}, limit: {type: integer, default: 100}, tail: {type: integer}}}
    result: {trust: untrusted}
    run: {command: [cat]}
  - name: write_file
    description: Writes a file.
    risk: write
    execution_mode: exclusive
    input_schema: {type: object, additionalProperties: false, required: [path, content], properties: {path: {type: string}, content: {type: string}}}
    result: {trust: untrusted}
    run: {command: [tee]}
  - name: move_path
    description: Moves a file.
    risk: write
    execution_mode: exclusive
    input_schema: {type: object, additionalProperties: false, required: [from, to], properties: {from: {type: string}, to: {type: string}}}
    result: {trust: untrusted}
    run: {command: [mv]}
  - name: delete_path
    description: Deletes a file.
    risk: destructive
    idempotency: none
    execution_mode: exclusive
    input_schema: {type: object, additionalProperties: false, required: [path], properties: {path: {type: string}}}
    result: {trust: untrusted}
    run: {command: [rm]}
  - name: send_mail
    version: 2.1.0
    description: Sends mail.
    risk: external
    idempotency: none
    execution_mode: exclusive
    permissions: [mail.send]
    input_schema: {type: object, additionalProperties: false, required: [recipient], properties: {recipient: {type: string}, copies: {type: integer}, meta: {type: object, additionalProperties: false, properties: {tag: {type: string}}}}}
    result: {trust: untrusted}
    run: {command: [mail]}
  - name: run_tests
    description: Runs the tests.
    risk: write
    execution_mode: exclusive
    input_schema: {type: object, additionalProperties: false, properties: {target: {type: string}}}
    result: {trust: untrusted}
    run: {command: [cargo]}
"#;

pub(super) fn catalog(text: &str) -> Catalog {
    let file = ManifestFile {
        name: Arc::from("tools.yaml"),
        text: Arc::from(text),
        base: PathBuf::from("/nowhere"),
        trusted: true,
    };
    let (mut sources, mut report) = (SourceMap::default(), Report::default());
    Catalog::load(&[file], &mut sources, &mut report)
        .unwrap_or_else(|()| panic!("{}", report.render(&sources, false)))
}

/// Loads files; what is reported comes back rendered.
pub(super) fn load_files(catalog: &Catalog, files: &[PolicyFile]) -> (Result<Policy, ()>, String) {
    let (mut sources, mut report) = (SourceMap::default(), Report::default());
    let policy = Policy::load(files, catalog, &mut sources, &mut report);
    (policy, report.render(&sources, false))
}

/// Loads texts as files, named `0.yaml`, `1.yaml` and so on.
pub(super) fn load(catalog: &Catalog, texts: &[&str]) -> (Result<Policy, ()>, String) {
    let name = |at: usize| format!("{at}.yaml");
    let files: Vec<PolicyFile> =
        texts.iter().enumerate().map(|(at, text)| PolicyFile::new(name(at), *text)).collect();
    load_files(catalog, &files)
}

pub(super) fn policy(catalog: &Catalog, texts: &[&str]) -> Policy {
    let (policy, problems) = load(catalog, texts);
    policy.unwrap_or_else(|()| panic!("{problems}"))
}

/// Who calls, in which task and step.
pub(super) struct Caller {
    pub(super) principal: Principal,
    pub(super) task: TaskContext,
    pub(super) step: Option<StepName>,
    pub(super) facts: Value,
}

impl Default for Caller {
    fn default() -> Self {
        Self {
            principal: Principal {
                user: UserName::parse("ann").unwrap(),
                agent: AgentName::parse("default").unwrap(),
                agent_version: None,
                tenant: Tenant::parse("local").unwrap(),
            },
            task: TaskContext {
                id: TaskId::parse("t-1").unwrap(),
                span: TaskSpan::Stated,
                prompt: None,
                tools: None,
                data: json!({}),
            },
            step: None,
            facts: json!({ "sandbox": "confined" }),
        }
    }
}

impl Caller {
    pub(super) fn facts(&self) -> Facts<'_> {
        Facts::new(&self.principal, &self.task, self.step.as_ref(), &self.facts)
    }

    pub(super) fn decide(
        &self,
        catalog: &Catalog,
        policy: &Policy,
        tool: &str,
        arguments: &Value,
    ) -> Decision {
        decide_arguments(policy, catalog.find(tool).unwrap(), arguments, &self.facts())
    }
}

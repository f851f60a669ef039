//! Trying each law on each tool.

use std::path::PathBuf;
use std::sync::Arc;

use serde_json::{Map, Value};

use crate::catalog::{Contract, Risk, TaskSpan};
use crate::clock::{Clock, Timestamp};
use crate::ident::CallId;
use crate::policy::Policy;
use crate::session::Session;
use crate::validate::CallBindings;

use super::double::{Double, Fault, Recipe};
use super::law::{Finding, Law};
use super::report::{DrillReport, Drilled};
use super::sample::sample;
use super::scenario::{
    answered, broken, changed_policy, crash, crash_while_pending, duplicate, hollow_success, late_answer,
    late_use, never_ends, once, skip, store_down, time_out, turned_precondition, verified,
};
use super::signers::Signers;
use super::stage::{Access, Person, Stage};

/// What a drill stands on.
pub struct Ground {
    /// The session, whose clock, task and policy the drill moves.
    pub session: Session,
    /// The same policy, with a rule that denies everything.
    pub denying: Arc<Policy>,
    /// An empty folder for the stores.
    pub folder: PathBuf,
    /// The tools that are drilled; all that have effects where it is empty.
    pub tools: Vec<String>,
}

/// Tries every law on every tool that has effects.
pub async fn drill(mut ground: Ground, double: &dyn Double) -> DrillReport {
    ground.session.task.span = TaskSpan::Stated;
    let signers = Signers::of(&ground.session.policy);
    ground.session.approvers = signers.approvers();
    let began = ground.session.clock.now();
    let mut report = DrillReport::default();
    let tools: Vec<Arc<Contract>> = ground
        .session
        .catalog
        .contracts()
        .iter()
        .filter(|contract| contract.risk != Risk::ReadOnly && !contract.internal)
        .filter(|contract| {
            ground.tools.is_empty() || ground.tools.iter().any(|name| name == contract.name.as_str())
        })
        .cloned()
        .collect();
    for (at, contract) in tools.into_iter().enumerate() {
        let own = (ground.session.step.clone(), ground.session.scope.clone());
        show(&mut ground.session, &contract);
        let mut trial = Trial {
            ground: &mut ground,
            double,
            contract,
            began,
            number: at,
            stores: 0,
            audit: Vec::new(),
            signers: &signers,
        };
        report.findings.extend(trial.findings().await);
        (ground.session.step, ground.session.scope) = own;
    }
    report
}

/// Goes into the first step that shows a tool, where the step of the session does not.
fn show(session: &mut Session, contract: &Contract) {
    if session.scope.hides(contract).is_none() {
        return;
    }
    let (policy, principal, task) = (&session.policy, &session.principal, &session.task);
    let shown = policy.steps().into_iter().find_map(|step| {
        let scope = policy.scope(principal, task, Some(step));
        scope.hides(contract).is_none().then(|| (step.clone(), scope))
    });
    if let Some((step, scope)) = shown {
        (session.step, session.scope) = (Some(step), scope);
    }
}

/// The trials of one tool.
struct Trial<'d> {
    ground: &'d mut Ground,
    double: &'d dyn Double,
    contract: Arc<Contract>,
    began: Timestamp,
    number: usize,
    stores: usize,
    /// What was wrong with the audits of its stages.
    audit: Vec<String>,
    signers: &'d Signers,
}

/// How the call fares with nothing wrong.
enum Baseline {
    /// It runs, after a question or without one.
    Runs { asked: bool },
    /// It does not.
    Stays(String),
}

impl Trial<'_> {
    async fn findings(&mut self) -> Vec<Drilled> {
        let mut findings = Vec::new();
        let (arguments, recipe) = match self.preparation() {
            Ok(prepared) => prepared,
            Err(why) => {
                let all = Law::ALL.iter().map(|law| self.found(*law, Err(Finding::NotDrilled(why.clone()))));
                return all.collect();
            }
        };
        let baseline = Box::pin(self.baseline(&arguments, &recipe)).await;
        let outcome = baseline.as_ref().map(|_| ()).map_err(Clone::clone);
        let stays = match &baseline {
            Ok(Baseline::Stays(why)) => Some(why.clone()),
            Ok(Baseline::Runs { .. }) => None,
            Err(Finding::NotDrilled(why)) => Some(why.clone()),
            Err(Finding::Broken(_) | Finding::Held) => Some("its plain call breaks the first law".to_owned()),
        };
        let asked = matches!(baseline, Ok(Baseline::Runs { asked: true }));
        findings.push(self.found(Law::Outcome, outcome));
        for law in Law::ALL.into_iter().filter(|law| !matches!(law, Law::Outcome | Law::Audit)) {
            let found = match (&stays, law) {
                (Some(why), law) if law != Law::StoreDown => skip(why.clone()),
                _ => Box::pin(self.law(law, &arguments, &recipe, asked)).await,
            };
            findings.push(self.found(law, found));
        }
        let audits = std::mem::take(&mut self.audit);
        findings
            .push(self.found(Law::Audit, if audits.is_empty() { Ok(()) } else { broken(audits.join("; ")) }));
        findings
    }

    fn found(&self, law: Law, found: Result<(), Finding>) -> Drilled {
        let finding = found.err().unwrap_or(Finding::Held);
        Drilled { tool: self.contract.name.to_string(), law, finding }
    }

    /// Arguments that the contract takes, and what a success of it looks like.
    fn preparation(&self) -> Result<(Map<String, Value>, Recipe), String> {
        let example =
            self.contract.examples.first().cloned().or_else(|| sample(&self.contract.input_schema.json));
        let Some(Value::Object(arguments)) = example else {
            return Err("no arguments can be made up for it: give its contract `examples`".to_owned());
        };
        let session = &self.ground.session;
        let call_id = CallId::parse("drill").map_err(|error| error.to_string())?;
        let given = Value::Object(arguments.clone());
        let bindings = CallBindings {
            arguments: &given,
            principal: &session.principal,
            task: &session.task,
            step: session.step.as_ref(),
            call_id: &call_id,
            workspace: session.workspace.root(),
            item: None,
            value: None,
            result: None,
            operation: None,
            exit: None,
            http: None,
            effect_key: None,
        };
        let recipe = Recipe::find(&self.contract, &session.catalog, &bindings)?;
        Ok((arguments, recipe))
    }

    /// A stage with nothing in its store, and nothing wrong.
    fn stage(&mut self, arguments: &Map<String, Value>, recipe: &Recipe) -> Stage<'_> {
        self.stores += 1;
        let folder = &self.ground.folder;
        let store = folder.join(format!("{}-{}.db", self.number, self.stores));
        let home = folder.join("home");
        self.ground.session.clock = Clock::Fixed(self.began);
        self.double.begin(self.contract.name.as_str(), recipe);
        Stage {
            session: &mut self.ground.session,
            double: self.double,
            contract: Arc::clone(&self.contract),
            arguments: arguments.clone(),
            store,
            home,
            signers: self.signers,
        }
    }

    async fn baseline(
        &mut self,
        arguments: &Map<String, Value>,
        recipe: &Recipe,
    ) -> Result<Baseline, Finding> {
        let double = self.double;
        let mut stage = self.stage(arguments, recipe);
        let first = answered(stage.send("c1", Person::Nobody, Access::Up).await)?;
        let asked = first.code() == "APPROVAL_REQUIRED";
        if asked && double.runs() > 0 {
            return broken("it ran before anyone was asked");
        }
        let mut told = if asked { answered(stage.send("c1", Person::Yes, Access::Up).await)? } else { first };
        if told.goes_on() {
            told = answered(stage.follow().await)?;
        }
        let checked = verified(&stage, &told);
        let problems = stage.audit();
        self.audit.extend(audited("a plain call", problems));
        match told.status.as_str() {
            "succeeded" => {
                once(double, &told)?;
                checked?;
                Ok(Baseline::Runs { asked })
            }
            _ if double.runs() > 0 => broken(format!("it ran, and the reply is {}", told.words())),
            _ => Ok(Baseline::Stays(format!("a plain call does not run: {}", told.words()))),
        }
    }

    async fn law(
        &mut self,
        law: Law,
        arguments: &Map<String, Value>,
        recipe: &Recipe,
        asked: bool,
    ) -> Result<(), Finding> {
        let denying = Arc::clone(&self.ground.denying);
        let mut stage = self.stage(arguments, recipe);
        let found = match law {
            Law::TimeOutBefore => Box::pin(time_out(&mut stage, Fault::TimeOutBefore)).await,
            Law::TimeOutAfter => Box::pin(time_out(&mut stage, Fault::TimeOutAfter)).await,
            Law::DuplicateCall => Box::pin(duplicate(&mut stage)).await,
            Law::CrashBeforeRun => Box::pin(crash(&mut stage, Fault::DieBefore)).await,
            Law::CrashAfterRun => Box::pin(crash(&mut stage, Fault::DieAfter)).await,
            Law::LateApproval if !asked => skip("the policy asks nobody about it"),
            Law::LateApproval => Box::pin(late_answer(&mut stage)).await,
            Law::ChangedPolicy => {
                let own = std::mem::replace(&mut stage.session.policy, Arc::clone(&denying));
                let found = Box::pin(changed_policy(&mut stage, &own, &denying, asked)).await;
                stage.session.policy = own;
                found
            }
            Law::TurnedPrecondition => Box::pin(turned_precondition(&mut stage, asked)).await,
            Law::HollowSuccess => Box::pin(hollow_success(&mut stage)).await,
            Law::CrashWhilePending => Box::pin(crash_while_pending(&mut stage)).await,
            Law::NeverEnds => Box::pin(never_ends(&mut stage)).await,
            Law::StoreDown => Box::pin(store_down(&stage)).await,
            Law::Outcome | Law::Audit => Ok(()),
        };
        let problems = stage.audit();
        self.audit.extend(audited(law.as_str(), problems));
        found?;
        if law == Law::LateApproval {
            // The other way to be late, on a stage of its own.
            let mut stage = self.stage(arguments, recipe);
            let found = late_use(&mut stage).await;
            let problems = stage.audit();
            self.audit.extend(audited(law.as_str(), problems));
            found?;
        }
        Ok(())
    }
}

fn audited(during: &str, problems: Result<Vec<String>, String>) -> Vec<String> {
    let problems = problems.unwrap_or_else(|error| vec![error]);
    problems.into_iter().map(|problem| format!("{during}: {problem}")).collect()
}

//! Holding rules to the examples that their authors wrote.

use serde_json::{Value, json};

use crate::catalog::{Catalog, Contract, TaskContext, TaskSpan};
use crate::diagnostic::Diagnostic;
use crate::ident::{AgentName, InvalidName, Principal, TaskId, Tenant, UserName};

use super::Policy;
use super::document::{Rule, RuleExample};
use super::facts::{Facts, RuleBindings};
use super::matcher::Consideration;

impl Policy {
    /// Checks every example of every rule, and returns a problem for each that does not hold.
    ///
    /// An example under `match` is a call that its rule counts for, one under `no_match` a call that it does not. Whether
    /// the arguments satisfy the tool's schema is not asked; defaults of the schema are filled in.
    #[must_use]
    pub fn check_examples(&self, catalog: &Catalog) -> Vec<Diagnostic> {
        let rules = self
            .documents()
            .iter()
            .enumerate()
            .flat_map(|(at, document)| document.rules.iter().map(move |rule| (at, rule.as_ref())));
        let mut problems = Vec::new();
        for (file, rule) in rules {
            let expected = rule.examples.matching.iter().map(|example| (example, true));
            let refused = rule.examples.not_matching.iter().map(|example| (example, false));
            for (example, should_count) in expected.chain(refused) {
                let result = self.try_example(file, rule, example, catalog);
                problems.extend(judge(rule, example, should_count, result));
            }
        }
        problems
    }

    /// What becomes of the rule on its example.
    fn try_example(
        &self,
        file: usize,
        rule: &Rule,
        example: &RuleExample,
        catalog: &Catalog,
    ) -> Result<Consideration, String> {
        let contract = catalog.find(example.tool.as_str()).ok_or("there is no such tool")?;
        let tool = self.index().get(contract).ok_or("the policy was loaded for another catalog")?;
        let rules = tool.files.get(file).map(|file| file.rules.as_slice()).unwrap_or_default();
        let Some(compiled) = rules.iter().find(|compiled| compiled.rule.id == rule.id) else {
            return Err("the rule does not select this tool, or reads an argument that it does not declare"
                .to_owned());
        };
        let principal = principal(example).map_err(|error| error.to_string())?;
        let task = task(example).map_err(|error| error.to_string())?;
        let facts = Value::Object(example.facts.clone());
        let facts = Facts::new(&principal, &task, example.step.as_ref(), &facts);
        let arguments = with_defaults(&example.arguments, contract);
        let provenance = Some(&example.provenance);
        Ok(compiled.consider(&RuleBindings {
            arguments: &arguments,
            tool: &tool.value,
            facts: &facts,
            provenance,
        }))
    }
}

fn judge(
    rule: &Rule,
    example: &RuleExample,
    should_count: bool,
    result: Result<Consideration, String>,
) -> Option<Diagnostic> {
    let problem = match (result, should_count) {
        (Ok(Consideration::Counts), true) => return None,
        (Ok(Consideration::Counts), false) => "it counts".to_owned(),
        (Ok(Consideration::CountsByFailure(problem) | Consideration::Withdrawn(problem)), _) => problem,
        (
            Ok(Consideration::LeftOut(_) | Consideration::WhenFalse | Consideration::UnlessTrue) | Err(_),
            false,
        ) => {
            return None;
        }
        (Ok(Consideration::LeftOut(selector)), true) => format!("`{}` leaves it out", selector.as_str()),
        (Ok(Consideration::WhenFalse), true) => "`when` is false".to_owned(),
        (Ok(Consideration::UnlessTrue), true) => "`unless` is true".to_owned(),
        (Err(problem), true) => problem,
    };
    let kind = if should_count { "match" } else { "no_match" };
    let message = format!("this `{kind}` example of the rule `{}` does not hold: {problem}", rule.id);
    Some(Diagnostic::error(example.span, message))
}

/// Who makes the example call, where it does not matter.
fn principal(example: &RuleExample) -> Result<Principal, InvalidName> {
    Ok(Principal {
        user: example.user.clone().map_or_else(|| UserName::parse("somebody"), Ok)?,
        agent: example.agent.clone().map_or_else(|| AgentName::parse("default"), Ok)?,
        agent_version: None,
        tenant: Tenant::parse("local")?,
    })
}

fn task(example: &RuleExample) -> Result<TaskContext, InvalidName> {
    let data = Value::Object(example.data.clone());
    Ok(TaskContext { id: TaskId::parse("example")?, span: TaskSpan::Call, prompt: None, tools: None, data })
}

/// The arguments with the defaults of the schema's top level, as a call that was validated has them.
fn with_defaults(arguments: &Value, contract: &Contract) -> Value {
    let mut filled = arguments.clone();
    let properties = contract.input_schema.json.get("properties").and_then(Value::as_object);
    if let Some(filled) = filled.as_object_mut() {
        for (name, schema) in properties.into_iter().flatten() {
            if let Some(default) = schema.get("default").filter(|_| !filled.contains_key(name)) {
                filled.insert(name.clone(), default.clone());
            }
        }
    }
    if filled.is_object() { filled } else { json!({}) }
}

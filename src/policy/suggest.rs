//! A rule that would answer the like of one call from now on: made, tried out, and never applied.
//!
//! An `allow` alone changes nothing where another rule asks, since the strictest verdict wins. So the rules that ask get an
//! exception, and an `allow` is added only where nothing else would allow the call then.

mod condition;
mod print;

use std::collections::BTreeSet;
use std::sync::Arc;

use serde_json::{Map, Value, json};

use crate::catalog::Catalog;
use crate::diagnostic::{Report, Severity, SourceMap};
use crate::document::{ReadLimits, read_reporting};
use crate::ident::RuleId;
use crate::validate::ValidatedCall;

use super::{Decision, Facts, Policy, PolicyFile, Verdict, decide};

use condition::condition;

/// Rules that would answer the like of one call.
#[derive(Debug)]
pub struct Suggestion {
    /// What changes, by file.
    pub files: Vec<SuggestedFile>,
}

/// What would change in one policy file.
#[derive(Debug)]
pub struct SuggestedFile {
    /// The file.
    pub name: Arc<str>,
    /// The rules that take the place of those with the same ids.
    pub replaced: Vec<RuleId>,
    /// A complete policy that holds these rules, and the new one where one is needed.
    pub text: String,
}

/// Why nothing is suggested.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NotSuggested {
    /// It runs already.
    #[error("the policy allows the call already")]
    Allowed,
    /// It never runs.
    #[error("the policy denies the call now: {0}")]
    Denied(String),
    /// No rule about the arguments alone changes the verdict.
    #[error("no exception for these arguments alone would let the call through: {0}")]
    NotEnough(String),
    /// What was made does not load, or an example of the policy contradicts it.
    #[error("the rule that would be needed does not hold: {0}")]
    DoesNotHold(String),
}

/// Makes the rules, loads them with everything else, and makes sure that the call is then allowed.
///
/// `id` names the new rule where one is needed.
///
/// # Errors
/// [`NotSuggested`].
pub fn suggest(
    files: &[PolicyFile],
    catalog: &Catalog,
    policy: &Policy,
    call: &ValidatedCall,
    facts: &Facts<'_>,
    id: &RuleId,
) -> Result<Suggestion, NotSuggested> {
    let decision = decide(policy, call, facts);
    match decision.verdict {
        Verdict::Allow => return Err(NotSuggested::Allowed),
        Verdict::Deny => return Err(NotSuggested::Denied(decision.reason())),
        Verdict::RequireApproval => {}
    }
    let arguments = call.arguments().as_object().cloned().unwrap_or_default();
    let mut like = Like {
        tool: call.contract().name.to_string(),
        condition: condition(call.contract(), &arguments, facts),
        id: id.clone(),
        examples: examples(call, &arguments, facts),
        near_is_asked: true,
    };
    match attempt(files, catalog, policy, call, facts, &decision, &like) {
        // A rule can ask for more reasons than an example can state.
        Err(NotSuggested::DoesNotHold(_)) => {
            like.near_is_asked = false;
            attempt(files, catalog, policy, call, facts, &decision, &like)
        }
        done => done,
    }
}

/// Adds what is needed, file by file, until the call is allowed.
fn attempt(
    files: &[PolicyFile],
    catalog: &Catalog,
    policy: &Policy,
    call: &ValidatedCall,
    facts: &Facts<'_>,
    decision: &Decision,
    like: &Like,
) -> Result<Suggestion, NotSuggested> {
    let mut edits: Vec<Edit> = files.iter().map(|file| Edit::of(file, decision)).collect();
    // Each round can only add to the files that still say something else by default.
    for _ in 0..=files.len() {
        let changed: Vec<PolicyFile> = files
            .iter()
            .zip(&edits)
            .map(|(file, edit)| if edit.is_empty() { file.clone() } else { file.with_text(edit.whole(like)) })
            .collect();
        let tried = load(&changed, catalog)?;
        let then = decide(&tried, call, facts);
        if then.verdict == Verdict::Allow {
            contradiction(policy, &tried, catalog)?;
            return Ok(suggestion(&edits, like));
        }
        let silent: BTreeSet<&Arc<str>> = then.defaults.iter().map(|default| &default.file).collect();
        let before = edits.iter().filter(|edit| edit.allow).count();
        edits.iter_mut().filter(|edit| silent.contains(&edit.name)).for_each(|edit| edit.allow = true);
        if edits.iter().filter(|edit| edit.allow).count() == before {
            return Err(NotSuggested::NotEnough(then.reason()));
        }
    }
    Err(NotSuggested::NotEnough(decision.reason()))
}

/// The call whose like is to be allowed.
struct Like {
    tool: String,
    condition: String,
    id: RuleId,
    /// The call, and one that nearly is it; none where an example cannot say who calls.
    examples: Option<(Value, Value)>,
    /// Whether the rules that ask are said to ask about the other one.
    near_is_asked: bool,
}

/// What is changed in one file.
struct Edit {
    name: Arc<str>,
    root: Value,
    /// The rules that ask.
    excepted: BTreeSet<String>,
    allow: bool,
}

impl Edit {
    fn of(file: &PolicyFile, decision: &Decision) -> Self {
        let (mut sources, mut report) = (SourceMap::default(), Report::default());
        let source = sources.add(Arc::clone(&file.name), Arc::clone(&file.text));
        let root = read_reporting(source, &file.text, ReadLimits::default(), &mut report);
        let asking = decision.determined_by.iter().filter(|outcome| outcome.location().file == file.name);
        Self {
            name: Arc::clone(&file.name),
            root: root.map_or(Value::Null, |root| root.to_json()),
            excepted: asking.map(|outcome| outcome.id().to_string()).collect(),
            allow: false,
        }
    }

    fn is_empty(&self) -> bool {
        self.excepted.is_empty() && !self.allow
    }

    /// The rules that change, as they become.
    fn rules(&self, like: &Like) -> Vec<Map<String, Value>> {
        let rules = self.root.get("rules").and_then(Value::as_array).into_iter().flatten();
        let mut changed: Vec<Map<String, Value>> = rules
            .filter_map(Value::as_object)
            .filter(|rule| {
                rule.get("id").and_then(Value::as_str).is_some_and(|id| self.excepted.contains(id))
            })
            .map(|rule| excepted(rule, like))
            .collect();
        if self.allow {
            changed.push(allowing(like));
        }
        changed
    }

    /// The whole file with the changes.
    fn whole(&self, like: &Like) -> String {
        let mut root = self.root.clone();
        let mut changed = self.rules(like);
        if let Some(members) = root.as_object_mut() {
            let rules = members.entry("rules").or_insert_with(|| json!([]));
            for rule in rules.as_array_mut().into_iter().flatten() {
                if let Some(at) = changed.iter().position(|new| rule.get("id") == new.get("id")) {
                    *rule = Value::Object(changed.remove(at));
                }
            }
            if let Some(rules) = rules.as_array_mut() {
                rules.extend(changed.into_iter().map(Value::Object));
            }
        }
        print::flow(&root)
    }
}

/// A rule that asks, with an exception for the call.
fn excepted(rule: &Map<String, Value>, like: &Like) -> Map<String, Value> {
    let condition = match rule.get("unless").and_then(Value::as_str) {
        Some(known) => format!("({known}) || ({})", like.condition),
        None => like.condition.clone(),
    };
    let mut changed = Map::new();
    for (key, value) in rule {
        changed.insert(key.clone(), value.clone());
        // An exception stands where a reader looks for it: after what it is an exception from.
        if key == "when" {
            changed.insert("unless".to_owned(), Value::Null);
        }
    }
    changed.insert("unless".to_owned(), Value::from(condition));
    if let Some((call, near)) = &like.examples {
        let examples = changed.entry("examples").or_insert_with(|| json!({}));
        if like.near_is_asked {
            add_example(examples, "match", near);
        }
        add_example(examples, "no_match", call);
    }
    changed
}

fn add_example(examples: &mut Value, kind: &str, call: &Value) {
    if let Some(members) = examples.as_object_mut()
        && let Some(calls) = members.entry(kind).or_insert_with(|| json!([])).as_array_mut()
    {
        calls.push(call.clone());
    }
}

/// A rule that allows the call and nothing else.
fn allowing(like: &Like) -> Map<String, Value> {
    let mut rule = Map::new();
    rule.insert("id".to_owned(), json!(like.id));
    rule.insert("verdict".to_owned(), json!("allow"));
    rule.insert("tools".to_owned(), json!([like.tool]));
    rule.insert("when".to_owned(), json!(like.condition));
    rule.insert("reason".to_owned(), json!("a person approved the like of it before"));
    if let Some((call, near)) = &like.examples {
        rule.insert("examples".to_owned(), json!({ "match": [call], "no_match": [near] }));
    }
    rule
}

/// The call as an example, and one that differs in a single place.
fn examples(
    call: &ValidatedCall,
    arguments: &Map<String, Value>,
    facts: &Facts<'_>,
) -> Option<(Value, Value)> {
    // An example cannot say its tenant, which is `local`.
    if facts.principal.tenant.as_str() != "local" {
        return None;
    }
    let mut example = json!({
        "tool": call.contract().name, "arguments": arguments, "user": facts.principal.user, "agent": facts.principal.agent,
    });
    if let Some(members) = example.as_object_mut() {
        if let Some(step) = facts.step {
            members.insert("step".to_owned(), json!(step));
        }
        if facts.task.data.as_object().is_some_and(|data| !data.is_empty()) {
            members.insert("data".to_owned(), facts.task.data.clone());
        }
    }
    let mut near = example.clone();
    let changed = arguments.iter().find_map(|(name, value)| Some((name, other(value)?)));
    match changed {
        Some((name, value)) => *near.get_mut("arguments")?.get_mut(name)? = value,
        None => *near.get_mut("user")? = json!(format!("not-{}", facts.principal.user)),
    }
    Some((example, near))
}

/// A value near to this one.
fn other(value: &Value) -> Option<Value> {
    match value {
        Value::String(text) => Some(json!(format!("{text}-other"))),
        Value::Number(number) => number.as_i64().and_then(|number| number.checked_add(1)).map(Value::from),
        Value::Bool(value) => Some(json!(!value)),
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    }
}

fn load(files: &[PolicyFile], catalog: &Catalog) -> Result<Policy, NotSuggested> {
    let (mut sources, mut report) = (SourceMap::default(), Report::default());
    Policy::load(files, catalog, &mut sources, &mut report).map_err(|()| {
        let first = report.diagnostics().iter().find(|problem| problem.severity == Severity::Error);
        NotSuggested::DoesNotHold(first.map(|problem| problem.message.clone()).unwrap_or_default())
    })
}

/// Looks for an example that holds now and would not then.
fn contradiction(policy: &Policy, tried: &Policy, catalog: &Catalog) -> Result<(), NotSuggested> {
    let known: Vec<String> =
        policy.check_examples(catalog).into_iter().map(|problem| problem.message).collect();
    let broken = tried.check_examples(catalog).into_iter().find(|problem| !known.contains(&problem.message));
    broken.map_or(Ok(()), |problem| Err(NotSuggested::DoesNotHold(problem.message)))
}

fn suggestion(edits: &[Edit], like: &Like) -> Suggestion {
    let files = edits.iter().filter(|edit| !edit.is_empty()).map(|edit| {
        let rules = edit.rules(like);
        let ids = rules.iter().filter_map(|rule| RuleId::parse(rule.get("id")?.as_str()?).ok());
        SuggestedFile {
            name: Arc::clone(&edit.name),
            replaced: ids.filter(|id| *id != like.id).collect(),
            text: format!(
                "version: 1\nrules:\n{}",
                rules.iter().map(print::rule).collect::<Vec<_>>().join("\n")
            ),
        }
    });
    Suggestion { files: files.collect() }
}

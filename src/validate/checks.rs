//! Checks that JSON Schema cannot make: paths, patterns, values that must come from somewhere.

use globset::GlobBuilder;
use regex::RegexBuilder;
use serde_json::Value;

use crate::catalog::annotations::{Annotations, PlaceId};
use crate::catalog::{Existence, ServerCheck};
use crate::code::{CallError, ErrorCode, Violation};
use crate::text::escape;
use crate::wire::escape_token;
use crate::workspace::{EntryKind, WorkspacePath};

use super::wording::{found, shortened};
use super::{Timing, ValidationContext};

/// The largest compiled regular expression, in bytes.
const MOST_REGEX_BYTES: usize = 1 << 20;

/// The most steps of one walk; what needs more is refused.
const MOST_STEPS: usize = 200_000;

/// What the checks found.
#[derive(Default)]
pub(super) struct Findings {
    /// What the arguments alone show to be wrong.
    pub(super) spelling: Faults,
    /// What a look at the world shows to stand in the way. It says something about the world, so it is for callers only
    /// that the policy lets through.
    pub(super) world: Faults,
    /// The paths that arguments name, links followed.
    pub(super) paths: Vec<(String, WorkspacePath)>,
    /// Where the links lead that the call acts on themselves, by the argument's pointer.
    pub(super) link_targets: Vec<(String, WorkspacePath)>,
}

/// What is wrong.
#[derive(Default)]
pub(super) struct Faults {
    /// What is wrong with the arguments.
    pub(super) violations: Vec<Violation>,
    /// What is wrong with a path, the gravest of all.
    pub(super) path_error: Option<CallError>,
}

/// What a call does with a symbolic link in the last place of a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LinkUse {
    /// It works on what the link leads to.
    Follow,
    /// It works on the link itself: it moves or deletes a name.
    Itself,
}

/// Makes every check of the schema on arguments that satisfy it.
pub(super) fn check(
    annotations: &Annotations,
    arguments: &Value,
    links: LinkUse,
    context: &ValidationContext<'_>,
) -> Findings {
    if !annotations.has_checks {
        return Findings::default();
    }
    let mut walk = Walk {
        annotations,
        context,
        links,
        findings: Findings::default(),
        pointer: String::new(),
        steps: MOST_STEPS,
    };
    walk.visit(Annotations::ROOT, arguments);
    if walk.steps == 0 {
        walk.findings.spelling.violations.push(Violation {
            pointer: String::new(),
            expected: "arguments that can be checked in bounded time".to_owned(),
            found: found(arguments),
            hint: Some("send fewer values at a time".to_owned()),
        });
    }
    walk.findings
}

struct Walk<'a> {
    annotations: &'a Annotations,
    context: &'a ValidationContext<'a>,
    links: LinkUse,
    findings: Findings,
    pointer: String,
    steps: usize,
}

impl Walk<'_> {
    fn visit(&mut self, place: PlaceId, value: &Value) {
        self.steps = self.steps.saturating_sub(1);
        let Some(place) = self.annotations.place(place).filter(|_| self.steps > 0) else { return };
        for check in &place.checks {
            self.make(check, value);
        }
        match value {
            Value::Object(object) if !(place.properties.is_empty() && place.other_properties.is_empty()) => {
                for (name, inner) in object {
                    let length = self.pointer.len();
                    self.pointer.push('/');
                    self.pointer.push_str(&escape_token(name));
                    match place.properties.iter().find(|(known, _)| known == name) {
                        Some((_, property)) => self.visit(*property, inner),
                        None => place.other_properties.iter().for_each(|other| self.visit(*other, inner)),
                    }
                    self.pointer.truncate(length);
                }
            }
            Value::Array(items) if !(place.items.is_empty() && place.leading_items.is_empty()) => {
                for (index, item) in items.iter().enumerate() {
                    let length = self.pointer.len();
                    self.pointer.push_str(&format!("/{index}"));
                    match place.leading_items.get(index) {
                        Some(leading) => self.visit(*leading, item),
                        None => place.items.iter().for_each(|rest| self.visit(*rest, item)),
                    }
                    self.pointer.truncate(length);
                }
            }
            _ => {}
        }
        // A check in a branch counts whether or not the branch is the one that holds: better too strict than passed by.
        for same in place.also.iter().chain(&place.perhaps) {
            self.visit(*same, value);
        }
    }

    fn make(&mut self, check: &ServerCheck, value: &Value) {
        match (check, value) {
            (ServerCheck::Path(existence), Value::String(text)) => self.path(text, *existence),
            (ServerCheck::Glob, Value::String(text)) => {
                let problem = GlobBuilder::new(text).literal_separator(true).build().err();
                if let Some(problem) = problem {
                    let violation = self.violation("a glob pattern", value, problem.kind().to_string());
                    self.findings.spelling.violations.push(violation);
                }
            }
            (ServerCheck::Regex, Value::String(text)) => {
                if let Some(problem) = RegexBuilder::new(text).size_limit(MOST_REGEX_BYTES).build().err() {
                    let violation = self.violation("a regular expression", value, regex_hint(&problem));
                    self.findings.spelling.violations.push(violation);
                }
            }
            (ServerCheck::Known { tool, path }, value) if !(value.is_array() || value.is_object()) => {
                self.known(tool, path, value);
            }
            (
                ServerCheck::Path(_) | ServerCheck::Glob | ServerCheck::Regex | ServerCheck::Known { .. },
                _,
            ) => {}
        }
    }

    fn violation(&self, expected: impl Into<String>, value: &Value, hint: impl Into<String>) -> Violation {
        Violation {
            pointer: self.pointer.clone(),
            expected: expected.into(),
            found: found(value),
            hint: Some(hint.into()),
        }
    }

    fn known(&mut self, tool: &str, path: &str, value: &Value) {
        let seen = self.context.timing == Timing::Provisional
            || occurs(&self.context.task.data, value)
            || (self.context.known)(tool, path, value);
        if !seen {
            let tool = shortened(tool);
            let violation = self.violation(
                format!("a value that `{tool}` returned at `{}`", shortened(path)),
                value,
                format!("call `{tool}` and use a value of its result"),
            );
            self.findings.world.violations.push(violation);
        }
    }

    fn path(&mut self, text: &str, existence: Option<Existence>) {
        let path = match WorkspacePath::parse(text) {
            Ok(path) => path,
            Err(error) => return self.misspelt(text, error),
        };
        let workspace = self.context.workspace;
        let reached = match self.links {
            LinkUse::Follow => workspace.resolve(&path),
            LinkUse::Itself => workspace.resolve_entry(&path),
        };
        let reached = match reached {
            Ok(reached) => reached,
            Err(error) => return self.unreached(error),
        };
        if self.links == LinkUse::Itself {
            let target = workspace.link_target(&reached).map(|target| (self.pointer.clone(), target));
            self.findings.link_targets.extend(target);
        }
        if let Some(wanted) = existence.filter(|_| self.context.timing == Timing::Now) {
            let there = match self.links {
                LinkUse::Follow => workspace.kind(&reached),
                LinkUse::Itself => workspace.entry_kind(&reached),
            };
            match there {
                Ok(there) => self.existence(text, wanted, there),
                Err(error) => self.unreached(error),
            }
        }
        self.findings.paths.push((self.pointer.clone(), reached));
    }

    fn existence(&mut self, text: &str, wanted: Existence, there: Option<EntryKind>) {
        let shown = escape(text);
        let expected = match (wanted, there) {
            (Existence::File | Existence::FileOrNone, Some(EntryKind::File))
            | (Existence::Directory, Some(EntryKind::Directory))
            | (Existence::Any, Some(EntryKind::File | EntryKind::Directory))
            | (Existence::None | Existence::FileOrNone, None) => return,
            // What acts on a name takes whatever has it.
            (Existence::Any, Some(EntryKind::Link | EntryKind::Other)) if self.links == LinkUse::Itself => {
                return;
            }
            (Existence::None, Some(kind)) => {
                let violation = self.violation(
                    "a path where nothing is yet",
                    &Value::String(text.to_owned()),
                    format!("{} is there; choose another path", kind_name(kind)),
                );
                return self.findings.world.violations.push(violation);
            }
            (Existence::File | Existence::FileOrNone, _) => "a file",
            (Existence::Directory, _) => "a directory",
            (Existence::Any, _) => "a file or a directory",
        };
        let error = match there {
            None => CallError::new(ErrorCode::FileNotFound, format!("the path `{shown}` does not exist"))
                .with_hint("list its directory to see what is there"),
            Some(kind) => CallError::new(
                ErrorCode::FileNotFound,
                format!("the path `{shown}` is {}, and {expected} is wanted", kind_name(kind)),
            ),
        };
        self.unreached(error);
    }

    /// Sorts an error about a path's spelling: where it leaves the workspace it is an error of its own, else a violation
    /// like any other.
    fn misspelt(&mut self, text: &str, mut error: CallError) {
        if error.code == ErrorCode::InvalidArguments {
            let value = Value::String(text.to_owned());
            let hint =
                error.hint.map_or_else(|| error.message.clone(), |hint| format!("{}; {hint}", error.message));
            let violation = self.violation("a path in the workspace", &value, hint);
            return self.findings.spelling.violations.push(violation);
        }
        self.place(&mut error);
        self.findings.spelling.take(error);
    }

    /// Keeps an error about where a path leads.
    fn unreached(&mut self, mut error: CallError) {
        self.place(&mut error);
        self.findings.world.take(error);
    }

    fn place(&self, error: &mut CallError) {
        error.message.push_str(&format!(", in argument `{}`", shortened(&self.pointer)));
    }
}

impl Faults {
    /// Keeps the graver of two errors.
    fn take(&mut self, error: CallError) {
        if self.path_error.as_ref().is_none_or(|known| gravity(&error) > gravity(known)) {
            self.path_error = Some(error);
        }
    }
}

fn gravity(error: &CallError) -> u8 {
    match error.code {
        ErrorCode::FileNotFound => 0,
        ErrorCode::PermissionDenied => 1,
        ErrorCode::PathOutsideWorkspace => 2,
        _ => 3,
    }
}

fn kind_name(kind: EntryKind) -> &'static str {
    match kind {
        EntryKind::File => "a file",
        EntryKind::Directory => "a directory",
        EntryKind::Link => "a symbolic link",
        EntryKind::Other => "neither a file nor a directory",
    }
}

/// The last line of the engine's report, which is the one that says what is wrong.
fn regex_hint(problem: &regex::Error) -> String {
    match problem {
        regex::Error::CompiledTooBig(limit) => format!("the expression needs more than {limit} bytes"),
        other => {
            let text = other.to_string();
            let last = text.lines().next_back().unwrap_or_default();
            shortened(last.trim().trim_start_matches("error: "))
        }
    }
}

/// Whether a scalar occurs anywhere in the task's data.
fn occurs(data: &Value, value: &Value) -> bool {
    match data {
        Value::Array(items) => items.iter().any(|item| occurs(item, value)),
        Value::Object(object) => object.values().any(|item| occurs(item, value)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => data == value,
    }
}

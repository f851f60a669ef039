//! Filling a contract's templates: one placeholder fills one argument and never becomes two.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;

use crate::catalog::{ArgumentPart, CommandSpec, Contract, Run, SendAs, StdinSpec, Timeout};
use crate::code::{CallError, ErrorCode, Violation};
use crate::expression::{EvaluationError, Expression, Template};
use crate::text::escape;
use crate::wire::escape_token;
use crate::workspace::{EntryKind, Workspace, WorkspacePath};

use super::request::Request;
use super::wording::found;
use super::{CallBindings, CommandPlan, McpPlan, Plan, ProgramSource, StdinPlan, Timing};

/// Most bytes of arguments and environment together, terminators included.
const MOST_BYTES: usize = 128 << 10;
/// Most arguments and environment entries together.
const MOST_ENTRIES: usize = 4096;

/// Makes the plan of a call from its effective arguments, with what a look at the world shows to stand in its way.
pub(super) fn plan(
    contract: &Contract,
    bindings: &CallBindings<'_>,
    workspace: &Workspace,
    timing: Timing,
) -> Result<(Plan, Option<CallError>), CallError> {
    let timeout = timeout(&contract.timeout, bindings)?;
    match &contract.run {
        Run::Builtin(name) => Ok((Plan::Builtin { name: *name, timeout }, None)),
        Run::Mcp(spec) => {
            let (server, tool) = (Arc::clone(&spec.server), spec.tool.clone());
            Ok((Plan::Mcp(McpPlan { server, tool, timeout }), None))
        }
        Run::Command(command) => {
            let filler = Filler { command, send_as: send_as(contract), bindings, workspace, timing };
            filler.plan(timeout).map(|(plan, obstacle)| (Plan::Command(plan), obstacle))
        }
        Run::Http(http) => {
            let request = Request { http, key_header: key_header(contract), bindings, workspace, timing };
            request.plan(timeout).map(|(plan, obstacle)| (Plan::Http(plan), obstacle))
        }
    }
}

fn send_as(contract: &Contract) -> Option<&str> {
    match contract.idempotency.key()?.send_as.as_ref()? {
        SendAs::Environment(name) => Some(name),
        SendAs::Header(_) => None,
    }
}

fn key_header(contract: &Contract) -> Option<&str> {
    match contract.idempotency.key()?.send_as.as_ref()? {
        SendAs::Header(name) => Some(name),
        SendAs::Environment(_) => None,
    }
}

/// Most bytes of an effect key.
const MOST_KEY_BYTES: usize = 512;

/// The effect key that the contract states, for one call.
///
/// # Errors
/// `INVALID_ARGUMENTS` where the arguments make none: it cannot be filled, is empty or blank, has control characters, or
/// is too long.
pub(super) fn effect_key(
    contract: &Contract,
    bindings: &CallBindings<'_>,
) -> Result<Option<String>, CallError> {
    let Some(spec) = contract.idempotency.key() else { return Ok(None) };
    let key = spec.key.render_text(bindings).map_err(|error| unfilled("idempotency.key", &error))?;
    let problem = if key.trim().is_empty() {
        "text that is not empty"
    } else if key.len() > MOST_KEY_BYTES {
        "at most 512 bytes"
    } else if key.chars().any(char::is_control) {
        "text without control characters"
    } else {
        return Ok(Some(key));
    };
    Err(refusal(Violation {
        pointer: pointer_of(&spec.key),
        expected: problem.to_owned(),
        found: found(&Value::String(key)),
        hint: Some("it is the key by which a repeated call is recognised".to_owned()),
    }))
}

fn timeout(timeout: &Timeout, bindings: &CallBindings<'_>) -> Result<Duration, CallError> {
    match timeout {
        Timeout::Fixed(duration) => Ok(*duration),
        Timeout::From { expression, max } => {
            let value = expression.evaluate(bindings).map_err(|error| unfilled("timeout", &error))?;
            match milliseconds(&value) {
                Some(duration) => Ok(duration.min(*max)),
                None => Err(refusal(Violation {
                    pointer: argument_read(expression),
                    expected: "a time of at least 1 millisecond".to_owned(),
                    found: found(&value),
                    hint: None,
                })),
            }
        }
    }
}

/// A positive number of milliseconds; what is beyond 64 bits is as long as can be.
fn milliseconds(value: &Value) -> Option<Duration> {
    let whole = value.as_u64().or_else(|| {
        let decimal = value.as_f64().filter(|decimal| *decimal >= 1.0)?;
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the cast saturates")]
        Some(decimal as u64)
    })?;
    (whole > 0).then(|| Duration::from_millis(whole))
}

/// The pointer of the argument that an expression reads, where it reads exactly one.
pub(super) fn argument_read(expression: &Expression) -> String {
    match expression.fields_read("arguments").as_deref() {
        Some([only]) => format!("/{}", escape_token(only)),
        _ => String::new(),
    }
}

/// What a program's arguments and environment may still take.
struct Room {
    entries: usize,
    bytes: usize,
}

impl Room {
    /// Takes one entry of this many bytes, its terminator included.
    fn take(&mut self, bytes: usize) -> Result<(), CallError> {
        match (self.entries.checked_sub(1), self.bytes.checked_sub(bytes)) {
            (Some(entries), Some(bytes)) => {
                (self.entries, self.bytes) = (entries, bytes);
                Ok(())
            }
            _ => Err(CallError::new(
                ErrorCode::InvalidArguments,
                format!(
                    "the command would have more than {MOST_ENTRIES} arguments or {MOST_BYTES} bytes of them"
                ),
            )
            .with_hint("send less at a time")),
        }
    }
}

struct Argv<'r> {
    arguments: Vec<String>,
    after_dashes: bool,
    room: &'r mut Room,
}

struct Filler<'a> {
    command: &'a CommandSpec,
    /// The variable that the effect key is sent as.
    send_as: Option<&'a str>,
    bindings: &'a CallBindings<'a>,
    workspace: &'a Workspace,
    timing: Timing,
}

impl Filler<'_> {
    fn plan(&self, timeout: Duration) -> Result<(CommandPlan, Option<CallError>), CallError> {
        let mut room = Room { entries: MOST_ENTRIES, bytes: MOST_BYTES };
        let argv = self.argv(&mut room)?;
        let env = self.environment(&mut room)?;
        let program = match argv.first() {
            Some(name) if !name.is_empty() => ProgramSource::written(name, &self.command.program_base),
            _ => return Err(CallError::new(ErrorCode::Internal, "the contract names no program")),
        };
        let (cwd, obstacle) = self.working_directory()?;
        let plan = CommandPlan {
            program,
            argv,
            cwd,
            env,
            pass_env: self.command.pass_env.clone(),
            credentials: self.command.credentials.clone(),
            stdin: self.stdin()?,
            output: self.command.output,
            streams: self.command.streams,
            max_output_bytes: self.command.max_output_bytes,
            on_overflow: self.command.on_overflow,
            timeout,
        };
        Ok((plan, obstacle))
    }

    fn argv(&self, room: &mut Room) -> Result<Vec<String>, CallError> {
        let mut argv = Argv { arguments: Vec::new(), after_dashes: false, room };
        for part in &self.command.argv {
            match part {
                ArgumentPart::One(template) => self.argument(template, None, &mut argv)?,
                ArgumentPart::When { when, args } => {
                    if when.evaluate_bool(self.bindings).map_err(|error| unfilled("argv", &error))? {
                        for template in args {
                            self.argument(template, None, &mut argv)?;
                        }
                    }
                }
                ArgumentPart::Each { each, args } => {
                    let list = each.evaluate(self.bindings).map_err(|error| unfilled("argv", &error))?;
                    let Value::Array(items) = list else {
                        return Err(refusal(Violation {
                            pointer: argument_read(each),
                            expected: "a list".to_owned(),
                            found: found(&list),
                            hint: None,
                        }));
                    };
                    for item in &items {
                        for template in args {
                            self.argument(template, Some(item), &mut argv)?;
                        }
                    }
                }
            }
        }
        Ok(argv.arguments)
    }

    fn argument(
        &self,
        template: &Template,
        item: Option<&Value>,
        argv: &mut Argv<'_>,
    ) -> Result<(), CallError> {
        let text = self.text("argv", template, item)?;
        // The first characters come from the call, so the program would take them for an option of its own.
        if text.starts_with('-') && template.source().trim_start().starts_with("{{") && !argv.after_dashes {
            return Err(refusal(Violation {
                pointer: pointer_of(template),
                expected: "text that does not start with `-`".to_owned(),
                found: found(&Value::String(text)),
                hint: Some("the program would read it as an option".to_owned()),
            }));
        }
        argv.room.take(text.len() + 1)?;
        argv.after_dashes |= template.source() == "--";
        argv.arguments.push(text);
        Ok(())
    }

    fn environment(&self, room: &mut Room) -> Result<Vec<(String, String)>, CallError> {
        let mut environment = Vec::with_capacity(self.command.env.len() + 1);
        for entry in &self.command.env {
            let value = self.text("env", &entry.value, None)?;
            room.take(entry.name.len() + value.len() + 2)?;
            environment.push((entry.name.clone(), value));
        }
        if let (Some(name), Some(key)) = (self.send_as, self.bindings.effect_key) {
            room.take(name.len() + key.len() + 2)?;
            environment.push((name.to_owned(), key.to_owned()));
        }
        Ok(environment)
    }

    fn stdin(&self) -> Result<StdinPlan, CallError> {
        Ok(match &self.command.stdin {
            StdinSpec::Empty => StdinPlan::Empty,
            StdinSpec::Credential(name) => StdinPlan::Credential(name.clone()),
            StdinSpec::Template(template) => StdinPlan::Text(
                template.render_text(self.bindings).map_err(|error| unfilled("stdin", &error))?,
            ),
        })
    }

    /// The working directory, links followed where that leads somewhere, and what is wrong with it in the world.
    fn working_directory(&self) -> Result<(String, Option<CallError>), CallError> {
        let Some(template) = &self.command.cwd else { return Ok((String::new(), None)) };
        let text = self.text("cwd", template, None)?;
        let path = WorkspacePath::parse(&text)?;
        let reached = match self.workspace.resolve(&path) {
            Ok(reached) => reached,
            Err(error) => return Ok((path.as_str().to_owned(), Some(error))),
        };
        let obstacle = match self.workspace.kind(&reached) {
            _ if self.timing == Timing::Provisional => None,
            Ok(Some(EntryKind::Directory)) => None,
            Ok(_) => {
                let message = format!("the working directory `{}` is not a directory", escape(&text));
                Some(CallError::new(ErrorCode::FileNotFound, message))
            }
            Err(error) => Some(error),
        };
        Ok((reached.as_str().to_owned(), obstacle))
    }

    /// Fills a template that becomes one string of the system.
    fn text(&self, part: &str, template: &Template, item: Option<&Value>) -> Result<String, CallError> {
        let rendered = match item {
            None => template.render_text(self.bindings),
            Some(item) => template.render_text(&CallBindings { item: Some(item), ..*self.bindings }),
        };
        rendered.map_err(|error| {
            let mut error = unfilled(part, &error);
            let pointer = pointer_of(template);
            if !pointer.is_empty() {
                error.message.push_str(&format!(", in argument `{pointer}`"));
            }
            error
        })
    }
}

/// The pointer of the argument that a template is, where it is one bare path.
pub(super) fn pointer_of(template: &Template) -> String {
    let path = template
        .source()
        .trim()
        .strip_prefix("{{")
        .and_then(|rest| rest.strip_suffix("}}"))
        .and_then(|inner| inner.trim().strip_prefix("arguments."));
    match path {
        Some(path)
            if path.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.')) =>
        {
            format!("/{}", path.replace('.', "/"))
        }
        _ => String::new(),
    }
}

pub(super) fn refusal(violation: Violation) -> CallError {
    let message = super::validated::summary(std::slice::from_ref(&violation));
    CallError::new(ErrorCode::InvalidArguments, message).with_violations(vec![violation])
}

pub(super) fn unfilled(part: &str, error: &EvaluationError) -> CallError {
    CallError::new(ErrorCode::InvalidArguments, format!("`{part}` of the contract cannot be filled: {error}"))
}

/// The path of the workspace, for bindings.
pub(super) fn bindings<'a>(
    arguments: &'a Value,
    call_id: &'a crate::ident::CallId,
    context: &super::ValidationContext<'a>,
) -> CallBindings<'a> {
    let workspace: &'a Path = context.workspace.root();
    CallBindings {
        arguments,
        principal: context.principal,
        task: context.task,
        step: context.step,
        call_id,
        workspace,
        item: None,
        value: None,
        result: None,
        operation: None,
        exit: None,
        http: None,
        effect_key: None,
    }
}

#[cfg(test)]
mod tests;

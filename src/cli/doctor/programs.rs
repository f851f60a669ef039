//! Whether the programs that tools and servers start are there, and who could change them.

use std::path::Path;

use crate::catalog::{ArgumentPart, Contract, Run, ServerSpec};
use crate::diagnostic::Location;
use crate::execute::{ParentEnvironment, check_program};

use super::{Finding, State};

/// A program that a tool or a server starts.
struct Program<'a> {
    /// What starts it.
    owner: &'a str,
    written: &'a str,
    base: &'a Path,
    location: &'a Location,
}

/// The program of a tool, unless its name depends on the call, at which it is found out.
fn program(contract: &Contract) -> Option<Program<'_>> {
    let Run::Command(command) = &contract.run else { return None };
    let ArgumentPart::One(name) = command.argv.first()? else { return None };
    let plain = name.expressions().next().is_none();
    plain.then(|| Program {
        owner: contract.name.as_str(),
        written: name.source(),
        base: &command.program_base,
        location: &contract.location,
    })
}

/// What keeps the program of a tool from being started. Other tools still run.
pub(super) fn of_tool(contract: &Contract, environment: &ParentEnvironment, root: &Path) -> Option<Finding> {
    check(&program(contract)?, environment, root)
}

/// What keeps a server from being started. Other servers still run.
pub(super) fn of_server(
    server: &ServerSpec,
    environment: &ParentEnvironment,
    root: &Path,
) -> Option<Finding> {
    let program = Program {
        owner: server.name.as_str(),
        written: server.argv.first()?,
        base: &server.program_base,
        location: &server.location,
    };
    check(&program, environment, root)
}

fn check(program: &Program<'_>, environment: &ParentEnvironment, root: &Path) -> Option<Finding> {
    let error = match check_program(program.written, program.base, environment, root) {
        Ok(()) => return changeable(program, root),
        Err(error) => error,
    };
    let text = format!("{}: {} ({})", program.owner, error.message, program.location);
    let finding = Finding::new("program", State::Warning, text);
    Some(match error.hint {
        Some(hint) => finding.with_hint(hint),
        None => finding,
    })
}

/// A program below the workspace, where a tool may change it: neither trust in the manifest nor a yes to a call covers what
/// the file says.
fn changeable(program: &Program<'_>, root: &Path) -> Option<Finding> {
    let path =
        program.written.contains('/').then(|| program.base.join(program.written))?.canonicalize().ok()?;
    let inside = path.strip_prefix(root).ok()?;
    let text = format!(
        "{}: its program `{}` lies in the workspace, so whatever changes that file changes the tool ({})",
        program.owner,
        inside.display(),
        program.location
    );
    Some(
        Finding::new("program", State::Warning, text)
            .with_hint("keep it where no tool writes, outside of the workspace, and name it there in `argv`"),
    )
}

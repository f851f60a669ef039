//! What a builtin is given besides its arguments.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use crate::catalog::Digest;
use crate::code::{CallError, ErrorCode};
use crate::present::DisplayBody;
use crate::workspace::{Workspace, WorkspacePath};

/// Whether the work should go on: a flag that others set, and a deadline.
#[derive(Debug, Clone, Default)]
pub struct Cancel {
    flag: Arc<AtomicBool>,
    deadline: Option<Instant>,
}

impl Cancel {
    /// Watches the flag and, where there is one, the deadline.
    #[must_use]
    pub fn new(flag: Arc<AtomicBool>, deadline: Option<Instant>) -> Self {
        Self { flag, deadline }
    }

    /// Asks whether to go on.
    ///
    /// # Errors
    /// `CANCELLED` once the flag is set, `TIMEOUT` once the deadline has passed.
    pub fn check(&self) -> Result<(), CallError> {
        if self.flag.load(Ordering::Relaxed) {
            return Err(CallError::new(ErrorCode::Cancelled, "the call was cancelled"));
        }
        match self.deadline {
            Some(deadline) if Instant::now() >= deadline => {
                Err(CallError::new(ErrorCode::Timeout, "the deadline passed before the tool was done"))
            }
            _ => Ok(()),
        }
    }
}

/// The path that an argument led to when the call was decided, links followed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ApprovedPath {
    /// The argument's name.
    pub argument: String,
    /// Where it led.
    pub path: WorkspacePath,
}

/// Says whether the policy would let a call name these paths in the arguments of these names.
pub type SightOf<'a> = dyn Fn(&[(&str, &WorkspacePath)]) -> bool + Sync + 'a;

/// What a builtin is given besides its arguments.
#[derive(Clone, Copy)]
pub struct BuiltinContext<'a> {
    /// The workspace.
    pub workspace: &'a Workspace,
    /// Whether to go on.
    pub cancel: &'a Cancel,
    /// Most bytes of a value; a builtin that could bring back more stops and says so.
    pub max_value_bytes: usize,
    /// The basis of the preview that a person said yes to. What it was made from must be there unchanged.
    pub expected_basis: Option<Digest>,
    /// Whether the policy would let the call name these paths in these arguments: what it comes across, and does not name,
    /// is to be left alone otherwise.
    pub sight: &'a SightOf<'a>,
    /// Where path arguments led when the call was decided. An argument that leads elsewhere by now fails.
    /// One that is not listed is followed as it stands.
    pub approved: &'a [ApprovedPath],
}

impl BuiltinContext<'_> {
    /// The path to open for an argument: the approved one where there is one.
    pub(super) fn path(&self, argument: &str, text: &str) -> Result<WorkspacePath, CallError> {
        match self.approved(argument) {
            Some(approved) => Ok(approved.clone()),
            None => WorkspacePath::parse(text),
        }
    }

    /// Checks that what was opened is what was approved.
    pub(super) fn confirm(&self, argument: &str, reached: &WorkspacePath) -> Result<(), CallError> {
        match self.approved(argument) {
            Some(approved) if approved != reached => Err(CallError::new(
                ErrorCode::PreconditionFailed,
                format!("`{approved}` leads elsewhere by now: a symbolic link took its place"),
            )),
            _ => Ok(()),
        }
    }

    /// Whether what the call comes across under `path` may be looked into.
    pub(super) fn sees(&self, path: &WorkspacePath) -> bool {
        (self.sight)(&[("path", path)])
    }

    /// Checks that a folder that is moved or deleted as a whole takes nothing along that the call could not name.
    pub(super) fn may_take(
        &self,
        folder: &WorkspacePath,
        places: &[(&str, &WorkspacePath)],
    ) -> Result<(), CallError> {
        if (self.sight)(places) {
            return Ok(());
        }
        // What is denied is not named: not even that it is there.
        Err(CallError::new(
            ErrorCode::PermissionDenied,
            format!("`{folder}` holds something that the policy does not let this call take along"),
        )
        .with_hint(
            "name the files one by one that are to be moved or deleted, or leave the folder to the person",
        ))
    }

    /// Checks that what a write starts from is what the person was shown.
    pub(super) fn confirm_basis(&self, path: &WorkspacePath, basis: Digest) -> Result<(), CallError> {
        match self.expected_basis {
            Some(expected) if expected != basis => Err(CallError::new(
                ErrorCode::PreconditionFailed,
                format!("`{path}` changed since it was shown for approval"),
            )
            .with_hint("look at it again, then call again")),
            _ => Ok(()),
        }
    }

    fn approved(&self, argument: &str) -> Option<&WorkspacePath> {
        self.approved.iter().find(|approved| approved.argument == argument).map(|approved| &approved.path)
    }
}

/// What a write would do, for the question.
pub struct Preview {
    /// What a person is shown.
    pub body: DisplayBody,
    /// A digest of what it was made from. A grant binds it; running with another one fails.
    pub basis: Digest,
}

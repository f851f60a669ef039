//! Where the gateway stands: a kept task is looked at before every call, and a call is let through where it stands then.

use std::rc::Rc;

use crate::catalog::Contract;
use crate::code::{CallError, ErrorCode};
use crate::policy::Facts;
use crate::session::{Here, NoPosition, Position, Session};
use crate::state::{Change, Store, StoreError, TaskMark};

use super::Gateway;

/// The present position, and what rules may read there.
pub(super) struct Standing<'s> {
    here: Here<'s>,
    facts: Rc<Facts<'s>>,
    /// What the store said of the task when it was looked at; `None` for a task that is not kept.
    mark: Option<TaskMark>,
    /// How often the task moved since the run began.
    moves: u64,
}

impl<'s> Standing<'s> {
    /// Where a session begins.
    pub(super) fn of(session: &'s Session) -> Self {
        let here = Here { task: &session.task, step: session.step.as_ref(), scope: &session.scope };
        Self { here, facts: Rc::new(session.facts_at(here)), mark: session.kept, moves: 0 }
    }
}

impl<'s> Gateway<'s> {
    /// Where the run stands, as of the last look.
    pub(super) fn here(&self) -> Here<'s> {
        self.standing.borrow().here
    }

    /// What rules may read there.
    pub(super) fn facts(&self) -> Rc<Facts<'s>> {
        Rc::clone(&self.standing.borrow().facts)
    }

    /// What tells this position from an earlier one.
    pub(super) fn moves(&self) -> u64 {
        self.standing.borrow().moves
    }

    /// Looks whether the task was moved, and stands where it is now.
    ///
    /// # Errors
    /// `PERMISSION_DENIED` where the stored task is gone or not believed, `AUDIT_UNAVAILABLE` where it cannot be read.
    pub(super) fn catch_up(&self) -> Result<(), CallError> {
        let Some(known) = self.standing.borrow().mark else { return Ok(()) };
        let found = self.look_at_task(known).map_err(|error| {
            tracing::error!(%error, "the task could not be looked at");
            error.call_error()
        })?;
        match found {
            Look::Same => Ok(()),
            Look::Lost(why) => Err(lost(why)),
            Look::Moved(position, mark) => {
                let step = position.step.as_ref().map_or("none", |step| step.as_str());
                tracing::info!(task = %position.task.id, step, "the task was moved");
                let here = self.session.later.push(*position);
                let facts = Rc::new(self.session.facts_at(here));
                let moves = self.moves() + 1;
                *self.standing.borrow_mut() = Standing { here, facts, mark: Some(mark), moves };
                Ok(())
            }
        }
    }

    fn look_at_task(&self, known: TaskMark) -> Result<Look, StoreError> {
        let session = self.session;
        let (tenant, id) = (&session.principal.tenant, &session.task.id);
        let store = self.store.as_ref().map_err(Clone::clone)?.borrow();
        // The mark comes first: a change between the two reads shows itself at the next look.
        let Some(mark) = store.task_mark(tenant, id)? else {
            return Ok(Look::Lost("it is not there any more"));
        };
        if mark == known {
            return Ok(Look::Same);
        }
        let Some(kept) = store.kept_task(tenant, id)? else {
            return Ok(Look::Lost("it is not there any more"));
        };
        // An older state with a seal of its own would bring back a step that was left.
        if kept.revision < known.revision || mark.revision < known.revision {
            return Ok(Look::Lost("it is older than it was"));
        }
        Ok(match Position::of_kept(&kept, &session.policy, &session.principal) {
            Ok(position) => Look::Moved(Box::new(position), mark),
            Err(NoPosition::NotBelieved(why)) => Look::Lost(why),
            Err(NoPosition::Unreadable) => Look::Lost("it cannot be read"),
        })
    }

    /// Why a call that was resolved earlier may not go on where the task is now; `None` where it may.
    pub(super) fn out_of_place(&self, contract: &Contract) -> Option<CallError> {
        match self.catch_up() {
            Ok(()) => crate::catalog::refusal(contract, self.here().scope),
            Err(error) => Some(error),
        }
    }

    /// The change that holds that the task is still where the gateway stands.
    pub(super) fn standing_still(&self) -> Option<Change<'s>> {
        let standing = self.standing.borrow();
        Some(Change::StandInTask { id: &standing.here.task.id, mark: standing.mark? })
    }
}

/// What a look at a kept task showed.
enum Look {
    Same,
    Moved(Box<Position>, TaskMark),
    Lost(&'static str),
}

fn lost(why: &str) -> CallError {
    CallError::new(ErrorCode::PermissionDenied, format!("the stored task is not believed: {why}"))
        .with_hint("nothing runs in it; a person looks at it with `tgw task show`")
}

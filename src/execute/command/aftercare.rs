//! Undoing what a command made under protected names, however it ended.

use crate::execute::sandbox::launcher::Aftermath;
use crate::workspace::Undone;

/// What is still to be done after a command. Dropping it does it.
pub(super) struct Aftercare {
    left: Option<Aftermath>,
}

impl Aftercare {
    pub(super) fn of(left: Option<Aftermath>) -> Self {
        Self { left }
    }

    /// What a launcher is to do, which outlives a gateway that is killed.
    pub(super) fn planned(&self) -> Option<&Aftermath> {
        self.left.as_ref()
    }

    /// Does it, unless the launcher has.
    pub(super) fn complete(mut self, by_launcher: Option<Undone>) -> Undone {
        let left = self.left.take();
        by_launcher.or_else(|| left.map(|aftermath| aftermath.undo())).unwrap_or_default()
    }

    /// For a command that never ran.
    pub(super) fn unneeded(mut self) -> Undone {
        self.left = None;
        Undone::default()
    }
}

impl Drop for Aftercare {
    fn drop(&mut self) {
        if let Some(aftermath) = self.left.take() {
            for warning in aftermath.undo().warnings() {
                tracing::warn!("{warning}");
            }
        }
    }
}

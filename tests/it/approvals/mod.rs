//! Stored questions: answered in one process, run in another.

mod answered;
pub(crate) mod fixture;
mod notified;
mod resumed;
mod rule;
mod signed;
mod waiting;

//! Stored questions: answered in one process, run in another.

mod answered;
pub(crate) mod fixture;
pub(crate) mod gates;
mod notified;
mod resumed;
mod rule;
mod signed;
mod waiting;

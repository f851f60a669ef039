//! Stored questions: answered in one process, run in another.

mod answered;
pub(crate) mod fixture;
mod resumed;
mod waiting;

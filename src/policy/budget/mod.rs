//! Budgets: what several calls may do together, across every process that shares a store.

mod document;
mod index;
mod weigh;

pub use document::{Budget, Per};
pub(super) use document::{BudgetSource, budgets, check_ids};
pub(super) use index::BudgetIndex;
pub use index::Charge;
pub use weigh::{Weighed, weigh};

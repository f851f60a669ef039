//! Streams from end to end.

mod audit;
mod batches;
mod budgets;
mod commands;
mod conditions;
mod effects;
mod hidden_fields;
mod killed;
mod ledger;
mod lines;
mod numbers;
pub(crate) mod operations;
mod order;
mod personal;
mod preconditions;
mod results;
mod scope;
mod secrets;
mod shapes;
mod signals;
pub(crate) mod verified;
mod tasks;

pub(crate) use signals::{signal, wait_for_child};

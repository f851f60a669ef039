//! One file per command.

mod approvals;
mod arguments;
mod audit;
mod audit_arguments;
mod call;
mod check;
mod consent;
mod discover;
mod display;
mod doctor;
mod drill;
mod effect_arguments;
mod effects;
mod entry;
mod exit;
mod explain;
mod generated;
mod help;
mod init;
mod keys;
mod logging;
mod output;
mod results;
mod run;
mod schema;
mod session;
mod stdio;
mod store;
mod table;
mod task_file;
mod tools;
mod trust;

pub use entry::main;

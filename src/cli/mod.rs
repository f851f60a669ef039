//! One file per command.

mod approvals;
mod approver_arguments;
mod approvers;
mod arguments;
mod audit;
mod budgets;
mod call;
mod check;
mod consent;
mod discover;
mod display;
mod doctor;
mod effect_arguments;
mod effects;
mod entry;
mod exit;
mod explain;
mod generated;
mod help;
mod init;
mod logging;
mod output;
mod results;
mod run;
mod schema;
mod session;
mod stdio;
mod stated_task;
mod store;
mod table;
mod task;
mod task_arguments;
mod task_file;
mod tools;
mod trust;

pub use entry::main;

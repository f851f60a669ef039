//! One file per command, or per pair of commands that belong together.

mod approvals;
mod approvers;
mod audit;
mod call;
mod check;
mod doctor;
mod drill;
mod explain;
mod generated;
mod init;
mod output;
mod results;
mod schema;
mod tools;
mod trust;
mod usage;

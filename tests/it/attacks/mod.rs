//! What an adversary tries against the real binary; each attack is a test, and each attack fails.

mod answers;
mod audit_chain;
mod budgets;
mod calls;
mod checkpoints;
mod claims;
mod costly;
mod effects;
mod erasing;
mod escapes;
mod exhaustion;
mod fixture;
mod gates;
mod git;
mod hidden;
mod kernel;
mod leaks;
mod linked;
mod links;
mod nested;
mod operations;
mod outliving;
mod passes;
mod paths;
mod planted;
mod questions;
mod signers;
mod requests;
mod smuggling;
mod tasks;
mod trusting;
mod upstream;
mod within_a_call;
mod worktrees;

pub(crate) use effects::{race_and_kill, shop};

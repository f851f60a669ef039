//! What an adversary tries against the real binary; each attack is a test, and each attack fails.

mod answers;
mod audit_chain;
mod calls;
mod costly;
mod effects;
mod escapes;
mod exhaustion;
mod fixture;
mod git;
mod hidden;
mod kernel;
mod leaks;
mod linked;
mod links;
mod nested;
mod outliving;
mod paths;
mod planted;
mod questions;
mod smuggling;
mod trusting;
mod worktrees;

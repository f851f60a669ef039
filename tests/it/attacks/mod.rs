//! What an adversary tries against the real binary; each attack is a test, and each attack fails.

mod audit_chain;
mod calls;
mod escapes;
mod exhaustion;
mod fixture;
mod git;
mod hidden;
mod leaks;
mod links;
mod paths;
mod questions;
mod smuggling;

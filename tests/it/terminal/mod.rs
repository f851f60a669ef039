//! Approval at a real pseudo-terminal, while stdin carries calls and stdout carries results.

mod answers;
mod batch;
mod edit;
mod expiry;
mod fixture;
mod gates;
mod keys;
mod remember;
mod settings;
mod settled;
mod shown;

//! The launcher: this program, started again between the gateway and a command.
//!
//! It reads a specification from a descriptor, puts the sandbox in place for the command alone, and stays as its
//! supervisor: it inherits everything the command leaves behind, and ends it all when the command ends, when the gateway
//! says so, or when the gateway is gone.

mod bubblewrap;
mod confine;
mod ending;
mod entry;
mod filter;
mod grants;
mod report;
mod restrict;
mod specification;
mod supervise;

pub use entry::ARGUMENT;
pub use entry::main;
pub(in crate::execute) use entry::{CONTROL, REPORT, SPECIFICATION};
pub(in crate::execute) use report::{Report, read_report};
pub(in crate::execute) use specification::{Aftermath, Confinement, Network, Specification, WorkspacePlaces};

#[cfg(test)]
mod test_entry;

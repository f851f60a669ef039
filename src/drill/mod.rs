//! Drills: the laws of effects, tried on a person's own tools and policy with a double in place of what would run.
//!
//! A drill drives the gateway through the same stages as a run, over stores of its own. The double does and says what a
//! backend does in bad moments; what the replies, the ledger and the audit then say is held against what the double did.

mod double;
mod law;
mod report;
mod sample;
mod scenario;
mod shape;
mod signers;
mod stage;
mod trial;

pub use double::{Double, Fault, Recipe, World};
pub use law::{Finding, Law};
pub use report::{DrillReport, Drilled};
pub use trial::{Ground, drill};

#[cfg(test)]
mod tests;

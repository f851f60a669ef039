//! Validation outside the model: schema, defaults, server-side checks, and the plan of what would run.

mod bindings;
mod checks;
mod fill;
mod mend;
mod plan;
mod prepare;
mod request;
mod validated;
mod violations;
mod wording;

pub use bindings::CallBindings;
pub use plan::{CommandPlan, HttpBody, HttpPartPlan, HttpPlan, McpPlan, Plan, ProgramSource, StdinPlan};
pub(crate) use request::percent_encoded;
pub use validated::{Rejected, Timing, ValidatedCall, ValidationContext, validate};

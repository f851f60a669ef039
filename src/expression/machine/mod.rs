//! The evaluator.

mod call;
mod comprehension;
mod operators;
mod run;

pub(super) use call::{SIZED, is_pointer};
pub(super) use run::{Fault, Machine};

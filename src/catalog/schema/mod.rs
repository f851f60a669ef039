//! Structural checks of JSON Schemas at load: cheap, bounded, and with the place of every problem.
//!
//! The validator itself is compiled on first use. What it would accept silently (a misspelt keyword, a reference out of
//! the file, a loop) is found here.

mod check;
mod defaults;
mod keyword;
mod pattern;
mod reference;
mod special;

pub(super) use check::{Role, check};
pub(super) use defaults::compare;

//! The git tools: planned as commands, so that they run under the same deadline, cap and sandbox as any other, and
//! read back from what git printed.
//!
//! A repository that someone else made must not execute anything. Three layers see to that, each without the others:
//! attributes, which alone could name a filter or driver, are read from the empty tree; every configuration key that
//! names a program is overridden, and a configuration that cannot be read with certainty is refused; and the flags
//! turn off external differences, text conversion, signatures and submodules.

mod config;
mod diff;
mod interpret;
mod log;
mod plan;
mod repository;
mod status;
mod waiting;

pub use diff::LeftOut;
pub use interpret::{interpret, left_out};
pub use plan::{GitCommand, plan};

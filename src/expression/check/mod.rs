//! The type-checker: a tree becomes operations, and everything that cannot work is said at once.

mod call;
mod checker;
mod facts;
mod operators;
mod select;
mod signature;

pub(super) use checker::{Checker, Surroundings};

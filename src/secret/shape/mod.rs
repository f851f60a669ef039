//! What has the shape of a secret, though nobody resolved it: well-known tokens, private keys, passwords in addresses, and
//! values under names that say what they are.
//!
//! The matchers are written by hand and start from a search for a few literals, so that clean text costs one pass and
//! nothing is compiled. Only the value is hidden: names, commands and destinations stay readable.

mod assignment;
mod find;
mod name;
mod token;
mod value;

pub(super) use assignment::{hidden_member, is_secret_option};
pub(super) use find::{ANY, Edge, find};
#[cfg(test)]
pub(super) use token::{Tail, known};
pub(super) use value::hidden_text;

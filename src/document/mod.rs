//! The one YAML reader: a file becomes a tree of nodes that remember their places.

mod build;
mod comment;
mod duration;
mod fields;
mod frame;
mod node;
mod place;
mod read;
mod scalar;
mod syntax;

pub use duration::{parse_duration, write_duration};
pub use fields::{
    Fields, expect_bool, expect_integer, expect_items, expect_text, expect_texts, expect_word, found,
};
pub use node::{Entry, Node, NodeValue};
pub use place::span_within;
pub use read::{ReadError, ReadLimits, decode, read, read_reporting};

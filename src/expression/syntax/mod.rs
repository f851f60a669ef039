//! From text to a tree with places. Nothing here knows types.
//!
//! The parser is our own: it knows the exact range of every part, bounds length and nesting before it
//! allocates, and can say in our words what is wrong. The tests hold it against the `cel` crate's parser.

mod compound;
mod literal;
mod parse;
mod reads;
mod token;
mod tree;

pub use reads::Syntax;
pub(super) use token::{Lexer, TokenKind};
pub(super) use tree::{BinaryOperator, Expr, Kind, Literal, Logical, Macro, UnaryOperator};

#[cfg(test)]
mod tests;

//! Text that strangers wrote, made safe to show: escaped, measured and cut without breaking anything.

mod cut;
mod escape;
mod json;
mod lookalike;

pub use cut::{fit, floor_boundary, head, tail, width, wrap, wrap_words};
pub use escape::{escape, escape_line, is_hidden};
pub use lookalike::{Lookalike, lookalikes};

pub(crate) use json::{JsonObject, json_text};

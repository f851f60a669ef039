//! Results as people see them: escaped, fitted to the terminal, readable without colour.

mod body;
mod call;
mod compare;
mod diff;
mod line;
mod stream;
mod table;

pub(crate) use body::body_lines;
pub use body::render_body;
pub use call::{CallLine, render_call, render_event, subject};
pub use line::{DisplayOptions, LongLines};
pub(crate) use line::{Line, Tone, lay_out};
pub use stream::{Totals, operation_line, progress_line, summary};

//! Places in source files, and what is wrong there.

mod excerpt;
mod nearest;
mod report;
mod source;
mod span;

pub use nearest::nearest;
pub use report::{Diagnostic, Report, Severity};
pub use source::{Source, SourceMap};
pub use span::{Location, SourceId, Span, Spanned};

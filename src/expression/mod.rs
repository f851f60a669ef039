//! Expressions (CEL) and templates: parsed, type-checked and evaluated here.
//!
//! All of it is our own because the decision is what this program exists for: every problem has its exact place,
//! the evaluator reads JSON in place, keeps 64-bit integers exact, is bounded in steps, and never panics.
//!
//! ```text
//! syntax     text        → tree         once for each text
//! check      tree        → operations   against the declarations of each place
//! machine    operations  → value        for each call
//! ```

mod check;
mod compile;
mod evaluate;
mod hint;
mod machine;
mod node;
mod number;
mod path;
mod pattern;
mod schema;
mod syntax;
mod template;
mod trace;
mod types;
mod url;
mod value;

pub use compile::{CompileError, Expression};
pub use evaluate::{Bindings, Evaluated, EvaluationError};
pub use syntax::Syntax;
pub use template::{Placement, Template, TemplateError};
pub use types::{Declarations, Field, Functions, ObjectType, Type};
pub use url::{Url, host_matches};

#[cfg(test)]
mod tests;

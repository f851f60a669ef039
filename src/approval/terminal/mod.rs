//! Asking on the controlling terminal, while standard input carries calls.
//!
//! The menu looks like dialoguer's and is drawn with its theme, but the keys are read here: the library's own reader
//! takes them from standard input where that is a terminal, waits for ever once it waits, and spins on a terminal that
//! was closed. An approval needs the opposite of each.

mod consent;
mod confirm;
mod device;
mod edit;
mod keys;
mod line;
mod menu;
mod prompt;

pub use confirm::Confirmed;
pub use consent::Consent;
pub use device::Terminal;
pub use edit::{Editor, EditorRunner};
pub use prompt::{AskRequest, Interaction};

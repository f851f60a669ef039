//! Processes: started by posix_spawn, read under a cap, and ended as a whole tree.

mod cancel;
mod child;
mod environment;
pub(super) mod janitor;
mod program;
mod signals;
pub(super) mod spawn;
mod stream;
mod table;
pub(super) mod tree;

pub use cancel::CancelToken;
pub(super) use child::{Child, ChildEnd, Control, next_tag};
pub use environment::ParentEnvironment;
pub(super) use environment::os_string;
pub(super) use environment::{ChildEnvironment, LoaderVariables};
pub use program::check_program;
pub(super) use program::find_program;
pub(crate) use signals::{SignalWatch, Signals};
pub(super) use stream::{CappedReader, Feeder, buffer};

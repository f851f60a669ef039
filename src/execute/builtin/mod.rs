//! The tools that are code in the gateway. Each touches the workspace through its handle only.

mod argument;
mod context;
mod delete_path;
mod dispatch;
mod edit;
mod find_files;
pub mod git;
mod ignored;
mod list_directory;
mod move_path;
mod read_file;
mod replace_in_file;
mod search_text;
mod text;
mod walk;
mod write_file;

pub use context::{ApprovedPath, BuiltinContext, Cancel, Preview, SightOf};
pub use dispatch::{preview, run};

//! Editing a call's arguments in the person's own editor.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::{Map, Value};

use crate::text;
use crate::wire::{JsonLimits, parse_strict};

use super::super::{Cancellation, GrantId};

/// Most bytes of an edited file.
const EDITED_BYTES: u64 = 4 << 20;

/// Starts the editor. Processes are started in one place of this program, which is not here.
pub trait EditorRunner: Send + Sync {
    /// Runs `command` with `file` as its last argument and `terminal` as its three streams, and waits for its end; ends
    /// it when `cancel` says so. Returns whether it ended well.
    ///
    /// # Errors
    /// Where it cannot be started.
    fn run(
        &self,
        command: &[String],
        file: &Path,
        terminal: &File,
        cancel: &Cancellation,
    ) -> io::Result<bool>;
}

/// The person's editor.
#[derive(Clone)]
pub struct Editor {
    /// The program and its arguments.
    pub command: Vec<String>,
    /// A folder outside every workspace, for the file that is edited.
    pub folder: PathBuf,
    /// What starts it.
    pub runner: Arc<dyn EditorRunner>,
}

impl Editor {
    /// The editor that `$VISUAL` or else `$EDITOR` names, split at white space; `vi` where neither says anything.
    #[must_use]
    pub fn new(
        visual: Option<&str>,
        editor: Option<&str>,
        folder: PathBuf,
        runner: Arc<dyn EditorRunner>,
    ) -> Self {
        let words = |named: &str| named.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
        let named = [visual, editor].into_iter().flatten().map(words).find(|words| !words.is_empty());
        Self { command: named.unwrap_or_else(|| vec!["vi".to_owned()]), folder, runner }
    }

    /// Creates the file to edit, readable by its owner only.
    pub(super) fn prepare(&self, arguments: &Value) -> io::Result<EditedFile> {
        // Where the store was named, nobody has needed the folder yet.
        DirBuilder::new().recursive(true).mode(0o700).create(&self.folder)?;
        let name = GrantId::random().map_err(io::Error::other)?;
        let path = self.folder.join(format!("edit-{name}.json"));
        let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&path)?;
        let edited = EditedFile { path };
        let mut text = serde_json::to_string_pretty(arguments).map_err(io::Error::other)?;
        text.push('\n');
        file.write_all(text.as_bytes())?;
        Ok(edited)
    }
}

/// The file being edited; removed when dropped.
pub(super) struct EditedFile {
    path: PathBuf,
}

impl EditedFile {
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Reads the arguments back, as strictly as a call's own.
    ///
    /// # Errors
    /// What is wrong with the text, for the person.
    pub(super) fn arguments(&self) -> Result<Map<String, Value>, String> {
        let mut bytes = Vec::new();
        let read =
            File::open(&self.path).and_then(|file| file.take(EDITED_BYTES + 1).read_to_end(&mut bytes));
        read.map_err(|error| format!("the file cannot be read back: {error}"))?;
        if bytes.len() as u64 > EDITED_BYTES {
            return Err(format!("the file has more than {EDITED_BYTES} bytes"));
        }
        match parse_strict(&bytes, JsonLimits::default()) {
            Ok(Value::Object(arguments)) => Ok(arguments),
            Ok(_) => Err("the arguments must be one JSON object".to_owned()),
            Err(error) => Err(text::escape(&error.to_string()).into_owned()),
        }
    }
}

impl Drop for EditedFile {
    fn drop(&mut self) {
        // An editor may have removed it itself.
        let _ = fs::remove_file(&self.path);
    }
}

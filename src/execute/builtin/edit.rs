//! A change of one file, worked out before it is made: shown to a person first, then applied.

use serde_json::{Map, Value, json};
use sha2::{Digest as _, Sha256};

use crate::catalog::Digest;
use crate::code::{CallError, Effect};
use crate::present::{BuiltinOutput, DisplayBody};
use crate::workspace::{WorkspacePath, WriteTarget};

use super::text::{counted, line_count};
use super::{BuiltinContext, Preview};

/// A change of one file.
pub(super) struct Edit<'w> {
    pub(super) target: WriteTarget<'w>,
    /// The text that is there; `None` where no file is.
    pub(super) before: Option<String>,
    pub(super) after: String,
    pub(super) replacements: Option<u64>,
    pub(super) warnings: Vec<String>,
}

impl Edit<'_> {
    /// A digest of where the change goes and what is there.
    fn basis(&self) -> Digest {
        let mut hasher = Sha256::new();
        hasher.update(self.target.path().as_str());
        match &self.before {
            // A path holds no NUL, so the parts cannot run into each other.
            None => hasher.update(b"\0absent"),
            Some(text) => {
                hasher.update(b"\0file\0");
                hasher.update(text);
            }
        }
        Digest(hasher.finalize().into())
    }

    pub(super) fn preview(self) -> Preview {
        Preview { basis: self.basis(), body: diff(self.target.path(), self.before, self.after) }
    }

    /// Makes the change. What is there must be what the person was shown.
    pub(super) fn apply(mut self, context: &BuiltinContext<'_>) -> Result<BuiltinOutput, CallError> {
        let path = self.target.path().clone();
        context.confirm_basis(&path, self.basis())?;
        let changed = self.before.as_deref() != Some(self.after.as_str());
        if changed {
            let created = self.target.new_directories();
            if !created.is_empty() {
                let names: Vec<String> = created.iter().map(|path| format!("`{path}`")).collect();
                self.warnings.push(format!("created the directories {}", names.join(", ")));
            }
            context.cancel.check()?;
            self.warnings.extend(self.target.commit(self.after.as_bytes())?.map(str::to_owned));
        }
        let value = Summary {
            path: &path,
            created: self.before.is_none(),
            changed,
            after: &self.after,
            replacements: self.replacements,
        };
        let (line, value) = (value.line(), value.value());
        Ok(BuiltinOutput {
            value,
            text: Some(line.clone()),
            total: None,
            next: None,
            truncated: false,
            display: if changed { diff(&path, self.before, self.after) } else { DisplayBody::Text(line) },
            effect: if changed { Effect::Happened } else { Effect::None },
            warnings: self.warnings,
        })
    }
}

struct Summary<'a> {
    path: &'a WorkspacePath,
    created: bool,
    changed: bool,
    after: &'a str,
    replacements: Option<u64>,
}

impl Summary<'_> {
    fn value(&self) -> Value {
        let mut value = Map::new();
        value.insert("path".to_owned(), json!(self.path.as_str()));
        value.insert("created".to_owned(), json!(self.created));
        value.insert("changed".to_owned(), json!(self.changed));
        if let Some(replacements) = self.replacements {
            value.insert("replacements".to_owned(), json!(replacements));
        }
        value.insert("size".to_owned(), json!(self.after.len()));
        value.insert("lines".to_owned(), json!(line_count(self.after)));
        Value::Object(value)
    }

    fn line(&self) -> String {
        let what = match (self.created, self.changed, self.replacements) {
            (true, _, _) => "created".to_owned(),
            (false, false, _) => "left unchanged, since it has this content already:".to_owned(),
            (false, true, None) => "replaced".to_owned(),
            (false, true, Some(1)) => "replaced 1 occurrence in".to_owned(),
            (false, true, Some(count)) => format!("replaced {count} occurrences in"),
        };
        let bytes = counted(self.after.len() as u64, "byte", "bytes");
        let lines = counted(line_count(self.after) as u64, "line", "lines");
        format!("{what} `{}` ({bytes}, {lines})", self.path)
    }
}

fn diff(path: &WorkspacePath, before: Option<String>, after: String) -> DisplayBody {
    DisplayBody::Diff { path: path.as_str().to_owned(), before, after: Some(after) }
}

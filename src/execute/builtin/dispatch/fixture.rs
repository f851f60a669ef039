//! A workspace on disk to run builtins in.

use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::catalog::BuiltinName;
use crate::code::CallError;
use crate::execute::builtin::{BuiltinContext, Cancel, Preview, preview, run};
use crate::present::BuiltinOutput;
use crate::workspace::{Protected, Workspace};

pub(crate) struct Fixture {
    _folder: tempfile::TempDir,
    pub(crate) workspace: Workspace,
    pub(crate) cancel: Cancel,
}

impl Fixture {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let workspace = Workspace::open(folder.path(), Protected::default()).unwrap();
        Self { _folder: folder, workspace, cancel: Cancel::default() }
    }

    pub(crate) fn root(&self) -> PathBuf {
        self.workspace.root().to_owned()
    }

    pub(crate) fn write(&self, path: &str, content: impl AsRef<[u8]>) {
        let path = self.root().join(path);
        std::fs::create_dir_all(path.parent().unwrap_or(Path::new("/"))).unwrap();
        std::fs::write(path, content).unwrap();
    }

    pub(crate) fn read(&self, path: &str) -> String {
        std::fs::read_to_string(self.root().join(path)).unwrap()
    }

    pub(crate) fn context(&self) -> BuiltinContext<'_> {
        BuiltinContext {
            workspace: &self.workspace,
            cancel: &self.cancel,
            max_value_bytes: 8 << 20,
            expected_basis: None,
            approved: &[],
            sight: &|_| true,
        }
    }

    pub(crate) fn run(&self, name: BuiltinName, arguments: Value) -> Result<BuiltinOutput, CallError> {
        run(name, &arguments, &self.context())
    }

    pub(crate) fn fail(&self, name: BuiltinName, arguments: Value) -> CallError {
        self.run(name, arguments).err().expect("it succeeded")
    }

    pub(crate) fn preview(&self, name: BuiltinName, arguments: Value) -> Option<Preview> {
        preview(name, &arguments, &self.context()).unwrap()
    }
}

//! Toolchains that live in a home folder.
//!
//! A sandbox hides the home folder. A contract that needs a compiler from it passes the variable that names the
//! toolchain's folder (`pass_env: [CARGO_HOME, RUSTUP_HOME]`), and that folder becomes readable, without the files in it
//! that hold credentials. Only the variables listed here do so: no other variable opens a folder.

use std::path::{Path, PathBuf};

use crate::execute::ParentEnvironment;

/// One toolchain's folder.
struct Toolchain {
    variable: &'static str,
    /// Where it is when the variable is not set, relative to the home folder.
    default: Option<&'static str>,
    /// What in it holds credentials.
    secrets: &'static [&'static str],
}

const fn toolchain(variable: &'static str, default: Option<&'static str>) -> Toolchain {
    Toolchain { variable, default, secrets: &[] }
}

const TOOLCHAINS: &[Toolchain] = &[
    Toolchain {
        variable: "CARGO_HOME",
        default: Some(".cargo"),
        secrets: &["credentials.toml", "credentials"],
    },
    toolchain("RUSTUP_HOME", Some(".rustup")),
    toolchain("GOROOT", None),
    toolchain("GOMODCACHE", Some("go/pkg/mod")),
    toolchain("PYENV_ROOT", Some(".pyenv")),
    toolchain("VIRTUAL_ENV", None),
    toolchain("CONDA_PREFIX", None),
    toolchain("NVM_DIR", Some(".nvm")),
    toolchain("VOLTA_HOME", Some(".volta")),
    toolchain("JAVA_HOME", None),
    toolchain("DOTNET_ROOT", Some(".dotnet")),
    Toolchain { variable: "GEM_HOME", default: None, secrets: &["credentials"] },
];

/// The variables that open a toolchain's folder.
pub(super) fn variables() -> impl Iterator<Item = &'static str> {
    TOOLCHAINS.iter().map(|toolchain| toolchain.variable)
}

/// A toolchain's folder on this machine.
pub(super) struct Folder {
    pub(super) variable: &'static str,
    pub(super) path: PathBuf,
    pub(super) hidden: Vec<PathBuf>,
}

/// Whether a variable names a toolchain's folder.
pub(super) fn is_known(variable: &str) -> bool {
    TOOLCHAINS.iter().any(|toolchain| toolchain.variable == variable)
}

/// The folder that a variable names, or that its toolchain uses when the variable is not set; `None` when there is no
/// such folder, or when it holds the home folder itself.
pub(super) fn folder(variable: &str, parent: &ParentEnvironment) -> Option<Folder> {
    let toolchain = TOOLCHAINS.iter().find(|toolchain| toolchain.variable == variable)?;
    let home = parent.home();
    let stated = parent.get(variable).map(PathBuf::from).filter(|path| path.is_absolute());
    let path = stated.or_else(|| Some(home.as_ref()?.join(toolchain.default?)))?.canonicalize().ok()?;
    (path.is_dir() && !holds(&path, home.as_deref())).then(|| Folder {
        variable: toolchain.variable,
        hidden: toolchain.secrets.iter().map(|secret| path.join(secret)).collect(),
        path,
    })
}

/// Whether opening `path` would open the home folder, or everything.
pub(in crate::execute) fn holds(path: &Path, home: Option<&Path>) -> bool {
    let real = |home: &Path| home.canonicalize().unwrap_or_else(|_| home.to_owned());
    path.parent().is_none() || home.is_some_and(|home| real(home).starts_with(path) || home.starts_with(path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unset_variable_means_the_toolchains_own_default() {
        let home = tempfile::tempdir().unwrap();
        std::fs::create_dir(home.path().join(".cargo")).unwrap();
        let parent: ParentEnvironment = [("HOME", home.path().as_os_str())].into_iter().collect();
        let found = folder("CARGO_HOME", &parent).unwrap();
        assert_eq!(found.path, home.path().canonicalize().unwrap().join(".cargo"));
        assert!(found.hidden.contains(&found.path.join("credentials.toml")));
    }

    #[test]
    fn no_variable_opens_the_home_folder_or_what_holds_it() {
        let home = tempfile::tempdir().unwrap();
        for opened in [home.path(), home.path().parent().unwrap(), Path::new("/")] {
            let parent: ParentEnvironment =
                [("HOME", home.path().as_os_str()), ("CARGO_HOME", opened.as_os_str())].into_iter().collect();
            assert!(folder("CARGO_HOME", &parent).is_none());
        }
        let parent: ParentEnvironment =
            [("HOME", home.path().as_os_str()), ("GNUPGHOME", home.path().as_os_str())].into_iter().collect();
        assert!(folder("GNUPGHOME", &parent).is_none());
    }
}

//! The arguments of bubblewrap for a specification.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{self, Read, Seek, Write};
use std::os::fd::{AsRawFd, OwnedFd};
use std::path::{Path, PathBuf};

use rustix::fs::{MemfdFlags, memfd_create};
use rustix::io::{FdFlags, fcntl_setfd};

use super::filter::{self, Metadata, Objects};
use super::grants::{self, Opened, RESOLVER, SYSTEM};
use super::{Network, Specification, WorkspacePlaces};

/// A command wrapped into bubblewrap.
pub(super) struct Bubblewrap {
    pub(super) arguments: Vec<String>,
    pub(super) status: File,
    /// What the arguments refer to by number.
    pub(super) handles: Vec<OwnedFd>,
    pub(super) placeholders: Vec<Placeholder>,
}

/// An empty folder in the place of a git repository that is not there, so that a command cannot make one: it would be
/// obeyed by the next git that the person runs. It goes with the command.
pub(super) struct Placeholder(PathBuf);

impl Drop for Placeholder {
    fn drop(&mut self) {
        // Only an empty folder can be deleted so, and an empty folder is all that was made.
        let _kept = std::fs::remove_dir(&self.0);
    }
}

/// Namespaces of its own, no capability, no terminal, and an end with its parent's.
const BASE: &[&str] = &["--unshare-all", "--die-with-parent", "--new-session", "--cap-drop", "ALL"];

impl Bubblewrap {
    /// Wraps the program of a specification with these arguments.
    pub(super) fn around(specification: &Specification, arguments: &[String]) -> io::Result<Self> {
        let status = memfd_create(c"tgw-status", MemfdFlags::empty())?;
        let mut made = Self {
            arguments: Vec::new(),
            status: File::from(status),
            handles: Vec::new(),
            placeholders: Vec::new(),
        };
        made.push(BASE);
        if specification.network == Network::Open {
            made.push(&["--share-net"]);
        }
        let status = made.status.as_raw_fd().to_string();
        made.push(&["--json-status-fd", &status]);
        for program in filter::programs(specification.network, Metadata::Free, Objects::Own)? {
            let number = made.hand_over(filter_file(&filter::bytes(&program))?)?;
            made.push(&["--add-seccomp-fd", &number]);
        }
        made.add_system(specification);
        let hidden: Vec<&Path> = grants::hidden(specification).collect();
        let mut bound: Vec<PathBuf> = SYSTEM.iter().map(PathBuf::from).collect();
        for path in &specification.readable {
            made.push_path("--ro-bind-try", path)?;
            bound.push(path.clone());
        }
        if let Some(workspace) = &specification.workspace {
            bound.extend(made.add_workspace(workspace, &hidden)?);
        }
        for path in hidden.into_iter().filter(|path| is_below(path, &bound)) {
            made.hide(path)?;
        }
        for (name, value) in &specification.loader {
            made.push(&["--setenv", text(name)?, text(value)?]);
        }
        let directory = std::env::current_dir()?;
        // The kernel lets root change its settings there by user id alone, whatever capabilities and namespaces say.
        made.push(&["--remount-ro", "/proc"]);
        made.push(&["--remount-ro", "/", "--chdir", text(directory.as_os_str().as_encoded_bytes())?, "--"]);
        made.push(&[text(specification.program.as_os_str().as_encoded_bytes())?]);
        made.arguments.extend_from_slice(arguments);
        Ok(made)
    }

    fn add_system(&mut self, specification: &Specification) {
        for path in SYSTEM {
            // Where `/bin` is a link into `/usr`, it is one inside as well.
            match std::fs::read_link(path).ok().as_deref().and_then(Path::to_str) {
                Some(target) => self.push(&["--symlink", target, path]),
                None => self.push(&["--ro-bind-try", path, path]),
            }
        }
        if specification.network == Network::Open {
            for path in RESOLVER {
                self.push(&["--ro-bind-try", path, path]);
            }
        }
        self.push(&["--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp"]);
        // An empty home, so that programs that keep a cache there work and find nothing of the person's.
        let home =
            specification.home.as_deref().filter(|home| home.parent().is_some()).and_then(Path::to_str);
        if let Some(home) = home {
            self.push(&["--tmpfs", home]);
        }
    }

    /// Returns what was bound.
    fn add_workspace(&mut self, workspace: &WorkspacePlaces, hidden: &[&Path]) -> io::Result<Vec<PathBuf>> {
        let (read, write) = grants::open_workspace(workspace)?;
        let written: Vec<PathBuf> = write.iter().map(|opened| opened.path.clone()).collect();
        let mut bound = written.clone();
        for opened in read {
            bound.push(opened.path.clone());
            self.bind("--ro-bind-fd", opened)?;
        }
        for opened in write {
            let unwritable = workspace.unwritable.iter().any(|place| opened.path.starts_with(place));
            self.bind(if unwritable { "--ro-bind-fd" } else { "--bind-fd" }, opened)?;
        }
        for path in
            workspace.unwritable.iter().filter(|path| is_below(path, &written) && path.ends_with(".git"))
        {
            match std::fs::create_dir(path) {
                Ok(()) => self.placeholders.push(Placeholder(path.clone())),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
            }
        }
        self.pin_folders(workspace, hidden, &written)?;
        for path in workspace.unwritable.iter().filter(|path| is_below(path, &written) && is_real(path)) {
            self.push_path("--ro-bind", path)?;
        }
        Ok(bound)
    }

    /// Keeps the folders that lead to a guarded path from being renamed, after which another could take its place: what
    /// is mounted upon cannot be.
    fn pin_folders(
        &mut self,
        workspace: &WorkspacePlaces,
        hidden: &[&Path],
        written: &[PathBuf],
    ) -> io::Result<()> {
        let guarded = workspace.unwritable.iter().map(PathBuf::as_path).chain(hidden.iter().copied());
        let folders: BTreeSet<&Path> = guarded
            .filter(|path| is_real(path))
            .flat_map(|path| path.ancestors().skip(1))
            .filter(|folder| written.iter().any(|place| folder.starts_with(place) && *folder != place))
            .collect();
        // In the order of paths a folder comes before those inside it, which its mount would cover.
        folders.into_iter().try_for_each(|folder| self.push_path("--bind", folder))
    }

    /// Puts something empty in a path's place.
    fn hide(&mut self, path: &Path) -> io::Result<()> {
        let name = text(path.as_os_str().as_encoded_bytes())?;
        match path.symlink_metadata() {
            Ok(metadata) if metadata.is_dir() => self.push(&["--tmpfs", name, "--remount-ro", name]),
            Ok(metadata) if !metadata.is_symlink() => self.push(&["--ro-bind", "/dev/null", name]),
            // A link leads to a path that is hidden itself, or to one that is not bound.
            Ok(_) | Err(_) => {}
        }
        Ok(())
    }

    fn bind(&mut self, how: &str, opened: Opened) -> io::Result<()> {
        let path = text(opened.path.as_os_str().as_encoded_bytes())?.to_owned();
        let number = self.hand_over(opened.handle)?;
        self.push(&[how, &number, &path]);
        Ok(())
    }

    /// Lets bubblewrap inherit a handle, and returns its number.
    fn hand_over(&mut self, handle: OwnedFd) -> io::Result<String> {
        fcntl_setfd(&handle, FdFlags::empty())?;
        let number = handle.as_raw_fd().to_string();
        self.handles.push(handle);
        Ok(number)
    }

    fn push_path(&mut self, how: &str, path: &Path) -> io::Result<()> {
        let name = text(path.as_os_str().as_encoded_bytes())?;
        self.push(&[how, name, name]);
        Ok(())
    }

    fn push(&mut self, arguments: &[&str]) {
        self.arguments.extend(arguments.iter().map(|argument| (*argument).to_owned()));
    }
}

/// Whether bubblewrap got as far as starting the command, and so passes on the command's own status.
pub(super) fn command_ran(mut status: &File) -> bool {
    let mut text = String::new();
    let read = status.rewind().and_then(|()| status.read_to_string(&mut text));
    read.is_ok() && text.contains("\"exit-code\"")
}

fn filter_file(bytes: &[u8]) -> io::Result<OwnedFd> {
    let mut file = File::from(memfd_create(c"tgw-filter", MemfdFlags::CLOEXEC)?);
    file.write_all(bytes)?;
    file.rewind()?;
    Ok(file.into())
}

fn is_below(path: &Path, places: &[PathBuf]) -> bool {
    places.iter().any(|place| path.starts_with(place))
}

fn is_real(path: &Path) -> bool {
    path.symlink_metadata().is_ok_and(|metadata| !metadata.is_symlink())
}

fn text(bytes: &[u8]) -> io::Result<&str> {
    std::str::from_utf8(bytes).map_err(|_| io::Error::other("a path is not valid UTF-8"))
}

use std::io::Read as _;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, symlink};
use std::sync::atomic::{AtomicBool, Ordering};

use super::*;
use crate::workspace::{Moving, Passage};

struct Fixture {
    _outer: tempfile::TempDir,
    outside: PathBuf,
    root: PathBuf,
}

impl Fixture {
    /// A workspace `w/app` beside `w/app-x`, whose one file must never be seen.
    fn new() -> Self {
        let outer = tempfile::tempdir().unwrap();
        let base = outer.path().canonicalize().unwrap();
        let (root, outside) = (base.join("app"), base.join("app-x"));
        std::fs::create_dir_all(root.join("dir")).unwrap();
        std::fs::create_dir(&outside).unwrap();
        std::fs::write(outside.join("f"), "outside").unwrap();
        std::fs::write(root.join("dir/f"), "inside").unwrap();
        Self { _outer: outer, outside, root }
    }

    fn workspace(&self) -> Workspace {
        self.with_in_use(&[])
    }

    fn with_in_use(&self, in_use: &[PathBuf]) -> Workspace {
        Workspace::open(&self.root, Protected { in_use: in_use.to_vec() }).unwrap()
    }
}

fn path(text: &str) -> WorkspacePath {
    WorkspacePath::parse(text).unwrap()
}

fn read(workspace: &Workspace, text: &str) -> Result<String, CallError> {
    let mut content = String::new();
    workspace.open_file(&path(text))?.file().read_to_string(&mut content).unwrap();
    Ok(content)
}

fn on() -> Result<(), CallError> {
    Ok(())
}

/// Everything may be taken along.
const FREELY: Passage<'_> = Passage { permits: &|_, _| Ok(()), keep_going: &on };

fn any(_: Moving<'_>) -> Result<(), CallError> {
    Ok(())
}

fn write(workspace: &Workspace, text: &str, content: &str) -> Result<(), CallError> {
    workspace.write_target(&path(text))?.commit(content.as_bytes()).map(|_| ())
}

fn code<T: std::fmt::Debug>(result: Result<T, CallError>) -> ErrorCode {
    result.unwrap_err().code
}

#[test]
fn links_inside_are_followed_and_their_target_is_named() {
    let fixture = Fixture::new();
    symlink("dir", fixture.root.join("link")).unwrap();
    symlink("../../app/dir/f", fixture.root.join("dir/out_and_in")).unwrap();
    symlink("../link/f", fixture.root.join("dir/chain")).unwrap();
    let workspace = fixture.workspace();
    assert_eq!(read(&workspace, "link/f").unwrap(), "inside");
    assert_eq!(workspace.resolve(&path("link/f")).unwrap().as_str(), "dir/f");
    assert_eq!(workspace.resolve(&path("link/new")).unwrap().as_str(), "dir/new");
    assert_eq!(workspace.resolve(&path("link/new/deep")).unwrap().as_str(), "dir/new/deep");
    assert_eq!(read(&workspace, "dir/chain").unwrap(), "inside");
    assert_eq!(workspace.kind(&path("link")).unwrap(), Some(EntryKind::Directory));
    assert_eq!(workspace.kind(&path("none/x")).unwrap(), None);
    // It leaves the root on its way, even though it comes back.
    assert_eq!(code(read(&workspace, "dir/out_and_in")), ErrorCode::PathOutsideWorkspace);
}

#[test]
fn links_that_leave_or_are_absolute_are_refused_each_with_its_message() {
    let fixture = Fixture::new();
    symlink("../app-x/f", fixture.root.join("out")).unwrap();
    symlink("..", fixture.root.join("up")).unwrap();
    symlink(fixture.root.join("dir/f"), fixture.root.join("absolute")).unwrap();
    symlink("loop", fixture.root.join("loop")).unwrap();
    let workspace = fixture.workspace();
    for text in ["out", "up", "up/app-x/f", "up/app/dir/f"] {
        let error = workspace.resolve(&path(text)).unwrap_err();
        assert_eq!(error.code, ErrorCode::PathOutsideWorkspace, "{text}");
        assert!(error.message.ends_with("passes through a symbolic link that leaves the workspace"));
        assert_eq!(code(read(&workspace, text)), ErrorCode::PathOutsideWorkspace);
        assert_eq!(code(write(&workspace, text, "x")), ErrorCode::PathOutsideWorkspace);
    }
    let error = workspace.open_file(&path("absolute")).unwrap_err();
    assert_eq!(error.message, "`absolute` passes through `absolute`, an absolute symbolic link");
    assert!(!format!("{error:?}").contains(fixture.root.to_str().unwrap()));
    assert_eq!(code(workspace.resolve(&path("loop"))), ErrorCode::FileNotFound);
    assert_eq!(std::fs::read_to_string(fixture.outside.join("f")).unwrap(), "outside");
}

#[test]
fn only_regular_files_are_opened_and_nothing_waits() {
    let fixture = Fixture::new();
    rustix::fs::mknodat(
        rustix::fs::CWD,
        fixture.root.join("pipe"),
        rustix::fs::FileType::Fifo,
        Mode::from_raw_mode(0o600),
        0,
    )
    .unwrap();
    let _socket = std::os::unix::net::UnixListener::bind(fixture.root.join("socket")).unwrap();
    let workspace = fixture.workspace();
    for (text, message) in [
        ("pipe", "`pipe` is a FIFO, not a regular file"),
        ("socket", "`socket` is a socket, not a regular file"),
        ("dir", "`dir` is a directory, not a regular file"),
        (".", "`.` is a directory, not a regular file"),
        ("none", "`none` does not exist"),
        ("dir/none", "`dir/none` does not exist"),
        ("none/x", "`none/x` does not exist: there is no `none`"),
        ("dir/f/x", "`dir/f` is a regular file, not a directory"),
    ] {
        let error = workspace.open_file(&path(text)).unwrap_err();
        assert_eq!((error.code, error.message.as_str()), (ErrorCode::FileNotFound, message));
    }
    assert_eq!(code(write(&workspace, "pipe", "x")), ErrorCode::FileNotFound);
    assert_eq!(code(workspace.open_directory(&path("pipe"))), ErrorCode::FileNotFound);
}

#[test]
fn a_device_is_not_opened() {
    let workspace = Workspace::open(Path::new("/dev"), Protected::default()).unwrap();
    let error = workspace.open_file(&path("zero")).unwrap_err();
    assert_eq!(error.message, "`zero` is a device, not a regular file");
}

#[test]
fn protected_files_are_reached_by_no_way() {
    let fixture = Fixture::new();
    std::fs::create_dir(fixture.root.join(".git")).unwrap();
    std::fs::write(fixture.root.join(".git/config"), "[core]").unwrap();
    std::fs::write(fixture.root.join("mine.yaml"), "mine").unwrap();
    symlink(".git", fixture.root.join("innocent")).unwrap();
    std::fs::hard_link(fixture.root.join("mine.yaml"), fixture.root.join("alias")).unwrap();
    let state = fixture.outside.join("state");
    std::fs::create_dir(&state).unwrap();
    std::fs::write(state.join("state.db"), "db").unwrap();
    std::fs::hard_link(state.join("state.db"), fixture.root.join("db")).unwrap();
    let workspace = fixture.with_in_use(&[fixture.root.join("mine.yaml"), state]);
    for text in [".git/config", ".GIT/x", "innocent/config", "mine.yaml", "Mine.YAML", "alias", "db", ".git"]
    {
        assert_eq!(code(workspace.resolve(&path(text))), ErrorCode::PermissionDenied, "{text}");
        assert_eq!(code(read(&workspace, text)), ErrorCode::PermissionDenied, "{text}");
        assert_eq!(code(write(&workspace, text, "x")), ErrorCode::PermissionDenied, "{text}");
    }
    assert_eq!(code(workspace.open_directory(&path("innocent"))), ErrorCode::PermissionDenied);
    assert_eq!(code(workspace.rename(&path("alias"), &path("b"), &any, FREELY)), ErrorCode::PermissionDenied);
    assert_eq!(
        code(workspace.rename(&path("dir/f"), &path(".git/f"), &any, FREELY)),
        ErrorCode::PermissionDenied
    );
    assert_eq!(code(workspace.removal_target(&path("mine.yaml"))), ErrorCode::PermissionDenied);
    // The link goes, not what it points to.
    workspace.removal_target(&path("innocent")).unwrap().remove(FREELY).unwrap();
    assert!(fixture.root.join(".git/config").exists());
}

#[test]
fn a_directory_with_a_protected_file_is_neither_moved_nor_deleted() {
    let fixture = Fixture::new();
    std::fs::create_dir_all(fixture.root.join("sub/a/.claude")).unwrap();
    std::fs::write(fixture.root.join("sub/a/.claude/settings.json"), "{}").unwrap();
    std::fs::create_dir_all(fixture.root.join("evil")).unwrap();
    std::fs::write(fixture.root.join("evil/settings.json"), "{}").unwrap();
    let workspace = fixture.workspace();
    let error = workspace.rename(&path("sub"), &path("other"), &any, FREELY).unwrap_err();
    assert_eq!(error.code, ErrorCode::PermissionDenied);
    assert!(error.message.starts_with("`sub/a/.claude/settings.json` is protected"));
    let error = workspace.removal_target(&path("sub")).unwrap().remove(FREELY).unwrap_err();
    assert!(error.message.starts_with("`sub/a/.claude/settings.json` is protected"));
    let error = workspace.rename(&path("evil"), &path(".claude"), &any, FREELY).unwrap_err();
    assert!(error.message.starts_with("`.claude` is protected"));
    assert!(fixture.root.join("sub/a/.claude/settings.json").exists());
}

#[test]
fn a_write_replaces_the_file_and_keeps_its_mode() {
    let fixture = Fixture::new();
    let file = fixture.root.join("dir/f");
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o4751)).unwrap();
    std::fs::hard_link(&file, fixture.outside.join("hard")).unwrap();
    symlink("dir/f", fixture.root.join("link")).unwrap();
    let before = std::fs::metadata(&file).unwrap().ino();
    let workspace = fixture.workspace();
    write(&workspace, "link", "new").unwrap();
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "new");
    assert_eq!(std::fs::metadata(&file).unwrap().permissions().mode() & 0o7777, 0o751);
    assert_ne!(std::fs::metadata(&file).unwrap().ino(), before);
    assert!(fixture.root.join("link").is_symlink());
    assert_eq!(std::fs::read_to_string(fixture.outside.join("hard")).unwrap(), "inside");
    let names: Vec<_> = std::fs::read_dir(fixture.root.join("dir")).unwrap().collect();
    assert_eq!(names.len(), 1, "no temporary file stays");
}

#[test]
fn a_read_only_file_is_not_replaced() {
    let fixture = Fixture::new();
    let file = fixture.root.join("dir/f");
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o444)).unwrap();
    assert_eq!(code(write(&fixture.workspace(), "dir/f", "new")), ErrorCode::ExecutionFailed);
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "inside");
}

#[test]
fn a_new_file_brings_its_directories() {
    let fixture = Fixture::new();
    let workspace = fixture.workspace();
    let target = workspace.write_target(&path("new/deep/f")).unwrap();
    assert_eq!(target.new_directories(), [path("new"), path("new/deep")]);
    target.commit(b"x").unwrap();
    assert_eq!(std::fs::read_to_string(fixture.root.join("new/deep/f")).unwrap(), "x");
    assert_eq!(code(write(&workspace, "dir/f/x", "x")), ErrorCode::FileNotFound);
}

#[test]
fn a_write_notices_a_change_since_its_target_was_found() {
    let fixture = Fixture::new();
    let workspace = fixture.workspace();
    let target = workspace.write_target(&path("dir/f")).unwrap();
    std::fs::write(fixture.root.join("dir/f"), "someone else").unwrap();
    assert_eq!(code(target.commit(b"x")), ErrorCode::PreconditionFailed);
    assert_eq!(read(&workspace, "dir/f").unwrap(), "someone else");

    let target = workspace.write_target(&path("a/b/new")).unwrap();
    std::fs::create_dir_all(fixture.root.join("a")).unwrap();
    assert_eq!(code(target.commit(b"x")), ErrorCode::PreconditionFailed);
    let target = workspace.write_target(&path("new")).unwrap();
    std::fs::write(fixture.root.join("new"), "someone else").unwrap();
    assert_eq!(code(target.commit(b"x")), ErrorCode::PreconditionFailed);
    assert_eq!(read(&workspace, "new").unwrap(), "someone else");
}

#[test]
fn a_move_overwrites_nothing() {
    let fixture = Fixture::new();
    std::fs::write(fixture.root.join("other"), "other").unwrap();
    std::fs::create_dir(fixture.root.join("empty")).unwrap();
    let workspace = fixture.workspace();
    assert_eq!(
        code(workspace.rename(&path("dir/f"), &path("other"), &any, FREELY)),
        ErrorCode::PreconditionFailed
    );
    assert_eq!(
        code(workspace.rename(&path("dir"), &path("empty"), &any, FREELY)),
        ErrorCode::PreconditionFailed
    );
    assert_eq!(
        code(workspace.rename(&path("dir"), &path("dir/x"), &any, FREELY)),
        ErrorCode::InvalidArguments
    );
    assert_eq!(code(workspace.rename(&path("."), &path("x"), &any, FREELY)), ErrorCode::InvalidArguments);
    assert_eq!(code(workspace.rename(&path("none"), &path("x"), &any, FREELY)), ErrorCode::FileNotFound);
    workspace.rename(&path("dir"), &path("moved"), &any, FREELY).unwrap();
    assert_eq!(read(&workspace, "moved/f").unwrap(), "inside");
}

#[test]
fn a_tree_is_deleted_without_following_its_links() {
    let fixture = Fixture::new();
    std::fs::create_dir_all(fixture.root.join("dir/a/b")).unwrap();
    symlink(&fixture.outside, fixture.root.join("dir/a/out")).unwrap();
    let workspace = fixture.workspace();
    let (removed, _) = workspace.removal_target(&path("dir")).unwrap().remove(FREELY).unwrap();
    assert_eq!((removed.files, removed.directories), (2, 3));
    assert!(fixture.outside.join("f").exists());
    assert!(!fixture.root.join("dir").exists());
    assert_eq!(code(workspace.removal_target(&path("."))), ErrorCode::InvalidArguments);
}

#[test]
fn a_deletion_that_is_stopped_half_way_has_an_unknown_outcome() {
    let fixture = Fixture::new();
    std::fs::write(fixture.root.join("dir/g"), "").unwrap();
    let workspace = fixture.workspace();
    let asked = std::cell::Cell::new(0);
    let stop = || {
        asked.set(asked.get() + 1);
        // Two entries are looked at before the first is deleted.
        if asked.get() > 3 { Err(CallError::new(ErrorCode::Cancelled, "stopped")) } else { Ok(()) }
    };
    let error = workspace
        .removal_target(&path("dir"))
        .unwrap()
        .remove(Passage { keep_going: &stop, ..FREELY })
        .unwrap_err();
    assert_eq!(error.code, ErrorCode::OutcomeUnknown);
    assert_eq!(error.message, "`dir` is deleted in part (1 of its entries): stopped");
}

/// Swaps what `swap` names between two states until the test is over.
fn against_swaps(swap: impl Fn(bool) + Send + Sync, attempt: impl Fn()) {
    let over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let mut turn = false;
            while !over.load(Ordering::Relaxed) {
                swap(turn);
                turn = !turn;
            }
        });
        let result = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            for _ in 0..2000 {
                attempt();
            }
        }));
        over.store(true, Ordering::Relaxed);
        if let Err(panic) = result {
            std::panic::resume_unwind(panic);
        }
    });
}

fn exchange(a: &Path, b: &Path) {
    let flags = rustix::fs::RenameFlags::EXCHANGE;
    rustix::fs::renameat_with(rustix::fs::CWD, a, rustix::fs::CWD, b, flags).unwrap();
}

#[test]
fn a_swap_of_a_middle_part_never_opens_outside() {
    let fixture = Fixture::new();
    symlink("../app-x", fixture.root.join("link")).unwrap();
    let workspace = fixture.workspace();
    against_swaps(
        |_| exchange(&fixture.root.join("dir"), &fixture.root.join("link")),
        || {
            if let Ok(content) = read(&workspace, "dir/f") {
                assert_eq!(content, "inside");
            }
            let _ = write(&workspace, "dir/new", "x");
            let _ = workspace.removal_target(&path("dir/new")).and_then(|target| target.remove(FREELY));
        },
    );
    let outside: Vec<_> =
        std::fs::read_dir(&fixture.outside).unwrap().map(|e| e.unwrap().file_name()).collect();
    assert_eq!(outside, ["f"]);
    assert_eq!(std::fs::read_to_string(fixture.outside.join("f")).unwrap(), "outside");
}

#[test]
fn a_swap_of_the_last_part_never_opens_outside_nor_a_protected_file() {
    let fixture = Fixture::new();
    std::fs::create_dir(fixture.root.join(".git")).unwrap();
    std::fs::write(fixture.root.join(".git/config"), "outside").unwrap();
    symlink("../../app-x/f", fixture.root.join("dir/out")).unwrap();
    symlink("../.git/config", fixture.root.join("dir/git")).unwrap();
    let workspace = fixture.workspace();
    against_swaps(
        |turn| {
            let other = fixture.root.join(if turn { "dir/out" } else { "dir/git" });
            exchange(&fixture.root.join("dir/f"), &other);
            exchange(&fixture.root.join("dir/f"), &other);
        },
        || {
            if let Ok(content) = read(&workspace, "dir/f") {
                assert_eq!(content, "inside");
            }
        },
    );
}

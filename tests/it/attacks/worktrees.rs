//! Linked worktrees: the repository lies outside the workspace, and a `.git` file alone must not open one.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::PathBuf;

use serde_json::json;

use super::fixture::{free, line};
use super::git::{look, marker};
use crate::place::{Place, has_program, has_sandbox, helper, skipped, verdict};

/// A workspace that is a linked worktree of the repository `main` beside it, with a changed file.
struct Worktree {
    place: Place,
    main: PathBuf,
}

impl Worktree {
    fn new() -> Option<Self> {
        if skipped(has_program("git"), "git") {
            return None;
        }
        let place = free();
        let main = place.workspace().parent().unwrap().join("main");
        init(&place, &main, "first");
        let workspace = place.workspace();
        helper(
            &place,
            "git",
            &[
                "-C",
                main.to_str().unwrap(),
                "worktree",
                "add",
                "-q",
                "-b",
                "side",
                workspace.to_str().unwrap(),
            ],
        );
        place.file("a.txt", "two\n");
        Some(Self { place, main })
    }

    /// The worktree's own git directory.
    fn own(&self) -> PathBuf {
        self.main.join(".git/worktrees/workspace")
    }

    fn write_git_file(&self, directory: &std::path::Path) {
        self.place.file(".git", &format!("gitdir: {}\n", directory.display()));
    }

    /// Every git tool is refused, with nothing of the machine in what it says.
    fn refused(&self, trick: &str) {
        let stdout = look(&self.place);
        assert_eq!(stdout.matches("PERMISSION_DENIED").count(), 5, "{trick}: {stdout}");
        let outside = self.main.parent().unwrap().to_str().unwrap();
        assert!(!stdout.contains(outside) && !stdout.contains("first"), "{trick}: {stdout}");
    }
}

fn init(place: &Place, folder: &std::path::Path, subject: &str) {
    let at = |arguments: &[&str]| {
        helper(place, "git", &[&["-C", folder.to_str().unwrap()], arguments].concat());
    };
    helper(place, "git", &["init", "-q", "-b", "main", folder.to_str().unwrap()]);
    fs::write(folder.join("a.txt"), "one\n").unwrap();
    at(&["add", "."]);
    at(&["-c", "user.name=n", "-c", "user.email=e@x", "commit", "-q", "-m", subject]);
}

#[test]
fn the_git_tools_work_in_a_linked_worktree_and_name_no_path_outside() {
    let Some(worktree) = Worktree::new() else { return };
    let stdout = look(&worktree.place);
    assert_eq!(stdout.matches("\"status\":\"succeeded\"").count(), 5, "{stdout}");
    assert!(
        stdout.contains("on branch side") && stdout.contains("+two") && stdout.contains("first"),
        "{stdout}"
    );
    assert!(!stdout.contains(worktree.main.parent().unwrap().to_str().unwrap()), "{stdout}");
    let audit = worktree.place.ask(&["audit", "export"]).stdout;
    assert!(!audit.contains(worktree.main.to_str().unwrap()), "{audit}");
}

#[test]
fn the_repository_of_a_worktree_is_read_at_every_sandbox_level() {
    for level in ["isolated", "confined"] {
        let Some(worktree) = Worktree::new() else { return };
        if skipped(has_sandbox(level), level) {
            continue;
        }
        let policy = format!(
            "version: 1\ndefault_verdict: deny\nrules: [{{id: all, verdict: allow, tools: [git_log], environment: {{sandbox: {level}}}}}]\n"
        );
        worktree.place.configure(super::fixture::SHIPPED, &policy);
        let result = worktree.place.call("git_log", json!({}));
        assert_eq!(verdict(&result), "succeeded", "{level}: {result}");
        assert!(result.to_string().contains("first"), "{level}: {result}");
        let levels =
            worktree.place.audit().iter().filter(|record| record.to_string().contains(level)).count();
        assert!(levels > 0, "{level}: {:?}", worktree.place.audit());
    }
}

#[test]
fn a_forged_git_file_opens_no_repository_that_does_not_name_the_workspace() {
    let Some(worktree) = Worktree::new() else { return };
    let other = worktree.place.workspace().parent().unwrap().join("other");
    init(&worktree.place, &other, "private");
    worktree.write_git_file(&other.join(".git"));
    worktree.refused("a repository itself");
    worktree.write_git_file(&other.join(".git/worktrees/workspace"));
    worktree.refused("a worktree that is not there");
    // A submodule's directory does not name the workspace in git's way either.
    fs::create_dir_all(other.join(".git/modules")).unwrap();
    fs::rename(&worktree.main, other.join(".git/modules/main")).unwrap();
    worktree.write_git_file(&other.join(".git/modules/main/.git"));
    worktree.refused("a submodule");
}

#[test]
fn a_git_file_copied_from_another_worktree_opens_nothing() {
    let Some(worktree) = Worktree::new() else { return };
    let beside = worktree.place.workspace().parent().unwrap().join("beside");
    helper(
        &worktree.place,
        "git",
        &[
            "-C",
            worktree.main.to_str().unwrap(),
            "worktree",
            "add",
            "-q",
            "-b",
            "secret",
            beside.to_str().unwrap(),
        ],
    );
    fs::copy(beside.join(".git"), worktree.place.workspace().join(".git")).unwrap();
    worktree.refused("the git file of another worktree");
    // Neither by a spelling that only seems to be this workspace's.
    for back in ["/../workspace/.git/", "/.git/../.git/x", "/workspace/.GIT", "/workspace"] {
        let root = worktree.main.parent().unwrap().to_str().unwrap();
        fs::write(worktree.main.join(".git/worktrees/beside/gitdir"), format!("{root}{back}\n")).unwrap();
        if back != "/../workspace/.git/" {
            worktree.refused(back);
        }
    }
}

#[test]
fn a_worktree_that_shares_another_repository_opens_nothing() {
    let Some(worktree) = Worktree::new() else { return };
    let other = worktree.place.workspace().parent().unwrap().join("other");
    init(&worktree.place, &other, "private");
    for common in [other.join(".git").to_str().unwrap(), "../../..", ".", ""] {
        fs::write(worktree.own().join("commondir"), format!("{common}\n")).unwrap();
        worktree.refused(common);
    }
    fs::write(worktree.own().join("commondir"), "../..\n").unwrap();
    fs::write(worktree.main.join(".git/commondir"), format!("{}/.git\n", other.display())).unwrap();
    worktree.refused("a chain of common directories");
}

#[test]
fn a_link_on_the_way_to_the_repository_is_not_followed() {
    for trick in
        ["main", "main/.git", "main/.git/worktrees", "main/.git/worktrees/workspace", "main/.git/objects"]
    {
        let Some(worktree) = Worktree::new() else { return };
        let beside = worktree.main.parent().unwrap();
        let moved = beside.join("moved");
        fs::rename(beside.join(trick), &moved).unwrap();
        symlink(&moved, beside.join(trick)).unwrap();
        worktree.refused(trick);
    }
    let Some(worktree) = Worktree::new() else { return };
    let git = worktree.place.workspace().join(".git");
    fs::rename(&git, worktree.place.workspace().join("moved")).unwrap();
    symlink("moved", &git).unwrap();
    worktree.refused("`.git` itself");
}

#[test]
fn the_objects_of_a_third_repository_are_not_reached_through_the_shared_one() {
    let Some(worktree) = Worktree::new() else { return };
    let other = worktree.place.workspace().parent().unwrap().join("other");
    init(&worktree.place, &other, "private");
    fs::write(
        worktree.main.join(".git/objects/info/alternates"),
        format!("{}/.git/objects\n", other.display()),
    )
    .unwrap();
    worktree.refused("alternates");
}

#[test]
fn no_configuration_of_the_shared_repository_runs_a_program() {
    let Some(worktree) = Worktree::new() else { return };
    let place = &worktree.place;
    let script = place.aside("evil.sh", &format!("#!/bin/sh\ntouch {}\ncat\n", marker(place)));
    helper(place, "chmod", &["+x", script.to_str().unwrap()]);
    let evil = script.to_str().unwrap();
    for scope in ["--local", "--worktree"] {
        helper(place, "git", &["config", "extensions.worktreeConfig", "true"]);
        for key in [
            "core.fsmonitor",
            "core.pager",
            "diff.external",
            "diff.evil.command",
            "diff.evil.textconv",
            "filter.evil.clean",
            "filter.evil.process",
            "hook.evil.command",
        ] {
            // Not every key is one that this git takes; what it refuses to write it does not read either.
            let _ = place.command("git").args(["config", scope, key, evil]).output().unwrap();
        }
        helper(
            place,
            "git",
            &["config", scope, "core.hooksPath", script.parent().unwrap().to_str().unwrap()],
        );
    }
    place.file(".gitattributes", "* filter=evil diff=evil\n");
    for info in [worktree.main.join(".git/info"), worktree.own().join("info")] {
        fs::create_dir_all(&info).unwrap();
        fs::write(info.join("attributes"), "* filter=evil diff=evil\n").unwrap();
    }
    for hook in ["post-index-change", "fsmonitor-watchman", "reference-transaction"] {
        fs::copy(&script, script.with_file_name(hook)).unwrap();
        fs::copy(&script, worktree.main.join(".git/hooks").join(hook)).unwrap();
    }
    let stdout = look(place);
    assert!(stdout.contains("on branch side"), "{stdout}");

    let own = worktree.own().join("config.worktree");
    for config in [worktree.main.join(".git/config"), own] {
        let before = fs::read_to_string(&config).unwrap();
        fs::write(&config, format!("{before}[include]\n\tpath = {evil}\n")).unwrap();
        worktree.refused("an include");
        fs::write(&config, before).unwrap();
    }
}

#[test]
fn a_repository_inside_the_workspace_proves_nothing() {
    // Tools can write there, also between the look and the run.
    let Some(worktree) = Worktree::new() else { return };
    let inside = worktree.place.workspace().join("store");
    fs::rename(worktree.main.join(".git"), &inside).unwrap();
    worktree.write_git_file(&inside.join("worktrees/workspace"));
    worktree.refused("a repository in the workspace");
}

#[test]
fn a_command_does_not_see_the_repository_of_a_worktree() {
    for level in ["isolated", "confined"] {
        let Some(worktree) = Worktree::new() else { return };
        if skipped(has_sandbox(level), level) {
            continue;
        }
        worktree
            .place
            .configure(&super::fixture::shell(&format!("{{level: {level}}}")), super::fixture::FREE);
        let config = worktree.main.join(".git/config");
        let script = format!("cat {0}; echo x >> {0}; git log; echo done", config.display());
        let ended = worktree.place.run(&[], line("sh", &json!({ "script": script })));
        assert!(ended.stdout.contains("done"), "{ended:?}");
        assert!(!ended.stdout.contains("repositoryformatversion"), "{level}: {ended:?}");
        assert!(!fs::read_to_string(&config).unwrap().ends_with("x\n"));
    }
}

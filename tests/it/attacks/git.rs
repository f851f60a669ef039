//! A hostile repository: reading it must run nothing and lead nowhere.

use std::fs;

use serde_json::json;

use super::fixture::{free, line};
use crate::place::{Place, has_program, helper, skipped, verdict};

/// A repository with one commit and a changed file, in a place where everything is allowed.
fn repository() -> Option<Place> {
    if skipped(has_program("git"), "git") {
        return None;
    }
    let place = free();
    helper(&place, "git", &["init", "-q", "-b", "main", "."]);
    place.file("a.txt", "one\n");
    helper(&place, "git", &["add", "a.txt"]);
    helper(&place, "git", &["-c", "user.name=n", "-c", "user.email=e@x", "commit", "-q", "-m", "first"]);
    place.file("a.txt", "two\n");
    place.file("b.dat", "new\n");
    Some(place)
}

pub(super) fn marker(place: &Place) -> String {
    place.workspace().parent().unwrap().join("aside/marker").to_str().unwrap().to_owned()
}

/// Runs every git tool; whatever they answer, the marker must not be there.
pub(super) fn look(place: &Place) -> String {
    let input = line("git_status", &json!({}))
        + &line("git_diff", &json!({}))
        + &line("git_diff", &json!({ "staged": true }))
        + &line("git_log", &json!({ "limit": 5 }))
        + &line("git_diff", &json!({ "path": "a.txt" }));
    let ended = place.run(&[], input);
    assert_eq!(ended.lines().len(), 5, "{ended:?}");
    assert!(!std::path::Path::new(&marker(place)).exists(), "a program of the repository ran: {ended:?}");
    ended.stdout
}

#[test]
fn the_git_tools_work_on_a_plain_repository() {
    let Some(place) = repository() else { return };
    let stdout = look(&place);
    assert_eq!(stdout.matches("\"status\":\"succeeded\"").count(), 5, "{stdout}");
}

#[test]
fn no_named_pipe_makes_git_wait() {
    for path in [
        ".git/index",
        ".git/packed-refs",
        ".git/HEAD",
        ".git/shallow",
        ".git/refs/heads/main",
        ".git/refs/heads/deep/er",
        ".git/info/exclude",
        ".git/objects/00/11111111111111111111111111111111111111",
        ".git/objects/pack/pack-1.idx",
        ".gitignore",
        "some/where/.gitignore",
        ".gitmodules",
    ] {
        let Some(place) = repository() else { return };
        let pipe = place.workspace().join(path);
        fs::create_dir_all(pipe.parent().unwrap()).unwrap();
        let _absent = fs::remove_file(&pipe);
        helper(&place, "mkfifo", &[path]);
        let result = place.call("git_status", json!({}));
        assert_eq!(verdict(&result), "denied/PERMISSION_DENIED", "{path}: {result}");
        assert!(result.to_string().contains(path), "{path}: {result}");
        for tool in ["git_diff", "git_log"] {
            let result = place.call(tool, json!({}));
            let passed_over = path.ends_with(".gitignore") && verdict(&result) == "succeeded";
            assert!(passed_over || verdict(&result) == "denied/PERMISSION_DENIED", "{path}: {result}");
        }
    }
}

#[test]
fn no_configuration_key_runs_a_program() {
    let keys = [
        "core.fsmonitor",
        "core.hooksPath",
        "core.pager",
        "core.editor",
        "core.sshCommand",
        "core.gitProxy",
        "core.askPass",
        "core.alternateRefsCommand",
        "diff.external",
        "diff.evil.command",
        "diff.evil.textconv",
        "filter.evil.clean",
        "filter.evil.smudge",
        "filter.evil.process",
        "merge.evil.driver",
        "gpg.program",
        "gpg.ssh.program",
        "gpg.openpgp.program",
        "gpg.x509.program",
        "gpg.ssh.defaultKeyCommand",
        "pager.status",
        "pager.diff",
        "pager.log",
        "credential.helper",
        "alias.status",
        "alias.diff",
        "alias.log",
        "uploadpack.packObjectsHook",
        "sequence.editor",
        "interactive.diffFilter",
        "trailer.evil.command",
        "trailer.evil.cmd",
        "browser.evil.cmd",
        "difftool.evil.cmd",
        "mergetool.evil.cmd",
        "web.browser",
        "sendemail.smtpserver",
        "tar.evil.command",
        "remote.origin.vcs",
        "remote.origin.uploadpack",
        "init.templateDir",
        "hook.evil.command",
    ];
    let Some(place) = repository() else { return };
    let script = place.aside("evil.sh", &format!("#!/bin/sh\ntouch {}\ncat\n", marker(&place)));
    helper(&place, "chmod", &["+x", script.to_str().unwrap()]);
    for key in keys {
        // Not every key is one that this git takes; what it refuses to write it does not read either.
        let _ =
            place.command("git").args(["config", "--local", key, script.to_str().unwrap()]).output().unwrap();
    }
    for (key, value) in [
        ("filter.evil.required", "true"),
        ("log.showSignature", "true"),
        ("core.attributesFile", ".gitattributes"),
        ("core.fsmonitorHookVersion", "2"),
        ("diff.submodule", "log"),
        ("hook.evil.event", "post-index-change"),
    ] {
        helper(&place, "git", &["config", "--local", key, value]);
    }
    place.file(".gitattributes", "* filter=evil diff=evil merge=evil\n*.dat filter=evil diff=evil\n");
    place.file(".git/info/attributes", "* filter=evil diff=evil merge=evil\n");
    for hook in [
        "post-checkout",
        "post-index-change",
        "pre-commit",
        "fsmonitor-watchman",
        "query-watchman",
        "reference-transaction",
    ] {
        fs::copy(&script, place.workspace().join(".git/hooks").join(hook)).unwrap();
    }
    look(&place);
}

#[test]
fn each_way_of_including_other_configuration_is_refused() {
    for (section, named) in [("include", "include.path"), ("includeIf \"gitdir:**\"", "includeIf")] {
        let Some(place) = repository() else { return };
        let evil = place.aside("evil.cfg", &format!("[core]\n\tfsmonitor = \"touch {}\"\n", marker(&place)));
        let config = place.workspace().join(".git/config");
        let text =
            fs::read_to_string(&config).unwrap() + &format!("[{section}]\n\tpath = {}\n", evil.display());
        fs::write(&config, text).unwrap();
        let stdout = look(&place);
        assert!(!stdout.contains("\"status\":\"succeeded\""), "{named}: {stdout}");
    }
}

#[test]
fn configuration_of_the_machine_and_its_environment_does_not_count() {
    let Some(place) = repository() else { return };
    let evil = format!(
        "[core]\n\tfsmonitor = \"touch {0}\"\n\tpager = \"touch {0}\"\n[diff]\n\texternal = \"touch {0}\"\n",
        marker(&place)
    );
    fs::write(place.home().join(".gitconfig"), &evil).unwrap();
    fs::create_dir_all(place.config().parent().unwrap().join("git")).unwrap();
    fs::write(place.config().parent().unwrap().join("git/config"), &evil).unwrap();
    let mut command = place.tgw(&["run"]);
    for name in ["GIT_EXTERNAL_DIFF", "GIT_PAGER", "GIT_EDITOR", "GIT_SSH_COMMAND", "GIT_ASKPASS", "PAGER"] {
        command.env(name, format!("touch {}", marker(&place)));
    }
    command
        .env("GIT_CONFIG_COUNT", "1")
        .env("GIT_CONFIG_KEY_0", "core.fsmonitor")
        .env("GIT_CONFIG_VALUE_0", format!("touch {}", marker(&place)));
    command.env("GIT_DIR", place.workspace().parent().unwrap().join("aside"));
    let input = line("git_status", &json!({})) + &line("git_diff", &json!({})) + &line("git_log", &json!({}));
    let ended = crate::place::finish(&mut command, input.as_bytes());
    assert!(!std::path::Path::new(&marker(&place)).exists(), "{ended:?}");
    assert_eq!(ended.stdout.matches("\"status\":\"succeeded\"").count(), 3, "{ended:?}");
}

#[test]
fn a_git_directory_elsewhere_is_not_followed() {
    for trick in ["file", "link", "commondir", "alternates", "objects", "worktree"] {
        let Some(place) = repository() else { return };
        let git = place.workspace().join(".git");
        let other = place.workspace().parent().unwrap().join("other");
        helper(&place, "git", &["init", "-q", "-b", "main", other.to_str().unwrap()]);
        fs::write(other.join("private.txt"), "private words\n").unwrap();
        let at_other = |arguments: &[&str]| {
            helper(&place, "git", &[&["-C", other.to_str().unwrap()], arguments].concat())
        };
        at_other(&["add", "."]);
        at_other(&["-c", "user.name=n", "-c", "user.email=e@x", "commit", "-q", "-m", "private commit"]);
        match trick {
            "file" => {
                fs::remove_dir_all(&git).unwrap();
                fs::write(&git, format!("gitdir: {}/.git\n", other.display())).unwrap();
            }
            "link" => {
                fs::remove_dir_all(&git).unwrap();
                std::os::unix::fs::symlink(other.join(".git"), &git).unwrap();
            }
            "commondir" => fs::write(git.join("commondir"), format!("{}/.git\n", other.display())).unwrap(),
            "alternates" => {
                fs::create_dir_all(git.join("objects/info")).unwrap();
                fs::write(git.join("objects/info/alternates"), format!("{}/.git/objects\n", other.display()))
                    .unwrap();
                fs::copy(other.join(".git/refs/heads/main"), git.join("refs/heads/main")).unwrap();
            }
            "objects" => {
                fs::remove_dir_all(git.join("objects")).unwrap();
                std::os::unix::fs::symlink(other.join(".git/objects"), git.join("objects")).unwrap();
                fs::copy(other.join(".git/refs/heads/main"), git.join("refs/heads/main")).unwrap();
            }
            _ => {
                let config = git.join("config");
                let text = fs::read_to_string(&config).unwrap()
                    + &format!("[core]\n\tworktree = {}\n", other.display());
                fs::write(&config, text).unwrap();
            }
        }
        let stdout = look(&place);
        assert!(!stdout.contains("private"), "{trick}: {stdout}");
    }
}

#[test]
fn a_path_cannot_become_an_option_or_magic_of_git() {
    let Some(place) = repository() else { return };
    let secret = place.aside("secret.txt", "private words\n");
    let mut input = String::new();
    for path in [
        "--output=evil",
        "--no-index",
        "-O/dev/null",
        ":(top)../aside/secret.txt",
        ":/",
        ":!a.txt",
        ":(attr:x)a",
        secret.to_str().unwrap(),
        "../aside/secret.txt",
    ] {
        input += &line("git_diff", &json!({ "path": path }));
        input += &line("git_log", &json!({ "path": path }));
    }
    let ended = place.run(&[], input);
    assert!(!ended.stdout.contains("private words"), "{ended:?}");
    assert!(!place.workspace().join("evil").exists());
}

#[test]
fn a_name_that_no_rule_can_be_asked_about_does_not_turn_differences_off() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    let Some(place) = repository() else { return };
    for name in [&b"odd\xff.txt"[..], b"odd\xfe[*]?\\.txt", b"line\nfeed.txt", b"back\\slash.txt"] {
        fs::write(place.workspace().join(OsStr::from_bytes(name)), "hidden words\n").unwrap();
    }
    place.file("oddé.txt", "shown words\n");
    helper(&place, "git", &["add", "--", "."]);
    for arguments in [json!({ "staged": true }), json!({ "staged": true, "path": "." })] {
        let result = place.call("git_diff", arguments);
        assert_eq!(verdict(&result), "succeeded", "{result}");
        let shown = result.to_string();
        assert!(shown.contains("shown words") && shown.contains("+two"), "{shown}");
        assert!(!shown.contains("hidden words"), "{shown}");
        assert!(result["warnings"].to_string().contains("left out 4 paths"), "{shown}");
    }
}

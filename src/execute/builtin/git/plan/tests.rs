use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::Path;

use serde_json::{Value, json};

use super::super::interpret;
use super::*;
use crate::catalog::BuiltinName::{GitDiff, GitLog, GitStatus};
use crate::catalog::SandboxLevel;
use crate::execute::builtin::dispatch::fixture::Fixture;
use crate::present::{BuiltinOutput, CommandCapture, CommandEnd};

/// Whether git is there; without it the test says so and passes.
fn has_git() -> bool {
    let found = process("git").arg("--version").output().is_ok_and(|output| output.status.success());
    if !found {
        let full = std::env::var_os("TGW_REQUIRE_FULL").is_some_and(|set| set == "1");
        assert!(!full, "git is missing");
        eprintln!("skipped: git is missing");
    }
    found
}

#[expect(clippy::disallowed_methods, reason = "the executor that would start it lies in another module")]
fn process(program: &str) -> std::process::Command {
    std::process::Command::new(program)
}

/// Runs git plainly, to set a repository up.
fn git(root: &Path, arguments: &[&str]) {
    let output = process("git")
        .args([
            "-c",
            "user.name=A",
            "-c",
            "user.email=a@b",
            "-c",
            "init.defaultBranch=main",
            "-c",
            "protocol.file.allow=always",
        ])
        .args(arguments)
        .current_dir(root)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .output()
        .unwrap();
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
}

/// Runs a plan as the executor would: nothing in the environment beyond what is stated.
fn answer(fixture: &Fixture, name: BuiltinName, arguments: Value) -> Result<BuiltinOutput, CallError> {
    let command = plan(name, &arguments, &fixture.context(), Duration::from_secs(60), &LeftOut::default())?;
    finish(fixture, name, &command.plan)
}

fn finish(fixture: &Fixture, name: BuiltinName, plan: &CommandPlan) -> Result<BuiltinOutput, CallError> {
    let output = process("git")
        .args(&plan.argv[1..])
        .current_dir(fixture.root())
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap())
        .env("HOME", fixture.root())
        .envs(plan.env.iter().cloned())
        .stdin(std::process::Stdio::null())
        .output()
        .unwrap();
    let capture = CommandCapture {
        output: output.stdout,
        output_cut: false,
        stderr: output.stderr,
        stderr_cut: false,
        end: CommandEnd::Exited(output.status.code().unwrap()),
        level: SandboxLevel::None,
        advice: None,
        undone: crate::workspace::Undone::default(),
    };
    interpret(name, &capture, &fixture.workspace, &|_| true, &LeftOut::default())
}

fn repository() -> Fixture {
    let fixture = Fixture::new();
    git(&fixture.root(), &["init", "-q"]);
    fixture
}

#[test]
fn an_ordinary_repository_is_answered() {
    if !has_git() {
        return;
    }
    let fixture = repository();
    assert_eq!(answer(&fixture, GitLog, json!({})).unwrap().text.as_deref(), Some("no commits\n"));
    fixture.write("a", "one\n");
    fixture.write("b b", "x\n");
    git(&fixture.root(), &["add", "."]);
    git(&fixture.root(), &["commit", "-qm", "first\n\nwhy"]);
    fixture.write("a", "one\ntwo\n");
    fixture.write("new", "");
    git(&fixture.root(), &["mv", "b b", "c"]);

    let status = answer(&fixture, GitStatus, json!({})).unwrap();
    assert_eq!(status.text.as_deref(), Some("on branch main\n.M a\nR. b b -> c\n?? new\n"));
    let diff = answer(&fixture, GitDiff, json!({})).unwrap();
    assert_eq!(diff.value["files"], json!([{"path": "a", "state": "modified", "added": 1, "removed": 0}]));
    assert!(diff.text.unwrap().ends_with("@@ -1 +1,2 @@\n one\n+two\n"));
    let staged = answer(&fixture, GitDiff, json!({"staged": true})).unwrap();
    assert_eq!(staged.value["files"][0]["original"], "b b");
    assert_eq!(
        answer(&fixture, GitDiff, json!({"path": "c"})).unwrap().text.as_deref(),
        Some("no differences\n")
    );
    let log = answer(&fixture, GitLog, json!({"path": "a", "limit": 1})).unwrap();
    assert_eq!(log.value["commits"][0]["subject"], "first");
    assert_eq!(log.value["commits"][0]["body"], "why");
    assert_eq!(log.value["commits"][0]["author"], json!({"name": "A", "email": "a@b"}));
}

#[test]
fn differences_of_protected_files_are_left_out() {
    if !has_git() {
        return;
    }
    let fixture = repository();
    for path in ["a", ".mcp.json", "sub/.Claude/Settings.json", "sub/.claude/hooks/x"] {
        fixture.write(path, "old\n");
    }
    git(&fixture.root(), &["add", "-f", "."]);
    git(&fixture.root(), &["commit", "-qm", "x"]);
    for path in ["a", ".mcp.json", "sub/.Claude/Settings.json", "sub/.claude/hooks/x"] {
        fixture.write(path, "secret\n");
    }
    for arguments in [json!({}), json!({"path": "."}), json!({"path": "sub"})] {
        let diff = answer(&fixture, GitDiff, arguments).unwrap();
        let text = diff.text.unwrap();
        assert!(!text.contains("hooks") && !text.contains("ettings") && !text.contains("mcp"), "{text}");
    }
    assert_eq!(
        answer(&fixture, GitDiff, json!({"path": ".mcp.json"})).err().unwrap().code,
        ErrorCode::PermissionDenied
    );
}

/// A repository that would run a program on every occasion there is.
fn hostile() -> Fixture {
    let fixture = repository();
    let root = fixture.root();
    let script = root.join("evil.sh");
    let marker = root.join("marker");
    std::fs::write(&script, format!("#!/bin/sh\ntouch '{}'\ncat\n", marker.display())).unwrap();
    std::fs::set_permissions(&script, std::fs::Permissions::from_mode(0o755)).unwrap();
    fixture.write("f.txt", "one\n");
    fixture.write(".gitattributes", "*.txt filter=evil diff=evil merge=evil\n");
    git(&root, &["add", "."]);
    git(&root, &["commit", "-qm", "first"]);
    git(&root, &["init", "-q", "module"]);
    git(&root.join("module"), &["commit", "-q", "--allow-empty", "-m", "x"]);
    git(&root, &["-c", "protocol.file.allow=always", "submodule", "--quiet", "add", "./module"]);
    fixture.write("f.txt", "two\n");
    let evil = script.display();
    let settings = format!(
        "[core]\n\tfsmonitor = {evil}\n\tpager = {evil}\n\teditor = {evil}\n\tsshCommand = {evil}\n\taskPass = {evil}\n\
\tgitProxy = {evil}\n\talternateRefsCommand = {evil}\n\thooksPath = {root}/hooks\n\tattributesFile = {root}/attributes\n\
\tworktree = /\n\
[filter \"evil\"]\n\tclean = {evil}\n\tsmudge = {evil}\n\tprocess = {evil}\n\trequired = true\n\
[Filter.evil]\n\tclean = {evil}\n\
[filter \"e=v\\\"il\"] process = {evil}\n\
[diff]\n\texternal = {evil}\n[diff \"evil\"]\n\tcommand = {evil}\n\ttextconv = {evil}\n\
[merge \"evil\"]\n\tdriver = {evil}\n\
[gpg]\n\tprogram = {evil}\n[gpg \"ssh\"]\n\tprogram = {evil}\n\tdefaultKeyCommand = {evil}\n\
[log]\n\tshowSignature = true\n[credential]\n\thelper = !{evil}\n\
[pager]\n\tstatus = {evil}\n\tdiff = {evil}\n\tlog = {evil}\n\
[alias]\n\tstatus = !{evil}\n[status]\n\tsubmoduleSummary = true\n\
[submodule]\n\trecurse = true\n[diff]\n\tsubmodule = log\n\tignoreSubmodules = none\n\
[hook \"evil\"]\n\tcommand = {evil}\n\tevent = post-index-change\n\
[remote \"origin\"]\n\turl = ext::{evil}\n\tpromisor = true\n\tvcs = evil\n\
[extensions]\n\tpartialClone = origin\n\tworktreeConfig = true\n[protocol \"ext\"]\n\tallow = always\n\
[trailer \"evil\"]\n\tcommand = {evil}\n[interactive]\n\tdiffFilter = {evil}\n[uploadpack]\n\tpackObjectsHook = {evil}\n",
        root = root.display(),
    );
    let config = root.join(".git/config");
    let old = std::fs::read_to_string(&config)
        .unwrap()
        .replace("repositoryformatversion = 0", "repositoryformatversion = 1");
    std::fs::write(&config, format!("{old}{settings}")).unwrap();
    fixture.write(
        ".git/config.worktree",
        format!("[filter \"worktree\"]\n\tclean = {evil}\n[core]\n\tfsmonitor = {evil}\n"),
    );
    fixture.write(".git/info/attributes", "f.txt filter=worktree diff=evil\nmodule filter=evil\n");
    fixture.write("attributes", "* filter=evil\n");
    for folder in ["hooks", ".git/hooks", ".git/modules/module/hooks"] {
        for hook in [
            "post-index-change",
            "pre-auto-gc",
            "reference-transaction",
            "fsmonitor-watchman",
            "post-checkout",
        ] {
            fixture.write(&format!("{folder}/{hook}"), format!("#!/bin/sh\n{evil}\n"));
            let path = root.join(folder).join(hook);
            std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
        }
    }
    let module = root.join(".git/modules/module/config");
    if let Ok(old) = std::fs::read_to_string(&module) {
        std::fs::write(
            &module,
            format!("{old}[core]\n\tfsmonitor = {evil}\n[filter \"evil\"]\n\tclean = {evil}\n"),
        )
        .unwrap();
    }
    let _ = std::fs::remove_file(&marker);
    fixture
}

#[test]
fn a_hostile_repository_executes_nothing() {
    if !has_git() {
        return;
    }
    let fixture = hostile();
    let marker = fixture.root().join("marker");
    for (name, arguments) in [
        (GitStatus, json!({})),
        (GitDiff, json!({})),
        (GitDiff, json!({"staged": true})),
        (GitDiff, json!({"path": "f.txt"})),
        (GitLog, json!({})),
        (GitLog, json!({"path": "f.txt"})),
    ] {
        let result = answer(&fixture, name, arguments);
        assert!(!marker.exists(), "{name:?} ran a program of the repository's");
        if let Err(error) = result {
            panic!("{name:?}: {error:?}");
        }
    }
    let diff = answer(&fixture, GitDiff, json!({})).unwrap().text.unwrap();
    assert!(diff.contains("-one\n+two\n"), "{diff}");
}

#[test]
fn the_hostile_repository_is_really_hostile() {
    if !has_git() {
        return;
    }
    // Without the plan's settings its program runs; else the test above would prove nothing.
    let fixture = hostile();
    let root = fixture.root();
    let _ = process("git")
        .args(["status"])
        .current_dir(&root)
        .env("GIT_WORK_TREE", ".")
        .env("GIT_DIR", ".git")
        .output();
    assert!(root.join("marker").exists());
}

#[test]
fn each_layer_alone_keeps_filters_from_running() {
    if !has_git() {
        return;
    }
    let fixture = hostile();
    let marker = fixture.root().join("marker");
    for name in [GitStatus, GitDiff] {
        for without in ["GIT_ATTR_SOURCE", "filter."] {
            let mut plan =
                plan(name, &json!({}), &fixture.context(), Duration::from_secs(60), &LeftOut::default())
                    .unwrap()
                    .plan;
            // The file in `.git` is read whatever the source of attributes is.
            if without == "filter." {
                let _ = std::fs::remove_file(fixture.root().join(".git/info/attributes"));
            }
            for (key, value) in &mut plan.env {
                if value.starts_with(without) {
                    *value = "x.y".to_owned();
                }
                if key == without {
                    *key = "X".to_owned();
                }
            }
            let output = process("git")
                .args(&plan.argv[1..])
                .current_dir(fixture.root())
                .env_clear()
                .env("PATH", std::env::var_os("PATH").unwrap())
                .envs(plan.env)
                .output()
                .unwrap();
            assert!(!marker.exists(), "without {without}");
            assert!(
                output.status.success() || without == "filter.",
                "{}",
                String::from_utf8_lossy(&output.stderr)
            );
        }
    }
}

#[test]
fn a_repository_that_leads_elsewhere_is_refused() {
    if !has_git() {
        return;
    }
    let elsewhere = tempfile::tempdir().unwrap();
    git(elsewhere.path(), &["init", "-q"]);
    let refuse = |fixture: &Fixture| {
        let error =
            plan(GitStatus, &json!({}), &fixture.context(), Duration::from_secs(1), &LeftOut::default())
                .unwrap_err();
        assert!(!format!("{error:?}").contains(elsewhere.path().to_str().unwrap()));
        assert_eq!(error.code, ErrorCode::PermissionDenied, "{error}");
        error.message
    };
    let git_of = elsewhere.path().join(".git");

    let fixture = Fixture::new();
    fixture.write(".git", format!("gitdir: {}\n", git_of.display()));
    refuse(&fixture);
    let fixture = Fixture::new();
    symlink(&git_of, fixture.root().join(".git")).unwrap();
    refuse(&fixture);
    let fixture = repository();
    fixture.write(".git/objects/info/alternates", format!("{}\n", git_of.join("objects").display()));
    assert!(refuse(&fixture).ends_with("`.git/objects/info/alternates` leads to another git directory"));
    let fixture = repository();
    fixture.write(".git/commondir", git_of.to_str().unwrap());
    refuse(&fixture);
    for name in ["config", "objects", "index", "objects/pack"] {
        let fixture = repository();
        let path = fixture.root().join(".git").join(name);
        let _ = std::fs::remove_file(&path).or_else(|_| std::fs::remove_dir_all(&path));
        symlink(git_of.join(name), &path).unwrap();
        refuse(&fixture);
    }
    let fixture = repository();
    fixture.write(".git/config", "[include]\n\tpath = /tmp/x\n");
    assert!(refuse(&fixture).ends_with("its configuration includes other files"));
    let fixture = repository();
    fixture.write(".git/config", "[core]\n\tx = a\\\n[filter \"x\"]\nclean = x\n");
    assert!(
        refuse(&fixture)
            .ends_with("its configuration has a form that is not read, in line 2 of `.git/config`")
    );
    let fixture = Fixture::new();
    let error = plan(GitStatus, &json!({}), &fixture.context(), Duration::from_secs(1), &LeftOut::default())
        .unwrap_err();
    assert_eq!(error.code, ErrorCode::FileNotFound);
}

#[test]
fn a_failure_names_no_path_of_the_machine() {
    let capture = |stderr: &str| CommandCapture {
        output: Vec::new(),
        output_cut: false,
        stderr: stderr.as_bytes().to_vec(),
        stderr_cut: false,
        end: CommandEnd::Exited(128),
        level: SandboxLevel::None,
        advice: None,
        undone: crate::workspace::Undone::default(),
    };
    let fixture = Fixture::new();
    let message = |stderr: &str| {
        interpret(GitStatus, &capture(stderr), &fixture.workspace, &|_| true, &LeftOut::default())
            .err()
            .unwrap()
            .message
    };
    assert_eq!(message("fatal: bad object HEAD\n"), "git failed: bad object HEAD");
    for naming in
        ["cannot open '/home/a/x'", "no (/home/a)", "x=/home/a", "not below ../a/.git", "in a/../../b"]
    {
        assert_eq!(message(&format!("fatal: {naming}\n")), "git failed with exit status 128", "{naming}");
    }
    assert_eq!(message("fatal: bad ref refs/heads/a..b\n"), "git failed: bad ref refs/heads/a..b");
    assert_eq!(message(""), "git failed with exit status 128");
}

/// A repository beside the workspace, of which the workspace is a linked worktree.
fn worktree() -> (tempfile::TempDir, Fixture) {
    let fixture = Fixture::new();
    let beside = tempfile::tempdir().unwrap();
    git(beside.path(), &["init", "-q"]);
    std::fs::write(beside.path().join("a"), "one\n").unwrap();
    git(beside.path(), &["add", "."]);
    git(beside.path(), &["commit", "-qm", "first"]);
    git(beside.path(), &["worktree", "add", "-q", "-b", "side", fixture.root().to_str().unwrap()]);
    (beside, fixture)
}

#[test]
fn a_linked_worktree_is_answered_from_its_repository() {
    if !has_git() {
        return;
    }
    let (beside, fixture) = worktree();
    fixture.write("a", "two\n");
    let status = answer(&fixture, GitStatus, json!({})).unwrap();
    assert_eq!(status.text.as_deref(), Some("on branch side\n.M a\n"));
    let diff = answer(&fixture, GitDiff, json!({"path": "a"})).unwrap();
    assert!(diff.text.unwrap().ends_with("@@ -1 +1 @@\n-one\n+two\n"));
    let log = answer(&fixture, GitLog, json!({})).unwrap();
    assert_eq!(log.value["commits"][0]["subject"], "first");
    let command =
        plan(GitLog, &json!({}), &fixture.context(), Duration::from_secs(1), &LeftOut::default()).unwrap();
    assert_eq!(command.readable, Some(beside.path().canonicalize().unwrap().join(".git")));
}

#[test]
fn a_git_file_that_is_swapped_after_the_look_is_not_read_again() {
    if !has_git() {
        return;
    }
    let (_beside, fixture) = worktree();
    let command =
        plan(GitLog, &json!({}), &fixture.context(), Duration::from_secs(1), &LeftOut::default()).unwrap();
    let other = tempfile::tempdir().unwrap();
    git(other.path(), &["init", "-q"]);
    git(other.path(), &["commit", "-q", "--allow-empty", "-m", "private"]);
    std::fs::remove_file(fixture.root().join(".git")).unwrap();
    fixture.write(".git", format!("gitdir: {}/.git\n", other.path().display()));
    let log = finish(&fixture, GitLog, &command.plan).unwrap();
    assert_eq!(log.value["commits"][0]["subject"], "first");
}

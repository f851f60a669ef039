//! Leaving the workspace, and touching what is protected.

use std::fs;
use std::os::unix::fs::symlink;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use rustix::fs::{CWD, RenameFlags, renameat_with};
use serde_json::{Value, json};

use super::fixture::{FREE, SHIPPED, free, line, script, scripts, shell};
use crate::place::{Place, has_program, helper, skipped, verdict};

const SECRET: &str = "what lies outside";

/// A place with a secret beside the workspace, and links to it inside.
fn tempting() -> Place {
    let place = free();
    place.aside("secret.txt", SECRET);
    let outside = place.workspace().parent().unwrap().join("aside");
    let sibling = place.workspace().parent().unwrap().join("workspace-x");
    fs::create_dir(&sibling).unwrap();
    fs::write(sibling.join("secret.txt"), SECRET).unwrap();
    place.file("sub/file.txt", "inside\n");
    let root = place.workspace();
    symlink(&outside, root.join("absolute")).unwrap();
    symlink("../aside", root.join("relative")).unwrap();
    symlink("../aside/secret.txt", root.join("final.txt")).unwrap();
    symlink("final.txt", root.join("chain.txt")).unwrap();
    symlink("../aside/new.txt", root.join("dangling.txt")).unwrap();
    symlink("../../aside", root.join("sub/up")).unwrap();
    symlink("/proc/self/cwd/../aside", root.join("proc")).unwrap();
    symlink("/", root.join("root")).unwrap();
    place
}

fn notations(place: &Place) -> Vec<String> {
    let outside = place.workspace().parent().unwrap().join("aside/secret.txt");
    let absolute = outside.to_str().unwrap();
    let mut paths: Vec<String> = [
        "../aside/secret.txt",
        "./../aside/secret.txt",
        "sub/../../aside/secret.txt",
        "sub/./../../aside/secret.txt",
        "../workspace-x/secret.txt",
        "..\\aside\\secret.txt",
        "sub\\..\\..\\aside\\secret.txt",
        "%2e%2e/aside/secret.txt",
        "..%2faside%2fsecret.txt",
        "..;/aside/secret.txt",
        "absolute/secret.txt",
        "relative/secret.txt",
        "final.txt",
        "chain.txt",
        "sub/up/secret.txt",
        "proc/secret.txt",
        "dangling.txt",
        "absolute/../aside/secret.txt",
        "sub/up/../aside/secret.txt",
        "/proc/self/cwd/../aside/secret.txt",
        "/proc/self/root/etc/passwd",
        "root/etc/passwd",
        "~/../aside/secret.txt",
        "~root/x",
        "$HOME/x",
        "file:../aside/secret.txt",
        "C:\\x",
        "\\\\host\\share",
        "//host/share",
        "\\\\?\\C:\\x",
        "/",
        "..",
        "../",
        "../.",
        "a\u{0}b",
        "final.txt\u{0}.md",
        "",
        " ../aside/secret.txt",
        "\u{ff0e}\u{ff0e}/aside/secret.txt",
        "\u{2024}\u{2024}/aside/secret.txt",
        "..\u{2215}aside",
        ".../secret.txt",
    ]
    .map(str::to_owned)
    .into();
    paths.push(absolute.to_owned());
    paths.push(format!("/{absolute}"));
    paths.push(format!("file://{absolute}"));
    paths.push(format!("{}/../aside/secret.txt", place.workspace().display()));
    paths
}

#[test]
fn no_notation_of_a_path_reads_or_lists_outside() {
    let place = tempting();
    let mut input = String::new();
    for path in notations(&place) {
        input += &line("read_file", &json!({ "path": path }));
        input += &line("list_directory", &json!({ "path": path }));
        input += &line("find_files", &json!({ "path": path, "pattern": "**" }));
        input += &line("search_text", &json!({ "path": path, "pattern": "lies|root:" }));
    }
    let ended = place.run(&[], &input);
    assert_eq!(ended.code, Some(0));
    assert!(!ended.stdout.contains(SECRET) && !ended.stdout.contains("root:x:"), "{}", ended.stdout);
    for line in ended.lines().iter().filter(|line| line["status"] == "succeeded") {
        let content = line["content"].as_str().unwrap_or_default();
        assert!(!content.contains("secret.txt"), "{line}");
    }
}

#[test]
fn a_search_or_a_walk_of_the_workspace_does_not_follow_links_out() {
    let place = tempting();
    for (tool, arguments) in [
        ("search_text", json!({ "pattern": "lies" })),
        ("find_files", json!({ "pattern": "**/secret*" })),
        ("find_files", json!({ "pattern": "../**" })),
        ("search_text", json!({ "pattern": "lies", "glob": "../**" })),
    ] {
        let result = place.call(tool, arguments.clone());
        assert!(!result.to_string().contains(SECRET), "{tool} {arguments}: {result}");
        let content = result["content"].as_str().unwrap_or_default();
        assert!(!content.contains("absolute/secret.txt") && !content.contains("up/secret.txt"), "{result}");
    }
}

/// Everything beside the workspace, to be compared.
fn outside(place: &Place) -> Vec<(std::path::PathBuf, Vec<u8>)> {
    let root = place.workspace();
    let parent = root.parent().unwrap();
    let mut files = super::fixture::files_below(&parent.join("aside"));
    files.extend(super::fixture::files_below(&parent.join("workspace-x")));
    files.sort();
    files
}

#[test]
fn no_notation_of_a_path_changes_anything_outside() {
    let place = tempting();
    let before = outside(&place);
    let mut input = String::new();
    for path in notations(&place) {
        input += &line("write_file", &json!({ "path": path, "content": "evil" }));
        input += &line("replace_in_file", &json!({ "path": path, "old": "what", "new": "evil" }));
        input += &line("move_path", &json!({ "from": "sub/file.txt", "to": path }));
        input += &line("move_path", &json!({ "from": path, "to": "sub/taken" }));
        input += &line("delete_path", &json!({ "path": path, "recursive": true }));
        input += &line("write_file", &json!({ "path": format!("{path}/new/evil"), "content": "evil" }));
    }
    let ended = place.run(&[], &input);
    assert_eq!(ended.code, Some(0));
    assert_eq!(outside(&place), before);
    assert!(!ended.stdout.contains(SECRET), "{}", ended.stdout);
}

#[test]
fn links_that_a_command_plants_lead_nowhere() {
    let place = scripts("{level: none}");
    place.aside("secret.txt", SECRET);
    assert_eq!(
        verdict(&script(
            &place,
            "ln -s ../aside planted; ln -s ../aside/secret.txt planted.txt; mkfifo pipe"
        )),
        "succeeded"
    );
    place.configure(SHIPPED, FREE);
    let before = fs::read(place.workspace().parent().unwrap().join("aside/secret.txt")).unwrap();
    let mut input = String::new();
    for path in ["planted/secret.txt", "planted.txt", "pipe"] {
        input += &line("read_file", &json!({ "path": path }));
        input += &line("write_file", &json!({ "path": path, "content": "evil" }));
        input += &line("search_text", &json!({ "path": path, "pattern": "lies" }));
    }
    let ended = place.run(&[], &input);
    assert!(!ended.stdout.contains(SECRET), "{}", ended.stdout);
    assert_eq!(fs::read(place.workspace().parent().unwrap().join("aside/secret.txt")).unwrap(), before);
}

/// Swaps `swapped` between a folder of the workspace and a link to the outside, as fast as it can, while `work` runs.
fn while_swapping<T>(place: &Place, work: impl FnOnce() -> T) -> T {
    let root = place.workspace();
    fs::create_dir(root.join("swapped")).unwrap();
    fs::write(root.join("swapped/secret.txt"), "inside").unwrap();
    symlink("../aside", root.join("link")).unwrap();
    let stop = AtomicBool::new(false);
    thread::scope(|scope| {
        let swapper = scope.spawn(|| {
            let (one, other) = (root.join("swapped"), root.join("link"));
            while !stop.load(Ordering::Relaxed) {
                renameat_with(CWD, &one, CWD, &other, RenameFlags::EXCHANGE).unwrap();
            }
        });
        let done = work();
        stop.store(true, Ordering::Relaxed);
        swapper.join().unwrap();
        done
    })
}

#[test]
fn a_folder_swapped_for_a_link_between_check_and_use_never_leads_out() {
    let place = tempting();
    let aside = place.workspace().parent().unwrap().join("aside");
    let before = super::fixture::files_below(&aside);
    let mut input = String::new();
    for number in 0..150 {
        input += &line("read_file", &json!({ "path": "swapped/secret.txt" }));
        input += &line(
            "write_file",
            &json!({ "path": format!("swapped/new{number}/evil.txt"), "content": "evil" }),
        );
        input += &line("search_text", &json!({ "path": "swapped", "pattern": "lies" }));
        input += &line(
            "replace_in_file",
            &json!({ "path": "swapped/secret.txt", "old": "i", "new": "i", "count": 2 }),
        );
        input += &line("list_directory", &json!({ "path": "swapped" }));
    }
    let (first, second) = while_swapping(&place, || {
        thread::scope(|scope| {
            let other = scope.spawn(|| place.run(&[], &input));
            (place.run(&[], &input), other.join().unwrap())
        })
    });
    for ended in [first, second] {
        assert_eq!(ended.lines().len(), 750);
        assert!(!ended.stdout.contains(SECRET), "{}", ended.stdout);
        assert!(!ended.stdout.contains("tools.yaml"), "the outside was listed");
    }
    let mut after = super::fixture::files_below(&aside);
    after.sort();
    let mut before = before;
    before.sort();
    assert_eq!(after, before);
}

#[test]
fn a_hard_link_to_a_file_in_use_is_that_file() {
    let place = free();
    let aside = place.workspace().parent().unwrap().join("aside");
    fs::hard_link(aside.join("policy.yaml"), place.workspace().join("harmless.txt")).unwrap();
    place.call("list_directory", json!({}));
    fs::hard_link(place.store(), place.workspace().join("data.txt")).unwrap();
    let store_before = fs::metadata(place.store()).unwrap().len();
    for path in ["harmless.txt", "data.txt"] {
        for (tool, arguments) in [
            ("read_file", json!({ "path": path })),
            ("write_file", json!({ "path": path, "content": "version: 1" })),
            ("replace_in_file", json!({ "path": path, "old": "version", "new": "x" })),
            ("search_text", json!({ "path": path, "pattern": "default_verdict|SQLite" })),
        ] {
            let result = place.call(tool, arguments);
            assert_ne!(result["status"], "succeeded", "{tool} {path}: {result}");
        }
    }
    let searched = place.call("search_text", json!({ "pattern": "default_verdict" }));
    assert!(!searched["content"].as_str().unwrap_or_default().contains("default_verdict:"), "{searched}");
    assert_eq!(fs::read_to_string(aside.join("policy.yaml")).unwrap(), FREE);
    assert!(fs::metadata(place.store()).unwrap().len() >= store_before);
}

#[test]
fn protected_files_cannot_be_reached_in_any_spelling() {
    let place = free();
    place.file(".git/config", "[core]\n");
    place.file("sub/.git/config", "[core]\n");
    place.file(".claude/settings.json", "{}");
    place.file("tgw.lock", "lock");
    let paths = [
        ".git/config",
        ".GIT/config",
        ".git/../.git/config",
        "sub/.git/config",
        ".g\u{200c}it/config",
        "git~1/config",
        ".git./config",
        ".git /hooks/x",
        ".git\\config",
        ".claude/settings.json",
        ".Claude/Settings.JSON",
        "tgw.lock",
        "TGW.LOCK",
        ".git::$INDEX_ALLOCATION/config",
        "./.git/hooks/post-checkout",
    ];
    let mut input = String::new();
    for path in paths {
        input += &line("write_file", &json!({ "path": path, "content": "evil" }));
        input += &line("delete_path", &json!({ "path": path, "recursive": true }));
        input += &line("read_file", &json!({ "path": path }));
        input += &line("move_path", &json!({ "from": path, "to": "taken" }));
    }
    for path in ["tools.yaml", "policy.yaml", "TOOLS.yaml", "Policy.YAML", "./policy.yaml"] {
        input += &line("write_file", &json!({ "path": path, "content": "version: 1" }));
    }
    let ended = place.run(&[], &input);
    assert!(ended.lines().iter().all(|line| line["status"] != "succeeded"), "{}", ended.stdout);
    let text = |path: &str| fs::read_to_string(place.workspace().join(path)).unwrap();
    assert_eq!(
        (text(".git/config").as_str(), text("sub/.git/config").as_str(), text("tgw.lock").as_str()),
        ("[core]\n", "[core]\n", "lock")
    );
    assert!(!place.workspace().join("tools.yaml").exists());
}

#[test]
fn the_parent_of_a_protected_file_is_neither_moved_nor_deleted() {
    let place = free();
    place.file("sub/inner/.git/config", "[core]\n");
    place.file("other/.claude/settings.json", "{}");
    for (tool, arguments) in [
        ("move_path", json!({ "from": "sub", "to": "elsewhere" })),
        ("move_path", json!({ "from": "sub/inner", "to": "elsewhere" })),
        ("move_path", json!({ "from": "other/.claude", "to": "plain" })),
        ("delete_path", json!({ "path": "sub", "recursive": true })),
        ("delete_path", json!({ "path": "other", "recursive": true })),
    ] {
        let result = place.call(tool, arguments.clone());
        assert_ne!(result["status"], "succeeded", "{tool} {arguments}: {result}");
    }
    assert!(place.workspace().join("sub/inner/.git/config").exists());
    assert!(place.workspace().join("other/.claude/settings.json").exists());
}

#[test]
fn a_folder_is_not_moved_into_a_protected_name() {
    let place = free();
    place.file("build/config", "[core]\n\tfsmonitor = touch evil\n");
    place.file("build.txt", "version: 1");
    for (from, to) in [
        ("build", ".git"),
        ("build", "sub/.git"),
        ("build", ".GIT"),
        ("build.txt", "policy.yaml"),
        ("build.txt", "tools.yaml"),
        ("build.txt", "tgw.lock"),
    ] {
        let result = place.call("move_path", json!({ "from": from, "to": to }));
        assert_ne!(result["status"], "succeeded", "{from} to {to}: {result}");
    }
}

#[test]
fn special_files_neither_hang_nor_answer() {
    if skipped(has_program("mkfifo"), "mkfifo") {
        return;
    }
    let place = free();
    helper(&place, "mkfifo", &["pipe"]);
    symlink("/dev/zero", place.workspace().join("zero")).unwrap();
    let _socket = std::os::unix::net::UnixListener::bind(place.workspace().join("socket")).unwrap();
    let mut input = String::new();
    for path in ["pipe", "zero", "socket"] {
        input += &line("read_file", &json!({ "path": path }));
        input += &line("search_text", &json!({ "path": path, "pattern": "x" }));
        input += &line("write_file", &json!({ "path": path, "content": "x" }));
    }
    input += &line("search_text", &json!({ "pattern": "x" }));
    let lines = place.run(&[], &input).lines();
    assert_eq!(lines.len(), 10);
    assert!(lines[..9].iter().all(|line| line["status"] != "succeeded"), "{lines:#?}");
}

#[test]
fn a_command_sees_paths_as_text_and_runs_in_the_workspace_only() {
    // A working directory that leaves is refused when the manifest is loaded or when the call is made, never entered.
    for cwd in ["..", "/", "sub/../..", "link"] {
        let place = Place::new();
        symlink("../aside", place.workspace().join("link")).unwrap();
        place.aside("secret.txt", SECRET);
        place.configure(
            &shell("{level: none}").replace("streams: merged", &format!("streams: merged, cwd: {cwd}")),
            FREE,
        );
        let ended = place
            .run(&[], line("sh", &json!({ "script": "cat secret.txt aside/secret.txt 2>/dev/null; pwd" })));
        assert!(!ended.stdout.contains(SECRET), "{cwd}: {ended:?}");
        let ran = ended.lines().iter().any(|line: &Value| line["status"] == "succeeded");
        assert!(!ran, "{cwd}: {ended:?}");
    }
}

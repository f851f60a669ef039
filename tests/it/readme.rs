//! The README shows what the program does: its commands are run in a copy of what they use.
//!
//! In a ```` ```console ```` block a line that starts with `$ ` is a command, and the lines up to the next command are
//! what it prints; `…` stands for anything within a line.

use regex::Regex;

use crate::harness::{BINARY, Space, checkout, process};

/// The console blocks of a document.
fn blocks(document: &str) -> Vec<String> {
    let fence = Regex::new(r"(?ms)^```console\n(.*?)^```$").unwrap();
    fence.captures_iter(document).map(|found| found[1].to_owned()).collect()
}

/// Commands of a console block, each with what it prints.
fn commands(block: &str) -> Vec<(String, String)> {
    let mut commands: Vec<(String, String)> = Vec::new();
    for line in block.lines() {
        match (line.strip_prefix("$ "), commands.last_mut()) {
            (Some(command), _) => commands.push((command.to_owned(), String::new())),
            (None, Some((_, printed))) => {
                printed.push_str(line);
                printed.push('\n');
            }
            (None, None) => panic!("a console block starts with a command: {line}"),
        }
    }
    commands
}

fn matches(expected: &str, found: &str) -> bool {
    let pattern = expected.trim_end().split('…').map(regex::escape).collect::<Vec<_>>().join(".*");
    Regex::new(&format!("^{pattern}$")).unwrap().is_match(found.trim_end())
}

/// A workspace with what the examples use.
fn copy_of_the_checkout() -> Space {
    let space = Space::new();
    for name in
        ["README.md", "examples/tour/notes.md", "examples/first/calls.jsonl", "tools.yaml", "policy.yaml"]
    {
        space.write(name, std::fs::read(checkout().join(name)).unwrap());
    }
    let bin = space.beside("bin");
    std::fs::create_dir(&bin).unwrap();
    std::os::unix::fs::symlink(BINARY, bin.join("tgw")).unwrap();
    space
}

/// Runs a line of shell in the workspace, as a person in a pipeline without a terminal.
fn shell(space: &Space, line: &str) -> String {
    let path = std::env::var("PATH").unwrap();
    let output = process("setsid")
        .args(["sh", "-c", line])
        .current_dir(space.path(""))
        .env_clear()
        .env("PATH", format!("{}:{path}", space.beside("bin").display()))
        .env("HOME", space.beside("home"))
        .env("XDG_STATE_HOME", space.beside("state"))
        .env("XDG_CONFIG_HOME", space.beside("config"))
        .env("LANG", "C.UTF-8")
        .output()
        .unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stderr), "", "stderr of `{line}`");
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn the_readme_shows_what_the_program_prints() {
    let readme = std::fs::read_to_string(checkout().join("README.md")).unwrap();
    let space = copy_of_the_checkout();
    // A reader starts at the top: what the first command records is on record in the tour.
    assert!(readme.contains("-- run examples/first/calls.jsonl "));
    shell(&space, "tgw run examples/first/calls.jsonl");
    let mut ran = 0;
    for block in blocks(&readme) {
        for (command, expected) in commands(&block) {
            let printed = shell(&space, &command);
            assert!(
                matches(&expected, &printed),
                "`{command}` prints\n{printed}\nand the README says\n{expected}"
            );
            ran += 1;
        }
    }
    assert!(ran >= 5, "only {ran} commands were found");
}

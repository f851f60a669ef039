//! The pages under docs/ say what the binary does: their examples are run, and generated pages are fresh.
//!
//! A fenced block says in its info string what it is:
//!
//! - `yaml tools`, `yaml policy`, `yaml task`: a complete file that loads without a warning. A policy loads with the
//!   manifest that stands before it on the page, or else with the embedded one; a task with the page's first policy.
//! - `json call`: lines for `tgw run`, or for `tgw check` where the answer is a `json check`.
//! - `json result`, `json check`: the answers to the block before, in which `…` stands for any text.
//! - `console`: commands after `$`, each with its output. (`console tour` is run by `tests/it/procurement.rs`.)
//!
//! Calls and commands use the files that were shown under the same `##` heading, and run in a small workspace.

use std::collections::BTreeSet;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// A fenced block with its page and line.
struct Block {
    page: String,
    line: usize,
    /// The `##` heading that it stands under.
    section: String,
    kind: String,
    text: String,
}

impl Block {
    fn place(&self) -> String {
        format!("docs/{}:{}", self.page, self.line)
    }
}

fn repository() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn pages() -> Vec<(String, String)> {
    let mut pages: Vec<(String, String)> = fs::read_dir(repository().join("docs"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "md"))
        .map(|path| {
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            (name, fs::read_to_string(path).unwrap())
        })
        .collect();
    pages.sort();
    pages
}

fn blocks(page: &str, text: &str) -> Vec<Block> {
    let mut blocks: Vec<Block> = Vec::new();
    let mut section = String::new();
    let mut open = false;
    for (number, line) in (1..).zip(text.lines()) {
        match line.strip_prefix("```") {
            Some(_) if open => open = false,
            Some(kind) => {
                open = true;
                blocks.push(Block {
                    page: page.to_owned(),
                    line: number,
                    section: section.clone(),
                    kind: kind.trim().to_owned(),
                    text: String::new(),
                });
            }
            None if open => {
                let block = blocks.last_mut().unwrap();
                block.text.push_str(line);
                block.text.push('\n');
            }
            None => {
                if let Some(heading) = line.strip_prefix("## ") {
                    section = heading.to_owned();
                }
            }
        }
    }
    assert!(!open, "a fenced block of {page} has no end");
    blocks
}

/// The binary with a state, a configuration and a workspace of its own.
struct Bench {
    folder: tempfile::TempDir,
}

impl Bench {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let workspace = folder.path().join("workspace");
        for (path, text) in [
            ("notes.md", "# Notes\n\n- one\n- two\n"),
            ("src/main.rs", "fn main() {}\n"),
            (".env", "TOKEN=1\n"),
        ] {
            let path = workspace.join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        let example = repository().join("examples/mcp");
        fs::create_dir(folder.path().join("mcp")).unwrap();
        for name in ["notes-server", "tools.yaml", "policy.yaml"] {
            // With its mode: the server is a program.
            fs::copy(example.join(name), folder.path().join("mcp").join(name)).unwrap();
        }
        Self { folder }
    }

    fn file(&self, name: &str, text: &str) -> PathBuf {
        let path = self.folder.path().join(name);
        fs::write(&path, text).unwrap();
        path
    }

    fn prepare(&self, command: &mut Command) {
        let path = |name: &str| self.folder.path().join(name);
        let binaries = Path::new(env!("CARGO_BIN_EXE_tgw")).parent().unwrap();
        let search = std::env::var_os("PATH").unwrap_or_default();
        let folders = [binaries.to_owned()].into_iter().chain(std::env::split_paths(&search));
        command
            .current_dir(path("workspace"))
            .env_clear()
            .env("PATH", std::env::join_paths(folders).unwrap())
            .env("HOME", path("home"))
            .env("XDG_STATE_HOME", path("state"))
            .env("XDG_CONFIG_HOME", path("configuration"))
            .env("TGW_LOG", "warn")
            .env("TRACKER_TOKEN", "0123456789abcdef")
            .env("SHOP_TOKEN", "0123456789abcdef");
    }

    fn tgw(&self, arguments: &[&str], input: &str) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tgw"));
        self.prepare(&mut command);
        command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        // A command that reads no input closes it.
        let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
        child.wait_with_output().unwrap()
    }

    /// Loads files and returns what is wrong with them, warnings and examples that do not hold included.
    fn problems(&self, files: &[String]) -> String {
        let files: Vec<&str> = files.iter().map(String::as_str).collect();
        let mut found = String::new();
        for command in ["check", "doctor"] {
            let output = self.tgw(&[&[command], files.as_slice()].concat(), "");
            if !output.status.success() || !output.stderr.is_empty() {
                found.push_str(&String::from_utf8_lossy(&output.stderr));
                found.push_str(&String::from_utf8_lossy(&output.stdout));
            }
        }
        found
    }
}

/// Whether `text` is `pattern`, in which each `…` stands for any run of characters.
fn matches(pattern: &str, text: &str) -> bool {
    let mut parts = pattern.split('…');
    let Some(mut rest) = parts.next().and_then(|first| text.strip_prefix(first)) else { return false };
    let Some(last) = parts.next_back() else { return rest.is_empty() };
    for part in parts {
        match rest.find(part) {
            Some(at) => rest = &rest[at + part.len()..],
            None => return false,
        }
    }
    rest.ends_with(last)
}

/// What differs between the lines shown and those there are; `None` where they match.
pub(crate) fn difference(shown: &str, found: &str) -> Option<String> {
    let (shown, found): (Vec<&str>, Vec<&str>) = (shown.lines().collect(), found.lines().collect());
    for (at, pattern) in shown.iter().enumerate() {
        match found.get(at) {
            Some(line) if matches(pattern, line) => {}
            other => {
                return Some(format!("shown: {pattern}\nfound: {}", other.copied().unwrap_or("nothing")));
            }
        }
    }
    (found.len() > shown.len()).then(|| format!("shown: nothing\nfound: {}", found[shown.len()]))
}

/// Runs the commands of a console block and compares what each prints.
fn console(bench: &Bench, text: &str) -> Option<String> {
    let mut runs: Vec<(String, String)> = Vec::new();
    for line in text.lines() {
        match (line.strip_prefix("$ "), runs.last_mut()) {
            (Some(command), _) => runs.push((command.to_owned(), String::new())),
            (None, Some((_, output))) => output.push_str(&format!("{line}\n")),
            (None, None) => return Some("it starts with no command".to_owned()),
        }
    }
    runs.iter().find_map(|(command, shown)| {
        let mut shell = Command::new("sh");
        bench.prepare(&mut shell);
        let output = shell.args(["-c", command]).stdin(Stdio::null()).output().unwrap();
        difference(shown, &String::from_utf8_lossy(&output.stdout))
            .map(|found| format!("$ {command}\n{found}"))
    })
}

#[test]
fn every_example_of_the_pages_behaves_as_shown() {
    let mut wrong = Vec::new();
    for (page, text) in pages() {
        let mut section = String::new();
        let bench = Bench::new();
        let mut manifest: Vec<String> = Vec::new();
        let mut policy: Vec<String> = Vec::new();
        let mut files: Vec<String> = Vec::new();
        let mut call: Option<Block> = None;
        for block in blocks(&page, &text) {
            if block.section != section {
                section.clone_from(&block.section);
                files.clear();
            }
            let problem = match block.kind.as_str() {
                "yaml tools" | "yaml policy" | "yaml task" => {
                    let kind = &block.kind["yaml ".len()..];
                    let path = bench.file(&format!("{kind}-{}.yaml", block.line), &block.text);
                    let named = [format!("--{kind}"), path.display().to_string()];
                    files = match kind {
                        "tools" => {
                            manifest = named.to_vec();
                            manifest.clone()
                        }
                        "policy" => [manifest.as_slice(), &named].concat(),
                        _ => [policy.as_slice(), &named].concat(),
                    };
                    if kind == "policy" && policy.is_empty() {
                        policy.clone_from(&files);
                    }
                    let found = bench.problems(&files);
                    (!found.is_empty()).then_some(found)
                }
                "json call" => {
                    call = Some(block);
                    continue;
                }
                "json result" | "json check" => {
                    let command = if block.kind == "json result" { "run" } else { "check" };
                    match call.take() {
                        Some(call) => {
                            let named: Vec<&str> = files.iter().map(String::as_str).collect();
                            let output = bench.tgw(&[&[command], named.as_slice()].concat(), &call.text);
                            let answers = String::from_utf8_lossy(&output.stdout).into_owned();
                            difference(&block.text, &answers)
                                .map(|found| format!("{found}\n{}", String::from_utf8_lossy(&output.stderr)))
                        }
                        None => Some("no `json call` stands before it".to_owned()),
                    }
                }
                "console" => console(&bench, &block.text),
                _ => None,
            };
            if let Some(problem) = problem {
                wrong.push(format!("{}\n{problem}", block.place()));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

#[test]
fn the_page_of_errors_is_what_the_binary_prints() {
    let output = Bench::new().tgw(&["explain", "--markdown"], "");
    let page = fs::read_to_string(repository().join("docs/errors.md")).unwrap();
    assert_eq!(
        String::from_utf8_lossy(&output.stdout),
        page,
        "run `tgw explain --markdown > docs/errors.md`"
    );
}

#[test]
fn links_between_pages_lead_somewhere() {
    let mut pages = pages();
    for name in ["README.md", "CONTRIBUTING.md", "SECURITY.md"] {
        pages.push((format!("../{name}"), fs::read_to_string(repository().join(name)).unwrap()));
    }
    let mut broken = Vec::new();
    for (page, text) in &pages {
        for target in text.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
            if target.contains("://") {
                continue;
            }
            let (file, anchor) = target.split_once('#').unwrap_or((target, ""));
            let place = repository().join("docs").join(page);
            let path = if file.is_empty() { place.clone() } else { place.parent().unwrap().join(file) };
            let Ok(found) = fs::read_to_string(&path) else {
                if !path.is_dir() {
                    broken.push(format!("{page}: {target}"));
                }
                continue;
            };
            if !anchor.is_empty() && !anchors(&found).contains(anchor) {
                broken.push(format!("{page}: {target}"));
            }
        }
    }
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}

/// The anchors of a page's headings, as GitHub makes them.
fn anchors(text: &str) -> BTreeSet<String> {
    text.lines()
        .filter(|line| line.starts_with('#'))
        .map(|line| {
            line.trim_start_matches('#')
                .trim()
                .to_lowercase()
                .chars()
                .filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'))
                .map(|c| if c == ' ' { '-' } else { c })
                .collect()
        })
        .collect()
}

#[test]
fn every_direct_dependency_is_explained_and_nothing_else_is() {
    let manifest = fs::read_to_string(repository().join("Cargo.toml")).unwrap();
    let mut wanted = BTreeSet::new();
    let mut inside = false;
    for line in manifest.lines() {
        if line.starts_with('[') {
            inside = line.contains("dependencies]");
        } else if let (true, Some((name, _))) = (inside, line.split_once(" = ")) {
            wanted.insert(name.trim().to_owned());
        }
    }
    let page = fs::read_to_string(repository().join("docs/dependencies.md")).unwrap();
    let explained: BTreeSet<String> = page
        .lines()
        .filter_map(|line| line.strip_prefix("| ")?.split(" | ").next())
        .filter(|cell| !matches!(*cell, "crate" | "for tests"))
        .flat_map(|cell| cell.split(", ").map(|name| name.trim().to_owned()))
        .collect();
    assert_eq!(explained, wanted);
}

#[test]
fn placeholders_stand_for_any_text() {
    for (pattern, text, expected) in [
        ("a", "a", true),
        ("a", "ab", false),
        ("a…", "abc", true),
        ("…c", "abc", true),
        ("a…c…", "abcd", true),
        ("a…c", "abcd", false),
        ("a…b…b", "ab", false),
        ("…", "", true),
    ] {
        assert_eq!(matches(pattern, text), expected, "{pattern} on {text}");
    }
}

#[test]
fn what_init_writes_loads_without_a_warning_and_means_what_it_says() {
    for (marker, program) in [
        ("Cargo.toml", Some("cargo")),
        ("go.mod", Some("go")),
        ("package.json", Some("npm")),
        ("pyproject.toml", Some("pytest")),
        ("none", None),
    ] {
        let bench = Bench::new();
        let folder = bench.folder.path().join("project");
        fs::create_dir(&folder).unwrap();
        fs::write(folder.join(marker), "").unwrap();
        let written = bench.tgw(&["init", folder.to_str().unwrap()], "");
        assert!(written.status.success(), "{}", String::from_utf8_lossy(&written.stderr));
        let files = ["tools", "policy"].map(|kind| {
            let path = folder.join(format!("{kind}.yaml")).display().to_string();
            [format!("--{kind}"), path]
        });
        assert_eq!(bench.problems(&files.concat()), "", "{marker}");

        let calls = concat!(
            r#"{"id":"1","name":"read_file","arguments":{"path":"notes.md"}}"#,
            "\n",
            r#"{"id":"2","name":"read_file","arguments":{"path":".env"}}"#,
            "\n",
            r#"{"id":"3","name":"write_file","arguments":{"path":"notes.md","content":""}}"#,
            "\n",
            r#"{"id":"4","name":"run_tests","arguments":{"target":"a"}}"#,
        );
        let files = files.concat();
        let files: Vec<&str> = files.iter().map(String::as_str).collect();
        let checked = bench.tgw(&[&["check"], files.as_slice()].concat(), calls);
        let lines: Vec<serde_json::Value> = String::from_utf8_lossy(&checked.stdout)
            .lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect();
        let verdicts: Vec<&str> = lines.iter().map(|line| line["verdict"].as_str().unwrap()).collect();
        let tests = if program.is_some() { "require_approval" } else { "deny" };
        assert_eq!(verdicts, ["allow", "deny", "require_approval", tests], "{marker}");
        let argv = lines[3].pointer("/would_run/command/argv/0").and_then(serde_json::Value::as_str);
        assert_eq!(argv, program, "{marker}");
    }
}

//! A strict way to run the binary: hermetic, and whatever a test does not state must be empty.
//!
//! A [`Space`] is a fresh workspace with its own home, state and configuration. A [`Run`] is one command in it. Nothing
//! of the machine's environment reaches the program except `PATH`, and it has no controlling terminal.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{LazyLock, OnceLock};

use jsonschema::Validator;
use regex::Regex;
use serde_json::Value;
use tempfile::TempDir;

use crate::server::Database;

/// A policy under which everything may run.
pub(crate) const ALLOW: &str = "version: 1\ndefault_verdict: allow\n";

/// The program under test.
pub(crate) const BINARY: &str = env!("CARGO_BIN_EXE_tgw");

/// The checkout.
pub(crate) fn checkout() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Whether a program is there. Without it the test says so and passes, unless everything was to be installed.
pub(crate) fn has(program: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let found = std::env::split_paths(&path).any(|folder| folder.join(program).is_file());
    if !found {
        let full = std::env::var_os("TGW_REQUIRE_FULL").is_some_and(|set| set == "1");
        assert!(!full, "{program} is missing");
        eprintln!("skipped: {program} is missing");
    }
    found
}

/// A process builder; the only place of the tests that starts programs.
pub(crate) fn process(program: impl AsRef<std::ffi::OsStr>) -> Command {
    Command::new(program)
}

/// A fresh workspace with its own home, state and configuration.
pub(crate) struct Space {
    folder: TempDir,
    /// Where its store is, when that is not a file.
    server: Option<Database>,
}

impl Space {
    /// An empty one.
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        for name in ["work", "home", "state", "config/tgw", "tmp", "outside", "files"] {
            fs::create_dir_all(folder.path().join(name)).unwrap();
        }
        Self { folder, server: None }
    }

    /// The same with its store on a server; `None` where the tests are given none.
    pub(crate) fn on_server(mut self) -> Option<Self> {
        self.server = Some(Database::new()?);
        Some(self)
    }

    /// The database of the store on a server.
    pub(crate) fn server(&self) -> &Database {
        self.server.as_ref().unwrap()
    }

    /// Whether a process has a session at the server of its store.
    pub(crate) fn has_sessions(&self) -> bool {
        self.server.as_ref().is_some_and(Database::has_sessions)
    }

    /// One with these tools and this policy, to be named by [`Run::with_files`]. They are beside the workspace.
    pub(crate) fn with(tools: &str, policy: &str) -> Self {
        let space = Self::new();
        space.write_beside("files/tools.yaml", tools);
        space.write_beside("files/policy.yaml", policy);
        space
    }

    /// The real path of everything this space holds.
    pub(crate) fn root(&self) -> PathBuf {
        self.folder.path().canonicalize().unwrap()
    }

    /// A path of the workspace.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.root().join("work").join(name)
    }

    /// A path beside the workspace.
    pub(crate) fn beside(&self, name: &str) -> PathBuf {
        self.root().join(name)
    }

    /// Writes a file of the workspace.
    pub(crate) fn write(&self, name: &str, text: impl AsRef<[u8]>) -> &Self {
        write(&self.path(name), text.as_ref());
        self
    }

    /// Writes a file beside the workspace.
    pub(crate) fn write_beside(&self, name: &str, text: impl AsRef<[u8]>) -> &Self {
        write(&self.beside(name), text.as_ref());
        self
    }

    /// The text of a file of the workspace; `None` where there is none.
    pub(crate) fn read(&self, name: &str) -> Option<String> {
        fs::read_to_string(self.path(name)).ok()
    }

    /// One command.
    pub(crate) fn tgw<'a>(&'a self, arguments: impl IntoIterator<Item = &'a str>) -> Run<'a> {
        Run {
            space: self,
            arguments: arguments.into_iter().map(str::to_owned).collect(),
            environment: Vec::new(),
            folder: self.path(""),
            stdin: Vec::new(),
            stdout: String::new(),
            stderr: String::new(),
            status: 0,
        }
    }

    /// `tgw run` with the files beside the workspace, over these lines.
    pub(crate) fn stream<'a>(&'a self, lines: &[&str]) -> Run<'a> {
        self.tgw(["run"]).with_files().lines_in(lines)
    }

    /// The answers to these lines under the files beside the workspace.
    pub(crate) fn answers(&self, lines: &[&str]) -> Vec<Value> {
        self.stream(lines).answers()
    }

    /// The one answer to one line.
    pub(crate) fn answer(&self, line: &str) -> Value {
        let mut answers = self.answers(&[line]);
        assert_eq!(answers.len(), 1, "{answers:#?}");
        answers.remove(0)
    }

    /// Demands that the audit chain is intact; returns how many records it holds.
    pub(crate) fn intact(&self) -> u64 {
        let text = self.tgw(["audit", "verify"]).text();
        let count = text.strip_prefix("intact: ").and_then(|rest| rest.split(' ').next());
        count.and_then(|count| count.parse().ok()).unwrap_or_else(|| panic!("not intact: {text}"))
    }

    /// The records of the audit chain, as `tgw audit list --json` prints them.
    pub(crate) fn records(&self) -> Vec<Value> {
        let text = self.tgw(["audit", "list", "--json", "--limit", "10000"]).text();
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }
}

fn write(path: &Path, bytes: &[u8]) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, bytes).unwrap();
}

/// One command of a [`Space`], with what is expected of it.
pub(crate) struct Run<'s> {
    space: &'s Space,
    arguments: Vec<String>,
    environment: Vec<(String, String)>,
    folder: PathBuf,
    stdin: Vec<u8>,
    stdout: String,
    stderr: String,
    status: i32,
}

/// What a command came to, raw.
#[derive(Debug)]
pub(crate) struct Ended {
    /// What it printed on stdout.
    pub(crate) stdout: String,
    /// What it printed on stderr.
    pub(crate) stderr: String,
    /// Its exit status; `None` where a signal ended it.
    pub(crate) status: Option<i32>,
}

impl<'s> Run<'s> {
    /// Adds arguments.
    pub(crate) fn and(mut self, arguments: &[&str]) -> Self {
        self.arguments.extend(arguments.iter().map(|argument| (*argument).to_owned()));
        self
    }

    /// Names the tools and the policy beside the workspace.
    pub(crate) fn with_files(self) -> Self {
        let (tools, policy) = (self.space.beside("files/tools.yaml"), self.space.beside("files/policy.yaml"));
        let lock = self.space.beside("files/tgw.lock");
        let mut run = self;
        for (flag, path) in [("--tools", tools), ("--policy", policy), ("--lock", lock)] {
            if path.exists() {
                run = run.and(&[flag, &path.display().to_string()]);
            }
        }
        run
    }

    /// Sets a variable.
    pub(crate) fn variable(mut self, name: &str, value: &str) -> Self {
        self.environment.push((name.to_owned(), value.to_owned()));
        self
    }

    /// Runs it in another folder than the workspace's root.
    pub(crate) fn within(mut self, folder: impl Into<PathBuf>) -> Self {
        self.folder = folder.into();
        self
    }

    /// What it reads.
    pub(crate) fn stdin(mut self, bytes: impl AsRef<[u8]>) -> Self {
        self.stdin = bytes.as_ref().to_vec();
        self
    }

    /// The lines it reads.
    pub(crate) fn lines_in(self, lines: &[&str]) -> Self {
        let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
        self.stdin(text)
    }

    /// What it prints on stdout, normalised.
    pub(crate) fn stdout(mut self, text: &str) -> Self {
        text.clone_into(&mut self.stdout);
        self
    }

    /// What it prints on stderr, normalised.
    pub(crate) fn stderr(mut self, text: &str) -> Self {
        text.clone_into(&mut self.stderr);
        self
    }

    /// Its exit status.
    pub(crate) fn status(mut self, status: i32) -> Self {
        self.status = status;
        self
    }

    /// Runs it, and demands all of that.
    pub(crate) fn holds(self) {
        let ended = self.ended();
        self.expect(&ended);
        assert_eq!(self.space.normalise(&ended.stdout), self.stdout, "stdout of {:?}", self.arguments);
    }

    /// Runs it, demands stderr and the exit status, and returns stdout as it was printed.
    pub(crate) fn text(self) -> String {
        let ended = self.ended();
        self.expect(&ended);
        ended.stdout
    }

    /// Runs it, demands stderr and the exit status, and returns each line of stdout as JSON. Native result lines must
    /// satisfy the schema that the program itself prints, and so must the lines that it did not call malformed.
    pub(crate) fn answers(self) -> Vec<Value> {
        let input = String::from_utf8_lossy(&self.stdin).into_owned();
        let lines =
            if self.arguments.first().is_some_and(|command| command == "run") { input.as_str() } else { "" };
        let text = self.text();
        let answers: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        check_schemas(lines, &answers);
        answers
    }

    fn expect(&self, ended: &Ended) {
        let stderr = self.space.normalise(&ended.stderr);
        assert_eq!(stderr, self.stderr, "stderr of {:?}; stdout:\n{}", self.arguments, ended.stdout);
        assert_eq!(
            ended.status,
            Some(self.status),
            "status of {:?}; stdout:\n{}",
            self.arguments,
            ended.stdout
        );
    }

    /// Runs it and demands nothing.
    pub(crate) fn ended(&self) -> Ended {
        let mut child = self.start();
        let mut input = child.stdin.take().unwrap();
        let bytes = self.stdin.clone();
        // A program that ends early does not read everything.
        let writer = std::thread::spawn(move || {
            let _ = input.write_all(&bytes);
        });
        let output = child.wait_with_output().unwrap();
        writer.join().unwrap();
        Ended {
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
            status: output.status.code(),
        }
    }

    /// Starts it with pipes for its three streams. It is its own session leader, so it has no controlling terminal.
    pub(crate) fn start(&self) -> Child {
        let mut command = process("setsid");
        command
            .arg(BINARY)
            .args(&self.arguments)
            .current_dir(&self.folder)
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("LANG", "C.UTF-8")
            .envs(self.environment.iter().map(|(name, value)| (name, value)))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        if let Some(server) = &self.space.server
            && self.environment.iter().all(|(given, _)| given != "TGW_STATE")
        {
            command.env("TGW_STATE", server.address()).env("TGW_TENANT", "local");
        }
        for (name, folder) in
            [("HOME", "home"), ("XDG_STATE_HOME", "state"), ("XDG_CONFIG_HOME", "config"), ("TMPDIR", "tmp")]
        {
            if self.environment.iter().all(|(given, _)| given != name) {
                command.env(name, self.space.beside(folder));
            }
        }
        command.spawn().unwrap()
    }
}

impl Space {
    /// Text without what differs from run to run.
    pub(crate) fn normalise(&self, text: &str) -> String {
        static PATTERNS: LazyLock<[(Regex, &str); 8]> = LazyLock::new(|| {
            [
                (r"sha256:[0-9a-f]{64}", "sha256:[HASH]"),
                (r"\br_[0-9a-z]{26}\b", "r_[ID]"),
                (r"\ba_[0-9a-z]{16}\b", "a_[ID]"),
                (r"\bcall_[0-9a-f]{16}(_\d+)?", "call_[ID]"),
                (r"\brun-[0-9a-f]{16}\b", "run-[ID]"),
                (r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", "[TIME]"),
                (r"\b\d+(\.\d+)? (ms|µs|s)\b", "[DURATION]"),
                (r#""elapsed_ms":\d+"#, r#""elapsed_ms":[MS]"#),
            ]
            .map(|(pattern, replacement)| (Regex::new(pattern).unwrap(), replacement))
        });
        let mut text = text.replace(&self.root().display().to_string(), "[SPACE]");
        for (pattern, replacement) in PATTERNS.iter() {
            text = pattern.replace_all(&text, *replacement).into_owned();
        }
        text
    }
}

/// The validator of one kind of line, from the schema that the program prints.
pub(crate) fn line_schema(line: &str) -> &'static Validator {
    static SCHEMAS: OnceLock<[Validator; 3]> = OnceLock::new();
    let [call, result, event] = SCHEMAS.get_or_init(|| {
        ["call", "result", "event"].map(|line| {
            let schema: Value = serde_json::from_str(&Space::new().tgw(["schema", line]).text()).unwrap();
            jsonschema::draft202012::new(&schema).unwrap()
        })
    });
    match line {
        "call" => call,
        "event" => event,
        _ => result,
    }
}

fn check_schemas(input: &str, answers: &[Value]) {
    for answer in answers.iter().filter(|answer| answer.get("status").is_some()) {
        if let Err(error) = line_schema("result").validate(answer) {
            panic!("a result line breaks the schema of `tgw schema result`: {error}\n{answer}");
        }
    }
    if answers.iter().any(|answer| answer.to_string().contains("MALFORMED_CALL")) {
        return;
    }
    for line in input.lines().filter(|line| !line.trim().is_empty()) {
        let Ok(value) = serde_json::from_str::<Value>(line) else { continue };
        if let Err(error) = line_schema("call").validate(&value) {
            panic!("a line that was taken breaks the schema of `tgw schema call`: {error}\n{line}");
        }
    }
}

/// The status of an answer.
pub(crate) fn status(answer: &Value) -> &str {
    answer["status"].as_str().unwrap_or_else(|| panic!("no status: {answer}"))
}

/// The code of an answer's error.
pub(crate) fn code(answer: &Value) -> &str {
    answer["error"]["code"].as_str().unwrap_or_else(|| panic!("no error: {answer}"))
}

/// The content of an answer.
pub(crate) fn content(answer: &Value) -> &str {
    answer["content"].as_str().unwrap_or_else(|| panic!("no content: {answer}"))
}

/// The message of an answer's error.
pub(crate) fn message(answer: &Value) -> &str {
    answer["error"]["message"].as_str().unwrap_or_else(|| panic!("no error: {answer}"))
}

/// Every answer's id and status.
pub(crate) fn outcomes(answers: &[Value]) -> Vec<(&str, &str)> {
    answers.iter().map(|answer| (answer["id"].as_str().unwrap_or("?"), status(answer))).collect()
}

/// A native call line.
pub(crate) fn call(id: &str, name: &str, arguments: &Value) -> String {
    serde_json::json!({ "id": id, "name": name, "arguments": arguments }).to_string()
}

//! `tgw init`: a small commented manifest and policy for the project at hand.

use std::fs::OpenOptions;
use std::io::Write;
use std::path::Path;

use serde::Serialize;
use serde_json::json;

use super::exit::{Failure, Outcome};
use super::operator_arguments::InitArgs;
use super::output::print;

/// How the tests of a project are run.
struct Runner {
    /// The file that tells such a project.
    marker: &'static str,
    /// The program and its fixed arguments.
    fixed: &'static [&'static str],
    /// What is added where the call names a target.
    target: &'static [&'static str],
    env: &'static [(&'static str, &'static str)],
    pass_env: &'static [&'static str],
    /// Where tests may write; `None` where such projects write in many places.
    write: Option<&'static [&'static str]>,
    /// Exit statuses of a run that took place, tests that fail included.
    statuses: &'static [i32],
}

const RUNNERS: [Runner; 4] = [
    Runner {
        marker: "Cargo.toml",
        fixed: &["cargo", "test", "--offline", "--no-fail-fast"],
        target: &["--", "{{arguments.target}}"],
        env: &[("CARGO_TERM_COLOR", "never")],
        pass_env: &["CARGO_HOME", "RUSTUP_HOME", "RUSTUP_TOOLCHAIN"],
        write: Some(&["target"]),
        statuses: &[0, 101],
    },
    Runner {
        marker: "go.mod",
        fixed: &["go", "test", "./..."],
        target: &["-run={{arguments.target}}"],
        // Without network, another toolchain could only be waited for.
        env: &[("GOTOOLCHAIN", "local")],
        pass_env: &["GOROOT", "GOMODCACHE", "GOFLAGS"],
        write: Some(&[]),
        statuses: &[0, 1],
    },
    Runner {
        marker: "package.json",
        fixed: &["npm", "test"],
        target: &["--", "{{arguments.target}}"],
        env: &[("CI", "true")],
        pass_env: &["NVM_DIR", "VOLTA_HOME"],
        write: None,
        statuses: &[0, 1],
    },
    Runner {
        marker: "pyproject.toml",
        fixed: &["pytest", "-p", "no:cacheprovider"],
        target: &["-k={{arguments.target}}"],
        env: &[("PYTHONDONTWRITEBYTECODE", "1")],
        pass_env: &["VIRTUAL_ENV", "PYENV_ROOT", "CONDA_PREFIX"],
        write: Some(&[]),
        statuses: &[0, 1, 5],
    },
];

/// The contract of `run_tests`, in the order in which it is written.
#[derive(Serialize)]
struct RunTests {
    name: &'static str,
    description: &'static str,
    use_when: &'static str,
    risk: &'static str,
    changes: &'static str,
    execution_mode: &'static str,
    timeout: &'static str,
    input_schema: serde_json::Value,
    run: Run,
    sandbox: Sandbox,
    result: serde_json::Value,
}

#[derive(Serialize)]
struct Run {
    command: Command,
}

#[derive(Serialize)]
struct Command {
    argv: Vec<Part>,
    env: serde_json::Map<String, serde_json::Value>,
    pass_env: &'static [&'static str],
    streams: &'static str,
    success: String,
}

/// A part of an argv.
#[derive(Serialize)]
#[serde(untagged)]
enum Part {
    One(&'static str),
    When { when: &'static str, args: &'static [&'static str] },
}

#[derive(Serialize)]
struct Sandbox {
    level: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    write: Option<&'static [&'static str]>,
    network: &'static str,
}

/// Writes both files, or neither where one is there already.
pub(crate) fn init(arguments: &InitArgs) -> Outcome {
    let directory = &arguments.directory;
    if directory.exists() && !directory.is_dir() {
        return Err(Failure::configuration(format!("`{}` is not a folder", directory.display())));
    }
    let files = [("tools.yaml", manifest(directory)?), ("policy.yaml", POLICY.to_owned())];
    if let Some((name, _)) = files.iter().find(|(name, _)| directory.join(name).symlink_metadata().is_ok()) {
        return Err(Failure::failed(format!(
            "`{}` is there already, and was not touched",
            directory.join(name).display()
        ))
        .with_hint("move it away first, or name another folder"));
    }
    std::fs::create_dir_all(directory)
        .map_err(|error| Failure::failed(format!("cannot make `{}`: {error}", directory.display())))?;
    for (name, text) in files {
        let path = directory.join(name);
        OpenOptions::new()
            .write(true)
            .create_new(true)
            .open(&path)
            .and_then(|mut file| file.write_all(text.as_bytes()))
            .map_err(|error| Failure::failed(format!("cannot write `{}`: {error}", path.display())))?;
        print(&format!("wrote {}\n", path.display()))?;
    }
    print("next: read both, then `tgw trust`, `tgw tools` and `tgw doctor`\n")?;
    Ok(0)
}

fn manifest(directory: &Path) -> Result<String, Failure> {
    let tests = match RUNNERS.iter().find(|runner| directory.join(runner.marker).exists()) {
        Some(runner) => format!("{RUN_TESTS}{}", indented(&entry(&run_tests(runner))?)),
        None => NO_RUNNER.to_owned(),
    };
    Ok(format!("{MANIFEST}{tests}"))
}

/// A narrow `run_tests` for one runner.
fn run_tests(runner: &Runner) -> RunTests {
    let target = Part::When { when: "has(arguments.target)", args: runner.target };
    RunTests {
        name: "run_tests",
        description: "Runs the project's tests, all of them or those whose name contains `target`.",
        use_when: "checking a change, or finding out what fails",
        risk: "write",
        changes: "what the tests build and write",
        execution_mode: "exclusive",
        timeout: "10m",
        input_schema: json!({
            "type": "object",
            "additionalProperties": false,
            "properties": {"target": {
                "type": "string",
                "pattern": "^[A-Za-z0-9_][A-Za-z0-9_:./-]*$",
                "maxLength": 200,
                "description": "A part of the names of the tests to run; all run where it is absent.",
            }},
        }),
        run: Run {
            command: Command {
                argv: runner.fixed.iter().copied().map(Part::One).chain([target]).collect(),
                env: runner.env.iter().map(|(name, value)| ((*name).to_owned(), json!(value))).collect(),
                pass_env: runner.pass_env,
                streams: "merged",
                success: format!("exit.status in {:?}", runner.statuses),
            },
        },
        sandbox: Sandbox { level: "confined", write: runner.write, network: "none" },
        result: json!({"trust": "untrusted", "content": {"max_bytes": 16384, "keep": "tail"}}),
    }
}

/// A tool as an element of a list in YAML. The writer is a library, so that quoting is its business.
fn entry(tool: &RunTests) -> Result<String, Failure> {
    serde_yaml::to_string(&[tool])
        .map_err(|error| Failure::failed(format!("cannot write the manifest: {error}")))
}

fn indented(text: &str) -> String {
    text.lines().map(|line| format!("  {line}\n")).collect()
}

const MANIFEST: &str = "\
# The tools that an agent may ask for in this project. `tgw doctor` says whether this file is obeyed; a change to it
# needs `tgw trust` again. docs/formats.md of tgw explains every key.
version: 1
tools:
  - name: read_file
    description: Reads a window of a text file, with line numbers.
    use_when: the path is known
    risk: read_only
    execution_mode: parallel
    input_schema:
      type: object
      additionalProperties: false
      required: [path]
      properties:
        path: {type: string, format: workspace-path, x-tgw-exists: file, description: Relative to the project's root}
        offset: {type: integer, minimum: 1, default: 1, description: First line}
        limit: {type: integer, minimum: 1, maximum: 500, default: 200, description: Most lines}
    run: {builtin: read_file}
    # A file's text can come from anyone who can write to the project.
    result: {trust: untrusted}

  - name: search_text
    description: Finds lines that match a regular expression.
    use_when: it is not known where something is
    risk: read_only
    execution_mode: parallel
    input_schema:
      type: object
      additionalProperties: false
      required: [pattern]
      properties:
        pattern: {type: string, format: regex, minLength: 1, description: A regular expression}
        path: {type: string, format: workspace-path, x-tgw-exists: any, default: '.', description: Where to look}
        glob: {type: string, format: glob, minLength: 1, description: 'Which files, such as **/*.rs'}
        ignore_case: {type: boolean, default: false, description: Whether case is ignored}
        limit: {type: integer, minimum: 1, maximum: 500, default: 100, description: Most lines}
    run: {builtin: search_text}
    result: {trust: untrusted}

  - name: write_file
    description: Writes a new file, or replaces a whole one.
    not_for: changing a few lines
    risk: write
    changes: one file
    execution_mode: exclusive
    input_schema:
      type: object
      additionalProperties: false
      required: [path, content]
      properties:
        path: {type: string, format: workspace-path, x-tgw-exists: file_or_none, description: Relative to the project's root}
        content: {type: string, maxLength: 1000000, description: The whole content}
        mode:
          type: string
          enum: [new, replace, new_or_replace]
          default: new_or_replace
          description: Whether the file may be there
    run: {builtin: write_file}
    result: {trust: trusted}
";

const RUN_TESTS: &str = "
  # A narrow command: one program, no shell, no network, in a sandbox. Statuses that `success` does not name leave the
  # outcome unknown, since the tests may have changed something.
";

const NO_RUNNER: &str = "
  # No test runner was recognised here. A narrow command looks like this:
  # - name: run_tests
  #   description: Runs the project's tests.
  #   risk: write
  #   changes: what the tests build and write
  #   execution_mode: exclusive
  #   input_schema: {type: object, additionalProperties: false}
  #   run: {command: [make, test]}
  #   sandbox: {level: confined, network: none}
  #   result: {trust: untrusted}
";

const POLICY: &str = "\
# What may run, and what a person is asked about. The strictest rule that matches decides; where none matches,
# `default_verdict` does, so that external and destructive tools stay denied until a rule here says more.
version: 1
default_verdict: deny
rules:
  - id: reads
    verdict: allow
    risks: [read_only]
    when: '!tool.egress'
    reason: reading the project changes nothing

  # A yes can be remembered for the same file and the same task.
  - id: writes-are-asked
    verdict: require_approval
    risks: [write]
    reason: it changes the project
    approval: {expires: 1h, remember: [[/path]]}

  - id: no-credential-files
    verdict: deny
    tools: [read_file, search_text, write_file]
    when: |
      path(arguments.path).matches_glob_any_case(
        '**/{.env,.env.*,.netrc,.npmrc,.pypirc,.git-credentials,credentials,*.pem,*.key,id_rsa*,id_ed25519*}')
    reason: the file holds credentials
";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnostic::SourceMap;
    use crate::document::{ReadLimits, read};

    #[test]
    fn every_runner_is_written_so_that_the_strict_reader_reads_it_as_it_was_meant() {
        for runner in &RUNNERS {
            let tool = run_tests(runner);
            let text = entry(&tool).unwrap();
            let source = SourceMap::default().add("tools.yaml", text.as_str());
            let read = read(source, &text, ReadLimits::default()).unwrap().to_json();
            assert_eq!(read, json!([tool]), "{}", runner.marker);
        }
    }
}

//! From a git tool's arguments to the command that answers it.

use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::Value;

use crate::catalog::{BuiltinName, OutputFormat, Overflow, Streams};
use crate::code::{CallError, ErrorCode};
use crate::execute::builtin::BuiltinContext;
use crate::execute::builtin::argument::Arguments;
use crate::validate::{CommandPlan, ProgramSource, StdinPlan};

use super::diff::LeftOut;
use super::log::LOG_FORMAT;
use super::repository::{Repository, inspect};
use super::waiting;

const DEFAULT_COMMITS: u64 = 20;
const MAX_COMMITS: u64 = 500;
/// Most bytes read of what git prints.
const MAX_OUTPUT_BYTES: usize = 8 << 20;

/// Settings that are the same for every repository. Each could name a program, lead to a file elsewhere, or change
/// the form of the output.
const SETTINGS: &[(&str, &str)] = &[
    ("core.fsmonitor", "false"),
    ("core.hooksPath", "/dev/null"),
    ("core.attributesFile", "/dev/null"),
    ("core.excludesFile", "/dev/null"),
    ("core.pager", "cat"),
    ("core.editor", "false"),
    ("core.askPass", ""),
    ("core.sshCommand", "false"),
    ("core.gitProxy", ""),
    ("core.alternateRefsCommand", ""),
    ("core.untrackedCache", "false"),
    ("core.bare", "false"),
    ("core.quotePath", "true"),
    ("credential.helper", ""),
    ("protocol.allow", "never"),
    ("gpg.program", "false"),
    ("gpg.openpgp.program", "false"),
    ("gpg.x509.program", "false"),
    ("gpg.ssh.program", "false"),
    ("gpg.ssh.defaultKeyCommand", ""),
    ("log.showSignature", "false"),
    ("log.follow", "false"),
    ("log.mailmap", "false"),
    ("log.diffMerges", "off"),
    ("mailmap.file", ""),
    ("mailmap.blob", ""),
    ("diff.ignoreSubmodules", "all"),
    ("diff.submodule", "short"),
    ("diff.orderFile", "/dev/null"),
    ("status.submoduleSummary", "false"),
    ("submodule.recurse", "false"),
    ("fetch.recurseSubmodules", "false"),
    ("gc.auto", "0"),
    ("maintenance.auto", "false"),
    ("color.ui", "false"),
    ("column.ui", "never"),
];

const ENVIRONMENT: &[(&str, &str)] = &[
    ("GIT_CONFIG_NOSYSTEM", "1"),
    ("GIT_CONFIG_GLOBAL", "/dev/null"),
    ("GIT_ATTR_NOSYSTEM", "1"),
    ("GIT_OPTIONAL_LOCKS", "0"),
    ("GIT_NO_LAZY_FETCH", "1"),
    ("GIT_NO_REPLACE_OBJECTS", "1"),
    ("GIT_ALLOW_PROTOCOL", "none"),
    ("GIT_TERMINAL_PROMPT", "0"),
    ("GIT_PAGER", "cat"),
    ("GIT_EDITOR", "false"),
    ("LC_ALL", "C"),
];

const STATUS: &[&str] = &[
    "status",
    "--porcelain=v2",
    "-z",
    "--branch",
    "--untracked-files=normal",
    "--ignore-submodules=all",
    "--find-renames",
];
const DIFF: &[&str] = &[
    "diff",
    "--no-ext-diff",
    "--no-textconv",
    "--no-color",
    "--ignore-submodules=all",
    "--submodule=short",
    "--src-prefix=a/",
    "--dst-prefix=b/",
    "--unified=3",
    "--find-renames",
    "--raw",
    "--numstat",
    "--patch",
    "-z",
];
const LOG: &[&str] = &[
    "log",
    "-z",
    "--no-patch",
    "--no-color",
    "--no-decorate",
    "--no-show-signature",
    "--no-notes",
    "--no-mailmap",
    "--encoding=UTF-8",
];

/// The command that answers a git tool.
#[derive(Debug)]
pub struct GitCommand {
    /// What is run.
    pub plan: CommandPlan,
    /// The directory outside the workspace that it must be able to read: that of the repository of a linked worktree.
    pub readable: Option<PathBuf>,
}

/// Plans the command that answers a git tool. What it prints goes to [`super::interpret()`]. Differences of what is
/// `left_out` are not asked for.
///
/// The repository is looked at while planning; since no tool and no command can write to `.git`, nor to what a linked
/// worktree has outside the workspace, it is the same when the command runs.
///
/// # Errors
/// `FILE_NOT_FOUND` where the workspace root is no repository; `PERMISSION_DENIED` where it is one that cannot be read
/// safely; what is wrong with the arguments. `INTERNAL` for a builtin that is no git tool.
pub fn plan(
    name: BuiltinName,
    arguments: &Value,
    context: &BuiltinContext<'_>,
    timeout: Duration,
    left_out: &LeftOut,
) -> Result<GitCommand, CallError> {
    let arguments = Arguments::new(arguments);
    let repository = inspect(context.workspace)?;
    waiting::refuse_in_worktree(name, context)?;
    let mut argv = vec!["git".to_owned(), "--no-pager".to_owned()];
    match name {
        BuiltinName::GitStatus => argv.extend(owned(STATUS)),
        BuiltinName::GitDiff => {
            argv.extend(owned(DIFF));
            if arguments.flag("staged")? {
                argv.push("--cached".to_owned());
            }
            argv.push("--".to_owned());
            argv.extend(pathspecs(arguments, context)?);
            argv.extend(left_out.pathspecs.iter().cloned());
        }
        BuiltinName::GitLog => {
            argv.extend(owned(LOG));
            argv.push(format!("--format={LOG_FORMAT}"));
            argv.push(format!("--max-count={}", arguments.count("limit", DEFAULT_COMMITS, MAX_COMMITS)?));
            argv.push("--".to_owned());
            argv.extend(pathspecs(arguments, context)?);
        }
        other => {
            return Err(CallError::new(ErrorCode::Internal, format!("`{}` is no git tool", other.as_str())));
        }
    }
    let plan = CommandPlan {
        program: ProgramSource::Search("git".to_owned()),
        argv,
        cwd: String::new(),
        env: environment(&repository, context.workspace.root())?,
        pass_env: Vec::new(),
        credentials: Vec::new(),
        stdin: StdinPlan::Empty,
        output: OutputFormat::Text,
        streams: Streams::Stdout,
        max_output_bytes: MAX_OUTPUT_BYTES,
        on_overflow: Overflow::Truncate,
        timeout,
    };
    Ok(GitCommand { plan, readable: repository.linked.map(|linked| linked.common) })
}

fn owned(words: &[&str]) -> impl Iterator<Item = String> {
    words.iter().map(|word| (*word).to_owned())
}

/// The path that is asked about, and everything protected left out.
fn pathspecs(arguments: Arguments<'_>, context: &BuiltinContext<'_>) -> Result<Vec<String>, CallError> {
    let Some(text) = arguments.optional_text("path")? else {
        return Ok(everything_but_protected(context, None));
    };
    let path = context.path("path", text)?;
    // What git is asked about need not exist any more, but must not lie behind a link that leaves.
    let reached = context.workspace.resolve(&path)?;
    context.confirm("path", &reached)?;
    Ok(everything_but_protected(context, Some(path.as_str())))
}

fn everything_but_protected(context: &BuiltinContext<'_>, path: Option<&str>) -> Vec<String> {
    let mut pathspecs = vec![match path {
        Some(path) if !path.is_empty() => format!(":(top,literal){path}"),
        _ => ":(top)".to_owned(),
    }];
    for glob in context.workspace.protected_globs() {
        pathspecs.push(format!(":(top,exclude,icase,glob){glob}/**"));
        pathspecs.push(format!(":(top,exclude,icase,glob){glob}"));
    }
    pathspecs
}

/// Where the repository is: stated, so that git neither looks elsewhere nor takes a directory from the configuration or
/// from a file that was looked at before.
fn directories(repository: &Repository, root: &Path) -> Result<Vec<(String, String)>, CallError> {
    let stated = match &repository.linked {
        None => vec![("GIT_DIR", Path::new(".git")), ("GIT_WORK_TREE", Path::new("."))],
        Some(linked) => vec![
            ("GIT_DIR", linked.own.as_path()),
            ("GIT_COMMON_DIR", linked.common.as_path()),
            ("GIT_WORK_TREE", root),
        ],
    };
    let text = |path: &Path| path.to_str().map(str::to_owned);
    let stated = stated.into_iter().map(|(name, path)| Some((name.to_owned(), text(path)?)));
    stated.collect::<Option<_>>().ok_or_else(|| {
        CallError::new(
            ErrorCode::PermissionDenied,
            "git is not run here: the path of the workspace is not UTF-8",
        )
    })
}

fn environment(repository: &Repository, root: &Path) -> Result<Vec<(String, String)>, CallError> {
    let mut environment = directories(repository, root)?;
    environment.extend(ENVIRONMENT.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())));
    environment.push(("GIT_ATTR_SOURCE".to_owned(), repository.empty_tree.to_owned()));
    let fixed = SETTINGS.iter().map(|(name, value)| ((*name).to_owned(), *value));
    let own = repository.overrides.iter().cloned();
    let mut count = 0;
    for (name, value) in fixed.chain(own) {
        environment.push((format!("GIT_CONFIG_KEY_{count}"), name));
        environment.push((format!("GIT_CONFIG_VALUE_{count}"), value.to_owned()));
        count += 1;
    }
    environment.push(("GIT_CONFIG_COUNT".to_owned(), count.to_string()));
    Ok(environment)
}

#[cfg(test)]
mod tests;

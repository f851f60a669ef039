//! What can be typed: the one source of help, completions and man pages.

use std::path::PathBuf;

use clap::{ArgAction, Args, Parser, Subcommand, ValueEnum};

use super::approval_arguments::ApprovalsArgs;
use super::approver_arguments::ApproversArgs;
use super::audit_arguments::AuditArgs;
use super::effect_arguments::EffectsArgs;
use super::help;
use super::key_arguments::KeysArgs;
use super::operator_arguments::{
    CompletionsArgs, DoctorArgs, DrillArgs, ExplainArgs, InitArgs, LockArgs, ManArgs, SchemaArgs, StateArgs,
    TrustArgs,
};
use super::task_arguments::TaskArgs;

/// The tool gateway for AI agents.
#[derive(Debug, Parser)]
#[command(
    name = "tgw",
    version,
    about = "The tool gateway for AI agents: one boundary between a model's words and a real effect",
    long_about = "The tool gateway for AI agents.\n\nA model writes calls; tgw decides whether each may run (does the tool exist, \
may this agent see it now, do the arguments hold, what does the policy say, must a person approve), runs it in the right place \
under a deadline, and says truthfully what happened. Model output goes to stdout, one JSON line a result; display goes to stderr.",
    after_help = help::TGW,
    disable_help_subcommand = true,
    max_term_width = 110
)]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) logging: LoggingArgs,
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// How much is logged, and how.
#[derive(Debug, Clone, Args)]
pub(crate) struct LoggingArgs {
    /// Log to stderr: -v info, -vv debug, -vvv trace; TGW_LOG takes a filter such as `tgw=debug` and goes before -v [default: no log]
    #[arg(short, long, global = true, action = ArgAction::Count, help_heading = "Common")]
    pub(crate) verbose: u8,
    /// The form of log lines: text, or json with one object a line
    #[arg(long, global = true, value_enum, default_value_t = LogFormat::Text, value_name = "FORM", hide_possible_values = true, help_heading = "Common")]
    pub(crate) log_format: LogFormat,
    /// When what people read is coloured: auto (on a terminal, unless NO_COLOR is set), always or never
    #[arg(long, global = true, value_enum, default_value_t = ColourChoice::Auto, value_name = "WHEN", hide_possible_values = true, help_heading = "Common")]
    pub(crate) color: ColourChoice,
}

/// The form of log lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum LogFormat {
    /// For people.
    Text,
    /// One JSON object a line.
    Json,
}

/// When to use colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ColourChoice {
    /// Where the output is a terminal and NO_COLOR is not set.
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

/// Every command.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Run a stream of calls: one line a call or a batch in, one line a result out
    #[command(after_help = help::RUN)]
    Run(RunArgs),
    /// Run one call
    #[command(after_help = help::CALL)]
    Call(CallArgs),
    /// Decide calls without running anything, and say why
    #[command(after_help = help::CHECK)]
    Check(CheckArgs),
    /// List the tools that this agent sees in this step
    #[command(after_help = help::TOOLS)]
    Tools(ToolsArgs),
    /// List stored results, or page and filter one
    #[command(after_help = help::RESULTS)]
    Results(ResultsArgs),
    /// Look at questions that wait and at remembered answers, answer one, run its call, or revoke one
    #[command(after_help = help::APPROVALS)]
    Approvals(ApprovalsArgs),
    /// Say whose signed answers count, and make keys to sign with
    #[command(after_help = help::APPROVERS)]
    Approvers(ApproversArgs),
    /// Make, rotate and publish the keys that passes are signed with
    #[command(after_help = help::KEYS)]
    Keys(KeysArgs),
    /// Look at the ledger of effects, look up or settle what is not known
    #[command(after_help = help::EFFECTS)]
    Effects(EffectsArgs),
    /// Keep a task, put it into a step, look at it, end it
    #[command(after_help = help::TASK)]
    Task(TaskArgs),
    /// Look at what is used of every budget of the policy
    #[command(after_help = help::BUDGETS)]
    Budgets(BudgetsArgs),
    /// Move the state store to a server
    #[command(after_help = help::STATE)]
    State(StateArgs),
    /// Look at the audit chain: list, show, verify, export
    #[command(after_help = help::AUDIT)]
    Audit(AuditArgs),
    /// Write a small commented tools.yaml and policy.yaml for a project
    #[command(after_help = help::INIT)]
    Init(InitArgs),
    /// Say that configuration files of a workspace may be obeyed, with their present content
    #[command(after_help = help::TRUST)]
    Trust(TrustArgs),
    /// Look at what upstream servers offer, and accept it: what was accepted is what is shown and called
    #[command(after_help = help::LOCK)]
    Lock(LockArgs),
    /// Explain an error code, or list them all
    #[command(after_help = help::EXPLAIN)]
    Explain(ExplainArgs),
    /// Print the JSON Schema of a call line or of a result line
    #[command(after_help = help::SCHEMA)]
    Schema(SchemaArgs),
    /// Say what was found, what is trusted, and what this machine can do
    #[command(after_help = help::DOCTOR)]
    Doctor(DoctorArgs),
    /// Try the laws of effects on your own tools and policy, with doubles in place of everything that would run
    #[command(after_help = help::DRILL)]
    Drill(DrillArgs),
    /// Print shell completions
    #[command(after_help = help::COMPLETIONS)]
    Completions(CompletionsArgs),
    /// Write the man pages into a folder
    #[command(after_help = help::MAN)]
    Man(ManArgs),
}

/// Where the tools, the policy and the principal come from.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Session")]
pub(crate) struct SessionArgs {
    /// A manifest; may be given several times [env: TGW_TOOLS, joined by `:`] [default: tools.yaml of the workspace where trusted, else of the user's folder, else the embedded one]
    #[arg(long, value_name = "FILE")]
    pub(crate) tools: Vec<PathBuf>,
    /// A policy; may be given several times, and the strictest verdict wins [env: TGW_POLICY, joined by `:`] [default: policy.yaml, as for --tools; the user's own counts besides, wherever the others come from]
    #[arg(long, value_name = "FILE")]
    pub(crate) policy: Vec<PathBuf>,
    /// The accepted tools of upstream servers, as `tgw lock` writes them [env: TGW_LOCK] [default: tgw.lock of the workspace where trusted, else of the user's folder]
    #[arg(long, value_name = "FILE")]
    pub(crate) lock: Option<PathBuf>,
    /// The folder that calls work in [env: TGW_WORKSPACE] [default: the nearest ancestor with tools.yaml, policy.yaml or .git]
    #[arg(long, value_name = "DIR")]
    pub(crate) workspace: Option<PathBuf>,
    /// The state store: a folder, or a file that ends in .db, never inside the workspace; or postgres://USER@HOST/DATABASE [env: TGW_STATE] [default: a folder for this workspace below $XDG_STATE_HOME/tgw]
    #[arg(long, value_name = "PATH")]
    pub(crate) state: Option<PathBuf>,
    /// The agent, as NAME or NAME@VERSION [env: TGW_AGENT] [default: default]
    #[arg(long, value_name = "NAME")]
    pub(crate) agent: Option<String>,
    /// The user on whose behalf the agent acts [env: TGW_USER] [default: the operating system's name for you]
    #[arg(long, value_name = "NAME")]
    pub(crate) user: Option<String>,
    /// The tenant, whose records, results and answers are kept apart from those of others [env: TGW_TENANT] [default: local]
    #[arg(long, value_name = "NAME")]
    pub(crate) tenant: Option<String>,
    /// The task: the id of one that `tgw task start` keeps, or a file with id, prompt, step, tools and data, named with a `/` or an ending such as .yaml [env: TGW_TASK] [default: a new task for each run]
    #[arg(long, value_name = "ID|FILE")]
    pub(crate) task: Option<PathBuf>,
    /// The step that the task is in, one of the policy's; not for a task that is kept, whose step is in the store [env: TGW_STEP] [default: the task file's, else the policy's initial_step]
    #[arg(long, value_name = "NAME")]
    pub(crate) step: Option<String>,
    /// What the harness states about the world, for rules that read `facts`: a JSON object [default: {}]
    #[arg(long, value_name = "JSON")]
    pub(crate) facts: Option<String>,
}

/// In which shape results are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum FormatChoice {
    /// The shape each call came in.
    Auto,
    /// tgw's own.
    Native,
    /// OpenAI chat completions.
    OpenaiChat,
    /// OpenAI Responses.
    OpenaiResponses,
    /// Anthropic Messages.
    Anthropic,
    /// Gemini.
    Gemini,
    /// Bedrock Converse.
    Bedrock,
    /// MCP.
    Mcp,
}

/// `tgw run`
#[derive(Debug, Args)]
pub(crate) struct RunArgs {
    /// The stream of calls; - or left out for stdin
    #[arg(value_name = "FILE")]
    pub(crate) file: Option<PathBuf>,
    /// Most calls that run side by side; only reads marked `parallel` do
    #[arg(long, value_name = "N", default_value_t = 8, value_parser = clap::value_parser!(u16).range(1..=256))]
    pub(crate) jobs: u16,
    /// Where a call needs a person and no terminal is attached: go on, wait for the answer, and print what became of the call as an event line
    #[arg(long)]
    pub(crate) wait_approvals: bool,
    /// Wait until what calls of this stream began elsewhere is over, and print what became of each as an event line
    #[arg(long)]
    pub(crate) wait_operations: bool,
    /// The shape of result lines; auto answers each call in the shape it came in
    #[arg(long, value_enum, default_value_t = FormatChoice::Auto, value_name = "SHAPE")]
    pub(crate) format: FormatChoice,
    #[command(flatten)]
    pub(crate) display: DisplayArgs,
    #[command(flatten)]
    pub(crate) session: SessionArgs,
}

/// Where display goes, and whether a person can be asked.
#[derive(Debug, Clone, Args)]
pub(crate) struct DisplayArgs {
    /// Where people see what happens: text (on stderr), json (on stderr, one object a line), none, fd:N (text to that descriptor), or file:PATH (text to that file, which is emptied first; a path with a slash needs no file:) [default: text where stderr is a terminal, else none]
    #[arg(long, value_name = "WHERE")]
    pub(crate) display: Option<String>,
    /// Never ask in the terminal: a call that needs a person is answered `input_required` at once
    #[arg(long)]
    pub(crate) no_prompt: bool,
}

/// `tgw call`
#[derive(Debug, Args)]
pub(crate) struct CallArgs {
    /// The tool; `tgw tools` lists them
    #[arg(value_name = "NAME")]
    pub(crate) name: String,
    /// Its arguments: a JSON object, - to read it from stdin, or @FILE to read it from a file
    #[arg(value_name = "ARGUMENTS", default_value = "{}")]
    pub(crate) arguments: String,
    #[command(flatten)]
    pub(crate) display: DisplayArgs,
    #[command(flatten)]
    pub(crate) session: SessionArgs,
}

/// `tgw check`
#[derive(Debug, Args)]
pub(crate) struct CheckArgs {
    /// The stream of calls; - or left out for stdin
    #[arg(value_name = "FILE")]
    pub(crate) file: Option<PathBuf>,
    /// Explain for a person, instead of one JSON line a call: every rule considered, with its place and the values it read
    #[arg(long)]
    pub(crate) explain: bool,
    #[command(flatten)]
    pub(crate) session: SessionArgs,
}

/// `tgw tools`
#[derive(Debug, Args)]
pub(crate) struct ToolsArgs {
    /// Print one JSON array, with descriptions and schemas, as a harness offers it to a model
    #[arg(long)]
    pub(crate) json: bool,
    /// Also list what is hidden, and what hides it
    #[arg(long)]
    pub(crate) all: bool,
    #[command(flatten)]
    pub(crate) session: SessionArgs,
}

/// Which store and tenant to look at.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Store")]
pub(crate) struct StoreArgs {
    /// The workspace, whose store is looked at [env: TGW_WORKSPACE] [default: as for `tgw run`]
    #[arg(long, value_name = "DIR")]
    pub(crate) workspace: Option<PathBuf>,
    /// The state store: a folder, a file that ends in .db, or postgres://USER@HOST/DATABASE [env: TGW_STATE] [default: that of the workspace]
    #[arg(long, value_name = "PATH")]
    pub(crate) state: Option<PathBuf>,
    /// The tenant [env: TGW_TENANT] [default: local]
    #[arg(long, value_name = "NAME")]
    pub(crate) tenant: Option<String>,
}

/// `tgw results`
#[derive(Debug, Args)]
pub(crate) struct ResultsArgs {
    /// The reference of a result, such as r_…; left out, the results that are kept are listed
    #[arg(value_name = "REF")]
    pub(crate) reference: Option<String>,
    /// The first line or row to print, counted from 1
    #[arg(long, value_name = "N", requires = "reference", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) offset: u64,
    /// Most lines or rows to print
    #[arg(long, value_name = "N", requires = "reference", default_value_t = 200, value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) limit: u64,
    /// Print only what this JSONPath (RFC 9535) selects, such as `$.lines[0:5]`
    #[arg(long, value_name = "JSONPATH", requires = "reference")]
    pub(crate) filter: Option<String>,
    /// Print the whole value, or all that --filter selects, as JSON; without REF, the list
    #[arg(long, conflicts_with_all = ["offset", "limit"])]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) store: StoreArgs,
}

/// `tgw budgets`
#[derive(Debug, Args)]
pub(crate) struct BudgetsArgs {
    /// At most this many tasks, agents, users and groups of each budget, the latest
    #[arg(long, value_name = "N", default_value_t = 50)]
    pub(crate) limit: u64,
    /// Print one JSON array
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) session: SessionArgs,
}

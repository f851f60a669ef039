//! From the command line to a command, and from its outcome to an exit code.

use std::ffi::OsString;
use std::process::ExitCode;

use clap::Parser;
use clap::error::ErrorKind;

use crate::execute::sandbox::launcher;

use super::arguments::{Cli, Command};
use super::exit::{CONFIGURATION, Failure, INTERNAL, Outcome, finish};
use super::{
    approvals, approvers, audit, budgets, call, check, doctor, drill, effects, explain, generated, init,
    keys, lock, logging, results, run, schema, state, task, tools, trust,
};

/// Runs the command line of this process.
#[must_use]
pub fn main() -> ExitCode {
    // The launcher of a confined command is this same program; it must not be taken for a command line.
    let mut arguments = std::env::args_os().skip(1);
    if arguments.next().is_some_and(|first| first == launcher::ARGUMENT) {
        launcher::main(arguments);
    }
    let cli = match Cli::try_parse_from(help_last(std::env::args_os().collect())) {
        Ok(cli) => cli,
        Err(error) => {
            // A closed stdout or stderr leaves nobody to tell.
            let _ = error.print();
            return match error.kind() {
                ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => ExitCode::SUCCESS,
                _ => ExitCode::from(CONFIGURATION),
            };
        }
    };
    let outcome = std::panic::catch_unwind(|| dispatch(&cli)).unwrap_or_else(|_| {
        Err(Failure {
            status: INTERNAL,
            message: "a defect of tgw ended this run".to_owned(),
            hint: Some("please report it with the lines above; what ran is in `tgw audit list`".to_owned()),
        })
    });
    finish(outcome)
}

/// `tgw help COMMAND` as `tgw COMMAND --help`.
fn help_last(mut typed: Vec<OsString>) -> Vec<OsString> {
    if typed.get(1).is_some_and(|first| first == "help") {
        typed.remove(1);
        typed.push("--help".into());
    }
    typed
}

fn dispatch(cli: &Cli) -> Outcome {
    logging::start(&cli.logging)?;
    let colour = cli.logging.color;
    match &cli.command {
        Command::Run(arguments) => run::run(arguments, colour),
        Command::Call(arguments) => call::call(arguments, colour),
        Command::Check(arguments) => check::check(arguments, colour),
        Command::Tools(arguments) => tools::tools(arguments),
        Command::Results(arguments) => results::results(arguments),
        Command::Approvals(arguments) => approvals::approvals(arguments, colour),
        Command::Approvers(arguments) => approvers::approvers(arguments),
        Command::Keys(arguments) => keys::keys(arguments),
        Command::Effects(arguments) => effects::effects(arguments),
        Command::Task(arguments) => task::task(arguments),
        Command::Budgets(arguments) => budgets::budgets(arguments),
        Command::State(arguments) => state::state(arguments),
        Command::Audit(arguments) => audit::audit(arguments),
        Command::Init(arguments) => init::init(arguments),
        Command::Trust(arguments) => trust::trust(arguments),
        Command::Lock(arguments) => lock::lock(arguments, colour),
        Command::Explain(arguments) => explain::explain(arguments),
        Command::Schema(arguments) => schema::schema(arguments),
        Command::Drill(arguments) => drill::drill(arguments),
        Command::Doctor(arguments) => doctor::doctor(arguments),
        Command::Completions(arguments) => generated::completions(arguments),
        Command::Man(arguments) => generated::man(arguments),
    }
}

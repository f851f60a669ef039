//! Parse, run, exit.

use std::process::ExitCode;

fn main() -> ExitCode {
    tgw::cli::main()
}

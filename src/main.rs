//! Parse, run, exit.

use std::process::ExitCode;

/// A decision makes and drops some sixty small values; the system's allocator took a fifth of its time.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    tgw::cli::main()
}

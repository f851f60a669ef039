//! The program as its users, and its adversaries, meet it: each test runs the real binary and demands exactly what it prints.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::disallowed_methods,
    reason = "a test ends where something is not as it must be, and runs programs as a user does"
)]

mod approvals;
mod architecture;
mod attacks;
mod cases;
mod cli;
mod corpus;
mod crash;
mod documents;
mod harness;
mod http;
mod pipeline;
mod place;
mod procurement;
mod pty;
mod readme;
mod say;
mod server;
mod shared;
mod telemetry;
mod terminal;
mod upstream;

//! The tool gateway: one boundary between a model's words and a real effect.
//!
//! A call travels through the modules below in order, and each stage is a type
//! that only the stage before it can produce:
//!
//! ```text
//! wire        bytes            → CallRequest
//! catalog     CallRequest      → ResolvedCall     exists, is visible
//! validate    ResolvedCall     → ValidatedCall    schema, defaults, server-side checks
//! policy      &ValidatedCall   → Decision         pure
//! authorize   ValidatedCall    → AuthorizedCall   decision, and the grant where one is needed
//! state       &AuthorizedCall  → Reservation      grant consumed, intent in the audit chain
//! execute     AuthorizedCall   → Captured         under deadline and byte cap
//! present     Captured         → Presented        interpret, redact, bound, render
//! gateway     Presented        → Reply            with the receipt of its record
//! ```
//!
//! Modules are listed in layer order: each may import only from those above it
//! in this list. A test (`tests/it/architecture.rs`) holds that order.

#![deny(unsafe_code)]

pub mod ident;
pub mod clock;
pub mod kernel;
pub mod code;
pub mod telemetry;
pub mod text;
pub mod signature;
pub mod diagnostic;
pub mod document;
pub mod expression;
pub mod wire;
pub mod workspace;
pub mod catalog;
pub mod validate;
pub mod policy;
pub mod secret;
pub mod present;
pub mod mcp;
pub mod approval;
pub mod authorize;
pub mod execute;
pub mod state;
pub mod audit;
pub mod session;
pub mod gateway;
pub mod lines;
pub mod schedule;
pub mod drill;
pub mod cli;

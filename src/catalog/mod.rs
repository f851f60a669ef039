//! Manifests, loaded and resolved: which tools there are, and which of them a principal sees.

pub(crate) mod annotations;
mod builtin;
mod command;
mod compiled;
mod contract;
pub(crate) mod declarations;
mod digest;
mod examples;
mod http;
mod idempotency;
mod load;
mod lock;
mod masks;
mod manifest;
mod network;
mod operation;
mod pattern;
mod probes;
mod resolve;
mod schema;
mod scope;
mod server;

pub use annotations::{Existence, ServerCheck};
pub use builtin::BuiltinName;
pub use command::{
    ArgumentPart, CommandSpec, EnvironmentEntry, NetworkRule, OutputFormat, Overflow, SandboxLevel,
    SandboxRequest, StdinSpec, Streams,
};
pub use compiled::{CompiledSchema, SchemaError};
pub use contract::{
    Contract, ContractError, CredentialSource, CredentialSpec, ExecutionMode, Keep, MintSpec, ObjectSpec,
    ResultSpec, Risk, Run, Schema, Timeout, Trust,
};
pub use digest::Digest;
pub use http::{HttpAuth, HttpBodySpec, HttpField, HttpPart, HttpProxy, HttpSpec, HttpTls, Redirects};
pub use idempotency::{AbsenceSpec, Idempotency, KeyRetry, KeySpec, ReconcileSpec, SendAs};
pub use load::{Catalog, EMBEDDED_MANIFEST, LockFile, ManifestFile};
pub use lock::{Lock, LockedServer, LockedTool};
pub use masks::{Masks, Personal, PersonalKind, Waiver, shape_kinds};
pub use network::{Network, canonical};
pub use operation::{OperationSpec, OperationState};
pub use pattern::NamePattern;
pub use probes::{JsonTemplate, PreconditionSpec, ProbePurpose, ProbeSpec, VerifySpec};
pub(crate) use resolve::refusal;
pub use resolve::{ResolvedCall, Unresolved};
pub use scope::{Limit, LimitSource, Scope, TaskContext, TaskSpan};
pub use server::{McpSpec, ServerSpec, exposed_name};

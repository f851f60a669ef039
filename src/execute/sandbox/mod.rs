//! Where a command runs: which level of confinement there is, which one a call gets, and how it is put in place.
//!
//! The ladder, strongest first: `isolated` (own namespaces, through bubblewrap), `confined` (Landlock and seccomp),
//! `none`. Each level either holds in full or counts as absent.

mod capability;
mod guarded;
pub mod launcher;
mod places;
mod private;
mod profile;
mod toolchain;
mod unreachable;

pub use capability::Capability;
pub(super) use places::{aftermath, specification};
pub use profile::{SandboxProfile, resolve_profile, server_profile};
pub(super) use toolchain::holds;
pub(super) use unreachable::{advice, refused_by_sandbox};

#[cfg(test)]
mod tests;

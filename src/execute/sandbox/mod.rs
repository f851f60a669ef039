//! Where a command runs: which level of confinement there is, which one a call gets, and how it is put in place.
//!
//! The ladder, strongest first: `isolated` (own namespaces, through bubblewrap), `confined` (Landlock and seccomp),
//! `none`. Each level either holds in full or counts as absent.

mod capability;
mod guarded;
pub mod launcher;
mod places;
mod profile;
mod toolchain;

pub use capability::Capability;
pub(super) use places::specification;
pub use profile::{SandboxProfile, resolve_profile};

#[cfg(test)]
mod tests;

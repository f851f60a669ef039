//! The Landlock rules of a command. Everything asked of the kernel is a hard requirement: a kernel that lacks a part of
//! it offers no such level.

use std::io;

use landlock::{
    ABI, Access as _, AccessFs, AccessNet, BitFlags, CompatLevel, Compatible, PathBeneath, Ruleset,
    RulesetAttr, RulesetCreated, RulesetCreatedAttr, Scope,
};

use super::grants::{Access, Grants};
use super::{Network, Specification, grants};

/// The first version of Landlock that covers files, device controls, TCP, signals and abstract sockets.
pub(in crate::execute::sandbox) const REQUIRED: ABI = ABI::V6;

/// Builds the rules of a specification, to be put in force by the command's process.
pub(super) fn ruleset(specification: &Specification, private: &Grants) -> io::Result<RulesetCreated> {
    let mut ruleset = empty(specification.network)?;
    let grants = grants::collect(specification)?;
    for grant in grants.list.iter().chain(&private.list) {
        let wanted = rights(grant.access);
        let access = if grant.directory { wanted } else { wanted & AccessFs::from_file(REQUIRED) };
        if !access.is_empty() {
            ruleset = ruleset.add_rule(PathBeneath::new(&grant.handle, access)).map_err(io::Error::other)?;
        }
    }
    Ok(ruleset)
}

/// Rules that grant nothing.
fn empty(network: Network) -> io::Result<RulesetCreated> {
    let handled = Ruleset::default()
        .set_compatibility(CompatLevel::HardRequirement)
        .handle_access(AccessFs::from_all(REQUIRED))
        .and_then(|ruleset| ruleset.scope(Scope::from_all(REQUIRED)))
        .and_then(|ruleset| match network {
            Network::None => ruleset.handle_access(AccessNet::from_all(REQUIRED)),
            Network::Open => Ok(ruleset),
        });
    handled.and_then(Ruleset::create).map_err(io::Error::other)
}

fn rights(access: Access) -> BitFlags<AccessFs> {
    match access {
        Access::List => AccessFs::ReadDir.into(),
        Access::Read => AccessFs::from_read(REQUIRED),
        // Making a device gives access to the device, whatever is granted for its path.
        Access::Write => {
            AccessFs::from_all(REQUIRED) & !(AccessFs::MakeChar | AccessFs::MakeBlock | AccessFs::IoctlDev)
        }
    }
}

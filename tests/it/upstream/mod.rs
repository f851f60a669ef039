//! Upstream servers over their standard streams: their tools are contracts like any other. Tests of cases that broke a
//! system of this kind somewhere begin with the number of the case.

mod asking;
mod lifetime;
mod locking;
mod outcomes;
pub(crate) mod peer;
mod results;
mod versions;

use serde_json::json;

use crate::harness::Space;

/// The program that serves, with these flags, as YAML.
pub(crate) fn server(flags: &[&str]) -> String {
    let program = std::env::current_exe().unwrap();
    let mut argv = vec![program.display().to_string(), "__peer".to_owned()];
    argv.extend(flags.iter().map(|flag| (*flag).to_owned()));
    json!(argv).to_string()
}

/// What a person says of the tools that only look, as YAML.
pub(crate) const READS: &str = "echo: {risk: read_only, execution_mode: parallel}, raw: {risk: read_only}, env: {risk: read_only}, big: {risk: read_only}, \
     typed: {risk: read_only}, progress: {risk: read_only}, stray: {risk: read_only, timeout: 300ms}, change: {risk: read_only}, ask: {risk: read_only}, \
     spawn: {risk: read_only}";

/// A space with one server `peer` whose tools are accepted. `rest` are further keys of the server.
pub(crate) fn peer(flags: &[&str], rest: &str, policy: &str) -> Space {
    let space = declared(flags, rest, policy);
    accept(&space);
    space
}

/// The same, with nothing accepted yet.
pub(crate) fn declared(flags: &[&str], rest: &str, policy: &str) -> Space {
    let rest = if rest.is_empty() { String::new() } else { format!(", {rest}") };
    let tools = format!("version: 1\nservers:\n  peer: {{command: {}, prefix: p{rest}}}\n", server(flags));
    Space::with(&tools, policy)
}

/// Accepts whatever the servers of a space offer.
pub(crate) fn accept(space: &Space) -> String {
    lock(space, &["--yes"]).text()
}

/// `tgw lock` on the files beside the workspace.
pub(crate) fn lock<'s>(space: &'s Space, arguments: &[&str]) -> crate::harness::Run<'s> {
    let files = [space.beside("files/tools.yaml"), space.beside("files/tgw.lock")]
        .map(|path| path.display().to_string());
    space.tgw(["lock"]).and(&["--tools", &files[0], "--lock", &files[1]]).and(arguments)
}

//! Names of environment variables: well-formed, and none that decides which code a program loads.

use crate::diagnostic::{Diagnostic, Report};
use crate::document::Node;

/// Variables that make a program load or run other code.
const LOADERS: &[&str] = &[
    "BASHOPTS",
    "BASH_ENV",
    "CDPATH",
    "CLASSPATH",
    "ENV",
    "GCONV_PATH",
    "GIT_ASKPASS",
    "GIT_DIR",
    "GIT_EDITOR",
    "GIT_EXEC_PATH",
    "GIT_EXTERNAL_DIFF",
    "GIT_PAGER",
    "GIT_PROXY_COMMAND",
    "GIT_SEQUENCE_EDITOR",
    "GIT_SSH",
    "GIT_SSH_COMMAND",
    "GIT_TEMPLATE_DIR",
    "GLIBC_TUNABLES",
    "IFS",
    "JAVA_TOOL_OPTIONS",
    "JDK_JAVA_OPTIONS",
    "LOCPATH",
    "LUA_CPATH",
    "LUA_INIT",
    "LUA_PATH",
    "NLSPATH",
    "NODE_OPTIONS",
    "NODE_PATH",
    "PERL5DB",
    "PERL5LIB",
    "PERL5OPT",
    "PERLLIB",
    "PHPRC",
    "PHP_INI_SCAN_DIR",
    "PROMPT_COMMAND",
    "PS4",
    "PYTHONHOME",
    "PYTHONINSPECT",
    "PYTHONPATH",
    "PYTHONSTARTUP",
    "RUBYLIB",
    "RUBYOPT",
    "SHELLOPTS",
    "SSH_ASKPASS",
    "ZDOTDIR",
    "_JAVA_OPTIONS",
];

/// Beginnings of such names.
const LOADER_PREFIXES: &[&str] = &["BASH_FUNC_", "DYLD_", "GIT_CONFIG", "LD_", "MALLOC_"];

/// Checks the name of a variable that a child gets, whether from the contract or from the gateway's own environment.
pub(super) fn check(name: &str, node: &Node, report: &mut Report) -> bool {
    let first = |c: char| c.is_ascii_alphabetic() || c == '_';
    let rest = |c: char| c.is_ascii_alphanumeric() || c == '_';
    if !name.starts_with(first) || !name.chars().all(rest) {
        let message = format!("`{name}` is not the name of an environment variable");
        report.push(
            Diagnostic::error(node.span, message)
                .with_hint("letters, digits and `_`, not starting with a digit"),
        );
        return false;
    }
    if LOADERS.contains(&name) || LOADER_PREFIXES.iter().any(|prefix| name.starts_with(prefix)) {
        let message =
            format!("`{name}` decides which code a program runs, so no contract may set or pass it");
        report.push(
            Diagnostic::error(node.span, message).with_hint("name the program or its options in `argv`"),
        );
        return false;
    }
    true
}

//! Whether the sources of credentials are there.

use std::path::Path;

use crate::catalog::{CredentialSource, CredentialSpec};
use crate::document::write_duration;
use crate::execute::check_program;
use crate::secret::file_problem;
use crate::session::Session;
use crate::state::PassKeyError;

use super::{Finding, State};

/// Whether a credential's source is there. Its value is not looked at, and no program is run.
pub(super) fn finding(spec: &CredentialSpec, session: &Session, root: &Path) -> Finding {
    let (good, text, hint) = look(&spec.source, spec, session, root);
    let state = if good { State::Good } else { State::Problem };
    let finding = Finding::new("credential", state, format!("{}: {text}", spec.name));
    match hint {
        Some(hint) => finding.with_hint(hint),
        None => finding,
    }
}

fn look(
    source: &CredentialSource,
    spec: &CredentialSpec,
    session: &Session,
    root: &Path,
) -> (bool, String, Option<String>) {
    match source {
        CredentialSource::Env(name) => {
            let there = std::env::var_os(name).is_some_and(|value| !value.is_empty());
            (there, format!("variable {name} is {}", if there { "set" } else { "not set" }), None)
        }
        CredentialSource::File(path) => {
            let problem = file_problem(path, Path::new(&*spec.location.file));
            let said = problem.unwrap_or("its file can be used");
            (problem.is_none(), format!("file {}: {said}", path.display()), None)
        }
        CredentialSource::Command(argv) => {
            let name = argv.first().map(String::as_str).unwrap_or_default();
            match check_program(name, Path::new(""), &session.environment, root) {
                Ok(()) => (true, format!("command {name}, run when needed"), None),
                Err(error) => (false, error.message, None),
            }
        }
        CredentialSource::Mint(mint) => match session.pass_keys.current(session.workspace.root()) {
            Ok(key) => {
                let (lifetime, kid) = (write_duration(mint.lifetime), key.public().thumbprint());
                (true, format!("passes for {}, {lifetime} each, signed with {kid}", mint.audience), None)
            }
            Err(error) => (false, error.to_string(), Some(key_hint(&error, session))),
        },
    }
}

fn key_hint(error: &PassKeyError, session: &Session) -> String {
    let file = session.pass_keys.file();
    match error {
        PassKeyError::Missing => "make one: `tgw keys generate`".to_owned(),
        PassKeyError::InWorkspace => format!(
            "keep `{}` out of the workspace: set XDG_STATE_HOME to a folder elsewhere, and make a new key",
            file.display()
        ),
        PassKeyError::Unusable(_) | PassKeyError::NoSuchKey(_) => format!(
            "`{}` must be a file of mode 600 that is yours, as `tgw keys generate` wrote it; where others could read it, \
             remove it and make a new one",
            file.display()
        ),
    }
}

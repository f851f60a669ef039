//! Passes of calls that are about to run.

use crate::audit;
use crate::catalog::MintSpec;
use crate::secret::{CredentialUse, Minted, PassSubject, mint};
use crate::state::PassKeyError;
use crate::validate::ValidatedCall;

use super::Gateway;

/// Most bytes of a pass: what a line of a request may hold at most servers. The id of an object is as long as a model makes it.
const MOST_BYTES: usize = 8 << 10;

impl Gateway<'_> {
    /// Makes a pass that is bound to one call, with the key that is in use at this instant.
    ///
    /// # Errors
    /// Why there is none, as a model may see it.
    pub(super) fn mint(&self, spec: &MintSpec, call: &ValidatedCall) -> Result<Minted, &'static str> {
        let session = self.session;
        let key = session.pass_keys.current(session.workspace.root()).map_err(|error| match error {
            PassKeyError::Missing => "there is no key to sign passes with",
            PassKeyError::InWorkspace => "the key to sign passes with lies in the workspace",
            error @ (PassKeyError::Unusable(_) | PassKeyError::NoSuchKey(_)) => {
                tracing::error!(%error, "no pass can be signed");
                "the key to sign passes with is not used"
            }
        })?;
        let id = self.random.borrow_mut().id("p_").map_err(|_| "the system has no randomness to give")?;
        let contract = call.contract();
        let object = contract.object.as_ref().map(|object| {
            let before = object.before.as_ref();
            (&*object.kind, before.and_then(|id| id.render_text(&self.bindings(call)).ok()))
        });
        let subject = PassSubject {
            principal: &session.principal,
            task: &session.task.id,
            tool: &contract.name,
            version: contract.version.as_deref(),
            action: contract.risk,
            object,
            arguments: call.arguments(),
            call: call.id(),
        };
        let minted = mint(spec, &subject, &id, session.clock.now(), &key);
        if minted.pass.len() > MOST_BYTES {
            return Err("its pass would be longer than 8 KiB, since the id of the call's object is long");
        }
        Ok(minted)
    }
}

/// What the audit says of the credentials of a call.
pub(super) fn credential_notes(used: &[CredentialUse]) -> Vec<audit::CredentialUse<'_>> {
    used.iter()
        .map(|used| audit::CredentialUse {
            name: &used.name,
            source: used.source,
            key: used.key.as_deref(),
            expires: used.expires,
        })
        .collect()
}

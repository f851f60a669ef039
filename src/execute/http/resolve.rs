//! From a host to the addresses that may be connected to. What is checked here is what is connected to: no name is asked twice.

use std::net::{IpAddr, SocketAddr};

use crate::catalog::Network;
use crate::code::{CallError, ErrorCode};

use super::guard;

/// Where addresses of names come from.
#[derive(Default)]
pub(super) enum Resolver {
    /// The system.
    #[default]
    System,
    /// Answers in order, the last one for good.
    #[cfg(test)]
    Fixed(std::cell::RefCell<Vec<Vec<IpAddr>>>),
}

impl Resolver {
    async fn addresses(&self, host: &str, port: u16) -> Result<Vec<IpAddr>, CallError> {
        if let Ok(address) = host.parse() {
            return Ok(vec![address]);
        }
        match self {
            Self::System => {
                let found = tokio::net::lookup_host((host, port)).await;
                let found = found.map(|found| found.map(|address| address.ip()).collect::<Vec<_>>());
                let unknown = || {
                    CallError::new(
                        ErrorCode::BackendUnavailable,
                        format!("`{host}` has no address: its name is not known"),
                    )
                    .with_hint("call again later, or ask the person whether the name is right")
                };
                found.ok().filter(|found| !found.is_empty()).ok_or_else(unknown)
            }
            #[cfg(test)]
            Self::Fixed(answers) => {
                let mut answers = answers.borrow_mut();
                Ok(if answers.len() > 1 { answers.remove(0) } else { answers[0].clone() })
            }
        }
    }

    /// The addresses of a host that a request may be sent to.
    ///
    /// # Errors
    /// `BACKEND_UNAVAILABLE` where the name has no address, `PERMISSION_DENIED` where none of them may be reached.
    pub(super) async fn permitted(
        &self,
        host: &str,
        port: u16,
        networks: &[Network],
    ) -> Result<Vec<SocketAddr>, CallError> {
        let found = self.addresses(host, port).await?;
        let mut refused = None;
        let mut permitted = Vec::new();
        for address in found {
            match guard::check(address, networks) {
                Ok(()) => permitted.push(SocketAddr::new(address, port)),
                Err(what) => refused = Some(what),
            }
        }
        match refused {
            Some(what) if permitted.is_empty() => Err(CallError::new(
                ErrorCode::PermissionDenied,
                format!("`{host}` has an address {what}, and the contract does not name that network"),
            )
            .with_hint("if the tool is meant to reach it, its contract says `networks`")),
            _ => Ok(permitted),
        }
    }
}

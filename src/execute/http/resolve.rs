//! From a host to the addresses that may be connected to. What is checked here is what is connected to: no name is asked twice.

use std::net::{IpAddr, SocketAddr, ToSocketAddrs as _};

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
                let found = looked_up(host.to_owned(), port).await;
                let unknown = || {
                    CallError::new(
                        ErrorCode::BackendUnavailable,
                        format!("`{host}` has no address: its name is not known"),
                    )
                    .with_hint("call again later, or ask the person whether the name is right")
                };
                found.filter(|found| !found.is_empty()).ok_or_else(unknown)
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

/// Asks the system on a thread of its own. It may answer long after the deadline; a thread that nobody waits for holds up
/// neither the call nor the end of the program.
async fn looked_up(host: String, port: u16) -> Option<Vec<IpAddr>> {
    let (answer, told) = tokio::sync::oneshot::channel();
    let asking = std::thread::Builder::new().name("resolve".to_owned()).spawn(move || {
        let found = (host.as_str(), port).to_socket_addrs();
        // Nobody waits any more where the deadline has passed.
        drop(answer.send(found.ok().map(|found| found.map(|address| address.ip()).collect())));
    });
    asking.ok()?;
    told.await.ok().flatten()
}

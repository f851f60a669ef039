//! Connections that are kept open between calls, for those that may be sent twice.

use std::cell::{OnceCell, RefCell};
use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use hyper::client::conn::{http1, http2};
use rustls::{ClientConfig, RootCertStore};
use sha2::{Digest as _, Sha256};
use tokio::time::Instant;

use crate::catalog::Network;
use crate::code::CallError;

use super::deliver::Payload;
use super::guard;
use super::resolve::Resolver;
use super::tls::{self, Material};

/// Most connections of one kind that wait.
const MOST_IDLE: usize = 8;
/// How long a connection waits for its next request.
const LONGEST_IDLE: Duration = Duration::from_secs(30);
/// Most different settings of encryption that are kept.
const MOST_SETTINGS: usize = 64;

/// What sends requests over a connection.
pub(super) enum Sender {
    One(http1::SendRequest<Payload>),
    Two(http2::SendRequest<Payload>),
}

/// The connections of one gateway, and what they are made with.
#[derive(Default)]
pub struct Connections {
    idle: RefCell<HashMap<String, Vec<Idle>>>,
    settings: RefCell<HashMap<[u8; 32], Arc<ClientConfig>>>,
    system: OnceCell<Arc<RootCertStore>>,
    pub(super) resolver: Resolver,
}

struct Idle {
    sender: Sender,
    peer: std::net::IpAddr,
    since: Instant,
}

impl Connections {
    /// The settings of encryption with this material, and their digest.
    pub(super) fn encryption(
        &self,
        material: Material<'_>,
        protocols: &[&[u8]],
    ) -> Result<(Arc<ClientConfig>, [u8; 32]), CallError> {
        let mut digest = Sha256::new();
        for part in [material.roots, material.identity] {
            digest.update(part.map_or(0, |part| part.len() as u64 + 1).to_be_bytes());
            digest.update(part.unwrap_or_default());
        }
        protocols.iter().for_each(|protocol| digest.update(protocol));
        let digest: [u8; 32] = digest.finalize().into();
        if let Some(known) = self.settings.borrow().get(&digest) {
            return Ok((Arc::clone(known), digest));
        }
        let system = || Arc::clone(self.system.get_or_init(|| Arc::new(tls::system_roots())));
        let made = tls::settings(material, system, protocols)?;
        let mut settings = self.settings.borrow_mut();
        if settings.len() >= MOST_SETTINGS {
            settings.clear();
        }
        settings.insert(digest, Arc::clone(&made));
        Ok((made, digest))
    }

    /// A connection that waits, where it leads to an address that these networks allow.
    pub(super) fn take(&self, key: &str, networks: &[Network]) -> Option<(Sender, std::net::IpAddr)> {
        let mut idle = self.idle.borrow_mut();
        let waiting = idle.get_mut(key)?;
        waiting.retain(|one| one.since.elapsed() < LONGEST_IDLE && !one.sender.is_closed());
        let at = waiting.iter().rposition(|one| guard::check(one.peer, networks).is_ok())?;
        let one = waiting.remove(at);
        if let Sender::Two(shared) = &one.sender {
            // Many requests go over one of these at once.
            let again = Idle { sender: Sender::Two(shared.clone()), peer: one.peer, since: one.since };
            waiting.push(again);
        }
        Some((one.sender, one.peer))
    }

    /// Keeps a connection for a later call.
    pub(super) fn keep(&self, key: String, sender: Sender, peer: std::net::IpAddr) {
        let mut idle = self.idle.borrow_mut();
        let waiting = idle.entry(key).or_default();
        if let Sender::Two(_) = sender {
            waiting.retain(|one| matches!(one.sender, Sender::One(_)));
        }
        if waiting.len() < MOST_IDLE {
            waiting.push(Idle { sender, peer, since: Instant::now() });
        }
    }
}

impl Sender {
    fn is_closed(&self) -> bool {
        match self {
            Self::One(sender) => sender.is_closed(),
            Self::Two(sender) => sender.is_closed(),
        }
    }
}

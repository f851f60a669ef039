//! Certificates: the service's is always checked, against the system's authorities or those that the contract names.

use std::sync::Arc;

use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{ClientConfig, RootCertStore};

use crate::code::{CallError, ErrorCode};

/// What a connection is encrypted with: PEM texts.
#[derive(Clone, Copy, Default)]
pub(super) struct Material<'a> {
    /// The authorities that are trusted in place of the system's.
    pub(super) roots: Option<&'a [u8]>,
    /// What the service is shown: a chain and its key.
    pub(super) identity: Option<&'a [u8]>,
}

/// The authorities that the system trusts.
pub(super) fn system_roots() -> RootCertStore {
    let mut roots = RootCertStore::empty();
    // Certificates of the system that are of no use are many, and none of them is needed.
    roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    roots
}

/// Makes the settings of a connection.
///
/// # Errors
/// `CREDENTIAL_UNAVAILABLE` where what the contract names cannot be used.
pub(super) fn settings(
    material: Material<'_>,
    system: impl FnOnce() -> Arc<RootCertStore>,
    protocols: &[&[u8]],
) -> Result<Arc<ClientConfig>, CallError> {
    let roots = match material.roots {
        None => system(),
        Some(pem) => {
            let mut roots = RootCertStore::empty();
            for certificate in certificates(pem, "roots")? {
                roots.add(certificate).map_err(|error| unusable("roots", &error))?;
            }
            Arc::new(roots)
        }
    };
    if roots.is_empty() {
        return Err(unusable("roots", &"no certificate is trusted"));
    }
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| CallError::new(ErrorCode::Internal, error.to_string()))?
        .with_root_certificates(roots);
    let mut config = match material.identity {
        None => builder.with_no_client_auth(),
        Some(pem) => {
            let chain = certificates(pem, "identity")?;
            let key =
                PrivateKeyDer::from_pem_slice(pem).map_err(|_| unusable("identity", &"it holds no key"))?;
            builder
                .with_client_auth_cert(chain, key)
                .map_err(|_| unusable("identity", &"its certificate and its key do not fit"))?
        }
    };
    config.alpn_protocols = protocols.iter().map(|protocol| protocol.to_vec()).collect();
    Ok(Arc::new(config))
}

fn certificates(pem: &[u8], what: &str) -> Result<Vec<CertificateDer<'static>>, CallError> {
    let found: Vec<_> = CertificateDer::pem_slice_iter(pem)
        .collect::<Result<_, _>>()
        .map_err(|_| unusable(what, &"it is no PEM text"))?;
    if found.is_empty() { Err(unusable(what, &"it holds no certificate")) } else { Ok(found) }
}

fn unusable(what: &str, why: &dyn std::fmt::Display) -> CallError {
    CallError::new(ErrorCode::CredentialUnavailable, format!("`tls.{what}` cannot be used: {why}"))
        .with_hint("it is the PEM text of certificates; for `identity` with the key")
}

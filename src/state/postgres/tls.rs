//! Encryption: the server's certificate and name are checked, always.

use std::path::Path;
use std::sync::Arc;

use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{ClientConfig, RootCertStore};
use tokio_postgres_rustls::MakeRustlsConnect;

use crate::state::StoreError;

use super::server::Tls;

/// What connects with encryption.
///
/// # Errors
/// When a file that the address names cannot be used, or no certificate is trusted.
pub(super) fn connector(tls: &Tls) -> Result<MakeRustlsConnect, StoreError> {
    let mut roots = RootCertStore::empty();
    match &tls.roots {
        Some(path) => {
            for certificate in certificates(path)? {
                roots.add(certificate).map_err(|error| unusable(path, error))?;
            }
        }
        // Certificates of the system that are of no use are many, and none of them is needed.
        None => drop(roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs)),
    }
    if roots.is_empty() {
        return Err(StoreError::Unavailable(
            "no certificate is trusted: name a file of them with `sslrootcert`".to_owned(),
        ));
    }
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| StoreError::Unavailable(error.to_string()))?
        .with_root_certificates(roots);
    let config = match &tls.identity {
        None => builder.with_no_client_auth(),
        Some((certificate, key)) => {
            let shown = certificates(certificate)?;
            let secret = PrivateKeyDer::from_pem_file(key).map_err(|error| unusable(key, error))?;
            builder.with_client_auth_cert(shown, secret).map_err(|error| unusable(certificate, error))?
        }
    };
    Ok(MakeRustlsConnect::new(config))
}

fn certificates(path: &Path) -> Result<Vec<CertificateDer<'static>>, StoreError> {
    CertificateDer::pem_file_iter(path).and_then(Iterator::collect).map_err(|error| unusable(path, error))
}

fn unusable(path: &Path, error: impl std::fmt::Display) -> StoreError {
    StoreError::Unavailable(format!("`{}` cannot be used: {error}", path.display()))
}

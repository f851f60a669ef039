//! The address of a server, as `--state` names it.

use std::fmt;
use std::net::IpAddr;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::time::Duration;

use tokio_postgres::Config;
use tokio_postgres::config::{Host, SslMode, TargetSessionAttrs};

/// How long a process waits for a connection, where the address does not say.
const CONNECT: Duration = Duration::from_secs(10);

/// A PostgreSQL server, the database on it, and how it is reached.
#[derive(Clone)]
pub struct Server {
    pub(super) config: Config,
    pub(super) tls: Tls,
}

/// What a connection is encrypted with; the server's name and certificate are always checked.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Tls {
    /// The certificates to trust in place of the system's.
    pub(super) roots: Option<PathBuf>,
    /// The certificate that this process shows, and its key.
    pub(super) identity: Option<(PathBuf, PathBuf)>,
}

/// Why a text is no address of a store. It never holds a password.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{problem}")]
pub struct InvalidServer {
    /// What is wrong.
    pub problem: String,
    /// What to write instead.
    pub hint: &'static str,
}

fn invalid(problem: impl Into<String>, hint: &'static str) -> InvalidServer {
    InvalidServer { problem: problem.into(), hint }
}

impl Server {
    /// Takes a password where the address has none.
    #[must_use]
    pub fn or_password(mut self, password: Option<String>) -> Self {
        if self.config.get_password().is_none()
            && let Some(password) = password
        {
            self.config.password(password);
        }
        self
    }
}

impl FromStr for Server {
    type Err = InvalidServer;

    /// Reads `postgres://USER:PASSWORD@HOST:PORT/DATABASE?PARAMETERS`.
    ///
    /// Beside the parameters of the client library there are `sslmode` (`disable`, `require` or `verify-full`),
    /// `sslrootcert`, `sslcert` and `sslkey`. Without `sslmode`, only a socket or an address of this machine is reached
    /// without encryption.
    fn from_str(text: &str) -> Result<Self, InvalidServer> {
        if !text.starts_with("postgres://") && !text.starts_with("postgresql://") {
            return Err(invalid(
                "no store is reached that way",
                "name a folder, a .db file, or postgres://USER@HOST/DATABASE",
            ));
        }
        let (address, query) = text.split_once('?').unwrap_or((text, ""));
        let (mut mode, mut roots, mut certificate, mut key) = (None, None, None, None);
        let mut others = Vec::new();
        for parameter in query.split('&').filter(|parameter| !parameter.is_empty()) {
            match parameter.split_once('=') {
                Some(("sslmode", value)) => mode = Some(value),
                Some(("sslrootcert", value)) => roots = Some(decoded(value)),
                Some(("sslcert", value)) => certificate = Some(decoded(value)),
                Some(("sslkey", value)) => key = Some(decoded(value)),
                _ => others.push(parameter),
            }
        }
        let plain =
            if others.is_empty() { address.to_owned() } else { format!("{address}?{}", others.join("&")) };
        let mut config: Config = plain.parse().map_err(|error: tokio_postgres::Error| {
            let cause = std::error::Error::source(&error).map(ToString::to_string).unwrap_or_default();
            invalid(format!("the address of the store cannot be read: {cause}"), SHAPE)
        })?;
        if config.get_hosts().is_empty() {
            return Err(invalid("the address of the store names no host", SHAPE));
        }
        let identity = match (certificate, key) {
            (Some(certificate), Some(key)) => Some((certificate, key)),
            (None, None) => None,
            _ => return Err(invalid("`sslcert` and `sslkey` go together", "name both, or none")),
        };
        config.ssl_mode(match mode {
            Some("disable") => SslMode::Disable,
            Some("require" | "verify-full") => SslMode::Require,
            Some(other) => {
                return Err(invalid(
                    format!("`sslmode={}` is not known here", other.escape_debug()),
                    "one of disable, require, verify-full; the last two are the same, since the certificate is always checked",
                ));
            }
            None if config.get_hosts().iter().all(is_here) => SslMode::Disable,
            None => SslMode::Require,
        });
        if config.get_connect_timeout().is_none() {
            config.connect_timeout(CONNECT);
        }
        if config.get_application_name().is_none() {
            config.application_name("tgw");
        }
        // A server that only follows another one keeps nothing.
        config.target_session_attrs(TargetSessionAttrs::ReadWrite);
        Ok(Self { config, tls: Tls { roots, identity } })
    }
}

const SHAPE: &str = "write postgres://USER:PASSWORD@HOST:PORT/DATABASE, with special characters as %XX";

/// Whether nothing between this process and a host could listen.
fn is_here(host: &Host) -> bool {
    match host {
        Host::Unix(_) => true,
        Host::Tcp(name) => {
            name == "localhost" || name.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
        }
    }
}

/// A value of the query with its `%XX` read.
fn decoded(value: &str) -> PathBuf {
    let mut bytes = Vec::with_capacity(value.len());
    let mut rest = value.as_bytes();
    while let Some((&first, after)) = rest.split_first() {
        let escape = after.get(..2).and_then(|two| str::from_utf8(two).ok());
        match escape.filter(|_| first == b'%').and_then(|two| u8::from_str_radix(two, 16).ok()) {
            Some(byte) => {
                bytes.push(byte);
                rest = after.get(2..).unwrap_or_default();
            }
            None => {
                bytes.push(first);
                rest = after;
            }
        }
    }
    use std::os::unix::ffi::OsStrExt;
    Path::new(std::ffi::OsStr::from_bytes(&bytes)).to_path_buf()
}

/// Without a password.
impl fmt::Display for Server {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("postgres://")?;
        if let Some(user) = self.config.get_user() {
            write!(formatter, "{user}@")?;
        }
        let mut ports = self.config.get_ports().iter().cycle();
        for (index, host) in self.config.get_hosts().iter().enumerate() {
            let between = if index == 0 { "" } else { "," };
            let port = ports.next().copied().unwrap_or(5432);
            match host {
                Host::Tcp(name) => write!(formatter, "{between}{name}:{port}")?,
                Host::Unix(path) => write!(formatter, "{between}{}:{port}", path.display())?,
            }
        }
        write!(formatter, "/{}", self.config.get_dbname().unwrap_or_default())
    }
}

impl fmt::Debug for Server {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, formatter)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mode(text: &str) -> SslMode {
        text.parse::<Server>().unwrap().config.get_ssl_mode()
    }

    #[test]
    fn what_leaves_the_machine_is_encrypted_unless_the_address_says_otherwise() {
        assert_eq!(mode("postgres://ann@db.example/tgw"), SslMode::Require);
        assert_eq!(mode("postgres://ann@db.example/tgw?sslmode=verify-full"), SslMode::Require);
        assert_eq!(mode("postgres://ann@db.example/tgw?sslmode=disable"), SslMode::Disable);
        assert_eq!(mode("postgres://ann@localhost/tgw"), SslMode::Disable);
        assert_eq!(mode("postgres://ann@127.0.0.1,db.example/tgw"), SslMode::Require);
        assert_eq!(mode("postgres://ann@%2Frun%2Fpostgresql/tgw"), SslMode::Disable);
    }

    #[test]
    fn a_mode_that_checks_nothing_is_refused() {
        for mode in ["prefer", "allow", "verify-ca", ""] {
            let error = format!("postgres://ann@db/tgw?sslmode={mode}").parse::<Server>().unwrap_err();
            assert!(error.hint.contains("verify-full"), "{error}");
        }
    }

    #[test]
    fn a_password_is_never_shown() {
        let server: Server = "postgres://ann:s3cret@db:6543/tgw".parse().unwrap();
        assert_eq!(server.to_string(), "postgres://ann@db:6543/tgw");
        assert!(!format!("{server:?}").contains("s3cret"));
        for wrong in
            ["postgres://ann:s3cret@db:port/tgw", "postgres://ann:s3cret@/tgw", "mysql://ann:s3cret@db/tgw"]
        {
            let error = wrong.parse::<Server>().unwrap_err();
            assert!(!format!("{error:?}").contains("s3cret"), "{error:?}");
        }
    }

    #[test]
    fn files_of_tls_are_read_from_the_address() {
        let server: Server =
            "postgres://db/tgw?sslrootcert=%2Fetc%2Fca%20one.pem&sslcert=/c.pem&sslkey=/k.pem"
                .parse()
                .unwrap();
        assert_eq!(server.tls.roots.unwrap(), Path::new("/etc/ca one.pem"));
        assert_eq!(server.tls.identity.unwrap(), ("/c.pem".into(), "/k.pem".into()));
        assert!("postgres://db/tgw?sslcert=/c.pem".parse::<Server>().is_err());
    }
}

//! URLs in conditions: read strictly, so that a rule and the client that follows cannot disagree on the host.
//!
//! Whatever two readers of RFC 3986 or of the WHATWG standard take differently is an error, which a policy reads
//! strictly: it makes a `deny` match and an `allow` not match.

use std::fmt;
use std::net::{Ipv4Addr, Ipv6Addr};

use super::path::shorten;

/// A URL with a host.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Url {
    scheme: String,
    host: String,
    port: Option<u16>,
    path: String,
    /// The query and the fragment, with their marks.
    rest: String,
}

impl Url {
    /// Reads an absolute URL.
    ///
    /// # Errors
    /// User information, a backslash, white space, a control character, no host, a host outside ASCII (which has
    /// many spellings: the `xn--` form has one), an odd spelling of an IP address, a dot segment in the path.
    pub fn parse(text: &str) -> Result<Self, String> {
        let refuse = |problem: &str| Err(format!("`{}` is not a plain url: {problem}", shorten(text)));
        if text.chars().any(|c| c.is_control() || c.is_whitespace() || c == '\\') {
            return refuse("it has a control character, white space or a backslash");
        }
        let Some((scheme, rest)) = text.split_once("://") else {
            return refuse("it does not begin with a scheme and `://`");
        };
        let named = scheme.starts_with(|c: char| c.is_ascii_alphabetic())
            && scheme.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.'));
        if !named {
            return refuse("its scheme has other characters than letters and digits");
        }
        let (authority, after) = rest.split_at(rest.find(['/', '?', '#']).unwrap_or(rest.len()));
        let (path, rest) = after.split_at(after.find(['?', '#']).unwrap_or(after.len()));
        if authority.contains('@') {
            return refuse("it has a user name before the host");
        }
        let (host, port) = match authority.rsplit_once(':') {
            Some((host, port)) if !port.ends_with(']') => (host, port),
            _ => (authority, ""),
        };
        let Some(host) = normal_host(host) else { return refuse("its host is missing or oddly written") };
        let port = match port {
            "" => None,
            digits if digits.bytes().all(|b| b.is_ascii_digit()) => match digits.parse() {
                Ok(port) => Some(port),
                Err(_) => return refuse("its port is no port number"),
            },
            _ => return refuse("its port is no port number"),
        };
        if path.split('/').any(is_dot_segment) {
            return refuse("its path has `.` or `..` parts");
        }
        let path = if path.is_empty() { "/" } else { path };
        Ok(Self {
            scheme: scheme.to_ascii_lowercase(),
            host,
            port,
            path: path.to_owned(),
            rest: rest.to_owned(),
        })
    }

    /// The scheme in lower case.
    #[must_use]
    pub fn scheme(&self) -> &str {
        &self.scheme
    }

    /// The host in lower case, without a final dot; an IPv6 address in its shortest form, in brackets.
    #[must_use]
    pub fn host(&self) -> &str {
        &self.host
    }

    /// The port, or the scheme's own.
    #[must_use]
    pub fn port(&self) -> Option<u16> {
        self.port.or(match self.scheme.as_str() {
            "http" | "ws" => Some(80),
            "https" | "wss" => Some(443),
            "ftp" => Some(21),
            "ssh" | "sftp" => Some(22),
            _ => None,
        })
    }

    /// The path as written; `/` where there is none.
    #[must_use]
    pub fn path(&self) -> &str {
        &self.path
    }

    /// The query and the fragment as written, with their marks; empty where there are none.
    #[must_use]
    pub fn rest(&self) -> &str {
        &self.rest
    }
}

impl fmt::Display for Url {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}://{}", self.scheme, self.host)?;
        if let Some(port) = self.port {
            write!(formatter, ":{port}")?;
        }
        write!(formatter, "{}{}", self.path, self.rest)
    }
}

/// Whether `host` is the one that `pattern` names: a host, or `*.` and a host for everything below it.
///
/// # Errors
/// A pattern of another form.
pub fn host_matches(host: &str, pattern: &str) -> Result<bool, String> {
    let (below, named) = match pattern.strip_prefix("*.") {
        Some(named) => (true, named),
        None => (false, pattern),
    };
    let named = normal_host(named).ok_or_else(|| {
        format!("`{}` is no host pattern: write a host, or `*.` and a host", shorten(pattern))
    })?;
    Ok(match host.strip_suffix(named.as_str()) {
        Some("") => !below,
        Some(rest) => below && rest.ends_with('.'),
        None => false,
    })
}

/// A host in lower case without a final dot, or `None` where it is missing or can be read in several ways.
fn normal_host(host: &str) -> Option<String> {
    if let Some(address) = host.strip_prefix('[') {
        let address: Ipv6Addr = address.strip_suffix(']')?.parse().ok()?;
        return Some(format!("[{address}]"));
    }
    let host = host.strip_suffix('.').unwrap_or(host).to_ascii_lowercase();
    let label_is_plain = |label: &str| {
        !label.is_empty()
            && label.len() <= 63
            && label.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_'))
    };
    if host.len() > 253 || !host.split('.').all(label_is_plain) {
        return None;
    }
    // `127.1`, `0x7f.0.0.1` and `2130706433` are addresses to some clients: only four plain numbers are one here.
    let last = host.rsplit('.').next().unwrap_or_default();
    let numeric = last.bytes().all(|b| b.is_ascii_digit()) || last.starts_with("0x");
    if numeric && host.parse::<Ipv4Addr>().is_err() {
        return None;
    }
    Some(host)
}

fn is_dot_segment(part: &str) -> bool {
    matches!(part.to_ascii_lowercase().replace("%2e", ".").as_str(), "." | "..")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_host_is_what_a_client_would_connect_to() {
        let cases = [
            ("https://Example.COM/a?b#c", "example.com", Some(443), "/a"),
            ("http://example.com:8080", "example.com", Some(8080), "/"),
            ("https://example.com.:/x", "example.com", Some(443), "/x"),
            ("http://[0:0::1]:9/", "[::1]", Some(9), "/"),
            ("http://127.0.0.1/", "127.0.0.1", Some(80), "/"),
            ("custom+x://h?q=http://evil.com/@", "h", None, "/"),
        ];
        for (text, host, port, path) in cases {
            let url = Url::parse(text).unwrap();
            assert_eq!((url.host(), url.port(), url.path()), (host, port, path), "{text}");
        }
    }

    #[test]
    fn what_two_readers_take_differently_is_an_error() {
        for text in [
            "",
            "example.com",
            "//example.com",
            "mailto:a@example.com",
            "https://",
            "https:///x",
            "https://good.example@evil.example/",
            "https://evil.example\\@good.example/",
            "https://good.example\t.evil.example/",
            " https://good.example/",
            "https://good.example:80:90/",
            "https://good.example:99999/",
            "https://good.example:+80/",
            "https://good%2eexample/",
            "https://evil.example／.good.example/",
            "https://ｅxample.com/",
            "https://a..b/",
            "https://2130706433/",
            "https://127.1/",
            "https://0x7f.0.0.1/",
            "https://127.0.0.01/",
            "https://1.2.3.0x4/",
            "http://[::1%25eth0]/",
            "http://[::1/",
            "https://h/a/../b",
            "https://h/a/%2E%2e/b",
            "1http://h/",
        ] {
            assert!(Url::parse(text).is_err(), "{text:?}");
        }
    }

    #[test]
    fn host_patterns_are_anchored_at_labels() {
        let cases = [
            ("a.example.com", "*.example.com", true),
            ("a.b.example.com", "*.example.com", true),
            ("example.com", "*.example.com", false),
            ("evilexample.com", "*.example.com", false),
            ("example.com.evil.com", "*.example.com", false),
            ("example.com", "Example.com.", true),
            ("a.example.com", "example.com", false),
            ("[::1]", "[::1]", true),
        ];
        for (host, pattern, expected) in cases {
            assert_eq!(host_matches(host, pattern), Ok(expected), "{host} against {pattern}");
        }
        for pattern in ["", "*", "*.", "a*.example.com", "*.*.com", "https://example.com"] {
            assert!(host_matches("example.com", pattern).is_err(), "{pattern}");
        }
    }
}

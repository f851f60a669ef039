//! Where an answer points to, and whether the contract lets the request go there.

use crate::catalog::Redirects;
use crate::expression::{Url, host_matches};
use crate::present::HttpAnswer;

/// Where a request goes next.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Next {
    pub(super) url: String,
    /// Whether it is the same scheme, host and port.
    pub(super) is_same_origin: bool,
}

/// Where an answer to a request to `at` leads, where the contract allows that.
pub(super) fn next(answer: &HttpAnswer, at: &str, redirects: &Redirects) -> Option<Next> {
    if !matches!(answer.status, 301 | 302 | 303 | 307 | 308) {
        return None;
    }
    let location =
        answer.headers.iter().find(|(name, _)| name == "location").map(|(_, value)| value.trim())?;
    let here = Url::parse(at).ok()?;
    let there = Url::parse(&resolved(location, &here)?).ok()?;
    let is_same_origin =
        (there.scheme(), there.host(), there.port()) == (here.scheme(), here.host(), here.port());
    if !is_same_origin {
        let downgrades = here.scheme() == "https" && there.scheme() != "https";
        let named = redirects.hosts.iter().any(|host| host_matches(there.host(), host) == Ok(true));
        if downgrades || !named || !matches!(there.scheme(), "http" | "https") {
            return None;
        }
    }
    Some(Next { url: there.to_string(), is_same_origin })
}

/// A location as a whole address, without its fragment.
fn resolved(location: &str, here: &Url) -> Option<String> {
    let location = location.split('#').next().unwrap_or_default();
    if location.is_empty() {
        return None;
    }
    if let Some(rest) = location.strip_prefix("//") {
        return Some(format!("{}://{rest}", here.scheme()));
    }
    let before_path = location.split(['/', '?']).next().unwrap_or_default();
    if before_path.contains(':') {
        return Some(location.to_owned());
    }
    let port = here.port().map(|port| format!(":{port}")).unwrap_or_default();
    let origin = format!("{}://{}{port}", here.scheme(), here.host());
    if location.starts_with('/') {
        return Some(format!("{origin}{location}"));
    }
    if location.starts_with('?') {
        return Some(format!("{origin}{}{location}", here.path()));
    }
    let folder = here.path().rsplit_once('/').map_or("", |(folder, _)| folder);
    Some(format!("{origin}{folder}/{location}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn leads(location: &str, hosts: &[&str]) -> Option<(String, bool)> {
        let answer = HttpAnswer {
            status: 302,
            headers: vec![("location".to_owned(), location.to_owned())],
            body: Vec::new(),
            cut: false,
            retry_after: None,
        };
        let redirects = Redirects { max: 5, hosts: hosts.iter().map(|host| (*host).to_owned()).collect() };
        next(&answer, "https://api.example/a/b?c=1", &redirects).map(|next| (next.url, next.is_same_origin))
    }

    #[test]
    fn the_same_origin_is_followed_and_others_only_where_they_are_named() {
        let own = |url: &str| Some((url.to_owned(), true));
        assert_eq!(leads("/x?y=1#z", &[]), own("https://api.example:443/x?y=1"));
        assert_eq!(leads("x", &[]), own("https://api.example:443/a/x"));
        assert_eq!(leads("?d=2", &[]), own("https://api.example:443/a/b?d=2"));
        assert_eq!(leads("https://API.example:443/x", &[]), own("https://api.example:443/x"));
        assert_eq!(
            leads("https://cdn.example/x", &["cdn.example"]),
            Some(("https://cdn.example/x".to_owned(), false))
        );
        for elsewhere in [
            "https://cdn.example/x",
            "//cdn.example/x",
            "https://api.example:8443/x",
            "http://api.example/x",
            "https://api.example@cdn.example/x",
            "https://api.example\\@cdn.example/x",
            "ftp://cdn.example/x",
            "https://api.example.cdn.example/x",
            "javascript:alert(1)",
            "",
            "#x",
            "/a/../b",
            "https://127.1/",
        ] {
            assert_eq!(leads(elsewhere, &["other.example"]), None, "{elsewhere}");
        }
        assert_eq!(
            leads("http://cdn.example/x", &["cdn.example"]),
            None,
            "clear text after an encrypted hop"
        );
    }
}

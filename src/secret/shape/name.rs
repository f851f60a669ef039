//! Names that say that their value is secret.

/// What a name says about its value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Secrecy {
    /// A password or secret: whatever stands there is one.
    Password,
    /// A key or token of a service.
    Key,
    /// A token of some kind: it may as well be a word or a page.
    Token,
    /// A header of credentials, after their scheme.
    Authorization,
}

const MOST_WORDS: usize = 8;

/// The words of a name, split where `snake_case`, `kebab-case` and `camelCase` split.
struct Words<'a> {
    words: [&'a [u8]; MOST_WORDS],
    count: usize,
}

impl<'a> Words<'a> {
    fn of(name: &'a [u8]) -> Self {
        let mut words = Self { words: [&[]; MOST_WORDS], count: 0 };
        let mut start = 0;
        for (at, byte) in name.iter().enumerate() {
            let before = at.checked_sub(1).and_then(|before| name.get(before)).copied().unwrap_or(b'_');
            let next = name.get(at + 1).copied().unwrap_or(b'_');
            let separator = matches!(byte, b'_' | b'-');
            let hump = byte.is_ascii_uppercase()
                && (before.is_ascii_lowercase()
                    || before.is_ascii_digit()
                    || before.is_ascii_uppercase() && next.is_ascii_lowercase());
            if separator || hump {
                words.push(name.get(start..at).unwrap_or_default());
                start = if separator { at + 1 } else { at };
            }
        }
        words.push(name.get(start..).unwrap_or_default());
        words
    }

    /// Adds a word without the digits at its end. Of too many words the first ones are forgotten.
    fn push(&mut self, word: &'a [u8]) {
        let digits = word.iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
        let word = word.get(..word.len() - digits).unwrap_or_default();
        if word.is_empty() {
            return;
        }
        if self.count == MOST_WORDS {
            self.words.rotate_left(1);
            self.count -= 1;
        }
        if let Some(place) = self.words.get_mut(self.count) {
            *place = word;
            self.count += 1;
        }
    }

    fn last_but(&self, index: usize) -> &'a [u8] {
        self.count.checked_sub(index + 1).and_then(|at| self.words.get(at)).copied().unwrap_or_default()
    }

    fn any_before_last(&self, list: &[&str]) -> bool {
        let before = self.words.get(..self.count.saturating_sub(1)).unwrap_or_default();
        before.iter().any(|word| is_one_of(word, list))
    }
}

fn is_one_of(word: &[u8], list: &[&str]) -> bool {
    list.iter().any(|entry| word.eq_ignore_ascii_case(entry.as_bytes()))
}

fn ends_with(word: &[u8], end: &str) -> bool {
    word.len()
        .checked_sub(end.len())
        .and_then(|at| word.get(at..))
        .is_some_and(|tail| tail.eq_ignore_ascii_case(end.as_bytes()))
}

/// Whether a name is written as environment variables are.
pub(super) fn is_capital(name: &[u8]) -> bool {
    name.iter().any(u8::is_ascii_uppercase) && !name.iter().any(u8::is_ascii_lowercase)
}

/// Says what a name tells about its value; `None` where it tells nothing.
pub(super) fn secrecy(name: &[u8]) -> Option<Secrecy> {
    const QUESTIONS: &[&str] = &[
        "has", "is", "show", "hide", "forgot", "reset", "require", "requires", "required", "min", "max",
        "use", "enable", "disable", "allow", "no", "num", "count",
    ];
    const PAGES: &[&str] = &[
        "page",
        "next",
        "prev",
        "previous",
        "cursor",
        "continuation",
        "sync",
        "resume",
        "pad",
        "eos",
        "bos",
        "unk",
        "sep",
        "mask",
        "cls",
        "stop",
        "start",
        "end",
        "special",
        "first",
        "last",
        "current",
        "peek",
    ];
    const SERVICES: &[&str] = &[
        "access", "auth", "refresh", "bearer", "api", "session", "secret", "github", "gh", "gitlab", "npm",
        "bot", "slack", "oauth", "oauth2", "private", "personal", "deploy", "service", "vault", "client",
        "security", "admin", "identity", "id",
    ];
    const LOCKS: &[&str] = &[
        "api",
        "access",
        "secret",
        "private",
        "auth",
        "encryption",
        "signing",
        "master",
        "service",
        "account",
        "client",
        "aws",
        "ssh",
        "deploy",
        "storage",
        "session",
        "shared",
        "subscription",
    ];
    const PLAIN_KEYS: &[&str] = &[
        "public",
        "primary",
        "foreign",
        "sort",
        "partition",
        "cache",
        "map",
        "index",
        "row",
        "hash",
        "group",
        "lookup",
        "unique",
        "composite",
        "event",
        "object",
        "idempotency",
        "routing",
        "translation",
        "registry",
        "hot",
        "arrow",
    ];
    if is_one_of(name, &["PWD", "OLDPWD"]) && is_capital(name) {
        return None;
    }
    let words = Words::of(name);
    let (last, before) = (words.last_but(0), words.last_but(1));
    let capital = is_capital(name);
    if words.any_before_last(QUESTIONS) {
        return None;
    }
    if is_one_of(last, &["secret", "passphrase", "passcode", "pwd"])
        || ends_with(last, "password")
        || ends_with(last, "passwd")
        || is_one_of(last, &["pass"]) && words.count > 1
    {
        return Some(Secrecy::Password);
    }
    if is_one_of(last, &["token"]) || ends_with(last, "token") && capital {
        return match () {
            () if is_one_of(before, PAGES) => None,
            () if capital || is_one_of(before, SERVICES) => Some(Secrecy::Key),
            () => Some(Secrecy::Token),
        };
    }
    if is_one_of(last, &["key"]) {
        let secret = !is_one_of(before, PLAIN_KEYS) && (capital || is_one_of(before, LOCKS));
        return secret.then_some(Secrecy::Key);
    }
    if is_one_of(last, &["apikey", "secretkey", "accesskey", "privatekey", "authtoken", "accesstoken"])
        || capital && is_one_of(last, &["credential", "credentials"])
    {
        return Some(Secrecy::Key);
    }
    is_one_of(last, &["authorization"]).then_some(Secrecy::Authorization)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_by_their_last_word() {
        for (name, expected) in [
            ("API_KEY", Some(Secrecy::Key)),
            ("API_KEY_2", Some(Secrecy::Key)),
            ("apiKey", Some(Secrecy::Key)),
            ("x-api-key", Some(Secrecy::Key)),
            ("AWS_SECRET_ACCESS_KEY", Some(Secrecy::Key)),
            ("GH_TOKEN", Some(Secrecy::Key)),
            ("accessToken", Some(Secrecy::Key)),
            ("token", Some(Secrecy::Token)),
            ("next_page_token", None),
            ("maxTokens", None),
            ("password", Some(Secrecy::Password)),
            ("PGPASSWORD", Some(Secrecy::Password)),
            ("DB_PASS", Some(Secrecy::Password)),
            ("client_secret", Some(Secrecy::Password)),
            ("has_password", None),
            ("PWD", None),
            ("OLDPWD", None),
            ("DB_PWD", Some(Secrecy::Password)),
            ("primary_key", None),
            ("PRIMARY_KEY", None),
            ("key", None),
            ("monkey", None),
            ("LOG_LEVEL", None),
            ("KEYBOARD", None),
            ("bypass", None),
            ("Authorization", Some(Secrecy::Authorization)),
            ("Proxy-Authorization", Some(Secrecy::Authorization)),
        ] {
            assert_eq!(secrecy(name.as_bytes()), expected, "{name}");
        }
    }
}

//! Globs over names: anchored, and only `*` is special.

/// A pattern over names. `*` stands for any run of characters, none included; everything else for itself.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct NamePattern {
    text: String,
}

impl NamePattern {
    /// A pattern from its text.
    #[must_use]
    pub fn new(text: impl Into<String>) -> Self {
        Self { text: text.into() }
    }

    /// The text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Whether it names exactly one thing.
    #[must_use]
    pub fn is_exact(&self) -> bool {
        !self.text.contains('*')
    }

    /// Whether it matches all of `name`.
    #[must_use]
    pub fn matches(&self, name: &str) -> bool {
        let mut parts = self.text.split('*');
        let first = parts.next().unwrap_or_default();
        let Some(mut rest) = name.strip_prefix(first) else { return false };
        let mut pending: Option<&str> = None;
        let mut starred = false;
        for part in parts {
            starred = true;
            if let Some(middle) = pending.replace(part) {
                match rest.find(middle) {
                    Some(at) => rest = &rest[at + middle.len()..],
                    None => return false,
                }
            }
        }
        match pending {
            Some(last) => rest.len() >= last.len() && rest.ends_with(last),
            None => !starred && rest.is_empty(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::NamePattern;

    #[test]
    fn patterns_are_anchored_and_only_the_star_is_special() {
        let cases = [
            ("read_file", "read_file", true),
            ("read_file", "read_files", false),
            ("*", "", true),
            ("*supplier*", "search_suppliers", true),
            ("a*a", "a", false),
            ("a*a", "aa", true),
            ("a*b*c", "a-b-b-c", true),
            ("a*b*c", "a-c-b", false),
            ("a?c", "abc", false),
            ("mcp__a_b__*", "mcp__a-b__x", false),
        ];
        for (pattern, name, expected) in cases {
            assert_eq!(NamePattern::new(pattern).matches(name), expected, "{pattern} on {name}");
        }
    }
}

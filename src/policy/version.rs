//! Version requirements: `>=1.2, <2`.

use std::cmp::Ordering;

/// A dotted version number. Parts that are missing count as 0, so `1.2` and `1.2.0` are one version.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Version(Vec<u64>);

/// Comparisons that a version must all satisfy.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VersionRequirement {
    comparisons: Vec<(Operator, Version)>,
    text: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Operator {
    Equal,
    NotEqual,
    AtLeast,
    AtMost,
    Above,
    Below,
}

impl Operator {
    // Longer spellings first, since each is tried as a prefix.
    const SPELLINGS: [(&'static str, Self); 7] = [
        (">=", Self::AtLeast),
        ("<=", Self::AtMost),
        ("==", Self::Equal),
        ("!=", Self::NotEqual),
        (">", Self::Above),
        ("<", Self::Below),
        ("=", Self::Equal),
    ];

    fn holds(self, ordering: Ordering) -> bool {
        match self {
            Self::Equal => ordering.is_eq(),
            Self::NotEqual => ordering.is_ne(),
            Self::AtLeast => ordering.is_ge(),
            Self::AtMost => ordering.is_le(),
            Self::Above => ordering.is_gt(),
            Self::Below => ordering.is_lt(),
        }
    }
}

impl Version {
    const MOST_PARTS: usize = 8;

    /// Reads dotted numbers; anything else (`1.2-beta`, `v1`, `1..2`) is no version.
    fn parse(text: &str) -> Option<Self> {
        let parts: Vec<u64> = text.split('.').map(Self::part).collect::<Option<_>>()?;
        (parts.len() <= Self::MOST_PARTS).then_some(Self(parts))
    }

    // `u64::from_str` alone would accept a leading `+`.
    fn part(text: &str) -> Option<u64> {
        if text.bytes().all(|b| b.is_ascii_digit()) { text.parse().ok() } else { None }
    }

    fn compare(&self, other: &Self) -> Ordering {
        let part = |version: &Self, at: usize| version.0.get(at).copied().unwrap_or(0);
        (0..Self::MOST_PARTS)
            .map(|at| part(self, at).cmp(&part(other, at)))
            .find(|o| o.is_ne())
            .unwrap_or(Ordering::Equal)
    }
}

impl VersionRequirement {
    /// Parses comparisons joined by commas.
    ///
    /// # Errors
    /// What is wrong, as a message, where a comparison has no operator or no dotted number.
    pub fn parse(text: &str) -> Result<Self, String> {
        let comparisons =
            text.split(',').map(|part| Self::comparison(part.trim())).collect::<Result<_, _>>()?;
        Ok(Self { comparisons, text: text.to_owned() })
    }

    fn comparison(text: &str) -> Result<(Operator, Version), String> {
        let Some((operator, rest)) = Operator::SPELLINGS
            .iter()
            .find_map(|(spelling, operator)| Some((*operator, text.strip_prefix(spelling)?)))
        else {
            return Err(format!("`{}` has no comparison", text.escape_debug()));
        };
        let rest = rest.trim_start();
        match Version::parse(rest) {
            Some(version) => Ok((operator, version)),
            None => Err(format!("`{}` is not a dotted number", rest.escape_debug())),
        }
    }

    /// Whether a version as the harness states it satisfies every comparison.
    ///
    /// One that is missing or is no dotted number satisfies nothing.
    #[must_use]
    pub fn admits(&self, version: Option<&str>) -> bool {
        let Some(version) = version.and_then(Version::parse) else { return false };
        self.comparisons.iter().all(|(operator, wanted)| operator.holds(version.compare(wanted)))
    }

    /// The requirement as written.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_version_must_satisfy_every_comparison() {
        let cases = [
            (">=1.2", "1.2", true),
            (">=1.2", "1.2.0", true),
            (">=1.2", "1.10", true),
            (">=1.2", "1.1.9", false),
            (">=1.2, <2", "1.99.3", true),
            (">=1.2, <2", "2.0", false),
            ("=1.2", "1.2.0.0", true),
            ("==1.2", "1.2.1", false),
            ("!=1.3", "1.3.0", false),
            (">1", "1.0.1", true),
            ("<=1", "1.0.1", false),
            ("> 1 ,< 3", "2", true),
        ];
        for (requirement, version, expected) in cases {
            let parsed = VersionRequirement::parse(requirement).unwrap();
            assert_eq!(parsed.admits(Some(version)), expected, "{version} against {requirement}");
        }
    }

    #[test]
    fn a_version_that_is_missing_or_no_dotted_number_satisfies_nothing() {
        let any = VersionRequirement::parse(">=0").unwrap();
        for version in [
            None,
            Some(""),
            Some("v1"),
            Some("1.2-beta"),
            Some("1..2"),
            Some("+1"),
            Some("99999999999999999999"),
        ] {
            assert!(!any.admits(version), "{version:?}");
        }
    }

    #[test]
    fn a_requirement_without_operator_or_number_is_refused() {
        for text in ["", "1.2", ">=", ">=x", "^1", ">=1,", ">=1 <2", "~1", ">=1.2.3.4.5.6.7.8.9"] {
            assert!(VersionRequirement::parse(text).is_err(), "{text}");
        }
    }
}

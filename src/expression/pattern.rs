//! Patterns that are compiled when an expression is loaded: regular expressions and globs over paths.

use globset::{GlobBuilder, GlobMatcher};
use regex::{Regex, RegexBuilder};

use super::path::{Case, NormalPath, fold, shorten};

/// Most memory of a compiled regular expression, in bytes.
const MAX_REGEX: usize = 1 << 20;
/// Longest glob, in bytes.
const MAX_GLOB: usize = 1_024;

/// A compiled pattern; cloning shares it.
#[derive(Debug, Clone)]
pub(super) enum Pattern {
    Regex(Regex),
    Glob(Glob),
}

/// A glob over normalised paths, anchored at both ends: `*` stays within a part, `**` crosses them.
#[derive(Debug, Clone)]
pub(super) struct Glob {
    matcher: GlobMatcher,
    case: Case,
    text: String,
}

/// Compiles a regular expression in linear-time syntax: no look-around, no back-references.
///
/// # Errors
/// Why it is none, or that it would take more than 1 MiB.
pub(super) fn regex(text: &str) -> Result<Pattern, String> {
    RegexBuilder::new(text).size_limit(MAX_REGEX).nest_limit(64).build().map(Pattern::Regex).map_err(
        |error| {
            match error {
                regex::Error::CompiledTooBig(_) => {
                    "the pattern takes more than 1 MiB when compiled".to_owned()
                }
                // The library draws an excerpt over several lines; its last line says what is wrong.
                other => {
                    let text = other.to_string();
                    let last = text.lines().last().unwrap_or_default().trim();
                    last.strip_prefix("error: ").unwrap_or(last).to_owned()
                }
            }
        },
    )
}

/// Compiles a glob.
///
/// # Errors
/// Why it is none.
pub(super) fn glob(text: &str, case: Case) -> Result<Pattern, String> {
    if text.is_empty() || text.len() > MAX_GLOB {
        return Err(format!("a glob has between 1 and {MAX_GLOB} bytes"));
    }
    if text.split('/').any(|part| matches!(part, "." | "..")) || text.contains("//") || text.ends_with('/') {
        return Err(
            "a glob is compared with normalised paths, which have no `.`, `..`, `//` or final `/`".to_owned()
        );
    }
    let written = match case {
        Case::Exact => text.to_owned(),
        Case::Folded => fold(text),
    };
    let glob = GlobBuilder::new(&written)
        .literal_separator(true)
        .backslash_escape(true)
        .build()
        .map_err(|error| error.kind().to_string())?;
    Ok(Pattern::Glob(Glob { matcher: glob.compile_matcher(), case, text: text.to_owned() }))
}

impl Glob {
    /// Whether all of the path matches.
    ///
    /// # Errors
    /// Where the path is absolute and the glob can only be met by a relative one, or the other way round.
    pub(super) fn matches(&self, path: &NormalPath) -> Result<bool, String> {
        if path.is_absolute() != self.text.starts_with('/') && !self.text.starts_with("**") {
            return Err(format!(
                "path `{}` and glob `{}` cannot be compared: one is absolute and the other is not",
                shorten(path.as_str()),
                shorten(&self.text)
            ));
        }
        Ok(match self.case {
            Case::Exact => self.matcher.is_match(path.as_str()),
            Case::Folded => self.matcher.is_match(fold(path.as_str())),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matches(glob_text: &str, path: &str, case: Case) -> bool {
        let Ok(Pattern::Glob(glob)) = glob(glob_text, case) else { panic!("{glob_text} does not compile") };
        glob.matches(&NormalPath::parse(path).unwrap()).unwrap()
    }

    #[test]
    fn globs_are_anchored_and_one_star_stays_within_a_part() {
        for (glob, path, expected) in [
            ("src/**", "src/a/b", true),
            ("src/**", "vendor/src/x", false),
            ("src/*", "src/a/b", false),
            (".env*", ".env", true),
            (".env*", ".env.local", true),
            (".env*", "a.ts", false),
            ("**/*.ts", "a.ts", true),
            ("**/*.ts", "x/y/a.ts", true),
            ("**/.env*", "x/.env", true),
            ("**/id_rsa", "/home/u/id_rsa", true),
            ("{a,b}/*.rs", "b/x.rs", true),
            ("a?c", "a/c", false),
        ] {
            assert_eq!(matches(glob, path, Case::Exact), expected, "{glob} on {path}");
        }
        assert!(matches("**/.ENV*", "x/.Env.local", Case::Folded));
    }

    #[test]
    fn globs_that_could_never_match_are_refused() {
        for text in ["", "a/../b", "./a", "a/", "a//b", "[", "{a"] {
            assert!(glob(text, Case::Exact).is_err(), "{text}");
        }
    }

    #[test]
    fn regexes_are_bounded_and_linear() {
        assert!(regex("^a+$").is_ok());
        assert!(regex("(").unwrap_err().contains("unclosed group"));
        assert!(regex("(?=a)").unwrap_err().contains("look-around"));
        assert!(regex(r"\w{1000}{1000}").unwrap_err().contains("1 MiB"));
    }
}

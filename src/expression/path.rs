//! Paths in conditions: compared part by part on their normal form, never as text.
//!
//! Nothing here touches a file system. What cannot be answered from the text alone is an error, which a policy
//! reads strictly: it makes a `deny` match and an `allow` not match.

use std::fmt;

/// A path in normal form: no `.`, no `..`, no doubled or trailing slash.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct NormalPath {
    /// The parts joined by `/`, with a leading `/` where the path is absolute.
    text: String,
}

/// Whether letters that differ only in case are the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Case {
    Exact,
    Folded,
}

impl NormalPath {
    /// Normalises a path without looking at a file system.
    ///
    /// # Errors
    /// An empty path, one that climbs above where it starts, and one with a backslash or a control character,
    /// which some systems read otherwise.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        if text.is_empty() {
            return Err("an empty path".to_owned());
        }
        if let Some(bad) = text.chars().find(|c| c.is_control() || *c == '\\') {
            return Err(format!("a path with `{}`", bad.escape_default()));
        }
        let mut normal = String::with_capacity(text.len());
        if text.starts_with('/') {
            normal.push('/');
        }
        let base = normal.len();
        for part in text.split('/') {
            match part {
                "" | "." => {}
                ".." if normal.len() == base => {
                    return Err(format!("path `{}` climbs above where it starts", shorten(text)));
                }
                ".." => {
                    let parent = normal.rfind('/').unwrap_or(0).max(base);
                    normal.truncate(parent);
                }
                part => {
                    if normal.len() > base {
                        normal.push('/');
                    }
                    normal.push_str(part);
                }
            }
        }
        Ok(Self { text: normal })
    }

    pub(super) fn is_absolute(&self) -> bool {
        self.text.starts_with('/')
    }

    /// The normal form; `.` for the empty relative path.
    pub(super) fn as_str(&self) -> &str {
        if self.text.is_empty() { "." } else { &self.text }
    }

    /// Whether it is `directory` or lies inside it.
    ///
    /// # Errors
    /// Where one is absolute and the other is not: the text alone does not say.
    pub(super) fn under(&self, directory: &Self, case: Case) -> Result<bool, String> {
        if self.is_absolute() != directory.is_absolute() {
            return Err(format!(
                "`{}` and `{}` cannot be compared: one is absolute and the other is not",
                shorten(self.as_str()),
                shorten(directory.as_str())
            ));
        }
        Ok(match case {
            Case::Exact => inside(&self.text, &directory.text),
            Case::Folded => inside(&fold(&self.text), &fold(&directory.text)),
        })
    }

    /// The last part; empty for a root.
    pub(super) fn name(&self) -> &str {
        self.text.rsplit('/').next().unwrap_or_default()
    }

    /// What follows the last dot of the name, a leading dot not counted; empty where there is none.
    pub(super) fn extension(&self) -> &str {
        match self.name().rsplit_once('.') {
            Some((stem, extension)) if !stem.is_empty() => extension,
            _ => "",
        }
    }

    /// The parts, outermost first.
    pub(super) fn parts(&self) -> impl Iterator<Item = &str> {
        self.text.split('/').filter(|part| !part.is_empty())
    }
}

impl fmt::Display for NormalPath {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}

fn inside(text: &str, directory: &str) -> bool {
    let directory = directory.strip_suffix('/').unwrap_or(directory);
    match text.strip_prefix(directory) {
        Some(rest) => directory.is_empty() || rest.is_empty() || rest.starts_with('/'),
        None => false,
    }
}

/// Text in which letters that a case-insensitive file system takes for one another are the same.
///
/// Through upper case first, since some letters meet only there (`ß` and `ss`, `ſ` and `s`, both sigmas).
pub(super) fn fold(text: &str) -> String {
    text.chars().flat_map(char::to_uppercase).flat_map(char::to_lowercase).collect()
}

/// A text for a message: its beginning, without characters that could disturb a terminal.
pub(super) fn shorten(text: &str) -> String {
    const SHOWN: usize = 60;
    let mut short: String = text.chars().take(SHOWN).flat_map(char::escape_debug).collect();
    if text.chars().nth(SHOWN).is_some() {
        short.push('…');
    }
    short
}

#[cfg(test)]
mod tests {
    use super::*;

    fn under(path: &str, directory: &str) -> Result<bool, String> {
        NormalPath::parse(path)?.under(&NormalPath::parse(directory)?, Case::Exact)
    }

    #[test]
    fn inside_means_part_by_part() {
        assert_eq!(under("a/b", "a"), Ok(true));
        assert_eq!(under("a", "a"), Ok(true));
        assert_eq!(under("a-x/b", "a"), Ok(false));
        assert_eq!(under("vendor/src/x", "src"), Ok(false));
        assert_eq!(under("a/b", "a/"), Ok(true));
        assert_eq!(under("a/b", "./a//"), Ok(true));
        assert_eq!(under("x/../a/./b", "a"), Ok(true));
        assert_eq!(under("~/.aws/credentials", "~/.aws/"), Ok(true));
        assert_eq!(under("anything", "."), Ok(true));
        assert_eq!(under("/etc/passwd", "/"), Ok(true));
        assert_eq!(under("/etc-x", "/etc"), Ok(false));
    }

    #[test]
    fn what_the_text_does_not_say_is_an_error() {
        for path in ["", "..", "a/../../b", "/..", "a\\b", "a\0b", "a\nb"] {
            assert!(NormalPath::parse(path).is_err(), "{path:?}");
        }
        assert!(under("/w/a", "a").is_err());
        assert!(under("a", "/w/a").is_err());
    }

    #[test]
    fn folding_meets_what_file_systems_fold() {
        let folded = |path, directory| {
            NormalPath::parse(path).unwrap().under(&NormalPath::parse(directory).unwrap(), Case::Folded)
        };
        assert_eq!(folded(".Cursor/MCP.json", ".cursor/mcp.json"), Ok(true));
        assert_eq!(folded("STRASSE/x", "straße"), Ok(true));
        assert_eq!(folded("ſecrets/x", "secrets"), Ok(true));
        assert_eq!(under(".Cursor/MCP.json", ".cursor/mcp.json"), Ok(false));
    }

    #[test]
    fn names_and_extensions() {
        let path = |text| NormalPath::parse(text).unwrap();
        assert_eq!((path("a/b.tar.gz").name(), path("a/b.tar.gz").extension()), ("b.tar.gz", "gz"));
        assert_eq!((path(".env").name(), path(".env").extension()), (".env", ""));
        assert_eq!((path("/").name(), path(".").name()), ("", ""));
        assert_eq!(path("/a/./b/../c").parts().collect::<Vec<_>>(), ["a", "c"]);
        assert_eq!(path("/a/./b/../c").as_str(), "/a/c");
        assert_eq!(path("a/..").as_str(), ".");
    }
}

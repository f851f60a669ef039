//! Paths as a model writes them, parsed lexically.

use std::borrow::Cow;
use std::fmt;

use crate::code::{CallError, ErrorCode};

/// Most bytes of a whole path, as Linux limits them.
const MAX_PATH_BYTES: usize = 4096;
/// Most bytes of one part, as nearly every file system limits them.
const MAX_PART_BYTES: usize = 255;
/// Most characters of a refused path that are repeated to the model.
const MAX_SHOWN_CHARS: usize = 80;

/// A relative path in normal form: `/` between parts, no `.` or `..`; empty for the root.
///
/// `Display` writes `.` for the root. Characters that only Windows gives a meaning to (`:`, trailing dots and spaces,
/// device names) are kept: where they could alias a protected name, the protection itself looks through them.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct WorkspacePath(String);

impl WorkspacePath {
    /// Parses a path. `a/./b/..`, `a/` and `a//` all name `a`; `..` is taken lexically, before any link is followed.
    ///
    /// # Errors
    /// `PATH_OUTSIDE_WORKSPACE` for an absolute path, a home (`~`), drive or UNC form, and for one that climbs above
    /// the root; `INVALID_ARGUMENTS` for an empty or over-long path, control characters and backslashes. Each kind of
    /// fault has its own message.
    pub fn parse(text: &str) -> Result<Self, CallError> {
        let shown = Shown(text);
        if text.is_empty() {
            return Err(invalid("the path is empty").with_hint("`.` is the workspace root"));
        }
        if text.contains('\0') {
            return Err(invalid(format!("the path `{shown}` has a NUL character")));
        }
        if text.chars().any(char::is_control) {
            return Err(invalid(format!("the path `{shown}` has a control character")));
        }
        if text.len() > MAX_PATH_BYTES {
            return Err(invalid(format!("the path is longer than {MAX_PATH_BYTES} bytes")));
        }
        if let Some(problem) = foreign_form(text) {
            return Err(outside(format!("the path `{shown}` {problem}")));
        }
        if text.contains('\\') {
            return Err(invalid(format!(
                "the path `{shown}` has a backslash, which some systems read as a separator"
            ))
            .with_hint("write `/` between the parts of a path"));
        }

        let mut parts: Vec<&str> = Vec::new();
        for part in text.split('/') {
            match part {
                "" | "." => {}
                ".." => {
                    if parts.pop().is_none() {
                        return Err(outside(format!("the path `{shown}` climbs above the workspace root")));
                    }
                }
                _ if part.len() > MAX_PART_BYTES => {
                    return Err(invalid(format!("a part of the path is longer than {MAX_PART_BYTES} bytes")));
                }
                _ => parts.push(part),
            }
        }
        Ok(Self(parts.join("/")))
    }

    /// The workspace root.
    #[must_use]
    pub fn root() -> Self {
        Self(String::new())
    }

    /// The text; empty for the root.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The text as a call would give it: `.` for the root, and `./` before a name that would be taken for another form.
    #[must_use]
    pub fn as_argument(&self) -> Cow<'_, str> {
        if self.is_root() {
            Cow::Borrowed(".")
        } else if foreign_form(&self.0).is_some() {
            Cow::Owned(format!("./{}", self.0))
        } else {
            Cow::Borrowed(&self.0)
        }
    }

    /// Whether it is the root.
    #[must_use]
    pub fn is_root(&self) -> bool {
        self.0.is_empty()
    }

    /// The parts, outermost first; none for the root.
    pub fn parts(&self) -> impl DoubleEndedIterator<Item = &str> {
        self.0.split('/').filter(|part| !part.is_empty())
    }

    /// The last part; `None` for the root.
    #[must_use]
    pub fn file_name(&self) -> Option<&str> {
        self.parts().next_back()
    }

    /// Whether it is `other` or lies below it.
    #[must_use]
    pub fn is_at_or_below(&self, other: &Self) -> bool {
        other.is_root()
            || self.0.strip_prefix(&other.0).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    }

    /// The path of an entry of this directory. `name` is one that the file system gave, hence a single part.
    #[must_use]
    pub(crate) fn child(&self, name: &str) -> Self {
        if self.is_root() { Self(name.to_owned()) } else { Self(format!("{}/{name}", self.0)) }
    }

    /// A path from parts that are known to be single names.
    pub(super) fn from_parts<'a>(parts: impl IntoIterator<Item = &'a str>) -> Self {
        Self(parts.into_iter().collect::<Vec<_>>().join("/"))
    }
}

impl fmt::Display for WorkspacePath {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_root() { formatter.write_str(".") } else { write!(formatter, "{}", self.0.escape_debug()) }
    }
}

/// What is wrong with a path that names a place by something other than its way from the root.
fn foreign_form(text: &str) -> Option<&'static str> {
    let bytes = text.as_bytes();
    if text.starts_with("//") || text.starts_with(r"\\") {
        return Some("is a network (UNC) path");
    }
    if text.starts_with('/') {
        return Some("is absolute");
    }
    if let [letter, b':', ..] = bytes
        && letter.is_ascii_alphabetic()
    {
        return Some("starts with a drive letter");
    }
    if text.starts_with('\\') {
        return Some("is absolute on Windows");
    }
    // `./~name` reaches a file that is really called so.
    let first = text.split(['/', '\\']).next().unwrap_or_default();
    let named_home = first.strip_prefix('~').is_some_and(|user| {
        user.is_empty()
            || (user.len() < text.len() - 1
                && user.chars().all(|c| c.is_alphanumeric() || "._-+".contains(c)))
    });
    named_home.then_some("starts at a home folder (`~`)")
}

fn invalid(message: impl Into<String>) -> CallError {
    CallError::new(ErrorCode::InvalidArguments, message)
}

fn outside(message: String) -> CallError {
    CallError::new(ErrorCode::PathOutsideWorkspace, message)
        .with_hint("give the path relative to the workspace root, without leaving it")
}

/// A refused path as it is repeated: escaped and bounded.
struct Shown<'a>(&'a str);

impl fmt::Display for Shown<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut characters = self.0.chars();
        for character in characters.by_ref().take(MAX_SHOWN_CHARS) {
            write!(formatter, "{}", character.escape_debug())?;
        }
        if characters.next().is_some() { formatter.write_str("…") } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_fault_has_its_own_message() {
        let cases = [
            ("", ErrorCode::InvalidArguments, "the path is empty"),
            ("a\0b", ErrorCode::InvalidArguments, "the path `a\\0b` has a NUL character"),
            ("a\nb", ErrorCode::InvalidArguments, "the path `a\\nb` has a control character"),
            ("a\u{85}b", ErrorCode::InvalidArguments, "the path `a\\u{85}b` has a control character"),
            ("/etc/passwd", ErrorCode::PathOutsideWorkspace, "the path `/etc/passwd` is absolute"),
            ("/w/app-x/f", ErrorCode::PathOutsideWorkspace, "the path `/w/app-x/f` is absolute"),
            (
                "//host/share",
                ErrorCode::PathOutsideWorkspace,
                "the path `//host/share` is a network (UNC) path",
            ),
            (r"\\host\s", ErrorCode::PathOutsideWorkspace, r"the path `\\\\host\\s` is a network (UNC) path"),
            (r"\x", ErrorCode::PathOutsideWorkspace, r"the path `\\x` is absolute on Windows"),
            (r"C:\x", ErrorCode::PathOutsideWorkspace, r"the path `C:\\x` starts with a drive letter"),
            ("c:x", ErrorCode::PathOutsideWorkspace, "the path `c:x` starts with a drive letter"),
            (
                "~/.ssh/id",
                ErrorCode::PathOutsideWorkspace,
                "the path `~/.ssh/id` starts at a home folder (`~`)",
            ),
            ("~", ErrorCode::PathOutsideWorkspace, "the path `~` starts at a home folder (`~`)"),
            ("~root/x", ErrorCode::PathOutsideWorkspace, "the path `~root/x` starts at a home folder (`~`)"),
            (
                r"a\b",
                ErrorCode::InvalidArguments,
                r"the path `a\\b` has a backslash, which some systems read as a separator",
            ),
            (
                "a/../../etc/passwd",
                ErrorCode::PathOutsideWorkspace,
                "the path `a/../../etc/passwd` climbs above the workspace root",
            ),
            (
                "a/./b/../../..",
                ErrorCode::PathOutsideWorkspace,
                "the path `a/./b/../../..` climbs above the workspace root",
            ),
        ];
        for (text, code, message) in cases {
            let error = WorkspacePath::parse(text).unwrap_err();
            assert_eq!((error.code, error.message.as_str()), (code, message), "{text:?}");
        }
    }

    #[test]
    fn over_long_paths_and_parts_are_refused() {
        for text in ["a/".repeat(3000), "b".repeat(256)] {
            assert_eq!(WorkspacePath::parse(&text).unwrap_err().code, ErrorCode::InvalidArguments);
        }
        assert!(WorkspacePath::parse(&"b".repeat(255)).is_ok());
    }

    #[test]
    fn a_path_is_kept_in_normal_form() {
        let cases = [
            (".", ""),
            ("a/./b/..", "a"),
            ("a//b/", "a/b"),
            ("a/../b", "b"),
            ("./~x/y", "~x/y"),
            ("~x", "~x"),
            ("ab:c", "ab:c"),
        ];
        for (text, normal) in cases {
            assert_eq!(WorkspacePath::parse(text).unwrap().as_str(), normal, "{text}");
        }
        assert_eq!(WorkspacePath::parse(".").unwrap().to_string(), ".");
    }

    #[test]
    fn a_shared_prefix_is_not_inside() {
        let app = WorkspacePath::parse("w/app").unwrap();
        assert!(!WorkspacePath::parse("w/app-x/f").unwrap().is_at_or_below(&app));
        assert!(WorkspacePath::parse("w/app/f").unwrap().is_at_or_below(&app));
        assert!(app.is_at_or_below(&app));
    }

    proptest::proptest! {
        #[test]
        fn a_parsed_path_stays_below_the_root_and_parses_back_to_itself(text in "[a-z~:./\\\\ \u{0}-\u{7f}]{0,24}") {
            if let Ok(path) = WorkspacePath::parse(&text) {
                assert!(path.parts().all(|part| !matches!(part, "" | "." | "..")));
                assert!(!path.as_str().starts_with('/'));
                assert_eq!(WorkspacePath::parse(&path.as_argument()).unwrap(), path);
            }
        }
    }
}

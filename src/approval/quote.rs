//! Words of a command, quoted as a shell would take them, so that their borders are plain.

use crate::text;

/// One word. Plain words stand bare, others in single quotes; one with characters that cannot be seen or that break a
/// line is written `$'…'`, with its backslashes doubled so that every escape in it is ours.
#[must_use]
pub(super) fn quote(word: &str) -> String {
    let bare = |c: char| c.is_ascii_alphanumeric() || "_-./:=@%+,".contains(c);
    if !word.is_empty() && word.chars().all(bare) {
        return word.to_owned();
    }
    if matches!(text::escape(word), std::borrow::Cow::Borrowed(_)) {
        return format!("'{}'", word.replace('\'', "'\\''"));
    }
    let doubled = word.replace('\\', "\\\\").replace('\'', "\\'");
    format!("$'{}'", text::escape(&doubled))
}

#[cfg(test)]
mod tests {
    use super::quote;

    #[test]
    fn borders_of_words_are_plain() {
        assert_eq!(quote("--path=src/main.rs"), "--path=src/main.rs");
        assert_eq!(quote(""), "''");
        assert_eq!(quote("a b; rm -rf ~"), "'a b; rm -rf ~'");
        assert_eq!(quote("it's"), r"'it'\''s'");
        assert_eq!(quote("a\nb\u{202e}\\'"), r"$'a\nb\u{202e}\\\''");
        assert_eq!(quote("日本"), "'日本'");
    }
}

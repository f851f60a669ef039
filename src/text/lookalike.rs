//! Words whose letters are not what they look like (Unicode Technical Standard 39).

use unicode_security::{MixedScript, RestrictionLevel, RestrictionLevelDetection, skeleton};

/// Most words reported for one text.
const REPORTED: usize = 8;

/// Most bytes of a text that are looked at; a longer one is looked at from both ends.
const LOOKED_AT: usize = 64 << 10;

/// A word that could be taken for another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lookalike {
    /// The word.
    pub word: String,
    /// What it looks like in plain letters, where that is known.
    pub resembles: Option<String>,
}

/// The words of `text` that mix scripts, or that are spelled in one script and look like plain ASCII.
///
/// Scripts that are written together (Latin with Japanese, Chinese or Korean) are no mixture. In a text that has other
/// words of the same script, a word that happens to look like ASCII is no surprise and is not reported.
#[must_use]
pub fn lookalikes(text: &str) -> Vec<Lookalike> {
    if text.is_ascii() {
        return Vec::new();
    }
    let (start, end) = if text.len() <= LOOKED_AT {
        (text, "")
    } else {
        (super::head(text, LOOKED_AT / 2), super::tail(text, LOOKED_AT / 2))
    };
    let words = || start.split(is_border).chain(end.split(is_border)).filter(|word| !word.is_ascii());
    let foreign_text = words().any(|word| !mixes_scripts(word) && ascii_skeleton(word).is_none());
    let mut found: Vec<Lookalike> = Vec::new();
    for word in words() {
        let resembles = ascii_skeleton(word);
        let suspicious = mixes_scripts(word) || (resembles.is_some() && !foreign_text);
        if suspicious && !found.iter().any(|known| known.word == word) {
            found.push(Lookalike { word: word.to_owned(), resembles });
            if found.len() == REPORTED {
                break;
            }
        }
    }
    found
}

fn is_border(c: char) -> bool {
    c.is_whitespace() || (c.is_ascii_punctuation() && c != '_') || super::is_hidden(c)
}

fn mixes_scripts(word: &str) -> bool {
    !word.is_single_script()
        && word.chars().any(char::is_alphabetic)
        && !word.check_restriction_level(RestrictionLevel::HighlyRestrictive)
}

/// The ASCII text that a word is confusable with, where it is with one and has letters at all.
fn ascii_skeleton(word: &str) -> Option<String> {
    let shown: String = skeleton(word).collect();
    (shown.is_ascii() && shown != word && word.chars().any(|c| c.is_alphanumeric() && !c.is_ascii()))
        .then_some(shown)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<String> {
        lookalikes(text).into_iter().map(|found| found.word).collect()
    }

    #[test]
    fn a_word_that_mixes_scripts_is_reported_with_what_it_looks_like() {
        assert_eq!(
            lookalikes("send to p\u{430}ypal.com"),
            vec![Lookalike { word: "p\u{430}ypal".into(), resembles: Some("paypal".into()) }]
        );
    }

    #[test]
    fn a_word_that_only_looks_like_ascii_is_reported() {
        assert_eq!(words("rm -rf \u{441}\u{430}\u{441}\u{435}"), vec!["\u{441}\u{430}\u{441}\u{435}"]);
        assert_eq!(words("\u{ff52}\u{ff4d} -rf"), vec!["\u{ff52}\u{ff4d}"]);
    }

    #[test]
    fn ordinary_text_of_any_language_is_not_reported() {
        for text in [
            "plain",
            "naïve café",
            "Привет, как оса",
            "日本語test テスト",
            "한국어 text",
            "ελληνικά 1",
            "… — €",
        ] {
            assert_eq!(words(text), Vec::<String>::new(), "{text}");
        }
    }

    #[test]
    fn a_long_text_is_looked_at_from_both_ends() {
        let text = format!("{} p\u{430}ypal", "é ".repeat(100_000));
        assert_eq!(words(&text), vec!["p\u{430}ypal"]);
    }
}

//! Names as the most lenient file system would compare them.

/// Folds a name so that two names which any common file system takes for the same become equal.
///
/// Case is dropped; so are characters that HFS+ ignores or that show nothing, NTFS stream suffixes (`:…`) and the
/// trailing dots and spaces that Windows drops; full-width letters, the long s and the Latin ligatures become plain
/// letters, as file systems that normalise with compatibility or fold case fully make them. The result is for
/// comparing only: it may equate more names than a given file system does, never fewer of the protected ones.
pub(super) fn fold(name: &str) -> String {
    let mut folded = if name.is_ascii() { name.to_ascii_lowercase() } else { folded_characters(name) };
    if let Some(stream) = folded.find(':') {
        folded.truncate(stream);
    }
    folded.truncate(folded.trim_end_matches(['.', ' ']).len());
    folded
}

fn folded_characters(name: &str) -> String {
    let mut folded = String::with_capacity(name.len());
    for character in name.chars().filter(|c| !is_ignorable(*c)) {
        match character {
            '\u{ff01}'..='\u{ff5e}' => {
                // The full-width forms repeat ASCII in order.
                let plain = char::from_u32(u32::from(character) - 0xfee0).unwrap_or(character);
                folded.push(plain.to_ascii_lowercase());
            }
            'ſ' => folded.push('s'),
            'ß' | 'ẞ' => folded.push_str("ss"),
            'ﬀ' => folded.push_str("ff"),
            'ﬁ' => folded.push_str("fi"),
            'ﬂ' => folded.push_str("fl"),
            'ﬃ' => folded.push_str("ffi"),
            'ﬄ' => folded.push_str("ffl"),
            'ﬅ' | 'ﬆ' => folded.push_str("st"),
            _ => folded.extend(character.to_lowercase()),
        }
    }
    folded
}

/// Whether Unicode gives the character the property `Default_Ignorable_Code_Point`, or HFS+ ignores it.
fn is_ignorable(character: char) -> bool {
    matches!(u32::from(character),
        0xad | 0x34f | 0x61c | 0x115f..=0x1160 | 0x17b4..=0x17b5 | 0x180b..=0x180f | 0x200b..=0x200f
        | 0x202a..=0x202e | 0x2060..=0x206f | 0x3164 | 0xfe00..=0xfe0f | 0xfeff | 0xffa0 | 0xfff0..=0xfff8
        | 0x1bca0..=0x1bca3 | 0x1d173..=0x1d17a | 0xe0000..=0xe0fff)
}

#[cfg(test)]
mod tests {
    use super::fold;

    #[test]
    fn aliases_of_a_name_fold_to_it() {
        for alias in [
            ".GIT",
            ".g\u{200c}it",
            ".git.",
            ".git ",
            ".git. .",
            ".git::$INDEX_ALLOCATION",
            ".ｇＩt",
            ".\u{feff}git",
            "\u{e0001}.git",
        ] {
            assert_eq!(fold(alias), ".git", "{alias:?}");
        }
        assert_eq!(fold("ﬁle.ſh"), "file.sh");
        assert_eq!(fold("\u{212a}"), "k");
    }

    #[test]
    fn other_names_stay_other() {
        for other in [".github", ".gitignore", "git", "..git", "a.git"] {
            assert_ne!(fold(other), ".git");
        }
    }
}

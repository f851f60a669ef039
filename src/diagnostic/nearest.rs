//! The known word that a misspelt one probably meant.

/// Longest word, in bytes, that is compared at all: what nobody would type is not worth the time.
const LONGEST: usize = 128;

/// The candidate nearest to `word`, where one is near enough to be worth naming; the first of equally near ones.
///
/// Case, `-`, `_` and `.` count less than letters. An exact match is not a misspelling and yields `None`.
#[must_use]
pub fn nearest<'c>(word: &str, candidates: impl IntoIterator<Item = &'c str>) -> Option<&'c str> {
    if word.is_empty() || word.len() > LONGEST {
        return None;
    }
    let wanted = fold(word);
    // A third of the letters may be wrong, at most four.
    let most = (wanted.chars().count() / 3).clamp(1, 4);
    let mut best: Option<(usize, &'c str)> = None;
    for candidate in candidates {
        if candidate == word || candidate.len().abs_diff(word.len()) > most + 4 {
            continue;
        }
        let folded = fold(candidate);
        let bound = best.map_or(most, |(distance, _)| distance.saturating_sub(1).min(most));
        if folded.len().abs_diff(wanted.len()) > bound * 4 || (best.is_some() && bound == 0) {
            continue;
        }
        let distance = strsim::osa_distance(&wanted, &folded);
        if distance <= bound {
            best = Some((distance, candidate));
        }
    }
    best.map(|(_, candidate)| candidate)
}

fn fold(text: &str) -> String {
    text.chars().filter(|c| !matches!(c, '-' | '_' | '.')).flat_map(char::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn near_words_are_named_and_far_ones_are_not() {
        let known = ["risk", "result", "read_file", "write_file", "timeout"];
        let cases = [
            ("riks", Some("risk")),
            ("readFile", Some("read_file")),
            ("read-file", Some("read_file")),
            ("time_out", Some("timeout")),
            ("results", Some("result")),
            ("rsk", Some("risk")),
            ("xyz", None),
            ("read_file", None),
            ("", None),
        ];
        for (word, expected) in cases {
            assert_eq!(nearest(word, known), expected, "{word}");
        }
        assert_eq!(nearest(&"r".repeat(1 << 20), known), None);
    }
}

//! Patterns in a JSONPath: small, and written in the path itself.
//!
//! The library compiles the pattern of `match` and `search` for every node that it looks at, so a large one, or one that
//! comes from the value, could take for ever.

/// Most memory of a compiled pattern, in bytes: plain texts, small classes and repetitions fit, Unicode classes do not.
const PATTERN_BYTES: usize = 24 << 10;

/// Checks every call of `match` and `search` in a path that parses.
///
/// # Errors
/// What a path must be instead.
pub(super) fn check(path: &str) -> Result<(), String> {
    for function in ["match", "search"] {
        for (at, _) in path.match_indices(function) {
            let Some(arguments) =
                path.get(at + function.len()..).and_then(|rest| rest.trim_start().strip_prefix('('))
            else {
                continue;
            };
            let pattern = last_argument(arguments)
                .and_then(literal)
                .ok_or_else(|| format!("a JSONPath whose `{function}` has its pattern as text"))?;
            // The functions are anchored or not by the library; that changes little about the size.
            regex::RegexBuilder::new(&pattern)
                .size_limit(PATTERN_BYTES)
                .dfa_size_limit(PATTERN_BYTES)
                .build()
                .map_err(|_| {
                    format!(
                        "a JSONPath whose `{function}` has a small valid pattern, without Unicode classes"
                    )
                })?;
        }
    }
    Ok(())
}

/// What stands between the last comma and the end of an argument list.
fn last_argument(text: &str) -> Option<&str> {
    let (mut depth, mut start, mut quote, mut escaped) = (0_u32, 0, None, false);
    for (at, c) in text.char_indices() {
        match quote {
            Some(_) if escaped => escaped = false,
            Some(_) if c == '\\' => escaped = true,
            Some(open) if c == open => quote = None,
            Some(_) => {}
            None => match c {
                '\'' | '"' => quote = Some(c),
                '(' | '[' => depth += 1,
                ')' if depth == 0 => return text.get(start..at).map(str::trim),
                ')' | ']' => depth = depth.saturating_sub(1),
                ',' if depth == 0 => start = at + 1,
                _ => {}
            },
        }
    }
    None
}

/// The text that a quoted literal stands for, as far as a size check needs it.
fn literal(text: &str) -> Option<String> {
    let quote = text.chars().next().filter(|c| matches!(c, '\'' | '"'))?;
    let inner = text.strip_prefix(quote)?.strip_suffix(quote)?;
    let escaped = inner.replace("\\'", "'");
    if quote == '"' {
        return serde_json::from_str(text).ok();
    }
    serde_json::from_str(&format!("\"{}\"", escaped.replace('"', "\\\""))).ok()
}

#[cfg(test)]
mod tests {
    use super::check;

    #[test]
    fn a_pattern_is_small_and_stands_in_the_path() {
        for path in [
            "$.a[?match(@.n,'[a-z]+')]",
            "$.a[?search(@.n, \"^x.{1,20}$\")]",
            "$[?search(@['it\\'s'], 'a, (b)')]",
            "$.match",
        ] {
            assert_eq!(check(path), Ok(()), "{path}");
        }
        for path in [
            "$.a[?match(@.n,'[\\\\p{L}\\\\d]{800}')]",
            "$.a[?match(@.n,'[\\\\p{L}\\\\d]{1}')]",
            "$.a[?match(@.n, @.pattern)]",
            "$.a[?search(@.n, 'a{5000}')]",
            "$.a[?search(@.n, '(')]",
        ] {
            assert!(check(path).is_err(), "{path}");
        }
    }
}

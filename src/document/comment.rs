//! A ` #` inside an unquoted expression, which silently ends it.

/// Whether a comment directly after the unquoted scalar `text` probably swallows the rest of an expression or a template.
///
/// `after` is what follows the scalar in the file. The offset of the `#` in it comes back. This is a guess on the safe
/// side of silence: it looks for expressions that cannot be whole.
pub(super) fn swallows_expression(text: &str, after: &str) -> Option<usize> {
    let spaces = after.len() - after.trim_start_matches([' ', '\t']).len();
    if spaces == 0 || !after.get(spaces..)?.starts_with('#') {
        return None;
    }
    (looks_like_expression(text) && !is_whole(text)).then_some(spaces)
}

const OPERATORS: [&str; 9] = ["==", "!=", "<=", ">=", "&&", "||", "<", ">", "in"];

fn looks_like_expression(text: &str) -> bool {
    text.contains("{{")
        || text.contains("arguments.")
        || ["==", "!=", "&&", "||", "("].iter().any(|operator| text.contains(operator))
}

/// Whether quotes, brackets and placeholders are closed and no operator waits for its right side.
fn is_whole(text: &str) -> bool {
    let mut quote = None;
    let mut open = 0_i64;
    for character in text.chars() {
        match (quote, character) {
            (None, '"' | '\'') => quote = Some(character),
            (Some(begun), _) if begun == character => quote = None,
            (None, '(' | '[' | '{') => open += 1,
            (None, ')' | ']' | '}') => open -= 1,
            (None | Some(_), _) => {}
        }
    }
    let last = text.rsplit(char::is_whitespace).next().unwrap_or_default();
    quote.is_none() && open == 0 && !OPERATORS.contains(&last)
}

#[cfg(test)]
mod tests {
    use super::swallows_expression;

    #[test]
    fn only_an_expression_that_cannot_be_whole_is_reported() {
        let cases = [
            ("arguments.title == \"a", " #b\"\n", Some(1)),
            ("arguments.title.contains('x", "  # y')\n", Some(2)),
            ("exit.status ==", " # 0\n", Some(1)),
            ("size(arguments.paths) > 0", " # at least one\n", None),
            ("a (first remark", " # and", Some(1)),
            ("don't do that", " # ever", None),
            ("a == b", "\n# comment", None),
            ("a == b", "#c", None),
        ];
        for (text, after, expected) in cases {
            assert_eq!(swallows_expression(text, after), expected, "{text}{after}");
        }
    }
}

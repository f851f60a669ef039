//! Regular expressions of schemas: in linear time, and small.

use regex_syntax::hir::{Hir, HirKind};

/// Longest pattern, in bytes.
const LONGEST: usize = 4_096;

/// Bytes that a compiled pattern may take; the validator compiles with the same bound.
const COMPILED: usize = 1 << 20;

/// Most states, by the estimate below, for which the pattern surely stays within [`COMPILED`].
const SURELY_SMALL: usize = 2_000;

/// Why a pattern cannot be used.
///
/// Patterns are parsed, and only compiled where counted repetitions might make them large: compiling every pattern of
/// every tool would cost more than the rest of loading.
pub(super) fn problem(pattern: &str) -> Option<String> {
    if pattern.len() > LONGEST {
        return Some(format!("the pattern is longer than {LONGEST} bytes"));
    }
    // What the validator compiles: `\d`, `\w` and `\s` mean what they mean in ECMA-262.
    let Ok(translated) = jsonschema_regex::to_rust_regex(pattern) else {
        let why = regex_syntax::parse(pattern).err().map(|error| format!(": {}", reason(&error)));
        return Some(format!("the pattern is not valid{}", why.unwrap_or_default()));
    };
    let parsed = match regex_syntax::parse(&translated) {
        Ok(parsed) => parsed,
        Err(error) => return Some(format!("the pattern is not valid: {}", reason(&error))),
    };
    if states(&parsed) <= SURELY_SMALL {
        return None;
    }
    let compiled = regex::RegexBuilder::new(&translated).size_limit(COMPILED).build();
    compiled.err().map(|_| "the pattern takes too much memory".to_owned())
}

fn reason(error: &regex_syntax::Error) -> String {
    match error {
        regex_syntax::Error::Parse(error) => error.kind().to_string(),
        regex_syntax::Error::Translate(error) => error.kind().to_string(),
        _ => "it cannot be read".to_owned(),
    }
}

/// An upper estimate of the states that a pattern compiles to. Nesting is bounded by the parser.
fn states(hir: &Hir) -> usize {
    match hir.kind() {
        HirKind::Empty | HirKind::Look(_) => 1,
        HirKind::Literal(literal) => literal.0.len(),
        HirKind::Class(regex_syntax::hir::Class::Bytes(class)) => class.ranges().len(),
        // A range of characters takes several ranges of UTF-8 bytes.
        HirKind::Class(regex_syntax::hir::Class::Unicode(class)) => {
            let ascii = class.ranges().iter().filter(|range| range.end().is_ascii()).count();
            ascii + (class.ranges().len() - ascii) * 8
        }
        HirKind::Repetition(repetition) => {
            let most = repetition.max.unwrap_or(repetition.min.saturating_add(1)).max(1);
            states(&repetition.sub)
                .saturating_mul(usize::try_from(most).unwrap_or(usize::MAX))
                .saturating_add(1)
        }
        HirKind::Capture(capture) => states(&capture.sub).saturating_add(2),
        HirKind::Concat(parts) | HirKind::Alternation(parts) => {
            parts.iter().fold(1, |sum, part| sum.saturating_add(states(part)))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::problem;

    #[test]
    fn patterns_outside_linear_time_or_bounded_memory_are_refused() {
        for pattern in
            ["^[a-z][a-z0-9_-]{0,63}$", r"^\d{4}-\d{2}$", r"^\w{1,100}$", "", r"^[^\x00/]+$", r"a\/b"]
        {
            assert_eq!(problem(pattern), None, "{pattern}");
        }
        for pattern in [r"(?=x)", r"(a)\1", "[a", "(?<!x)y", "a{2,1}", "(", r"\p{Nope}"] {
            assert!(problem(pattern).is_some_and(|p| p.starts_with("the pattern is not valid")), "{pattern}");
        }
        for pattern in ["(a{1000}){1000}", r"((\w{100}){100}){100}"] {
            assert_eq!(problem(pattern).as_deref(), Some("the pattern takes too much memory"), "{pattern}");
        }
        let unclosed = problem("^R-[0-9+$").unwrap_or_default();
        assert!(unclosed.contains("unclosed character class"), "{unclosed}");
        assert!(problem(&"a".repeat(5_000)).is_some());
        assert!(problem(&"(".repeat(4_000)).is_some());
    }
}

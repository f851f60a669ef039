//! The parser's complaints in this project's words.

use granit_parser::{ErrorKind, ScanError};

/// What is wrong and what to do, for a syntax error.
pub(super) fn explain(error: &ScanError, line: &str) -> (String, Option<String>) {
    let hint = hint(error.kind(), line).map(str::to_owned);
    let message = match error.kind() {
        ErrorKind::RecursionLimitExceeded => "the file is nested too deeply".to_owned(),
        ErrorKind::DirectiveDisallowed => "YAML directives are not supported".to_owned(),
        ErrorKind::UnknownAnchor => "this alias names no anchor above it".to_owned(),
        ErrorKind::UndeclaredTagHandle => "tags are not supported".to_owned(),
        ErrorKind::UnclosedQuotedScalar => "this quoted text is never closed".to_owned(),
        ErrorKind::UnclosedFlowCollection { open } => format!("this `{open}` is never closed"),
        kind if is_tab(kind) => "a tab cannot indent YAML".to_owned(),
        other => format!("invalid YAML: {}", lowercase_first(&other.to_string())),
    };
    (message, hint)
}

/// Whether the parser complains about a tab.
pub(super) fn is_tab(kind: &ErrorKind) -> bool {
    matches!(
        kind,
        ErrorKind::TabNotAllowed
            | ErrorKind::TabInBlockIndentation
            | ErrorKind::TabInIndentation
            | ErrorKind::TabInPlainScalar
            | ErrorKind::TabAtBlockScalarStart
    )
}

fn hint(kind: &ErrorKind, line: &str) -> Option<&'static str> {
    let template = line.contains("{{");
    match kind {
        kind if is_tab(kind) => Some("indent with spaces"),
        ErrorKind::DirectiveDisallowed => Some("remove the line that starts with `%`"),
        ErrorKind::UnknownAnchor => Some("quote text that starts with `*`"),
        ErrorKind::UndeclaredTagHandle => Some("quote text that starts with `!`"),
        _ if template => Some(TEMPLATE),
        ErrorKind::UnknownQuotedScalarEscape => {
            Some("use single quotes outside where the text holds backslashes")
        }
        ErrorKind::MappingValueNotAllowed | ErrorKind::InvalidSimpleKey | ErrorKind::SimpleKeyExpected => {
            Some("check the indentation, and quote text that holds `: `")
        }
        ErrorKind::InvalidTrailingSingleQuotedScalar | ErrorKind::InvalidTrailingDoubleQuotedScalar => {
            Some("quote all of the text: single quotes outside, double inside, or a `|` block")
        }
        ErrorKind::ExpectedFlowMappingSeparator | ErrorKind::ExpectedFlowSequenceSeparator => {
            Some("quote text that holds commas, braces or brackets")
        }
        ErrorKind::UnexpectedCharacter { .. } => Some("quote text that starts with this character"),
        _ => None,
    }
}

/// Advice on templates, which YAML reads as a mapping unless they are quoted.
pub(super) const TEMPLATE: &str = "quote a template: single quotes outside, double inside, or a `|` block";

fn lowercase_first(text: &str) -> String {
    let mut characters = text.chars();
    characters.next().map_or_else(String::new, |first| first.to_lowercase().chain(characters).collect())
}

//! `tgw explain`: what an error code means and what to do.

use crate::code::ErrorCode;

use super::exit::{Failure, Outcome};
use super::operator_arguments::ExplainArgs;
use super::output::print;

/// The width of explanations in a terminal.
const TERMINAL: usize = 100;
/// The width of lines in the Markdown page.
const PAGE: usize = 130;

/// Prints one explanation, the list of codes, or all of it as a page.
pub(crate) fn explain(arguments: &ExplainArgs) -> Outcome {
    let text = match &arguments.code {
        None if arguments.markdown => page(),
        None => list(),
        Some(text) => {
            let code = ErrorCode::parse(text).ok_or_else(|| unknown(text))?;
            format!(
                "{code}\n\nstatus: {}\nretry: {}\nexit status of `tgw call`: {}\n\n{}\n",
                code.status().as_str(),
                retry(code),
                code.exit_code(),
                wrap(code.explanation(), TERMINAL),
            )
        }
    };
    print(&text)?;
    Ok(0)
}

/// Every code with the first sentence of its explanation.
fn list() -> String {
    let longest = ErrorCode::ALL.iter().map(|code| code.as_str().len()).max().unwrap_or_default();
    let first =
        |code: &ErrorCode| code.explanation().split_once(". ").map_or(code.explanation(), |(first, _)| first);
    ErrorCode::ALL
        .iter()
        .map(|code| format!("{:longest$}  {}\n", code.as_str(), first(code).trim_end_matches('.')))
        .collect()
}

/// Every code with its explanation, as docs/errors.md has it.
fn page() -> String {
    let mut page = PREFACE.to_owned();
    for code in ErrorCode::ALL {
        let (status, exit) = (code.status().as_str(), code.exit_code());
        let anchor = code.as_str().to_ascii_lowercase();
        page.push_str(&format!("| [`{code}`](#{anchor}) | `{status}` | `{}` | {exit} |\n", retry(*code)));
    }
    for code in ErrorCode::ALL {
        page.push_str(&format!("\n## {code}\n\n{}\n", wrap(code.explanation(), PAGE)));
    }
    page
}

const PREFACE: &str = "\
# Errors

<!-- Written by `tgw explain --markdown`; edit the explanations in src/code.rs. -->

Every result that is not a success carries an `error` with a `code`, a `message`, often a `hint` (what the caller can do next),
and `retry`: `never`, `same_call` (send the very same call again), `changed_call` (with other arguments, or another tool),
`after_approval` (once a person has answered) or `later`. `tgw explain CODE` prints one of these explanations.

A contract may give its failures codes of its own (`errors` in tools.yaml); the manifest explains those. The last column is the exit
status of `tgw call`; `tgw run` exits 0 once every line is answered, whatever the answers, and both exit 2 for a usage or
configuration error.

| code | status | retry | exit |
|---|---|---|---|
";

/// The code's retry advice as the wire spells it.
fn retry(code: ErrorCode) -> String {
    let written = serde_json::to_value(code.retry()).ok();
    written.as_ref().and_then(serde_json::Value::as_str).unwrap_or("never").to_owned()
}

fn unknown(text: &str) -> Failure {
    let nearest = ErrorCode::ALL
        .iter()
        .map(|code| (strsim::damerau_levenshtein(&text.to_ascii_uppercase(), code.as_str()), code))
        .min_by_key(|(distance, _)| *distance)
        .filter(|(distance, _)| *distance <= 4);
    let failure = Failure::configuration(format!("`{}` is not an error code", text.escape_debug()));
    match nearest {
        Some((_, code)) => {
            failure.with_hint(format!("did you mean `{code}`? `tgw explain` lists every code"))
        }
        None => failure.with_hint(
            "`tgw explain` lists every code; a code of a tool's own contract is explained in its manifest",
        ),
    }
}

/// Breaks text into lines of at most `width` characters at spaces.
fn wrap(text: &str, width: usize) -> String {
    let mut lines = vec![String::new()];
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if line.is_empty() => line.push_str(word),
            Some(line) if line.chars().count() + 1 + word.chars().count() <= width => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines.join("\n")
}

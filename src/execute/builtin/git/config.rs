//! A git configuration file, read strictly: what git could read otherwise is refused.
//!
//! Only the plain form is taken that git itself writes. Continued lines, control characters and anything else that two
//! readers could take for different things are errors, since a key that is overlooked here could run a program.

use std::fmt::Write as _;

/// One entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ConfigEntry {
    /// In lower case.
    pub(super) section: String,
    /// As written; empty where there is none.
    pub(super) subsection: String,
    /// In lower case.
    pub(super) key: String,
    /// As written, without the white space around it.
    pub(super) value: String,
}

/// Reads a file. The error is the number of the line that is not in the plain form.
pub(super) fn parse(bytes: &[u8]) -> Result<Vec<ConfigEntry>, usize> {
    let text = std::str::from_utf8(bytes).map_err(|_| 1_usize)?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut entries = Vec::new();
    let mut section: Option<(String, String)> = None;
    for (number, line) in (1..).zip(text.split('\n')) {
        let line = line.strip_suffix('\r').unwrap_or(line);
        if line.chars().any(|c| c.is_control() && c != '\t') {
            return Err(number);
        }
        let mut rest = line.trim_matches([' ', '\t']);
        while let Some(inner) = rest.strip_prefix('[') {
            let (header, after) = header(inner).ok_or(number)?;
            section = Some(header);
            rest = after.trim_start_matches([' ', '\t']);
        }
        if rest.is_empty() || rest.starts_with(['#', ';']) {
            continue;
        }
        let (section, subsection) = section.as_ref().ok_or(number)?;
        let (key, value) = entry(rest).ok_or(number)?;
        entries.push(ConfigEntry { section: section.clone(), subsection: subsection.clone(), key, value });
    }
    Ok(entries)
}

/// Reads `name]`, `name "sub"]` or the old form `name.sub]`, and returns what follows.
fn header(text: &str) -> Option<((String, String), &str)> {
    let end = text.find(|c: char| !(c.is_ascii_alphanumeric() || c == '-' || c == '.'))?;
    let (name, rest) = text.split_at(end);
    let name = name.to_ascii_lowercase();
    if name.is_empty() {
        return None;
    }
    if let Some(after) = rest.strip_prefix(']') {
        let (section, subsection) = name.split_once('.').unwrap_or((&name, ""));
        return Some(((section.to_owned(), subsection.to_owned()), after));
    }
    // Git joins the two forms into one name; nobody writes both.
    if name.contains('.') {
        return None;
    }
    let quoted = rest.strip_prefix([' ', '\t'])?.trim_start_matches([' ', '\t']).strip_prefix('"')?;
    let mut subsection = String::new();
    let mut characters = quoted.char_indices();
    while let Some((at, character)) = characters.next() {
        match character {
            '"' => {
                let after = quoted.get(at + 1..)?.strip_prefix(']')?;
                return Some(((name, subsection), after));
            }
            '\\' => subsection.push(characters.next()?.1),
            _ => subsection.push(character),
        }
    }
    None
}

/// Reads `key`, `key = value`, with or without a comment after it.
fn entry(text: &str) -> Option<(String, String)> {
    let end = text.find(|c: char| !(c.is_ascii_alphanumeric() || c == '-')).unwrap_or(text.len());
    let (key, rest) = text.split_at(end);
    if !key.starts_with(|c: char| c.is_ascii_alphabetic()) {
        return None;
    }
    let rest = rest.trim_start_matches([' ', '\t']);
    let value = match rest.strip_prefix('=') {
        Some(value) => value.trim_matches([' ', '\t']),
        None if rest.is_empty() || rest.starts_with(['#', ';']) => "",
        None => return None,
    };
    // It would continue on the next line, which then is no entry of its own.
    if value.ends_with('\\') {
        return None;
    }
    Some((key.to_ascii_lowercase(), value.to_owned()))
}

impl ConfigEntry {
    /// `section.subsection.` with the key of a setting beside this one.
    pub(super) fn beside(&self, key: &str) -> String {
        let mut name = format!("{}.{}.", self.section, self.subsection);
        let _ = name.write_str(key);
        name
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(text: &str) -> Result<Vec<String>, usize> {
        let entries = parse(text.as_bytes())?;
        Ok(entries
            .into_iter()
            .map(|e| format!("{}|{}|{}={}", e.section, e.subsection, e.key, e.value))
            .collect())
    }

    #[test]
    fn the_plain_form_is_read() {
        let text = "\u{feff}; comment\n[Core]\r\n\tBare = false # no\n\tfilemode\n[filter \"A b\\\"c\"] clean = cat\n[Filter.Old]\nprocess=x\n[a][b]k=1\n";
        assert_eq!(
            names(text).unwrap(),
            [
                "core||bare=false # no",
                "core||filemode=",
                "filter|A b\"c|clean=cat",
                "filter|old|process=x",
                "b||k=1"
            ]
        );
        assert_eq!(names("").unwrap(), Vec::<String>::new());
    }

    #[test]
    fn what_could_be_read_in_two_ways_is_refused() {
        for (text, line) in [
            ("[filter \"evil\"]\n x = a \\\n[core]\n clean = evil\n", 2),
            ("[filter \"evil\"]\n x = a \\\r\n[core]\n clean = evil\n", 2),
            ("key = value\n", 1),
            ("[core\n", 1),
            ("[core \"a]\n", 1),
            ("[core \"a\" ]\n", 1),
            ("[a.b \"c\"]\n", 1),
            ("[]\n", 1),
            ("[core]\n\u{b}clean = x\n", 2),
            ("[core]\n a\rb = x\n", 2),
            ("[core]\n = x\n", 2),
            ("[core]\n a b = x\n", 2),
            ("[core]\n a_b = x\n", 2),
        ] {
            assert_eq!(names(text), Err(line), "{text:?}");
        }
        assert_eq!(parse(b"[core]\n\xff = x"), Err(1));
    }
}

//! Words for hints.

/// The known name that is most like `name`, where one is alike enough to be meant.
pub(super) fn nearest<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    const ALIKE: f64 = 0.6;
    let folded = name.to_lowercase();
    known
        .map(|candidate| {
            (strsim::normalized_damerau_levenshtein(&folded, &candidate.to_lowercase()), candidate)
        })
        .filter(|(likeness, _)| *likeness >= ALIKE)
        .max_by(|left, right| left.0.total_cmp(&right.0))
        .map(|(_, candidate)| candidate)
}

/// Names for a message, the first few.
pub(super) fn listed<'a>(names: impl Iterator<Item = &'a str>) -> String {
    const SHOWN: usize = 12;
    let names: Vec<&str> = names.collect();
    let shown: Vec<String> = names.iter().take(SHOWN).map(|name| format!("`{name}`")).collect();
    match (shown.is_empty(), names.len() > SHOWN) {
        (true, _) => "none".to_owned(),
        (false, true) => format!("{}, …", shown.join(", ")),
        (false, false) => shown.join(", "),
    }
}

/// `base.field`, or with brackets where the name is no CEL name.
pub(super) fn field_text(base: &str, field: &str) -> String {
    if is_name(field) {
        format!("{base}.{field}")
    } else {
        format!("{base}[{}]", serde_json::Value::from(field))
    }
}

/// Whether a field can be written after a dot.
pub(super) fn is_name(field: &str) -> bool {
    field.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && field.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

//! What an unquoted scalar means: exactly one reading, or a problem.
//!
//! YAML 1.1 and 1.2 read many unquoted scalars differently, and numbers can change on the way into 64 bits. Such a
//! scalar is refused here rather than read one way: in a file that decides what may be done, nobody should need to know
//! which version of YAML is in use.

use serde_json::Number;

use super::NodeValue;

/// Why an unquoted scalar is refused.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Ambiguous {
    pub(super) message: String,
    pub(super) hint: String,
}

/// The value of an unquoted scalar.
///
/// `null`, `~` and nothing are null; `true` and `false` are booleans; JSON's numbers are numbers; what YAML 1.1 or 1.2
/// would read as anything else than text is a problem; the rest is text.
pub(super) fn resolve(text: &str) -> Result<NodeValue, Ambiguous> {
    match text {
        "" | "~" | "null" => return Ok(NodeValue::Null),
        "true" => return Ok(NodeValue::Bool(true)),
        "false" => return Ok(NodeValue::Bool(false)),
        _ => {}
    }
    // Every ambiguous word is short and every number starts with one of these characters.
    if let Some(meant) = word(text) {
        return Err(ambiguous(
            text,
            "is read as a truth value or null by some YAML readers and as text by others",
            meant,
        ));
    }
    match text.bytes().next() {
        Some(b'0'..=b'9' | b'-' | b'+' | b'.') => number(text),
        _ => Ok(NodeValue::String(text.to_owned())),
    }
}

/// What to write instead of a word that readers of YAML disagree about.
fn word(text: &str) -> Option<&'static str> {
    const WORDS: [(&str, &str); 9] = [
        ("y", "true"),
        ("n", "false"),
        ("on", "true"),
        ("no", "false"),
        ("off", "false"),
        ("yes", "true"),
        ("true", "true"),
        ("null", "null"),
        ("false", "false"),
    ];
    if text.len() > "false".len() {
        return None;
    }
    let (_, meant) = WORDS.iter().find(|(word, _)| text.eq_ignore_ascii_case(word))?;
    // Only the spellings that YAML 1.1 lists: `nO` is text everywhere.
    let (first, rest) = text.as_bytes().split_first()?;
    let lower = rest.iter().all(u8::is_ascii_lowercase);
    let upper = first.is_ascii_uppercase() && rest.iter().all(u8::is_ascii_uppercase);
    (lower || upper).then_some(*meant)
}

fn ambiguous(text: &str, problem: &str, instead: &str) -> Ambiguous {
    let shown = shorten(text);
    Ambiguous {
        message: format!("unquoted `{shown}` {problem}"),
        hint: format!("write \"{shown}\" for text, or {instead}"),
    }
}

fn shorten(text: &str) -> String {
    const SHOWN: usize = 40;
    match text.char_indices().nth(SHOWN) {
        Some((at, _)) => format!("{}…", text.get(..at).unwrap_or_default()),
        None => text.to_owned(),
    }
}

/// The value of a scalar that starts like a number.
fn number(text: &str) -> Result<NodeValue, Ambiguous> {
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
    if matches!(unsigned, ".inf" | ".Inf" | ".INF" | ".nan" | ".NaN" | ".NAN") {
        return Err(ambiguous(text, "is not a number that JSON knows", "a finite number"));
    }
    if let Some((whole, fraction, exponent)) = json_number(text) {
        return if fraction.is_empty() && exponent.is_empty() {
            integer(text, whole)
        } else {
            decimal(text, whole, fraction, exponent)
        };
    }
    if looks_numeric(unsigned) {
        return Err(ambiguous(
            text,
            "is a number to some YAML readers and text, or another number, to others",
            "a plain decimal number such as 755, 1000 or 0.5",
        ));
    }
    Ok(NodeValue::String(text.to_owned()))
}

/// Splits a number in JSON's grammar into whole part with sign, digits after the point, and exponent with its sign.
fn json_number(text: &str) -> Option<(&str, &str, &str)> {
    let digits = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
    let (mantissa, exponent) = match text.split_once(['e', 'E']) {
        Some((_, "")) => return None,
        Some((mantissa, exponent)) => (mantissa, exponent),
        None => (text, ""),
    };
    let (whole, fraction) = match mantissa.split_once('.') {
        Some((_, "")) => return None,
        Some((whole, fraction)) => (whole, fraction),
        None => (mantissa, ""),
    };
    let bare = whole.strip_prefix('-').unwrap_or(whole);
    let fits = digits(bare)
        && (bare == "0" || !bare.starts_with('0'))
        && (fraction.is_empty() || digits(fraction))
        && (exponent.is_empty() || digits(exponent.strip_prefix(['-', '+']).unwrap_or(exponent)));
    fits.then_some((whole, fraction, exponent))
}

fn integer(text: &str, whole: &str) -> Result<NodeValue, Ambiguous> {
    if whole == "-0" {
        return Err(ambiguous(text, "is zero to some readers and minus zero to others", "0"));
    }
    let number = match (whole.parse::<i64>(), whole.parse::<u64>()) {
        (Ok(signed), _) => Number::from(signed),
        (_, Ok(unsigned)) => Number::from(unsigned),
        _ => return Err(ambiguous(text, "does not fit into 64 bits", "a smaller number")),
    };
    Ok(NodeValue::Number(number))
}

fn decimal(text: &str, whole: &str, fraction: &str, exponent: &str) -> Result<NodeValue, Ambiguous> {
    let parsed = text.parse::<f64>().ok().filter(|value| value.is_finite());
    let number = parsed.and_then(Number::from_f64);
    let (Some(value), Some(number)) = (parsed, number) else {
        return Err(ambiguous(text, "does not fit into 64 bits", "a smaller number"));
    };
    let written = canonical(whole.strip_prefix('-').unwrap_or(whole), fraction, exponent);
    // The shortest form that reads back as the same float is what every later stage would print.
    let kept = format!("{:e}", value.abs());
    let (mantissa, kept_exponent) = kept.split_once('e').unwrap_or((&kept, "0"));
    let (kept_whole, kept_fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    if written.is_none() || written != canonical(kept_whole, kept_fraction, kept_exponent) {
        return Err(ambiguous(text, "would lose digits in 64 bits", "a number with fewer digits"));
    }
    Ok(NodeValue::Number(number))
}

/// The digits of a decimal number without zeros at its ends, and the power of ten of the last of them.
fn canonical(whole: &str, fraction: &str, exponent: &str) -> Option<(String, i64)> {
    let exponent: i64 = if exponent.is_empty() { 0 } else { exponent.parse().ok()? };
    let all = format!("{whole}{fraction}");
    let digits = all.trim_end_matches('0');
    let dropped = i64::try_from(all.len() - digits.len()).ok()?;
    let digits = digits.trim_start_matches('0');
    if digits.is_empty() {
        return Some((String::new(), 0));
    }
    let scale = exponent.checked_sub(i64::try_from(fraction.len()).ok()?)?.checked_add(dropped)?;
    Some((digits.to_owned(), scale))
}

/// Whether some version of YAML reads this, its sign removed, as a number: other bases, underscores, sexagesimals,
/// leading zeros, a missing digit before or after the point.
fn looks_numeric(unsigned: &str) -> bool {
    let all = |part: &str, allowed: fn(u8) -> bool| !part.is_empty() && part.bytes().all(allowed);
    let based = [
        ("0x", (|b: u8| b.is_ascii_hexdigit() || b == b'_') as fn(u8) -> bool),
        ("0o", |b| matches!(b, b'0'..=b'7' | b'_')),
        ("0b", |b| matches!(b, b'0' | b'1' | b'_')),
    ];
    if based
        .iter()
        .any(|(prefix, allowed)| unsigned.strip_prefix(prefix).is_some_and(|rest| all(rest, *allowed)))
    {
        return true;
    }
    let grouped: fn(u8) -> bool = |b| b.is_ascii_digit() || b == b'_';
    if unsigned.contains(':') {
        let (sixties, fraction) = unsigned.rsplit_once('.').unwrap_or((unsigned, "0"));
        return unsigned.starts_with(|c: char| c.is_ascii_digit())
            && sixties.split(':').all(|part| all(part, grouped))
            && (fraction.is_empty() || all(fraction, grouped));
    }
    let (mantissa, exponent) = unsigned.split_once(['e', 'E']).unwrap_or((unsigned, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let has_digit = mantissa.bytes().any(|b| b.is_ascii_digit()) && !mantissa.starts_with('_');
    has_digit
        && all(exponent.strip_prefix(['-', '+']).unwrap_or(exponent), |b| b.is_ascii_digit())
        && (whole.is_empty() || all(whole, grouped))
        && (fraction.is_empty() || all(fraction, grouped))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_literals_keep_their_value() {
        let number = |text: &str| NodeValue::Number(serde_json::from_str(text).unwrap());
        for text in [
            "0",
            "1",
            "-1",
            "755",
            "9223372036854775807",
            "-9223372036854775808",
            "18446744073709551615",
            "0.5",
            "-0.25",
            "1.10",
            "1e3",
            "1.5E-3",
            "0.1",
            "123456.789",
            "1e300",
            "0.0",
            "1e+2",
        ] {
            assert_eq!(resolve(text), Ok(number(text)), "{text}");
        }
        assert_eq!(resolve(""), Ok(NodeValue::Null));
        assert_eq!(resolve("~"), Ok(NodeValue::Null));
        assert_eq!(resolve("true"), Ok(NodeValue::Bool(true)));
    }

    #[test]
    fn text_that_no_reader_takes_for_anything_else_is_text() {
        for text in [
            "nO",
            "yep",
            "none",
            "2.1.0",
            "10s",
            "1500ms",
            "-",
            "+",
            ".",
            "..",
            ".env",
            "-x",
            "--locked",
            "1e",
            "0x",
            "0xzz",
            "2026-11-30",
            "::1",
            "a:b",
            "1.2.3.4",
            "on-call",
            "_1",
            "1a",
            "é",
            "+a",
            "-.x",
            "1:a",
            "e3",
            "<<x",
            "0o9",
        ] {
            assert_eq!(resolve(text), Ok(NodeValue::String(text.to_owned())), "{text}");
        }
    }

    #[test]
    fn what_readers_disagree_about_is_refused_with_both_spellings() {
        for text in [
            "no",
            "No",
            "NO",
            "yes",
            "on",
            "off",
            "OFF",
            "y",
            "Y",
            "n",
            "N",
            "True",
            "TRUE",
            "False",
            "Null",
            "NULL",
            "0755",
            "-01",
            "00",
            "0o17",
            "0x1F",
            "0b101",
            "1_000",
            "12:30:45",
            "1:30",
            "190:20:30.15",
            "+1",
            "+0.5",
            ".5",
            "1.",
            "-.5",
            ".inf",
            "-.INF",
            ".NaN",
            "+.inf",
            "-0",
            "1_0.5",
            "01.5",
            "1e400",
            "18446744073709551616",
            "-9223372036854775809",
            "9007199254740993.0",
            "0.1234567890123456789",
            "1e99999999999999999999",
        ] {
            let problem = resolve(text).expect_err(text);
            assert!(problem.message.starts_with(&format!("unquoted `{text}` ")), "{problem:?}");
            assert!(problem.hint.starts_with(&format!("write \"{text}\" for text, or ")), "{problem:?}");
        }
        let long = "9".repeat(5_000);
        assert!(resolve(&long).expect_err("too long").message.len() < 200);
    }
}

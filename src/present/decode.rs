//! Reading what a command printed as the contract declares it: text, JSON, or JSON lines.

use std::borrow::Cow;

use serde_json::Value;

use crate::catalog::OutputFormat;

use super::repeated::Unrepeated;

/// Output, decoded.
pub(super) struct Decoded {
    /// The value; null where there was a problem.
    pub(super) value: Value,
    /// The bytes it came from, where the value does not hold them exactly: invalid UTF-8, a cut, or a problem.
    pub(super) raw: Option<Vec<u8>>,
    /// Why the output is not what was declared.
    pub(super) problem: Option<Problem>,
    /// Remarks on how it was read.
    pub(super) warnings: Vec<String>,
}

/// Why output cannot be read as declared.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Problem {
    /// It is not valid JSON, and where.
    NotJson(String),
    /// It was cut at the cap, so that no whole JSON value is left.
    Cut,
}

/// Decodes the bytes of an output of which the end is missing where `cut` says so. Where it is `torn`, its end may not be
/// the one that the program meant.
pub(super) fn decode(output: Vec<u8>, cut: bool, torn: bool, format: OutputFormat) -> Decoded {
    match format {
        OutputFormat::Text => text(output, cut || torn),
        OutputFormat::Json if cut => problem(output, Problem::Cut),
        OutputFormat::Json => json(output),
        OutputFormat::JsonLines => json_lines(output, cut),
    }
}

fn text(output: Vec<u8>, cut: bool) -> Decoded {
    let (value, raw) = match String::from_utf8(output) {
        Ok(text) if cut => (text.clone(), Some(text.into_bytes())),
        Ok(text) => (text, None),
        Err(error) => {
            let bytes = error.into_bytes();
            (String::from_utf8_lossy(&bytes).into_owned(), Some(bytes))
        }
    };
    Decoded { value: Value::String(value), raw, problem: None, warnings: Vec::new() }
}

fn json(output: Vec<u8>) -> Decoded {
    let mut warnings = Vec::new();
    match parse(&output, &mut warnings) {
        Ok(value) => Decoded { value, raw: None, problem: None, warnings },
        Err(message) => problem(output, Problem::NotJson(message)),
    }
}

fn json_lines(output: Vec<u8>, cut: bool) -> Decoded {
    // The line that the cap went through is no line; what is left is whole.
    let whole = match output.iter().rposition(|byte| *byte == b'\n') {
        Some(end) if cut => output.get(..=end).unwrap_or_default(),
        None if cut => return problem(output, Problem::Cut),
        Some(_) | None => output.as_slice(),
    };
    let mut warnings = Vec::new();
    let mut rows = Vec::new();
    for (index, line) in whole.split(|byte| *byte == b'\n').enumerate() {
        if line.iter().all(u8::is_ascii_whitespace) {
            continue;
        }
        match parse(line, &mut warnings) {
            Ok(row) => rows.push(row),
            Err(message) => {
                return problem(output, Problem::NotJson(format!("line {}: {message}", index + 1)));
            }
        }
    }
    Decoded { value: Value::Array(rows), raw: None, problem: None, warnings }
}

fn problem(output: Vec<u8>, problem: Problem) -> Decoded {
    Decoded { value: Value::Null, raw: Some(output), problem: Some(problem), warnings: Vec::new() }
}

/// Parses one JSON text. A repeated key is a problem: two readers would find different values in it.
fn parse(bytes: &[u8], warnings: &mut Vec<String>) -> Result<Value, String> {
    let text = std::str::from_utf8(bytes)
        .map_err(|error| format!("invalid UTF-8 at byte {}", error.valid_up_to()))?
        .trim_start_matches('\u{feff}');
    let exact = quote_inexact_numbers(text);
    // The parser's message quotes nothing of the input; line and column are of the tool's own output.
    let value = serde_json::from_str(&exact).map_err(|error| error.to_string())?;
    serde_json::from_str::<Unrepeated>(&exact).map_err(|error| error.to_string())?;
    if let (Cow::Owned(_), true) = (&exact, warnings.is_empty()) {
        warnings.push("numbers beyond 64-bit precision are given as text".to_owned());
    }
    Ok(value)
}

/// Puts quotes around the numbers that neither `i64`, `u64` nor `f64` holds exactly, so that none is changed silently.
fn quote_inexact_numbers(text: &str) -> Cow<'_, str> {
    let bytes = text.as_bytes();
    let mut out = String::new();
    let (mut copied, mut at) = (0, 0);
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'"' => at = end_of_string(bytes, at),
            b'-' | b'0'..=b'9' => {
                let tail = bytes.get(at..).unwrap_or_default();
                let length = tail.iter().take_while(|b| is_number_byte(**b)).count();
                let token = text.get(at..at + length).unwrap_or_default();
                if is_inexact(token) {
                    out.push_str(text.get(copied..at).unwrap_or_default());
                    out.extend(["\"", token, "\""]);
                    copied = at + length;
                }
                at += length;
            }
            _ => at += 1,
        }
    }
    if copied == 0 {
        return Cow::Borrowed(text);
    }
    out.push_str(text.get(copied..).unwrap_or_default());
    Cow::Owned(out)
}

fn end_of_string(bytes: &[u8], start: usize) -> usize {
    let mut at = start + 1;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'"' => return at + 1,
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
    bytes.len()
}

fn is_number_byte(byte: u8) -> bool {
    matches!(byte, b'-' | b'+' | b'.' | b'0'..=b'9' | b'e' | b'E')
}

/// Whether a token is a JSON number whose value the 64-bit types change. What is no number is left to the parser.
fn is_inexact(token: &str) -> bool {
    // Fifteen digits always survive; this keeps the common case cheap.
    if token.len() <= 15 && !token.contains(['e', 'E']) {
        return false;
    }
    if token.parse::<i64>().is_ok() || token.parse::<u64>().is_ok() {
        return false;
    }
    if !is_json_number(token) {
        return false;
    }
    let Ok(number) = token.parse::<f64>() else { return false };
    !number.is_finite() || significant_digits(token) != significant_digits(&format!("{number:e}"))
}

fn is_json_number(token: &str) -> bool {
    serde_json::from_str::<&serde_json::value::RawValue>(token).is_ok()
}

/// The digits that carry the value, without sign, point, exponent, leading and trailing zeros.
fn significant_digits(token: &str) -> String {
    let mantissa = token.split(['e', 'E']).next().unwrap_or_default();
    let digits: String = mantissa.chars().filter(char::is_ascii_digit).collect();
    digits.trim_matches('0').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn decoded(output: &str, cut: bool, format: OutputFormat) -> (Value, Option<Problem>) {
        let decoded = decode(output.as_bytes().to_vec(), cut, cut, format);
        (decoded.value, decoded.problem)
    }

    #[test]
    fn json_passes_unchanged() {
        let text = "\u{feff} {\"a\":18446744073709551615,\"b\":[0.1,-5,1e3]}\n";
        assert_eq!(
            decoded(text, false, OutputFormat::Json),
            (json!({"a": 18_446_744_073_709_551_615_u64, "b": [0.1, -5, 1e3]}), None)
        );
    }

    #[test]
    fn numbers_that_would_change_are_given_as_text() {
        let decoded = decode(
            br#"{"n":18446744073709551616,"s":"18446744073709551616","f":0.12345678901234567891,"x":1e999}"#
                .to_vec(),
            false,
            false,
            OutputFormat::Json,
        );
        assert_eq!(
            decoded.value,
            json!({"n": "18446744073709551616", "s": "18446744073709551616", "f": "0.12345678901234567891", "x": "1e999"})
        );
        assert_eq!(decoded.warnings, ["numbers beyond 64-bit precision are given as text"]);
    }

    #[test]
    fn numbers_that_survive_stay_numbers() {
        for text in ["0.30000000000000004", "100000000000000000000", "-9223372036854775808", "1.50e10", "0.0"]
        {
            let (value, problem) = decoded(text, false, OutputFormat::Json);
            assert!(value.is_number(), "{text} became {value}");
            assert_eq!(problem, None);
        }
    }

    #[test]
    fn json_lines_become_rows_and_a_cut_line_is_dropped() {
        assert_eq!(
            decoded("{\"a\":1}\n\n{\"a\":2}\r\n", false, OutputFormat::JsonLines),
            (json!([{"a": 1}, {"a": 2}]), None)
        );
        assert_eq!(decoded("1\n2\n{\"a\":", true, OutputFormat::JsonLines), (json!([1, 2]), None));
        assert_eq!(decoded("{\"a\":", true, OutputFormat::JsonLines), (Value::Null, Some(Problem::Cut)));
    }

    #[test]
    fn a_key_that_stands_twice_is_a_problem() {
        for text in [r#"{"state":"rejected","id":7,"state":"paid"}"#, r#"[{"a":{"x":1,"\u0078":2}}]"#] {
            let (value, problem) = decoded(text, false, OutputFormat::Json);
            assert_eq!(value, Value::Null);
            let Some(Problem::NotJson(message)) = problem else { panic!("{text} was taken") };
            assert!(message.contains("twice") || message.contains("again"), "{message}");
        }
    }

    #[test]
    fn what_is_not_json_is_a_problem_with_its_place() {
        assert_eq!(
            decoded("1\noops\n", false, OutputFormat::JsonLines),
            (Value::Null, Some(Problem::NotJson("line 2: expected value at line 1 column 1".into())))
        );
        assert!(matches!(decoded("", false, OutputFormat::Json), (Value::Null, Some(Problem::NotJson(_)))));
        assert_eq!(decoded("{}", true, OutputFormat::Json), (Value::Null, Some(Problem::Cut)));
        let deep = "[".repeat(100_000);
        assert!(matches!(
            decoded(&deep, false, OutputFormat::Json),
            (Value::Null, Some(Problem::NotJson(_)))
        ));
    }

    #[test]
    fn text_keeps_its_bytes_where_it_is_not_utf8() {
        let decoded = decode(b"a\xffb".to_vec(), false, false, OutputFormat::Text);
        assert_eq!(decoded.value, json!("a\u{fffd}b"));
        assert_eq!(decoded.raw.as_deref(), Some(b"a\xffb".as_slice()));
    }
}

//! The values of literals: numbers and escapes.

use std::ops::Range;

use crate::expression::CompileError;

use super::tree::Literal;

/// The value of an integer literal, with its sign and without its `u`.
pub(super) fn integer(text: &str, negative: bool, range: Range<usize>) -> Result<Literal, CompileError> {
    let digits = text.trim_end_matches(['u', 'U']);
    let magnitude = match digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X")) {
        Some(hexadecimal) => i128::from_str_radix(hexadecimal, 16),
        None => digits.parse::<i128>(),
    };
    let value = magnitude.map(|value| if negative { -value } else { value });
    match value {
        Ok(value) if (i128::from(i64::MIN)..=i128::from(u64::MAX)).contains(&value) => {
            Ok(Literal::Integer(value))
        }
        _ => Err(CompileError::new(range, format!("`{text}` is outside the 64-bit integers"))),
    }
}

/// The value of a decimal literal.
pub(super) fn decimal(text: &str, negative: bool, range: Range<usize>) -> Result<Literal, CompileError> {
    match text.parse::<f64>() {
        Ok(value) if value.is_finite() => Ok(Literal::Decimal(if negative { -value } else { value })),
        _ => Err(CompileError::new(range, format!("`{text}` is outside the decimal numbers"))),
    }
}

/// The value of a text literal, quotes and prefix included.
pub(super) fn text(written: &str, range: &Range<usize>) -> Result<String, CompileError> {
    let (raw, quoted) = match written.strip_prefix(['r', 'R']) {
        Some(quoted) => (true, quoted),
        None => (false, written),
    };
    let fence =
        if quoted.len() >= 6 && (quoted.starts_with("\"\"\"") || quoted.starts_with("'''")) { 3 } else { 1 };
    let body = quoted.get(fence..quoted.len().saturating_sub(fence)).unwrap_or_default();
    let body = body.replace("\r\n", "\n").replace('\r', "\n");
    if raw || !body.contains('\\') {
        return Ok(body);
    }
    let mut out = String::with_capacity(body.len());
    let mut rest = body.as_str();
    while let Some(at) = rest.find('\\') {
        let (plain, escape) = rest.split_at(at);
        out.push_str(plain);
        let (character, length) = unescape(escape).ok_or_else(|| {
            let shown: String = escape.chars().take(2).collect();
            CompileError::new(range.clone(), format!("`{shown}` is not a complete escape"))
                .with_hint("write a backslash as `\\\\`, or use a raw text: r\"…\"")
        })?;
        out.push(character);
        rest = escape.get(length..).unwrap_or_default();
    }
    out.push_str(rest);
    Ok(out)
}

/// The character that an escape stands for, and the bytes it takes.
fn unescape(escape: &str) -> Option<(char, usize)> {
    let radix = |from: usize, to: usize, radix: u32| {
        let digits = escape.get(from..to)?;
        let all = digits.chars().all(|c| c.is_digit(radix));
        let code = if all { u32::from_str_radix(digits, radix).ok()? } else { return None };
        Some((char::from_u32(code)?, to))
    };
    match escape.chars().nth(1)? {
        'a' => Some(('\x07', 2)),
        'b' => Some(('\x08', 2)),
        'f' => Some(('\x0c', 2)),
        'n' => Some(('\n', 2)),
        'r' => Some(('\r', 2)),
        't' => Some(('\t', 2)),
        'v' => Some(('\x0b', 2)),
        c @ ('\\' | '?' | '"' | '\'' | '`') => Some((c, 2)),
        'x' | 'X' => radix(2, 4, 16),
        'u' => radix(2, 6, 16),
        'U' => radix(2, 10, 16),
        '0'..='3' => radix(1, 4, 8),
        _ => None,
    }
}

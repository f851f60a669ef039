//! Numbers in a JSON text: does reading one as a 64-bit number keep every digit that was written.

/// A number that would lose precision.
pub(super) struct LossyNumber<'t> {
    /// How many numbers stand before it in the text.
    pub(super) ordinal: usize,
    /// Its spelling.
    pub(super) text: &'t str,
}

/// Finds the first number of a valid JSON text that 64 bits do not hold exactly.
pub(super) fn lossy_number(json: &[u8]) -> Option<LossyNumber<'_>> {
    let mut ordinal = 0;
    let mut rest = json;
    while let [first, tail @ ..] = rest {
        match first {
            b'"' => rest = after_string(tail),
            b'-' | b'0'..=b'9' => {
                let length = rest.iter().position(|byte| !is_number_byte(*byte)).unwrap_or(rest.len());
                let (number, after) = rest.split_at_checked(length)?;
                let text = std::str::from_utf8(number).ok()?;
                if !is_exact(text) {
                    return Some(LossyNumber { ordinal, text });
                }
                ordinal += 1;
                rest = after;
            }
            _ => rest = tail,
        }
    }
    None
}

fn is_number_byte(byte: u8) -> bool {
    matches!(byte, b'0'..=b'9' | b'-' | b'+' | b'.' | b'e' | b'E')
}

/// What follows a string whose opening quote was already taken.
fn after_string(mut rest: &[u8]) -> &[u8] {
    loop {
        rest = match rest {
            [] => return rest,
            [b'"', tail @ ..] => return tail,
            [b'\\', _, tail @ ..] | [_, tail @ ..] => tail,
        };
    }
}

/// Whether a number's value is that of the shortest spelling of what it is read as.
fn is_exact(text: &str) -> bool {
    if !text.contains(['.', 'e', 'E']) {
        return text.parse::<u64>().is_ok() || text.parse::<i64>().is_ok();
    }
    // Up to 15 digits survive wherever the point stands (IEEE 754 binary64), and most numbers have no more.
    if text.len() <= 16 && !text.contains(['e', 'E']) {
        return true;
    }
    let Ok(read) = text.parse::<f64>() else { return false };
    // The scientific form is the shortest spelling that reads back as the same number.
    read.is_finite() && Decimal::read(text) == Decimal::read(&format!("{read:e}"))
}

/// A decimal number in normal form: `0.d₁d₂…dₙ × 10^exponent`, `d₁` and `dₙ` not zero.
#[derive(PartialEq, Eq)]
struct Decimal {
    negative: bool,
    digits: Vec<u8>,
    exponent: i64,
}

impl Decimal {
    fn read(text: &str) -> Option<Self> {
        let (negative, text) = text.strip_prefix('-').map_or((false, text), |rest| (true, rest));
        let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let significant = whole.bytes().chain(fraction.bytes()).skip_while(|digit| *digit == b'0');
        let mut digits: Vec<u8> = significant.collect();
        let leading_zeros = whole.len() + fraction.len() - digits.len();
        while digits.last() == Some(&b'0') {
            digits.pop();
        }
        if digits.is_empty() {
            return Some(Self { negative, digits, exponent: 0 });
        }
        let shift = i64::try_from(whole.len()).ok()? - i64::try_from(leading_zeros).ok()?;
        let exponent = exponent.parse::<i64>().ok()?.checked_add(shift)?;
        Some(Self { negative, digits, exponent })
    }
}

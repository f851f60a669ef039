//! The place of a piece of work in a trace, as the W3C recommendation "Trace Context" writes it.

use std::fmt;

/// The flag of a trace that is recorded.
const SAMPLED: u8 = 1;
/// The flags that have a meaning in version 00: sampled, and that the trace id is random.
const KNOWN: u8 = 3;

/// A `traceparent`: which trace, below which span of it, and whether it is recorded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TraceParent {
    trace: [u8; 16],
    span: [u8; 8],
    flags: u8,
}

impl TraceParent {
    /// Reads one. Of a later version than 00 the four fields of version 00 are read, as the recommendation demands.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let bytes = text.as_bytes();
        let dash = |at: usize| (bytes.get(at) == Some(&b'-')).then_some(());
        let [version] = hex::<1>(bytes.get(..2)?)?;
        dash(2)?;
        let trace = hex::<16>(bytes.get(3..35)?)?;
        dash(35)?;
        let span = hex::<8>(bytes.get(36..52)?)?;
        dash(52)?;
        let [flags] = hex::<1>(bytes.get(53..55)?)?;
        let ends = match version {
            0 => bytes.len() == 55,
            0xff => false,
            _ => bytes.len() == 55 || bytes.get(55) == Some(&b'-'),
        };
        (ends && trace != [0; 16] && span != [0; 8]).then_some(Self { trace, span, flags })
    }

    /// The first span of a new trace.
    pub(super) fn root(random: [u8; 24]) -> Option<Self> {
        let (trace, span) = random.split_first_chunk::<16>()?;
        let span = *span.first_chunk::<8>()?;
        (*trace != [0; 16] && span != [0; 8]).then_some(Self { trace: *trace, span, flags: SAMPLED })
    }

    /// A new span of the same trace, below this one.
    pub(super) fn child(self, random: [u8; 8]) -> Option<Self> {
        (random != [0; 8]).then_some(Self { span: random, flags: self.flags & KNOWN, ..self })
    }

    pub(super) fn trace(&self) -> [u8; 16] {
        self.trace
    }

    pub(super) fn span(&self) -> [u8; 8] {
        self.span
    }

    pub(super) fn is_sampled(&self) -> bool {
        self.flags & SAMPLED != 0
    }
}

impl fmt::Display for TraceParent {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("00-")?;
        self.trace.iter().try_for_each(|byte| write!(formatter, "{byte:02x}"))?;
        formatter.write_str("-")?;
        self.span.iter().try_for_each(|byte| write!(formatter, "{byte:02x}"))?;
        write!(formatter, "-{:02x}", self.flags)
    }
}

/// Bytes of lower-case hexadecimal digits: others are not allowed.
fn hex<const N: usize>(text: &[u8]) -> Option<[u8; N]> {
    let digit = |byte: u8| match byte {
        b'0'..=b'9' => Some(byte - b'0'),
        b'a'..=b'f' => Some(byte - b'a' + 10),
        _ => None,
    };
    let mut bytes = [0; N];
    if text.len() != 2 * N {
        return None;
    }
    for (byte, pair) in bytes.iter_mut().zip(text.chunks_exact(2)) {
        let [high, low] = pair else { return None };
        *byte = digit(*high)? << 4 | digit(*low)?;
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

    #[test]
    fn a_traceparent_is_written_as_it_was_read() {
        for text in [GOOD, "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00"] {
            assert_eq!(TraceParent::parse(text).unwrap().to_string(), text);
        }
    }

    #[test]
    fn what_is_not_strictly_a_traceparent_is_none() {
        let zero_trace = "00-00000000000000000000000000000000-b7ad6b7169203331-01";
        let zero_span = "00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01";
        let wrong = [
            String::new(),
            GOOD.to_uppercase(),
            format!("{GOOD} "),
            format!(" {GOOD}"),
            format!("{GOOD}-more"),
            format!("{GOOD}0"),
            GOOD.replacen("00-", "ff-", 1),
            GOOD.replacen("00-", "0g-", 1),
            GOOD.replace('-', "_"),
            GOOD.replace('a', "é"),
            GOOD[..54].to_owned(),
            zero_trace.to_owned(),
            zero_span.to_owned(),
        ];
        for text in wrong {
            assert_eq!(TraceParent::parse(&text), None, "{text:?}");
        }
    }

    #[test]
    fn of_a_later_version_the_known_fields_are_read() {
        let later = format!("{}-more", GOOD.replacen("00-", "01-", 1));
        assert_eq!(TraceParent::parse(&later).unwrap().to_string(), GOOD);
        assert_eq!(TraceParent::parse(&later.replace("-more", "more")), None);
    }
}

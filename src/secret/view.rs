//! A text with its escapes undone, and the way back to where each byte stood.
//!
//! Encoders differ in what they escape and how: a search for every spelling would never end. So the spelling is undone, and
//! the secret searched for in what it means.

use std::ops::Range;

/// A way of spelling bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Spelling {
    /// `%2F`, as in URLs and forms.
    Percent,
    /// `\"`, `\/`, `\n`, `\u00e9`, `\x41`, `\u{e9}`: JSON and the string literals of programming languages.
    Backslash,
    /// `&amp;`, `&#39;`, `&#x27;`.
    Html,
    /// `68 65`, `68:65`, `6865 6c6c`, `0x68, 0x65`: hexadecimal as dumps and program texts write it.
    Dumped,
    /// With a NUL beside each character, as UTF-16 has it.
    Wide,
    /// Broken into lines, with or without indentation.
    Wrapped,
}

impl Spelling {
    pub(super) const ALL: [Self; 6] =
        [Self::Percent, Self::Backslash, Self::Html, Self::Dumped, Self::Wide, Self::Wrapped];

    /// Whether something spelt so can start with this byte.
    fn starts(self, byte: u8) -> bool {
        match self {
            Self::Percent => byte == b'%',
            Self::Backslash => byte == b'\\',
            Self::Html => byte == b'&',
            Self::Dumped => is_gap(byte),
            Self::Wide => byte == 0,
            Self::Wrapped => matches!(byte, b'\n' | b'\r'),
        }
    }

    /// Reads what is spelt so at `at`.
    fn unit(self, text: &[u8], at: usize) -> Option<Unit> {
        let bytes = text.get(at..)?;
        match self {
            Self::Percent => percent(bytes),
            Self::Backslash => backslash(bytes),
            Self::Html => html(bytes),
            Self::Dumped if text.get(at.checked_sub(2)?..at)?.iter().all(u8::is_ascii_hexdigit) => {
                dumped(bytes)
            }
            Self::Dumped => None,
            Self::Wide => Some(Unit::bytes(1, &[])),
            Self::Wrapped => Some(wrapped(bytes)),
        }
    }
}

impl Spelling {
    /// What `bytes` mean; `None` where nothing is spelt so.
    pub(super) fn undo(self, bytes: &[u8]) -> Option<Vec<u8>> {
        let mut meaning = Vec::new();
        let changed = self.decode(bytes, |part| match part {
            Part::Plain(range) => meaning.extend_from_slice(bytes.get(range).unwrap_or_default()),
            Part::Spelt(_, unit) => meaning.extend_from_slice(unit.meaning()),
        });
        changed.then_some(meaning)
    }

    /// Takes `bytes` apart. Returns whether anything was spelt so; if not, not everything may have been shown.
    fn decode(self, bytes: &[u8], mut show: impl FnMut(Part)) -> bool {
        let mut changed = false;
        let (mut shown, mut at) = (0, 0);
        while let Some(skipped) =
            bytes.get(at..).unwrap_or_default().iter().position(|byte| self.starts(*byte))
        {
            at += skipped;
            let Some(unit) = self.unit(bytes, at) else {
                at += 1;
                continue;
            };
            changed = true;
            let end = at + unit.taken.max(1);
            show(Part::Plain(shown..at));
            show(Part::Spelt(at..end, unit));
            (shown, at) = (end, end);
        }
        if changed {
            show(Part::Plain(shown..bytes.len()));
        }
        changed
    }
}

enum Part {
    Plain(Range<usize>),
    Spelt(Range<usize>, Unit),
}

/// The way back from what a text means, spelling within spelling, to the text.
///
/// It is made only where something was found: most texts hold nothing, and it takes eight times their size.
pub(super) struct Places(Vec<(u32, u32)>);

impl Places {
    /// Follows `spellings`, outermost first, through `window`.
    pub(super) fn of(spellings: &[Spelling], window: &[u8]) -> Self {
        let mut places: Vec<_> = (0..window.len()).map(|at| (clamp(at), clamp(at + 1))).collect();
        let mut bytes = window.to_vec();
        for spelling in spellings {
            let mut next = Vec::with_capacity(places.len());
            spelling.decode(&bytes, |part| match part {
                Part::Plain(range) => next.extend_from_slice(places.get(range).unwrap_or_default()),
                Part::Spelt(range, unit) => {
                    let first = places.get(range.start).map_or(0, |place| place.0);
                    let last = places.get(range.end.saturating_sub(1)).map_or(first, |place| place.1);
                    next.extend(unit.meaning().iter().map(|_| (first, last)));
                }
            });
            bytes = spelling.undo(&bytes).unwrap_or_default();
            places = next;
        }
        Self(places)
    }

    /// The range of the window behind a range of what it means.
    pub(super) fn origin(&self, range: Range<usize>) -> Range<usize> {
        let start = self.0.get(range.start).map_or(0, |place| place.0);
        let end = range.end.checked_sub(1).and_then(|last| self.0.get(last)).map_or(start, |place| place.1);
        start as usize..end as usize
    }
}

fn clamp(offset: usize) -> u32 {
    u32::try_from(offset).unwrap_or(u32::MAX)
}

/// One unit of a spelling: how many bytes it takes, and what they mean.
struct Unit {
    taken: usize,
    meaning: [u8; 4],
    length: usize,
}

impl Unit {
    fn bytes(taken: usize, meaning: &[u8]) -> Self {
        let mut unit = Self { taken, meaning: [0; 4], length: meaning.len().min(4) };
        for (to, from) in unit.meaning.iter_mut().zip(meaning) {
            *to = *from;
        }
        unit
    }

    fn meaning(&self) -> &[u8] {
        self.meaning.get(..self.length).unwrap_or_default()
    }

    fn character(taken: usize, code: u32) -> Option<Self> {
        Some(Self::bytes(taken, char::from_u32(code)?.encode_utf8(&mut [0; 4]).as_bytes()))
    }
}

fn digits(bytes: &[u8], range: Range<usize>, radix: u32) -> Option<u32> {
    let text = bytes.get(range)?;
    let all = !text.is_empty() && text.iter().all(|byte| char::from(*byte).is_digit(radix));
    u32::from_str_radix(str::from_utf8(text).ok().filter(|_| all)?, radix).ok()
}

fn byte_of(code: u32) -> u8 {
    u8::try_from(code).unwrap_or_default()
}

fn percent(bytes: &[u8]) -> Option<Unit> {
    digits(bytes, 1..3, 16).map(|code| Unit::bytes(3, &[byte_of(code)]))
}

fn backslash(bytes: &[u8]) -> Option<Unit> {
    let control = |byte| Some(Unit::bytes(2, &[byte]));
    match bytes.get(1)? {
        b'n' => control(b'\n'),
        b'r' => control(b'\r'),
        b't' => control(b'\t'),
        b'b' => control(8),
        b'f' => control(12),
        b'x' => digits(bytes, 2..4, 16).map(|code| Unit::bytes(4, &[byte_of(code)])),
        b'u' if bytes.get(2) == Some(&b'{') => {
            let close = bytes.iter().take(10).position(|byte| *byte == b'}')?;
            Unit::character(close + 1, digits(bytes, 3..close, 16)?)
        }
        b'u' => {
            let high = digits(bytes, 2..6, 16)?;
            if !(0xd800..0xdc00).contains(&high) {
                return Unit::character(6, high);
            }
            let low = digits(bytes, 8..12, 16).filter(|low| (0xdc00..0xe000).contains(low))?;
            let pair = bytes.get(6..8) == Some(br"\u");
            Unit::character(12, 0x1_0000 + ((high - 0xd800) << 10) + (low - 0xdc00)).filter(|_| pair)
        }
        b'U' => Unit::character(10, digits(bytes, 2..10, 16)?),
        other if other.is_ascii_alphanumeric() => None,
        other => Some(Unit::bytes(2, &[*other])),
    }
}

fn html(bytes: &[u8]) -> Option<Unit> {
    const NAMED: [(&[u8], u8); 6] = [
        (b"&amp;", b'&'),
        (b"&lt;", b'<'),
        (b"&gt;", b'>'),
        (b"&quot;", b'"'),
        (b"&apos;", b'\''),
        (b"&nbsp;", b' '),
    ];
    if bytes.get(1) != Some(&b'#') {
        let (name, meaning) = NAMED.iter().find(|(name, _)| bytes.starts_with(name))?;
        return Some(Unit::bytes(name.len(), &[*meaning]));
    }
    let close = bytes.iter().take(12).position(|byte| *byte == b';')?;
    let code = match bytes.get(2)? {
        b'x' | b'X' => digits(bytes, 3..close, 16)?,
        _ => digits(bytes, 2..close, 10)?,
    };
    Unit::character(close + 1, code)
}

/// What stands between bytes in hexadecimal.
pub(super) fn is_gap(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b':' | b',' | b';' | b'-' | b'_')
}

/// What sets off a byte in hexadecimal from the one before it.
fn dumped(bytes: &[u8]) -> Option<Unit> {
    let gap = bytes.iter().take(3).take_while(|byte| is_gap(**byte)).count();
    let rest = bytes.get(gap..)?;
    let prefix = if rest.starts_with(b"0x") || rest.starts_with(b"0X") { 2 } else { 0 };
    let digits = rest.get(prefix..prefix + 2)?;
    digits.iter().all(u8::is_ascii_hexdigit).then(|| Unit::bytes(gap + prefix, &[]))
}

fn wrapped(bytes: &[u8]) -> Unit {
    let breaks = bytes.iter().take_while(|byte| matches!(byte, b'\r' | b'\n')).count();
    let indent = bytes.iter().skip(breaks).take_while(|byte| matches!(byte, b' ' | b'\t')).count();
    Unit::bytes(breaks + indent, &[])
}

//! Bytes from a terminal, as keys.

/// A key, as far as a prompt cares.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Key {
    Character(char),
    Enter,
    Backspace,
    Up,
    Down,
    /// Ctrl-C.
    Interrupt,
    /// Ctrl-D.
    EndOfInput,
    /// Ctrl-U.
    ClearLine,
    /// A character that was pasted: text, never a command.
    Pasted(char),
    /// Anything else.
    Other,
}

/// Most bytes of an escape sequence; a longer one is none.
const SEQUENCE_BYTES: usize = 16;

/// Turns bytes into keys. It keeps an unfinished character or sequence until the rest arrives.
#[derive(Debug, Default)]
pub(super) struct Keys {
    pending: Vec<u8>,
    pasting: bool,
}

impl Keys {
    /// Decodes the next bytes.
    pub(super) fn feed(&mut self, bytes: &[u8]) -> Vec<Key> {
        self.pending.extend_from_slice(bytes);
        let mut keys = Vec::new();
        let pending = std::mem::take(&mut self.pending);
        let mut rest = pending.as_slice();
        while let Some((key, length)) = self.next(rest) {
            keys.extend(key);
            rest = rest.get(length..).unwrap_or_default();
        }
        self.pending = rest.to_vec();
        keys
    }

    /// The first key of `bytes` and its length; `None` where more bytes are needed.
    fn next(&mut self, bytes: &[u8]) -> Option<(Option<Key>, usize)> {
        match *bytes.first()? {
            0x1b => self.sequence(bytes),
            byte if byte < 0x20 || byte == 0x7f => Some((self.control(byte), 1)),
            _ => self.character(bytes),
        }
    }

    fn control(&self, byte: u8) -> Option<Key> {
        // Ctrl-C always counts; a pasted line break is no answer.
        match byte {
            0x03 => Some(Key::Interrupt),
            b'\r' | b'\n' | b'\t' if self.pasting => Some(Key::Pasted(' ')),
            _ if self.pasting => None,
            b'\r' | b'\n' => Some(Key::Enter),
            0x04 => Some(Key::EndOfInput),
            0x08 | 0x7f => Some(Key::Backspace),
            0x15 => Some(Key::ClearLine),
            b'\t' | 0x0e => Some(Key::Down),
            0x10 => Some(Key::Up),
            _ => Some(Key::Other),
        }
    }

    fn character(&self, bytes: &[u8]) -> Option<(Option<Key>, usize)> {
        let key = |c| Some(if self.pasting { Key::Pasted(c) } else { Key::Character(c) });
        let length = match bytes.first()? {
            0xc2..=0xdf => 2,
            0xe0..=0xef => 3,
            0xf0..=0xf4 => 4,
            _ => 1,
        };
        let Some(whole) = bytes.get(..length) else {
            // Wait for the rest, unless what is there cannot become a character any more.
            let broken = bytes.iter().skip(1).any(|byte| !(0x80..0xc0).contains(byte));
            return broken.then_some((Some(Key::Other), 1));
        };
        match std::str::from_utf8(whole).ok().and_then(|text| text.chars().next()) {
            Some(c) => Some((key(c), length)),
            None => Some((Some(Key::Other), 1)),
        }
    }

    /// An escape sequence. A lone escape waits for its rest, which at worst swallows the next key: that is safe.
    fn sequence(&mut self, bytes: &[u8]) -> Option<(Option<Key>, usize)> {
        match *bytes.get(1)? {
            b'[' | b'O' => {}
            // An escape that stands alone before a control: the control counts, Ctrl-C above all.
            byte if byte < 0x20 => return Some((Some(Key::Other), 1)),
            // Alt and a key, or an escape and a key: neither is an answer.
            _ => return Some((Some(Key::Other), 2)),
        }
        let body = bytes.get(2..).unwrap_or_default();
        let Some(end) = body.iter().position(|byte| (0x40..0x7f).contains(byte)) else {
            return (body.len() > SEQUENCE_BYTES).then_some((Some(Key::Other), bytes.len()));
        };
        let length = 2 + end + 1;
        let key = match body.get(..=end).unwrap_or_default() {
            b"200~" => {
                self.pasting = true;
                None
            }
            b"201~" => {
                self.pasting = false;
                None
            }
            b"A" => Some(Key::Up),
            b"B" => Some(Key::Down),
            _ => Some(Key::Other),
        };
        Some((key, length))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn keys(bytes: &[u8]) -> Vec<Key> {
        Keys::default().feed(bytes)
    }

    #[test]
    fn characters_controls_and_arrows_are_told_apart() {
        assert_eq!(
            keys("oé漢\r\u{3}\u{4}\u{7f}\u{1b}[A\u{1b}[B\u{1b}OA".as_bytes()),
            [
                Key::Character('o'),
                Key::Character('é'),
                Key::Character('漢'),
                Key::Enter,
                Key::Interrupt,
                Key::EndOfInput,
                Key::Backspace,
                Key::Up,
                Key::Down,
                Key::Up,
            ]
        );
    }

    #[test]
    fn what_is_split_between_reads_is_put_together() {
        let mut keys = Keys::default();
        assert_eq!(keys.feed(b"\x1b"), []);
        assert_eq!(keys.feed(b"["), []);
        assert_eq!(keys.feed(b"Bx\xe6\xbc"), [Key::Down, Key::Character('x')]);
        assert_eq!(keys.feed(b"\xa2"), [Key::Character('漢')]);
    }

    #[test]
    fn pasted_text_is_text_and_its_line_breaks_are_no_answer() {
        assert_eq!(
            keys(b"\x1b[200~o\ry\n\x04\x1b[201~\r"),
            [Key::Pasted('o'), Key::Pasted(' '), Key::Pasted('y'), Key::Pasted(' '), Key::Enter]
        );
    }

    #[test]
    fn unknown_sequences_and_broken_bytes_are_nothing() {
        assert_eq!(
            keys(b"\x1bo\x1b[15~\xff\xc3("),
            [Key::Other, Key::Other, Key::Other, Key::Other, Key::Character('(')]
        );
    }

    proptest! {
        #[test]
        fn any_bytes_are_decoded_and_little_is_kept(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            let mut keys = Keys::default();
            let _ = keys.feed(&bytes);
            prop_assert!(keys.pending.len() <= SEQUENCE_BYTES + 2);
        }
    }
}

//! Lines out of a stream of bytes, each of a bounded length.

/// Bytes that have come and are not taken yet.
#[derive(Debug)]
pub(super) struct Lines {
    bytes: Vec<u8>,
    /// How far there is no line end.
    searched: usize,
    most: usize,
}

/// A line would be longer than it may be.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct TooLong;

impl Lines {
    /// Lines of at most `most` bytes, without their ends.
    pub(super) fn new(most: usize) -> Self {
        Self { bytes: Vec::new(), searched: 0, most }
    }

    /// Where bytes that come are put.
    pub(super) fn room(&mut self) -> &mut Vec<u8> {
        &mut self.bytes
    }

    /// Takes every whole line that has come, as one piece with its line ends; `None` where there is none.
    ///
    /// # Errors
    /// Where a line, whole or not, is longer than it may be.
    pub(super) fn take(&mut self) -> Result<Option<Vec<u8>>, TooLong> {
        let new = self.bytes.get(self.searched..).unwrap_or_default();
        let Some(last) = new.iter().rposition(|byte| *byte == b'\n') else {
            self.searched = self.bytes.len();
            return if self.bytes.len() > self.most { Err(TooLong) } else { Ok(None) };
        };
        let rest = self.bytes.split_off(self.searched + last + 1);
        self.searched = 0;
        let whole = std::mem::replace(&mut self.bytes, rest);
        if whole.len() > self.most && whole.split(|byte| *byte == b'\n').any(|line| line.len() > self.most) {
            return Err(TooLong);
        }
        Ok(Some(whole))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_come_whole_however_they_are_cut_up() {
        let mut lines = Lines::new(10);
        for (piece, taken) in [
            ("ab", None),
            ("c", None),
            ("\nd", Some("abc\n")),
            ("\n\ne\nf", Some("d\n\ne\n")),
            ("\n", Some("f\n")),
        ] {
            lines.room().extend_from_slice(piece.as_bytes());
            assert_eq!(lines.take(), Ok(taken.map(|text| text.as_bytes().to_vec())), "after {piece:?}");
        }
    }

    #[test]
    fn a_line_over_the_cap_is_an_error_whether_it_ended_or_not() {
        let mut lines = Lines::new(3);
        lines.room().extend_from_slice(b"abc\nabc\n");
        assert_eq!(lines.take(), Ok(Some(b"abc\nabc\n".to_vec())));
        lines.room().extend_from_slice(b"abcd");
        assert_eq!(lines.take(), Err(TooLong));
        let mut lines = Lines::new(3);
        lines.room().extend_from_slice(b"a\nabcd\n");
        assert_eq!(lines.take(), Err(TooLong));
    }
}

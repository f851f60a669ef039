//! One line of text from a person, as a state machine without a terminal.

use crate::text;

use super::keys::Key;

/// Most bytes of a line.
const BYTES: usize = 2000;

/// What a key did to the line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Typed {
    /// It changed, or not.
    More,
    /// It is finished.
    Done,
    /// Ctrl-C.
    Interrupted,
}

/// A line being typed.
#[derive(Debug, Default)]
pub(super) struct TypedLine {
    text: String,
}

impl TypedLine {
    /// Takes a key.
    pub(super) fn press(&mut self, key: Key) -> Typed {
        match key {
            Key::Character(c) | Key::Pasted(c) => {
                if self.text.len() + c.len_utf8() <= BYTES {
                    self.text.push(c);
                }
            }
            Key::Backspace => drop(self.text.pop()),
            Key::ClearLine => self.text.clear(),
            Key::Enter | Key::EndOfInput => return Typed::Done,
            Key::Interrupt => return Typed::Interrupted,
            Key::Up | Key::Down | Key::Other => {}
        }
        Typed::More
    }

    /// The end of the line that fits in `columns`, escaped: what is being typed stays in sight.
    pub(super) fn shown(&self, columns: usize) -> String {
        let escaped = text::escape(&self.text);
        let mut shown = escaped.as_ref();
        while text::width(shown) > columns {
            let mut rest = shown.chars();
            if rest.next().is_none() {
                break;
            }
            shown = rest.as_str();
        }
        shown.to_owned()
    }

    /// The text; `None` where there is none.
    pub(super) fn into_text(self) -> Option<String> {
        let text = self.text.trim();
        (!text.is_empty()).then(|| text.to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn typed(keys: &[Key]) -> (TypedLine, Typed) {
        let mut line = TypedLine::default();
        let mut last = Typed::More;
        for key in keys {
            last = line.press(*key);
        }
        (line, last)
    }

    #[test]
    fn a_line_is_typed_corrected_and_finished() {
        let keys = [
            Key::Character('x'),
            Key::ClearLine,
            Key::Character('n'),
            Key::Character('a'),
            Key::Backspace,
            Key::Pasted('o'),
            Key::Enter,
        ];
        let (line, last) = typed(&keys);
        assert_eq!((line.into_text().as_deref(), last), (Some("no"), Typed::Done));
        assert_eq!(typed(&[Key::Enter]).0.into_text(), None);
        assert_eq!(typed(&[Key::Interrupt]).1, Typed::Interrupted);
    }

    #[test]
    fn the_end_of_a_long_line_stays_in_sight_and_its_length_is_bounded() {
        let (line, _) = typed(&[Key::Character('漢'); 3000]);
        assert_eq!(line.shown(5), "漢漢");
        assert!(line.into_text().is_some_and(|text| text.len() <= BYTES));
    }
}

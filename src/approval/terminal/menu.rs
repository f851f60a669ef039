//! The choices under a question, as a state machine without a terminal.

use crate::text;

use super::super::Question;
use super::keys::Key;

/// What an item stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Choice {
    Once,
    ForTask(usize),
    Edit,
    View,
    Deny,
    Stop,
}

/// What a key did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Step {
    /// Nothing to draw.
    Stay,
    /// The selection moved.
    Moved,
    /// The selected item was confirmed.
    Chosen(Choice),
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Item {
    key: char,
    label: String,
    choice: Choice,
}

/// A menu. It starts on the refusal, and only moving away from it and then confirming is a yes: two different keys.
///
/// A letter chooses only where it was typed alone. Whoever types a word is not answering the question, whatever its last
/// letter stands for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Menu {
    items: Vec<Item>,
    selected: usize,
    /// How many characters were typed since the last other key.
    typed: usize,
}

impl Menu {
    /// The choices of a question. Where only signed answers count there is no yes among them.
    pub(super) fn new(question: &Question, can_edit: bool, abridged: bool) -> Self {
        let mut items = Vec::new();
        let mut add = |key, label: String, choice| items.push(Item { key, label, choice });
        add('d', "deny".to_owned(), Choice::Deny);
        if question.signed_by().is_none() {
            add('o', "yes, once".to_owned(), Choice::Once);
            // One key is one alternative: those beyond the ninth have none and are not offered.
            for (alternative, key) in question.alternatives().iter().zip('1'..='9') {
                let label = format!("yes, for this task ({key} above)");
                add(key, label, Choice::ForTask(alternative.index));
            }
            if can_edit {
                add('e', "edit the arguments".to_owned(), Choice::Edit);
            }
        }
        if abridged {
            add('v', "view everything".to_owned(), Choice::View);
        }
        add('s', "stop the run".to_owned(), Choice::Stop);
        Self { items, selected: 0, typed: 0 }
    }

    /// The choices after an edit that was refused: there is no call that a yes could be to.
    pub(super) fn after_refusal() -> Self {
        let items = [
            ('d', "deny", Choice::Deny),
            ('e', "edit the arguments again", Choice::Edit),
            ('s', "stop the run", Choice::Stop),
        ];
        let items = items.map(|(key, label, choice)| Item { key, label: label.to_owned(), choice });
        Self { items: items.into(), selected: 0, typed: 0 }
    }

    /// The choices under a stored question: to leave it, or to give the answer.
    pub(super) fn confirming(answer: &str) -> Self {
        let items = [('n', "no, leave the question as it is", Choice::Deny), ('y', answer, Choice::Once)];
        let items = items.map(|(key, label, choice)| Item { key, label: label.to_owned(), choice });
        Self { items: items.into(), selected: 0, typed: 0 }
    }

    /// Takes a key.
    pub(super) fn press(&mut self, key: Key) -> Step {
        let last = self.items.len().saturating_sub(1);
        self.typed = if matches!(key, Key::Character(_)) { self.typed.saturating_add(1) } else { 0 };
        match key {
            Key::Up => self.select(if self.selected == 0 { last } else { self.selected - 1 }),
            Key::Down => self.select(if self.selected == last { 0 } else { self.selected + 1 }),
            Key::Character(c) => {
                let chosen = self.items.iter().position(|item| item.key == c.to_ascii_lowercase());
                self.select(chosen.filter(|_| self.typed == 1).unwrap_or(0))
            }
            Key::Enter => {
                Step::Chosen(self.items.get(self.selected).map_or(Choice::Deny, |item| item.choice))
            }
            Key::Interrupt => Step::Chosen(Choice::Stop),
            Key::EndOfInput => Step::Chosen(Choice::Deny),
            Key::Backspace | Key::ClearLine => self.select(0),
            Key::Pasted(_) | Key::Other => Step::Stay,
        }
    }

    fn select(&mut self, index: usize) -> Step {
        self.selected = index;
        Step::Moved
    }

    /// What is shown for a choice that was made; Ctrl-C and the end of input choose what is not selected.
    pub(super) fn label(&self, choice: Choice) -> &str {
        let item = self.items.iter().find(|item| item.choice == choice);
        item.map_or("stop", |item| &item.label)
    }

    /// The label of the selected item.
    pub(super) fn selected(&self) -> &str {
        self.items.get(self.selected).map_or("deny", |item| &item.label)
    }

    /// The menu as lines: the question word, then one line an item; a single line where the terminal is low.
    ///
    /// No line reaches the last column, so that none wraps.
    pub(super) fn lines(
        &self,
        rows: usize,
        columns: usize,
        theme: &dyn dialoguer::theme::Theme,
    ) -> Vec<String> {
        let room = columns.saturating_sub(1).max(1);
        if rows < self.items.len() + 2 {
            let keys = self.items.iter().map(|item| item.key.to_string()).collect::<Vec<_>>().join("/");
            return vec![text::fit(&format!("> {} [{keys}, enter]", self.selected()), room, false)];
        }
        let mut lines = vec![String::new()];
        if let Some(prompt) = lines.first_mut() {
            // Writing to a string does not fail.
            let _ = theme.format_select_prompt(prompt, "Your answer (letter or arrows, then enter)");
        }
        for (index, item) in self.items.iter().enumerate() {
            let mut line = String::new();
            let label = format!("[{}] {}", item.key, item.label);
            let _ = theme.format_select_prompt_item(&mut line, &label, index == self.selected);
            lines.push(line);
        }
        lines.iter().map(|line| text::fit(line, room, false)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use dialoguer::theme::SimpleTheme;

    fn menu() -> Menu {
        let items = [
            ('d', "deny", Choice::Deny),
            ('o', "yes, once", Choice::Once),
            ('1', "yes, for this task (1 above)", Choice::ForTask(0)),
            ('s', "stop the run", Choice::Stop),
        ];
        let items = items.map(|(key, label, choice)| Item { key, label: label.into(), choice });
        Menu { items: items.into(), selected: 0, typed: 0 }
    }

    fn chosen(keys: &[Key]) -> Option<Choice> {
        let mut menu = menu();
        keys.iter().find_map(|key| match menu.press(*key) {
            Step::Chosen(choice) => Some(choice),
            Step::Stay | Step::Moved => None,
        })
    }

    #[test]
    fn enter_alone_denies() {
        assert_eq!(chosen(&[Key::Enter]), Some(Choice::Deny));
        assert_eq!(chosen(&[Key::Character('y'), Key::Enter]), Some(Choice::Deny));
        assert_eq!(
            chosen(&[Key::Character(' '), Key::Pasted('o'), Key::Other, Key::Enter]),
            Some(Choice::Deny)
        );
    }

    #[test]
    fn no_single_key_is_a_yes() {
        let mut keys: Vec<Key> = (' '..='~').map(Key::Character).collect();
        keys.extend([
            Key::Up,
            Key::Down,
            Key::Other,
            Key::Interrupt,
            Key::EndOfInput,
            Key::Backspace,
            Key::ClearLine,
        ]);
        for key in keys {
            assert!(!matches!(chosen(&[key]), Some(Choice::Once | Choice::ForTask(_))), "{key:?}");
        }
    }

    #[test]
    fn a_word_is_no_answer_whatever_its_letters() {
        let typed = |word: &str| {
            let keys: Vec<Key> = word.chars().map(Key::Character).chain([Key::Enter]).collect();
            chosen(&keys)
        };
        for word in ["echo foo", "no", "oo", "go", "do", "xo"] {
            assert_eq!(typed(word), Some(Choice::Deny), "{word}");
        }
        let corrected = [Key::Character('x'), Key::Backspace, Key::Character('o'), Key::Enter];
        assert_eq!(chosen(&corrected), Some(Choice::Once));
    }

    #[test]
    fn a_choice_and_enter_is_an_answer() {
        assert_eq!(chosen(&[Key::Character('o'), Key::Enter]), Some(Choice::Once));
        assert_eq!(chosen(&[Key::Character('1'), Key::Enter]), Some(Choice::ForTask(0)));
        assert_eq!(chosen(&[Key::Down, Key::Enter]), Some(Choice::Once));
        assert_eq!(chosen(&[Key::Up, Key::Enter]), Some(Choice::Stop));
    }

    #[test]
    fn ctrl_c_stops_and_the_end_of_input_denies_whatever_is_selected() {
        assert_eq!(chosen(&[Key::Character('o'), Key::Interrupt]), Some(Choice::Stop));
        assert_eq!(chosen(&[Key::Character('o'), Key::EndOfInput]), Some(Choice::Deny));
    }

    #[test]
    fn a_low_terminal_gets_one_line_and_a_narrow_one_no_wrapping() {
        assert_eq!(menu().lines(4, 80, &SimpleTheme), ["> deny [d/o/1/s, enter]"]);
        assert_eq!(
            menu().lines(24, 20, &SimpleTheme),
            [
                "Your answer (lette~",
                "> [d] deny",
                "  [o] yes, once",
                "  [1] yes, for thi~",
                "  [s] stop the run"
            ]
        );
    }
}

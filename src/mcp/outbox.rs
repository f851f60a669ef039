//! What is still to be written, and how much of it has been: an unfinished line is never left for another to be put behind.

use std::collections::VecDeque;
use std::pin::Pin;
use std::task::{Context, Poll};

use tokio::io::AsyncWrite;

use super::client::Sending;

/// Most bytes that wait for a server to read them.
const MOST_WAITING: usize = 64 << 20;

/// Lines on their way out, in order. Each has a number.
#[derive(Debug, Default)]
pub(super) struct Outbox {
    lines: VecDeque<(u64, String)>,
    next: u64,
    /// How much of the first line is written.
    done: usize,
    waiting: usize,
}

impl Outbox {
    /// Puts a line behind the others; `None` where too much waits already.
    pub(super) fn put(&mut self, line: String) -> Option<u64> {
        if self.waiting.saturating_add(line.len()) > MOST_WAITING {
            return None;
        }
        let number = self.next;
        self.next += 1;
        self.waiting += line.len();
        self.lines.push_back((number, line));
        Some(number)
    }

    /// Takes a line out again of which nothing is written yet; returns whether there was one.
    pub(super) fn withdraw(&mut self, number: u64) -> bool {
        if self.sending(number) != Sending::Nothing {
            return false;
        }
        let Some(at) = self.lines.iter().position(|(other, _)| *other == number) else { return false };
        self.waiting -= self.lines.remove(at).map_or(0, |(_, line)| line.len());
        true
    }

    /// How much of a line is written.
    pub(super) fn sending(&self, number: u64) -> Sending {
        match self.lines.front() {
            Some((first, _)) if *first == number && self.done > 0 => Sending::Part,
            Some((first, _)) if *first <= number => Sending::Nothing,
            Some(_) | None => Sending::Whole,
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }

    /// Writes one step's worth.
    pub(super) fn poll_write<W: AsyncWrite + Unpin>(
        &mut self,
        writer: &mut W,
        context: &mut Context<'_>,
    ) -> Poll<std::io::Result<()>> {
        let Some((_, line)) = self.lines.front() else { return Poll::Ready(Ok(())) };
        let rest = line.as_bytes().get(self.done..).unwrap_or_default();
        let count = std::task::ready!(Pin::new(writer).poll_write(context, rest))?;
        if count == 0 {
            return Poll::Ready(Err(std::io::ErrorKind::WriteZero.into()));
        }
        self.done += count;
        if self.done >= line.len() {
            self.waiting -= line.len();
            self.lines.pop_front();
            self.done = 0;
        }
        Poll::Ready(Ok(()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_line_of_which_nothing_is_written_can_be_withdrawn() {
        let mut outbox = Outbox::default();
        let [first, second, third] =
            ["one\n", "two\n", "three\n"].map(|line| outbox.put(line.to_owned()).unwrap());
        outbox.done = 2;
        assert_eq!(
            [first, second, third].map(|line| outbox.sending(line)),
            [Sending::Part, Sending::Nothing, Sending::Nothing]
        );
        assert!(!outbox.withdraw(first));
        assert!(outbox.withdraw(second));
        assert!(!outbox.withdraw(second));
        assert_eq!(outbox.lines.len(), 2);
        outbox.lines.clear();
        assert_eq!(outbox.sending(first), Sending::Whole);
    }
}

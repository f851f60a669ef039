//! Cancelling calls, and ending a stream before its input ends.

use std::io;

use crate::ident::CallId;
use crate::lines::LineReader;

use super::entry::next_step;
use super::{End, Scheduler};

impl Scheduler<'_, '_> {
    pub(super) fn cancel(&mut self, id: &CallId) {
        if let Some(entry) = self.queue.iter().find(|entry| entry.id == *id) {
            entry.cancel.cancel();
        } else if !self.cancel_awaited(id) && !self.gateway.stop_operation(id.as_str()) {
            tracing::info!(id = %id, "nothing to cancel under this id");
        }
    }

    /// Ends the stream: nothing more is read, what runs is cancelled, what waits is answered as cancelled.
    pub(super) fn stop(&mut self, reader: &mut LineReader) {
        self.stopping = true;
        reader.close();
        self.queue.iter().for_each(|entry| entry.cancel.cancel());
    }

    /// Nobody reads any more: what runs is cancelled and recorded, and nothing else begins.
    pub(super) async fn abandon(&mut self) -> io::Result<End> {
        self.stopping = true;
        self.queue.iter().for_each(|entry| entry.cancel.cancel());
        self.release();
        while !self.running.is_empty() {
            let (seq, step) = next_step(&mut self.running).await;
            self.settle(seq, step);
        }
        while self.start_next() {}
        self.commit(&mut Vec::new());
        Ok(End::ReaderGone)
    }

    pub(super) fn progress(&self) {
        for one in self.running.iter().filter(|one| !one.tool.is_empty()) {
            self.gateway.display_progress(&one.tool, one.since.elapsed());
        }
    }
}

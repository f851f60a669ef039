//! What goes on elsewhere, followed beside the calls of a stream.

use std::pin::Pin;

use crate::execute::CancelToken;
use crate::gateway::{EndOfEffect, Gateway};

type Looking<'g> = Pin<Box<dyn Future<Output = Vec<EndOfEffect>> + 'g>>;

/// The look that is under way: it goes on where it was left when something else came first.
#[derive(Default)]
pub(super) struct Followed<'g> {
    looking: Option<Looking<'g>>,
    cancel: CancelToken,
}

impl<'g> Followed<'g> {
    /// Waits for the end of the look that is under way, or of a new one.
    pub(super) async fn next(&mut self, gateway: &'g Gateway<'_>) -> Vec<EndOfEffect> {
        let cancel = self.cancel.clone();
        let looking =
            self.looking.get_or_insert_with(|| Box::pin(async move { gateway.follow(&cancel).await }));
        let ended = looking.await;
        self.looking = None;
        ended
    }

    /// Ends the look that is under way: what was begun is put on record.
    pub(super) async fn end(mut self) {
        self.cancel.cancel();
        if let Some(looking) = self.looking.take() {
            looking.await;
        }
    }
}

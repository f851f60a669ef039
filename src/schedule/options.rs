//! How a stream is run.

/// What is done about a call that was answered `input_required`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unanswered {
    /// Nothing: that is its answer.
    Leave,
    /// The stream waits for the answer, and says in an event what became of the call.
    Await,
}

/// What is done about what goes on elsewhere when the calls that began it are answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unfinished {
    /// It is followed while the stream runs anyway, and then left to a later process.
    Leave,
    /// The stream waits for its end, and says in an event what became of the call.
    Await,
}

/// How a stream is run.
#[derive(Debug, Clone, Copy)]
pub struct Options {
    /// Most calls that run side by side.
    pub jobs: usize,
    /// What is done about a call that nobody is there to approve.
    pub unanswered: Unanswered,
    /// What is done about what calls begin elsewhere.
    pub unfinished: Unfinished,
    /// A random number that tells the ids assigned in this run from those of others.
    pub run: u64,
}

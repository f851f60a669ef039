//! Asking a person: the question, the answer, and the grant that an answer becomes.

mod answer;
mod approvers;
mod binding;
mod block;
mod cancel;
mod entrance;
mod grant;
mod id;
mod pending;
mod question;
mod quote;
mod render;
mod request;
mod signed;
mod standing;
mod subject;
mod terminal;

pub use answer::{Answer, Answered, RefusedEdit};
pub use approvers::{Approvers, NotAdded};
pub(crate) use binding::canonical;
pub use binding::{Binding, Likeness};
pub use cancel::{CancelCause, CancelHandle, Cancellation, cancellation};
pub use entrance::{AskedEntrance, GateOfStep};
pub use grant::{Grant, GrantMismatch, GrantSource, StoredYes};
pub use id::{ApprovalId, GrantId};
pub use pending::{PendingApproval, StoredCall, StoredTask};
pub use question::{Alternative, Checked, Place, Question};
use quote::quote;
pub use render::{Extent, Rendered, render_question, render_refused_edit};
pub use signed::{AskedQuestion, Said, SignedAnswer, SignedAnswers};
pub use standing::{Pinned, StandingGrant, StoredStanding};
pub use subject::{Preview, Reason, Subject};
pub use terminal::{AskRequest, Confirmed, Consent, Editor, EditorRunner, Interaction, Terminal};

#[cfg(test)]
mod tests;

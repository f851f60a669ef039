//! The audit: what every call was, what was decided and why, and what came of it.
//!
//! A record is compact JSON. The bytes that are stored are the bytes that are hashed, and they name the hash of the record
//! before, so that no record can be changed, removed or moved without breaking the chain. What must stay erasable
//! (arguments, plans, remarks) lies beside the record, encrypted under a key of the record, which vouches for it by a digest
//! under the same key: once the key is erased, neither says anything any more.

mod body;
mod checkpoint;
mod entry;
mod erasure;
mod export;
mod hidden;
mod keyed;
mod misplaced;
mod pending;
mod story;
mod verify;
mod view;

pub use checkpoint::{Checkpoint, CheckpointError};
pub use entry::{
    ApprovalNote, CredentialUse, Entry, ErasureNote, Evidence, LedgerNote, RecordKind, RuleReference,
    VerificationNote,
};
pub use erasure::Ranges;
pub use export::{ExportError, ExportScope, export};
pub use misplaced::misplaced;
pub use pending::PendingRecords;
pub use story::{Event, Part, Story, stories};
pub use verify::{CheckedReceipt, LIMITS, Problem, VerifyReport, VerifyRequest, verify};
pub use view::{
    ApprovalView, CredentialView, ErasedView, LedgerView, Listed, RecordFilter, RecordView, RuleView,
    VerificationView, list,
};

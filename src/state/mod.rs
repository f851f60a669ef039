//! The state store: audit chain, results, approvals and grants, behind one trait.
//!
//! Everything that must be true together is one transaction: a grant that is spent, the intent it was spent for, and the
//! question or result that goes with it. The store knows nothing of what a record says; it knows its place in the chain.

mod approval;
mod batch;
mod charge;
mod crash;
mod effect;
mod error;
mod hmac;
mod home;
mod lock;
mod migrate;
mod owner;
mod pass_keys;
mod place;
mod postgres;
mod pursuit;
mod random;
mod record;
mod result;
mod seal;
mod sql;
mod sqlite;
mod standing;
mod store;
mod task;
#[cfg(test)]
mod testing;
pub mod trust;

pub use approval::{Answer, ApprovalState, NewApproval, SignedAnswersNow, StoredApproval};
pub use batch::{Batch, Change, Durability};
pub use charge::{NewCharge, Purse, PurseQuery, PurseTotal};
pub use effect::{EffectState, KeyOrigin, NewEffect, RetriedEffect, SettledEffect, Settlement, StoredEffect};
pub use error::{Refusal, StoreError};
pub use hmac::Hmac;
pub use home::{state_folder, state_home, state_path};
pub use migrate::migrate;
pub use owner::{Liveness, liveness, new_owner};
pub use pass_keys::{PassKeyError, PassKeys, PublishedKey};
pub use place::Place;
pub use postgres::{InvalidServer, Server};
pub use pursuit::{ClaimedEffect, PursuedEffect, Pursuit};
pub use random::RandomPool;
pub use record::{Head, Link, NoRecords, Order, Receipt, RecordSource, Scan, SealedRecord, StoredRecord};
pub use result::{NewResult, ResultScope, ResultSummary, StoredResult};
pub use seal::{Seal, SealKey};
pub use sql::SqlStore;
pub use standing::{NewStanding, StandingGrant, StandingQuery};
pub use store::{Description, Store};
pub use task::{KeptTask, MovedTask, NewTask, TaskMark};

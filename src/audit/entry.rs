//! What a record says, before it has a place.

use std::time::Duration;

use crate::catalog::{Digest, SandboxLevel};
use crate::clock::Timestamp;
use crate::code::{Effect, Status};
use crate::ident::{CredentialName, Principal, StepName, TaskId};
use crate::policy::Verdict;

use super::body::MOST_ENTRIES;

/// What a record is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum RecordKind {
    /// A call was decided, and nothing was run: `tgw check`.
    Decision,
    /// A call was refused before anything ran.
    Refused,
    /// A call is about to run. Without an outcome after it, its end is not known.
    Intent,
    /// A call ran: the outcome of an intent, or the one record of a local read.
    Outcome,
    /// A call was answered with what the ledger knew of its effect; nothing ran.
    Replayed,
    /// What became of an effect was found out, or that it is not known.
    Effect,
    /// A question was asked, answered, or ran out.
    Approval,
    /// A standing grant was given or revoked.
    Standing,
    /// A file was trusted, or no longer.
    Trust,
    /// A task was started, moved to another step, or ended; or a gate kept it out.
    Task,
    /// Details of earlier records were erased.
    Erasure,
}

/// Text that a record vouches for without holding it.
#[derive(Debug, Clone, Copy)]
pub struct Evidence<'a> {
    /// The exact JSON; of it only a keyed digest is kept, where it is not what is shown.
    pub exact: &'a str,
    /// The JSON as it may be shown: redacted. It is kept beside the record, erasable; cut where it is over 64 KiB.
    pub shown: &'a str,
}

impl<'a> Evidence<'a> {
    /// Evidence that held no secret.
    #[must_use]
    pub fn plain(json: &'a str) -> Self {
        Self { exact: json, shown: json }
    }
}

/// A rule that determined a decision.
#[derive(Debug, Clone, Copy, serde::Serialize)]
pub struct RuleReference<'a> {
    /// Its id.
    pub id: &'a str,
    /// The file it is written in.
    pub file: &'a str,
    /// The line it starts on, from 1.
    pub line: u32,
}

/// A credential that a call used: never its value.
#[derive(Debug, Clone, Copy, serde::Serialize)]
pub struct CredentialUse<'a> {
    /// Its name.
    pub name: &'a CredentialName,
    /// The kind of its source: `env`, `file`, `command`, `mint`.
    pub source: &'a str,
    /// The id of the key that signed it, where it is a pass.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key: Option<&'a str>,
    /// When it ends, where that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expires: Option<Timestamp>,
}

/// A question and what came of it.
#[derive(Debug, Clone, Copy)]
pub struct ApprovalNote<'a> {
    /// The approval's or grant's id.
    pub id: &'a str,
    /// Who answered.
    pub by: Option<&'a str>,
    /// How: `terminal`, `digest`, `signed`, `queue`, `standing`, `command`.
    pub how: &'a str,
    /// The answer: `asked`, `approved`, `approved_in_part`, `denied`, `expired`, `revoked`, `not_believed` and the like.
    pub answer: &'a str,
    /// The digest of the question as it was shown. The record keeps a keyed digest of it, since the question
    /// holds the arguments.
    pub question: Option<Digest>,
}

/// An effect of the ledger, and how far it is.
#[derive(Debug, Clone, Copy, serde::Serialize)]
pub struct LedgerNote<'a> {
    /// The effect's id.
    pub id: &'a str,
    /// Which attempt it is about, from 1.
    pub attempt: u64,
    /// Its state after this record.
    pub state: &'a str,
    /// How that is known: `reserved`, `outcome`, `lost`, `reconciled`, `resolved`, `replayed`.
    pub how: &'a str,
    /// The person who said so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub by: Option<&'a str>,
}

/// What a look at the system of record saw of an effect that its call says happened.
#[derive(Debug, Clone, Copy)]
pub struct VerificationNote<'a> {
    /// `agrees`, `disagrees` or `unreached`, of the last look.
    pub result: &'a str,
    /// The id of the last look's own call, where it brought something back.
    pub probe: Option<&'a str>,
    /// How often was looked.
    pub looks: u64,
    /// The digest of what the last look brought back: canonical JSON, redacted. The record keeps a keyed digest of it.
    pub evidence: Option<Digest>,
}

/// What an erasure erased. It stands in the record itself, so that what is erased without one is noticed.
#[derive(Debug, Clone, Copy, serde::Serialize)]
pub struct ErasureNote<'a> {
    /// First and last number of each range of records whose details are gone; at most 64 count.
    pub records: &'a [(u64, u64)],
    /// Who erased them.
    pub by: &'a str,
}

impl ErasureNote<'_> {
    /// Most ranges that one record names.
    pub const MOST_RANGES: usize = MOST_ENTRIES;
}

/// What a record says. Text that is longer than its field's bound is cut; lists beyond 64 entries are counted only.
#[derive(Debug, Clone, Copy)]
pub struct Entry<'a> {
    /// When.
    pub at: Timestamp,
    /// What it is about.
    pub kind: RecordKind,
    /// Who is behind the call. Its tenant decides the chain.
    pub principal: &'a Principal,
    /// The task.
    pub task: Option<&'a TaskId>,
    /// The step.
    pub step: Option<&'a StepName>,
    /// The call's id.
    pub call: Option<&'a str>,
    /// The id of the call that this one was made for.
    pub parent: Option<&'a str>,
    /// The tool's name as the call wrote it.
    pub tool: Option<&'a str>,
    /// The contract.
    pub contract: Option<Digest>,
    /// The verdict.
    pub verdict: Option<Verdict>,
    /// The rules that determined it.
    pub rules: &'a [RuleReference<'a>],
    /// The effective arguments.
    pub arguments: Option<Evidence<'a>>,
    /// What would run, or ran.
    pub plan: Option<Evidence<'a>>,
    /// The sandbox it ran in.
    pub sandbox: Option<SandboxLevel>,
    /// The credentials it used.
    pub credentials: &'a [CredentialUse<'a>],
    /// The question.
    pub approval: Option<ApprovalNote<'a>>,
    /// What the reply says happened.
    pub status: Option<Status>,
    /// The error's code, the contract's own where there is one.
    pub code: Option<&'a str>,
    /// Whether something changed.
    pub effect: Option<Effect>,
    /// The effect in the ledger.
    pub ledger: Option<LedgerNote<'a>>,
    /// What was seen of the effect afterwards.
    pub verification: Option<VerificationNote<'a>>,
    /// What was erased.
    pub erased: Option<ErasureNote<'a>>,
    /// How long it ran.
    pub duration: Option<Duration>,
    /// How many bytes it brought back.
    pub bytes: Option<u64>,
    /// The reference under which its value is kept.
    pub result: Option<&'a str>,
    /// Remarks by name, redacted: an error's inner text, a person's feedback. Kept beside the record, erasable.
    pub notes: &'a [(&'a str, &'a str)],
}

impl<'a> Entry<'a> {
    /// An entry that says nothing but who and when.
    #[must_use]
    pub fn new(kind: RecordKind, at: Timestamp, principal: &'a Principal) -> Self {
        Self {
            at,
            kind,
            principal,
            task: None,
            step: None,
            call: None,
            parent: None,
            tool: None,
            contract: None,
            verdict: None,
            rules: &[],
            arguments: None,
            plan: None,
            sandbox: None,
            credentials: &[],
            approval: None,
            status: None,
            code: None,
            effect: None,
            ledger: None,
            verification: None,
            erased: None,
            duration: None,
            bytes: None,
            result: None,
            notes: &[],
        }
    }
}

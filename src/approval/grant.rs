//! The recorded yes to exactly one call.

use std::time::Duration;

use crate::catalog::Digest;
use crate::clock::Timestamp;
use crate::code::ErrorCode;
use crate::ident::UserName;
use crate::policy::Quorum;

use super::{Answered, Binding, GrantId, Subject};

/// How long a yes at the terminal is worth something: the call is dispatched at once.
const GRANT_LIFE: Duration = Duration::from_secs(15 * 60);

/// A person's yes to one call. Only an answer makes one; it is spent by authorizing.
///
/// It is neither `Clone` nor `Deserialize`: a yes that was copied would be worth two calls.
///
/// ```compile_fail,E0599
/// # fn copied(grant: tgw::approval::Grant) {
/// let _second = grant.clone();
/// # }
/// ```
///
/// ```compile_fail,E0277
/// # fn read(text: &str) -> Option<tgw::approval::Grant> {
/// serde_json::from_str(text).ok()
/// # }
/// ```
///
/// ```compile_fail,E0451
/// # fn forged(earlier: tgw::approval::Grant) -> tgw::approval::Grant {
/// tgw::approval::Grant { by: "ann".to_owned(), ..earlier }
/// # }
/// ```
#[derive(Debug)]
pub struct Grant {
    id: String,
    source: GrantSource,
    binding: Binding,
    question: Digest,
    by: String,
    signers: Vec<UserName>,
    note: Option<String>,
    expires: Timestamp,
}

/// Where a yes was given, which decides what is marked as spent with it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GrantSource {
    /// On the spot, at the terminal.
    Terminal,
    /// To a stored question, of which it is the answer.
    Stored,
}

/// A yes that the store holds for a question, as it was read there just now.
#[derive(Debug, Clone, Copy)]
pub struct StoredYes<'a> {
    /// The approval's id.
    pub id: &'a str,
    /// What the question was about.
    pub binding: Digest,
    /// The digest of the question as it was shown.
    pub question: Digest,
    /// Who answered.
    pub by: &'a str,
    /// The approvers whose signed yes was checked and holds.
    pub signers: &'a [UserName],
    /// What they want the model to know.
    pub note: Option<&'a str>,
    /// When it runs out.
    pub expires: Timestamp,
}

/// Why a grant is worth nothing for a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum GrantMismatch {
    /// It was given for another call, or this one changed since.
    #[error("the approval was given for another call, or what it rested on has changed")]
    OtherCall,
    /// Only signed answers count for this call, and there are too few.
    #[error("the call takes only answers signed with an approver's key, and too few of them hold")]
    NeedsSignature,
    /// Its time has run out.
    #[error("the approval has expired")]
    Expired,
}

impl GrantMismatch {
    /// The code that the call ends with.
    #[must_use]
    pub fn code(self) -> ErrorCode {
        match self {
            Self::OtherCall | Self::NeedsSignature => ErrorCode::ApprovalRequired,
            Self::Expired => ErrorCode::ApprovalExpired,
        }
    }
}

impl Grant {
    /// The grant that an answer given at the terminal becomes; `by` is who sits there.
    ///
    /// `None` for any answer but a yes, where the decision does not ask, and where only signed answers count: a user
    /// name proves nothing.
    #[must_use]
    pub fn from_answer(
        answered: &Answered,
        subject: &Subject<'_>,
        id: &GrantId,
        by: &str,
        now: Timestamp,
    ) -> Option<Self> {
        if !answered.answer.is_yes() || subject.needs_signed_answers() {
            return None;
        }
        Some(Self {
            id: id.to_string(),
            source: GrantSource::Terminal,
            binding: Binding::compute(subject),
            question: answered.shown,
            by: by.to_owned(),
            signers: Vec::new(),
            note: None,
            expires: now.plus(GRANT_LIFE),
        })
    }

    /// The grant of a stored question that was answered yes and not used.
    ///
    /// The store is where that is true or not; reserving the call marks it as used in the same transaction.
    #[must_use]
    pub fn from_store(yes: &StoredYes<'_>) -> Self {
        Self {
            id: yes.id.to_owned(),
            source: GrantSource::Stored,
            binding: Binding(yes.binding),
            question: yes.question,
            by: yes.by.to_owned(),
            signers: yes.signers.to_vec(),
            note: yes.note.map(str::to_owned),
            expires: yes.expires,
        }
    }

    /// Checks the grant against the call as it stands at dispatch.
    ///
    /// # Errors
    /// [`GrantMismatch`]; the grant is then worth nothing.
    pub fn check(&self, subject: &Subject<'_>, now: Timestamp) -> Result<(), GrantMismatch> {
        self.covers(Binding::compute(subject), subject.quorums(), &subject.principal.user, now)
    }

    /// Checks the grant against what is to happen now, and the answers that it takes now.
    ///
    /// # Errors
    /// [`GrantMismatch`]; the grant is then worth nothing.
    pub fn covers(
        &self,
        binding: Binding,
        quorums: &[Quorum],
        requester: &UserName,
        now: Timestamp,
    ) -> Result<(), GrantMismatch> {
        if self.binding != binding {
            return Err(GrantMismatch::OtherCall);
        }
        // The rules are bound by name; their terms may have become stricter since.
        if !quorums.iter().all(|quorum| quorum.is_met(&self.signers, requester)) {
            return Err(GrantMismatch::NeedsSignature);
        }
        if now >= self.expires {
            return Err(GrantMismatch::Expired);
        }
        Ok(())
    }

    /// Its id, under which it can be spent once, ever.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Where it was given.
    #[must_use]
    pub fn source(&self) -> GrantSource {
        self.source
    }

    /// What it is for.
    #[must_use]
    pub fn binding(&self) -> Binding {
        self.binding
    }

    /// The digest of the question as it was shown.
    #[must_use]
    pub fn question(&self) -> Digest {
        self.question
    }

    /// Who said yes.
    #[must_use]
    pub fn by(&self) -> &str {
        &self.by
    }

    /// What who said yes wants the model to know.
    #[must_use]
    pub fn note(&self) -> Option<&str> {
        self.note.as_deref()
    }

    /// When it stops being worth anything.
    #[must_use]
    pub fn expires(&self) -> Timestamp {
        self.expires
    }
}

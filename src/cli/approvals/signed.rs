//! Answers that an approver signs: given, and looked at.

use serde_json::{Value, json};

use crate::approval::{Approvers, Said, SignedAnswer, SignedAnswers, StoredCall};
use crate::clock::Clock;
use crate::gateway::{RecordedAnswer, asked_question, record_answer, settle_if_enough};
use crate::ident::{Tenant, UserName};
use crate::policy::Quorum;
use crate::signature::SecretKey;
use crate::state::{
    Answer, ApprovalState, Change, Receipt, Refusal, SignedAnswersNow, SqlStore, StoreError, StoredApproval,
};

use super::super::approval_arguments::AnswerArgs;
use super::super::approvers::{self, approver};
use super::super::exit::Failure;
use super::super::keys;
use super::super::session::operating_system_user;
use super::answer::{open_question, refused};
use super::call_failure;

/// How often an answer is tried anew because someone else answered meanwhile.
const TRIES: usize = 16;

/// What is to be done about a question whose answers are all there with the keys of this place.
const WHAT_COUNTS: &str = "all answers that it takes hold here; `tgw approvals run` counts them and goes on";

/// An approver who is here with their key.
pub(super) struct Signer {
    name: UserName,
    key: SecretKey,
    approvers: Approvers,
}

/// What came of a signed answer.
pub(super) struct Given {
    pub(super) receipt: Option<Receipt>,
    /// What it made of the question, in words.
    pub(super) outcome: String,
}

impl Signer {
    /// The approver that was named; `None` where none was.
    ///
    /// # Errors
    /// When they are not on the list, or the key is not theirs.
    pub(super) fn of(arguments: &AnswerArgs) -> Result<Option<Self>, Failure> {
        let (Some(name), Some(path)) = (&arguments.approver, &arguments.key) else { return Ok(None) };
        let (name, key, approvers) = (approver(name)?, keys::read(path)?, approvers::load()?);
        match approvers.key(&name) {
            Some(known) if *known == key.public() => Ok(Some(Self { name, key, approvers })),
            Some(_) => Err(Failure::failed(format!("`{}` is not the key of `{name}`", path.display()))
                .with_hint("`tgw approvers list` shows the public keys")),
            None => Err(Failure::failed(format!("there is no approver `{name}`"))
                .with_hint(format!("`tgw approvers add {name} KEY` adds one, here and where the calls run"))),
        }
    }

    /// Signs an answer to a question, and stores it. The last one that was needed, or a no, ends the question.
    pub(super) fn give(
        &self,
        store: &mut SqlStore,
        tenant: &Tenant,
        mut question: StoredApproval,
        said: Said,
        words: Option<&str>,
    ) -> Result<Given, Failure> {
        let call =
            StoredCall::from_json(&question.call, question.question).map_err(|error| call_failure(&error))?;
        let id = question.id.clone();
        if said == Said::Approved && self.takes(&call, &question) {
            let settled = settle_if_enough(store, &question, &self.approvers, Clock::System.now());
            if let receipt @ Some(_) = settled.map_err(|error| refused(&id, &error))? {
                return Ok(Given { receipt, outcome: ApprovalState::Approved.as_str().to_owned() });
            }
        }
        for _ in 0..TRIES {
            match self.try_to_give(store, tenant, &question, &call, said, words)? {
                Ok(given) => return Ok(given),
                Err(StoreError::Refused(Refusal::AnsweredMeanwhile)) => {
                    question = open_question(store, tenant, &id)?;
                }
                Err(error) => return Err(refused(&id, &error)),
            }
        }
        Err(refused(&id, &Refusal::AnsweredMeanwhile.into()))
    }

    /// Whether an answer of this approver counts for anything.
    fn takes(&self, call: &StoredCall, question: &StoredApproval) -> bool {
        let requester = &question.principal.user;
        call.quorums.is_empty() || call.quorums.iter().any(|quorum| quorum.takes(&self.name, requester))
    }

    fn try_to_give(
        &self,
        store: &mut SqlStore,
        tenant: &Tenant,
        question: &StoredApproval,
        call: &StoredCall,
        said: Said,
        words: Option<&str>,
    ) -> Result<Result<Given, StoreError>, Failure> {
        let (id, requester) = (&question.id, &question.principal.user);
        if !self.takes(call, question) {
            let needs: Vec<String> = call.quorums.iter().map(ToString::to_string).collect();
            return Err(Failure::failed(format!("`{}` may not answer `{id}`", self.name))
                .with_hint(format!("it takes signed answers, {}", needs.join("; and "))));
        }
        let stored = SignedAnswers::parse(question.answers.as_deref());
        let asked = asked_question(question);
        let mut yes: Vec<&UserName> = Vec::new();
        for answer in stored.believed(&asked, &self.approvers) {
            if answer.approver == self.name {
                return Err(Failure::failed(format!("`{}` has answered `{id}` already", self.name))
                    .with_hint("nobody counts twice"));
            }
            yes.extend((answer.answer == Said::Approved).then_some(&answer.approver));
        }
        let now = Clock::System.now();
        let note = words.map(str::to_owned);
        let answer = SignedAnswer::sign(&asked, self.name.clone(), said, now, note, &self.key);
        let signature = answer.signature().to_owned();
        let answers = stored.without(&self.name).with(answer);
        let answers = answers.ok_or_else(|| Failure::failed(format!("`{id}` has too many answers")))?;
        let answers = answers.to_json().map_err(|error| call_failure(&error))?;
        yes.extend((said == Said::Approved).then_some(&self.name));
        let end = match said {
            Said::Denied => Some(ApprovalState::Denied),
            Said::Approved => {
                let met = call.quorums.iter().all(|quorum| quorum.is_met(yes.iter().copied(), requester));
                met.then_some(ApprovalState::Approved)
            }
        };
        let progress = progress(&call.quorums, &yes, requester);
        let outcome = match end {
            Some(state) => state.as_str().to_owned(),
            None => format!("approved by `{}`, {progress}", self.name),
        };
        let by = match said {
            Said::Approved => yes.iter().map(|name| name.as_str()).collect::<Vec<_>>().join(", "),
            Said::Denied => self.name.to_string(),
        };
        let key = self.key.public().to_string();
        let mut notes = vec![("signature", signature.as_str()), ("key", key.as_str())];
        notes.extend((!call.quorums.is_empty() && said == Said::Approved).then_some(("answers", &*progress)));
        notes.extend(words.map(|words| ("feedback", words)));
        let mut changes = vec![Change::KeepAnswers(SignedAnswersNow {
            id,
            question: question.question,
            before: question.answers.as_deref(),
            answers: &answers,
        })];
        changes.extend(end.map(|state| {
            // What approvers note is signed, and is read where it is.
            let feedback = words.filter(|_| said == Said::Denied);
            Change::AnswerApproval(Answer { id, state, question: question.question, by: &by, feedback })
        }));
        if let (Said::Denied, Some(likeness)) = (said, question.likeness) {
            changes.push(Change::SettleLike { likeness, state: ApprovalState::Denied, by: &by });
        }
        let recorded = RecordedAnswer {
            by: Some(self.name.as_str()),
            how: "signed",
            answer: end.map_or("approved_in_part", ApprovalState::as_str),
            notes: &notes,
            changes: &changes,
        };
        let now = Clock::System.now();
        Ok(record_answer(store, tenant, question, &recorded, now).map(|receipt| Given { receipt, outcome }))
    }
}

/// Whether an answer counts that nobody signed.
///
/// # Errors
/// Why it does not.
pub(super) fn may_be_unsigned(id: &str, call: &StoredCall, said: Said) -> Result<(), Failure> {
    let word = match said {
        Said::Approved => "approve",
        Said::Denied => "deny",
    };
    let hint = format!("`tgw approvals {word} {id} --as NAME --key FILE` signs an answer");
    if call.signed {
        let needs: Vec<String> = call.quorums.iter().map(ToString::to_string).collect();
        return Err(Failure::failed(format!("`{id}` takes signed answers only, {}", needs.join("; and ")))
            .with_hint(hint));
    }
    let operator = operating_system_user();
    let approvers = approvers::load()?;
    let has_key = UserName::parse(&operator).is_ok_and(|name| approvers.key(&name).is_some());
    if has_key {
        return Err(Failure::failed(format!("`{operator}` holds a key, so only their signed answer counts"))
            .with_hint(hint));
    }
    Ok(())
}

/// How far each rule's demand is met: `1 of 2 from finance; 0 of 1 from legal`.
fn progress(quorums: &[Quorum], yes: &[&UserName], requester: &UserName) -> String {
    let mut words: Vec<String> = quorums
        .iter()
        .map(|quorum| format!("{} of {quorum}", quorum.given(yes.iter().copied(), requester)))
        .collect();
    words.dedup();
    words.join("; ")
}

/// The signed answers to a question, and how far they reach.
pub(super) struct Signed {
    quorums: Vec<Quorum>,
    given: Vec<u32>,
    answers: Vec<(SignedAnswer, bool)>,
    waits: bool,
}

impl Signed {
    /// Reads them from a question that is believed; `None` where it takes no signed answers and has none.
    pub(super) fn of(question: &StoredApproval, approvers: &Approvers) -> Option<Self> {
        let call = StoredCall::from_json(&question.call, question.question).ok()?;
        if question.seal.doubt().is_some() || (call.quorums.is_empty() && question.answers.is_none()) {
            return None;
        }
        let stored = SignedAnswers::parse(question.answers.as_deref());
        let believed = stored.believed(&asked_question(question), approvers);
        let yes = || {
            believed.iter().filter(|answer| answer.answer == Said::Approved).map(|answer| &answer.approver)
        };
        let requester = &question.principal.user;
        Some(Self {
            given: call.quorums.iter().map(|quorum| quorum.given(yes(), requester)).collect(),
            answers: stored.iter().map(|answer| (answer.clone(), believed.contains(&answer))).collect(),
            quorums: call.quorums,
            waits: question.state_at(Clock::System.now()) == ApprovalState::Pending,
        })
    }

    /// The short form for a list: `1 of 2`.
    pub(super) fn short(&self) -> String {
        let words: Vec<String> =
            self.parts().map(|(quorum, given)| format!("{given} of {}", quorum.count)).collect();
        words.join(", ")
    }

    /// A line for each rule's demand and each answer.
    pub(super) fn lines(&self) -> String {
        let needs = self
            .parts()
            .map(|(quorum, given)| format!("answers: {given} of {quorum} (rule {})\n", quorum.rule));
        let answers = self.answers.iter().map(|(answer, holds)| {
            let said = match answer.answer {
                Said::Approved => "approved",
                Said::Denied => "denied",
            };
            let doubt = if *holds { "" } else { ", which does not hold here" };
            format!("signed: {said} by {} at {}{doubt}\n", answer.approver, answer.at.rfc3339())
        });
        needs.chain(answers).chain(self.enough().then(|| format!("enough: {WHAT_COUNTS}\n"))).collect()
    }

    /// Adds them to the JSON of a question.
    pub(super) fn add_to(&self, value: &mut Value) {
        let Some(members) = value.as_object_mut() else { return };
        let needs = self.parts().map(|(quorum, given)| {
            json!({
                "rule": quorum.rule, "by": quorum.by, "count": quorum.count, "not_requester": quorum.not_requester,
                "given": given,
            })
        });
        members.insert("needs".to_owned(), needs.collect());
        let answers = self.answers.iter().map(|(answer, holds)| {
            json!({
                "approver": answer.approver, "answer": answer.answer, "at": answer.at.rfc3339(), "holds": holds,
            })
        });
        members.insert("answers".to_owned(), answers.collect());
    }

    /// Whether it waits though all the answers are there that it takes.
    fn enough(&self) -> bool {
        self.waits
            && !self.quorums.is_empty()
            && self.parts().all(|(quorum, given)| given >= quorum.count.max(1))
    }

    fn parts(&self) -> impl Iterator<Item = (&Quorum, u32)> {
        self.quorums.iter().zip(self.given.iter().copied())
    }
}

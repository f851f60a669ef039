//! Where one law is tried on one tool: a store of its own, a clock that is moved by hand, and a person who says yes.

use std::future::poll_fn;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use serde::Deserialize;
use serde_json::{Map, Value};

use crate::approval::{
    Answer as Reply, Answered, AskRequest, Cancellation, Extent, Interaction, render_question,
};
use crate::audit::{self, ApprovalNote, Entry, PendingRecords, RecordFilter, RecordKind, VerifyRequest};
use crate::authorize::Consent;
use crate::catalog::Contract;
use crate::clock::Clock;
use crate::execute::CancelToken;
use crate::gateway::{Admission, Finished, Gateway, Observer, Pursued};
use crate::ident::CallId;
use crate::secret::Redactor;
use crate::session::Session;
use crate::state::{
    Answer, ApprovalState, Batch, Change, Durability, EffectState, Order, Place, SealKey, SignedAnswersNow,
    SqlStore, Store, StoreError, StoredApproval, StoredEffect,
};
use crate::wire::{CallRequest, Shape};

use super::double::Double;
use super::signers::Signers;

/// How the double's person answers.
const COLUMNS: usize = 100;

/// Most looks at what is under way elsewhere, before it counts as endless.
const MOST_LOOKS: usize = 64;

/// How long nothing is done where another process holds an effect.
const MOMENT: Duration = Duration::from_secs(60);

/// Whether anyone can be asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Person {
    /// Someone who says yes to everything.
    Yes,
    /// Nobody: questions are stored.
    Nobody,
}

/// Whether the store can be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Access {
    /// It can.
    Up,
    /// It cannot.
    Down,
}

/// What the caller was told.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub(super) struct Told {
    pub(super) status: String,
    #[serde(default)]
    pub(super) replayed: bool,
    #[serde(default)]
    pub(super) verification: Option<String>,
    #[serde(default)]
    error: Option<ToldError>,
}

#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
struct ToldError {
    code: String,
    message: String,
}

impl Told {
    /// Whether what came of it is to be followed.
    pub(super) fn goes_on(&self) -> bool {
        matches!(self.status.as_str(), "accepted" | "working")
    }

    pub(super) fn code(&self) -> &str {
        self.error.as_ref().map_or("", |error| &error.code)
    }

    /// The status, with why it is no success.
    pub(super) fn words(&self) -> String {
        match &self.error {
            Some(error) => format!("{} {}: {}", self.status, error.code, error.message),
            None => self.status.clone(),
        }
    }
}

/// The place of one trial.
pub(super) struct Stage<'d> {
    pub(super) session: &'d mut Session,
    pub(super) double: &'d dyn Double,
    pub(super) contract: Arc<Contract>,
    pub(super) arguments: Map<String, Value>,
    /// The store, which nothing was in before.
    pub(super) store: PathBuf,
    /// The folder of the key that answers are sealed with.
    pub(super) home: PathBuf,
    pub(super) signers: &'d Signers,
}

impl Stage<'_> {
    /// Sends the call, and follows what it began to its end; `None` where the gateway died of it.
    pub(super) async fn through(&mut self, id: &str) -> Result<Option<Told>, String> {
        match Box::pin(self.send(id, Person::Yes, Access::Up)).await? {
            Some(told) if told.goes_on() => Box::pin(self.follow()).await,
            told => Ok(told),
        }
    }

    /// Sends the call; `None` where the gateway died of it. Where it takes signed answers, people sign, and it is sent again.
    pub(super) async fn send(
        &self,
        id: &str,
        person: Person,
        access: Access,
    ) -> Result<Option<Told>, String> {
        let told = self.send_once(id, person, access).await?;
        let asks = told.as_ref().is_some_and(|told| told.code() == "APPROVAL_REQUIRED");
        if !asks || person == Person::Nobody {
            return Ok(told);
        }
        let question = self.question()?;
        if question.state_at(self.session.clock.now()) != ApprovalState::Pending
            || !self.approve(&question)?
        {
            return Ok(told);
        }
        self.send_once(id, Person::Nobody, access).await
    }

    /// Follows what is under way elsewhere to its end, each time as another process that comes when it is due; `None` where
    /// one of them died of it.
    pub(super) async fn follow(&mut self) -> Result<Option<Told>, String> {
        for _ in 0..MOST_LOOKS {
            let Some(next) = self.going_on()? else { return Err("nothing is under way any more".to_owned()) };
            let now = self.session.clock.now();
            self.session.clock = Clock::Fixed(now.max(next.due));
            let store = Ok(self.open()?);
            let gateway = Gateway::new(self.session, store, None, &Nobody, Some(Shape::Native))
                .with_stand_in(self.double);
            let cancel = CancelToken::default();
            let Some(pursued) = self.unless_dead(Box::pin(gateway.pursue(&next.id, &cancel))).await else {
                return Ok(None);
            };
            match pursued.map_err(|error| error.to_string())? {
                Pursued::Going => {}
                Pursued::NotNow => self.pass(MOMENT),
                Pursued::Stuck(why) => return Err(why),
                Pursued::Over(stored) => {
                    return Err(format!("its effect was {} already", stored.state.as_str()));
                }
                Pursued::Ended(ended) => {
                    let mut out = Vec::new();
                    ended.encode(&mut out);
                    return told(&out).map(Some);
                }
            }
        }
        Err("what is under way did not come to its end".to_owned())
    }

    /// What is under way elsewhere.
    pub(super) fn going_on(&self) -> Result<Option<StoredEffect>, String> {
        let store = self.open()?;
        for state in [EffectState::Accepted, EffectState::Working] {
            let found = store.effects(&self.session.principal.tenant, Some(state), 1);
            if let Some(found) = found.map_err(|error| error.to_string())?.pop() {
                return Ok(Some(found));
            }
        }
        Ok(None)
    }

    /// Does some work to its end; `None` where the gateway dies of it. Dropping the work where it stands is what a kill
    /// leaves: what was committed, and nothing more.
    async fn unless_dead<T>(&self, work: impl Future<Output = T>) -> Option<T> {
        let mut work = pin!(work);
        poll_fn(|context| match work.as_mut().poll(context) {
            Poll::Ready(done) => Poll::Ready(Some(done)),
            Poll::Pending if self.double.is_dead() => Poll::Ready(None),
            Poll::Pending => Poll::Pending,
        })
        .await
    }

    async fn send_once(&self, id: &str, person: Person, access: Access) -> Result<Option<Told>, String> {
        let store = match access {
            Access::Up => Ok(self.open()?),
            Access::Down => Err(StoreError::Unavailable("the drill took the store away".to_owned())),
        };
        let asked = match person {
            Person::Yes => Some(Arc::new(SaysYes) as Arc<dyn Interaction>),
            Person::Nobody => None,
        };
        let request = CallRequest {
            id: CallId::parse(id).map_err(|error| error.to_string())?,
            name: self.contract.name.to_string(),
            arguments: self.arguments.clone(),
            expects: None,
            shape: Shape::Native,
            rpc_id: None,
            traceparent: None,
        };
        let gateway =
            Gateway::new(self.session, store, asked, &Nobody, Some(Shape::Native)).with_stand_in(self.double);
        let work = Box::pin(async {
            let cancel = CancelToken::default();
            match gateway.admit(request, Consent::None) {
                Admission::Finished(finished) => finished,
                Admission::Ask(pending) => gateway.ask_and_run(pending, cancel).await,
                Admission::Open(held) => gateway.settle_and_run(held, cancel).await,
                Admission::Ready { call, .. } => gateway.run(call, cancel).await,
            }
        });
        let Some(finished) = self.unless_dead(work).await else { return Ok(None) };
        let mut out = Vec::new();
        gateway.commit(vec![finished], &mut out);
        told(&out).map(Some)
    }

    /// Lets time pass.
    pub(super) fn pass(&mut self, time: Duration) {
        self.session.clock = Clock::Fixed(self.session.clock.now().plus(time));
    }

    /// The newest stored question.
    pub(super) fn question(&self) -> Result<StoredApproval, String> {
        let asked =
            self.open()?.approvals(&self.session.principal.tenant, 1).map_err(|error| error.to_string())?;
        asked.into_iter().next().ok_or_else(|| "no question was stored".to_owned())
    }

    /// Answers a stored question with yes, as other processes would, signed where it takes that; says whether the answer
    /// was taken.
    pub(super) fn approve(&self, question: &StoredApproval) -> Result<bool, String> {
        let operator = self.session.operator.as_str();
        let now = self.session.clock.now();
        let signed = self.signers.answers(question, now)?;
        let mut records = PendingRecords::default();
        let pushed = records.push(&Entry {
            task: Some(&question.task),
            tool: Some(&question.tool),
            approval: Some(ApprovalNote {
                id: &question.id,
                by: Some(operator),
                how: "queue",
                answer: ApprovalState::Approved.as_str(),
                question: Some(question.question),
            }),
            ..Entry::new(RecordKind::Approval, now, &question.principal)
        });
        pushed.map_err(|error| error.to_string())?;
        let answer = Answer {
            id: &question.id,
            state: ApprovalState::Approved,
            question: question.question,
            by: operator,
            feedback: None,
        };
        let kept = signed.as_deref().map(|answers| {
            Change::KeepAnswers(SignedAnswersNow {
                id: &question.id,
                question: question.question,
                before: question.answers.as_deref(),
                answers,
            })
        });
        let changes: Vec<Change<'_>> = kept.into_iter().chain([Change::AnswerApproval(answer)]).collect();
        let appended = self.open()?.append(&mut Batch {
            tenant: &self.session.principal.tenant,
            now,
            durability: Durability::Power,
            changes: &changes,
            records: &mut records,
        });
        match appended {
            Ok(_) => Ok(true),
            Err(StoreError::Refused(_)) => Ok(false),
            Err(error) => Err(error.to_string()),
        }
    }

    /// What is wrong with the audit: the chain, or a run of the tool that no intent stands for.
    pub(super) fn audit(&self) -> Result<Vec<String>, String> {
        let store = self.open()?;
        let tenant = &self.session.principal.tenant;
        let report =
            audit::verify(&store, tenant, &VerifyRequest::default()).map_err(|error| error.to_string())?;
        let mut problems: Vec<String> = report.problems.iter().map(ToString::to_string).collect();
        let mut intents = 0_u64;
        let filter = RecordFilter {
            tool: Some(self.contract.name.as_str()),
            kind: Some("intent"),
            ..RecordFilter::default()
        };
        audit::list(&store, tenant, Order::OldestFirst, &filter, &mut |_| {
            intents = intents.saturating_add(1);
            ControlFlow::Continue(())
        })
        .map_err(|error| error.to_string())?;
        if intents < self.double.runs() {
            problems.push(format!("{} runs have {intents} intents on record", self.double.runs()));
        }
        Ok(problems)
    }

    fn open(&self) -> Result<SqlStore, String> {
        let root = self.session.workspace.root();
        SqlStore::open(&Place::File(self.store.clone()), root, SealKey::new(&self.home))
            .map_err(|error| error.to_string())
    }
}

fn told(line: &[u8]) -> Result<Told, String> {
    serde_json::from_slice(line).map_err(|error| format!("the reply cannot be read: {error}"))
}

/// A person who says yes.
struct SaysYes;

impl Interaction for SaysYes {
    fn ask(&self, request: &AskRequest<'_>, _: &Cancellation) -> Answered {
        let shown = render_question(request.question, Extent::Usual, COLUMNS, false, false).digest;
        Answered { answer: Reply::Once, shown }
    }
}

/// Nobody watches a drill.
struct Nobody;

impl Observer for Nobody {
    fn finished(&self, _: &Finished, _: &Redactor) {}
    fn progress(&self, _: &str, _: Duration) {}
    fn operation(&self, _: &str, _: &str, _: &str, _: Option<&str>) {}
}

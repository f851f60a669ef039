//! A record's JSON, written once and stably ordered.

use serde::{Serialize, Serializer};

use crate::catalog::Digest;
use crate::text::JsonObject;

use super::entry::{ApprovalNote, Entry, ErasureNote, Evidence, VerificationNote};
use super::keyed::Hex;

/// Most bytes of a name or id that someone outside chose.
const MOST_NAME: usize = 256;
/// Most entries of a list.
pub(super) const MOST_ENTRIES: usize = 64;
/// Most bytes of one piece of evidence or of a note, beside the record.
const MOST_SHOWN: usize = 64 << 10;
/// Bytes kept of evidence that is longer.
const CUT_SHOWN: usize = 4 << 10;

/// The keyed digests that an entry needs.
#[derive(Debug, Default, Clone, Copy)]
pub(super) struct KeyedDigests {
    pub(super) arguments: Option<Digest>,
    pub(super) plan: Option<Digest>,
    pub(super) question: Option<Digest>,
    pub(super) evidence: Option<Digest>,
    pub(super) detail: Option<Digest>,
}

/// Appends an entry's JSON object, all of a record but its place, to `out`. The order of the keys never changes.
pub(super) fn write_body(entry: &Entry<'_>, digests: &KeyedDigests, out: &mut Vec<u8>) {
    let principal = entry.principal;
    let mut body = JsonObject::begin(out);
    body.value("at", &entry.at.0);
    body.value("kind", &entry.kind);
    body.text("user", principal.user.as_str());
    body.text("agent", principal.agent.as_str());
    body.maybe_text("agent_version", principal.agent_version.as_deref().map(name));
    body.maybe_text("task", entry.task.map(|task| task.as_str()));
    body.maybe_text("step", entry.step.map(|step| step.as_str()));
    body.maybe_text("call", entry.call.map(name));
    body.maybe_text("parent", entry.parent.map(name));
    body.maybe_text("tool", entry.tool.map(name));
    digest(&mut body, "contract", entry.contract);
    body.maybe("verdict", entry.verdict);
    list(&mut body, ["rules", "rules_omitted"], entry.rules);
    digest(&mut body, "arguments_hmac", digests.arguments);
    digest(&mut body, "plan_hmac", digests.plan);
    digest(&mut body, "detail_hmac", digests.detail);
    body.maybe("sandbox", entry.sandbox);
    list(&mut body, ["credentials", "credentials_omitted"], entry.credentials);
    body.maybe("approval", entry.approval.map(|note| approval(note, digests)));
    body.maybe("status", entry.status);
    body.maybe_text("code", entry.code.map(name));
    body.maybe("effect", entry.effect);
    body.maybe("ledger", entry.ledger);
    body.maybe("verification", entry.verification.map(|note| verification(note, digests)));
    body.maybe("erased", entry.erased.map(erased));
    body.maybe("duration_us", entry.duration.map(|time| u64::try_from(time.as_micros()).unwrap_or(u64::MAX)));
    body.maybe("bytes", entry.bytes);
    body.maybe_text("result", entry.result.map(name));
    body.end();
}

fn erased(note: ErasureNote<'_>) -> ErasureNote<'_> {
    let records = note.records.get(..MOST_ENTRIES).unwrap_or(note.records);
    ErasureNote { records, by: name(note.by) }
}

#[derive(Serialize)]
struct Approval<'a> {
    id: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    by: Option<&'a str>,
    how: &'a str,
    answer: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    question_hmac: Option<Hex>,
}

fn approval<'a>(note: ApprovalNote<'a>, digests: &KeyedDigests) -> Approval<'a> {
    Approval {
        id: name(note.id),
        by: note.by.map(name),
        how: name(note.how),
        answer: name(note.answer),
        question_hmac: digests.question.as_ref().map(Hex::new),
    }
}

#[derive(Serialize)]
struct Verification<'a> {
    result: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    probe: Option<&'a str>,
    looks: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    evidence_hmac: Option<Hex>,
}

fn verification<'a>(note: VerificationNote<'a>, digests: &KeyedDigests) -> Verification<'a> {
    Verification {
        result: name(note.result),
        probe: note.probe.map(name),
        looks: note.looks,
        evidence_hmac: digests.evidence.as_ref().map(Hex::new),
    }
}

fn digest(body: &mut JsonObject<'_>, name: &'static str, digest: Option<Digest>) {
    if let Some(digest) = digest {
        body.text(name, Hex::new(&digest).as_str());
    }
}

/// Adds a list, and how many of its entries are left out.
fn list<T: Serialize>(body: &mut JsonObject<'_>, [name, omitted]: [&'static str; 2], list: &[T]) {
    let kept = list.get(..MOST_ENTRIES).unwrap_or(list);
    if !kept.is_empty() {
        body.value(name, kept);
    }
    if list.len() > kept.len() {
        body.value(omitted, &(list.len() - kept.len()));
    }
}

/// Whether evidence is kept beside the record exactly as it is.
pub(super) fn is_kept(evidence: &Evidence<'_>) -> bool {
    evidence.shown.len() <= MOST_SHOWN && evidence.exact == evidence.shown
}

/// Appends what the record vouches for but does not hold: `{"arguments":…,"plan":…,"notes":{…}}`, or nothing.
pub(super) fn write_detail(entry: &Entry<'_>, out: &mut Vec<u8>) {
    if entry.arguments.is_none() && entry.plan.is_none() && entry.notes.is_empty() {
        return;
    }
    let mut detail = JsonObject::begin(out);
    for (key, evidence) in [("arguments", entry.arguments), ("plan", entry.plan)] {
        match evidence.map(|evidence| evidence.shown) {
            None => {}
            Some(shown) if shown.len() <= MOST_SHOWN => detail.json(key, shown),
            Some(shown) => detail.value(key, &Cut { cut: cut(shown, CUT_SHOWN), bytes: shown.len() }),
        }
    }
    if !entry.notes.is_empty() {
        detail.value("notes", &Notes(entry.notes));
    }
    detail.end();
}

/// Evidence that was too long to keep.
#[derive(Serialize)]
struct Cut<'a> {
    cut: &'a str,
    bytes: usize,
}

struct Notes<'a>(&'a [(&'a str, &'a str)]);

impl Serialize for Notes<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(
            self.0.iter().take(MOST_ENTRIES).map(|(key, text)| (name(key), cut(text, MOST_SHOWN))),
        )
    }
}

fn name(text: &str) -> &str {
    cut(text, MOST_NAME)
}

fn cut(text: &str, most: usize) -> &str {
    text.get(..text.floor_char_boundary(most)).unwrap_or_default()
}

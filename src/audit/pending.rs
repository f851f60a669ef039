//! Records that wait to be committed together.

use std::io::Write as _;
use std::ops::Range;

use sha2::{Digest as _, Sha256};

use crate::catalog::Digest;
use crate::ident::Tenant;
use crate::state::{Link, RandomPool, RecordSource, Refusal, SealedRecord, StoreError};

use super::body::{KeyedDigests, is_kept, write_body, write_detail};
use super::entry::{Entry, Evidence};
use super::hidden::{self, ENCRYPTED};
use super::keyed::{Hex, KEY_BYTES, Keyed, Subject};

/// Above this a buffer is given back after use, so that one large call does not keep its memory.
const MOST_KEPT: usize = 1 << 20;

/// Records of one tenant that wait to be committed together, written in advance except for their place in the chain.
///
/// What they were made from is no longer needed, so a caller may collect the records of many calls before it commits.
#[derive(Default)]
pub struct PendingRecords {
    tenant: Option<Tenant>,
    text: Vec<u8>,
    records: Vec<Pending>,
    random: RandomPool,
}

struct Pending {
    body: Range<usize>,
    detail: Range<usize>,
    key: Option<[u8; KEY_BYTES]>,
}

impl PendingRecords {
    /// Adds a record.
    ///
    /// # Errors
    /// [`Refusal::OtherTenant`] where the records before it are another tenant's, and
    /// [`StoreError::NoRandomness`] where its key cannot be drawn.
    pub fn push(&mut self, entry: &Entry<'_>) -> Result<(), StoreError> {
        let tenant = &entry.principal.tenant;
        if self.tenant.as_ref() != Some(tenant) {
            if !self.records.is_empty() {
                return Err(Refusal::OtherTenant.into());
            }
            self.tenant = Some(tenant.clone());
        }
        let start = self.text.len();
        self.text.push(ENCRYPTED);
        write_detail(entry, &mut self.text);
        let shown = start.saturating_add(1)..self.text.len();
        let detail = if shown.is_empty() { start..start } else { start..self.text.len() };
        self.text.truncate(detail.end);
        let question = entry.approval.and_then(|note| note.question);
        let mut digests = KeyedDigests::default();
        let mut key = None;
        let evidence = entry.verification.and_then(|note| note.evidence);
        if !detail.is_empty() || question.is_some() || evidence.is_some() {
            let drawn = self.random.draw::<KEY_BYTES>()?;
            let keyed = Keyed::new(&drawn);
            let of = |subject, json: &str| keyed.digest(subject, json.as_bytes());
            let held = self.text.get(shown.clone()).unwrap_or_default();
            digests = KeyedDigests {
                arguments: altered(entry.arguments).map(|exact| of(Subject::Arguments, exact)),
                plan: altered(entry.plan).map(|exact| of(Subject::Plan, exact)),
                question: question.map(|digest| keyed.digest(Subject::Question, &digest.0)),
                evidence: evidence.map(|digest| keyed.digest(Subject::Evidence, &digest.0)),
                detail: (!held.is_empty()).then(|| keyed.digest(Subject::Detail, held)),
            };
            if let Some(held) = self.text.get_mut(shown).filter(|held| !held.is_empty()) {
                hidden::cross(&keyed, held);
            }
            key = Some(drawn);
        }
        write_body(entry, &digests, &mut self.text);
        self.records.push(Pending { body: detail.end..self.text.len(), detail, key });
        Ok(())
    }

    /// Whether none waits.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.records.is_empty()
    }

    /// How many wait.
    #[must_use]
    pub fn len(&self) -> usize {
        self.records.len()
    }

    /// How many bytes wait.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.text.len()
    }

    /// Forgets the records, once they were committed or given up.
    pub fn clear(&mut self) {
        self.records.clear();
        self.text.clear();
        self.text.shrink_to(MOST_KEPT);
    }
}

impl RecordSource for PendingRecords {
    fn count(&self) -> usize {
        self.records.len()
    }

    fn seal(&mut self, index: usize, link: &Link<'_>, record: &mut SealedRecord) -> Result<(), StoreError> {
        if self.tenant.as_ref() != Some(link.tenant) {
            return Err(Refusal::OtherTenant.into());
        }
        let Some(pending) = self.records.get(index) else {
            return Err(StoreError::Unavailable("a record that does not exist was asked for".to_owned()));
        };
        // The body is a JSON object; what stands before its first member is the place.
        let members =
            self.text.get(pending.body.start.saturating_add(1)..pending.body.end).unwrap_or_default();
        let out = &mut record.bytes;
        out.extend_from_slice(br#"{"v":1,"tenant":""#);
        // A tenant's name has no character that JSON would escape.
        out.extend_from_slice(link.tenant.as_str().as_bytes());
        out.extend_from_slice(br#"","seq":"#);
        let written = write!(out, "{}", link.seq);
        debug_assert!(written.is_ok(), "a vector takes every write");
        out.extend_from_slice(br#","prev":"sha256:"#);
        out.extend_from_slice(Hex::new(&link.previous).as_str().as_bytes());
        out.extend_from_slice(br#"","#);
        out.extend_from_slice(members);
        record.hash = Digest(Sha256::digest(&record.bytes).into());
        record.key.extend_from_slice(pending.key.as_ref().map_or(&[], |key| key.as_slice()));
        record.detail.extend_from_slice(self.text.get(pending.detail.clone()).unwrap_or_default());
        Ok(())
    }
}

/// The exact text of evidence that is not kept as it is. What is kept needs no digest beside that of the detail.
fn altered(evidence: Option<Evidence<'_>>) -> Option<&str> {
    evidence.filter(|evidence| !is_kept(evidence)).map(|evidence| evidence.exact)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::audit::{ApprovalNote, RecordKind, RuleReference};
    use crate::clock::Timestamp;
    use crate::code::Status;
    use crate::ident::{AgentName, Principal, UserName};
    use crate::policy::Verdict;
    use crate::state::StoredRecord;

    fn principal(tenant: &str) -> Principal {
        Principal {
            user: UserName::parse("ann").unwrap(),
            agent: AgentName::parse("default").unwrap(),
            agent_version: None,
            tenant: Tenant::parse(tenant).unwrap(),
        }
    }

    fn sealed(records: &mut PendingRecords, index: usize) -> SealedRecord {
        let tenant = Tenant::parse("local").unwrap();
        let mut record = SealedRecord::default();
        let link = Link { tenant: &tenant, seq: 7, previous: Link::GENESIS };
        records.seal(index, &link, &mut record).unwrap();
        record
    }

    /// The detail in clear.
    fn shown(record: &SealedRecord) -> String {
        assert!(!record.detail.windows(4).any(|window| window == b"\"pin" || window == b"argu"));
        let stored = StoredRecord {
            seq: 7,
            hash: record.hash,
            bytes: record.bytes.clone(),
            key: Some(record.key.clone()),
            detail: Some(record.detail.clone()),
        };
        String::from_utf8(hidden::detail(&stored).unwrap().into_owned()).unwrap()
    }

    #[test]
    fn a_record_is_compact_json_in_a_fixed_order() {
        let principal = principal("local");
        let mut records = PendingRecords::default();
        let rules = [RuleReference { id: "no-push", file: "policy.yaml", line: 12 }];
        records
            .push(&Entry {
                call: Some("c\n1"),
                tool: Some("git_push"),
                verdict: Some(Verdict::Deny),
                rules: &rules,
                status: Some(Status::Denied),
                code: Some("PERMISSION_DENIED"),
                ..Entry::new(RecordKind::Refused, Timestamp(5), &principal)
            })
            .unwrap();
        let record = sealed(&mut records, 0);
        let zeros = "0".repeat(64);
        assert_eq!(
            String::from_utf8(record.bytes.clone()).unwrap(),
            format!(
                "{{\"v\":1,\"tenant\":\"local\",\"seq\":7,\"prev\":\"sha256:{zeros}\",\"at\":5,\"kind\":\"refused\",\
                 \"user\":\"ann\",\"agent\":\"default\",\"call\":\"c\\n1\",\"tool\":\"git_push\",\"verdict\":\"deny\",\
                 \"rules\":[{{\"id\":\"no-push\",\"file\":\"policy.yaml\",\"line\":12}}],\"status\":\"denied\",\
                 \"code\":\"PERMISSION_DENIED\"}}"
            )
        );
        assert_eq!(record.hash, Digest(Sha256::digest(&record.bytes).into()));
        assert!(record.key.is_empty() && record.detail.is_empty());
    }

    #[test]
    fn arguments_stay_outside_the_hashed_bytes_and_their_digests_differ_each_time() {
        let principal = principal("local");
        let mut records = PendingRecords::default();
        let entry = Entry {
            arguments: Some(Evidence { exact: r#"{"pin":"1234"}"#, shown: r#"{"pin":"[secret:pin]"}"# }),
            plan: Some(Evidence::plain(r#"{"argv":["ls"]}"#)),
            approval: Some(ApprovalNote {
                id: "a_1",
                by: Some("ann"),
                how: "terminal",
                answer: "approved",
                question: Some(Digest([3; 32])),
            }),
            notes: &[("feedback", "fine")],
            ..Entry::new(RecordKind::Intent, Timestamp(5), &principal)
        };
        records.push(&entry).unwrap();
        records.push(&entry).unwrap();
        let (one, two) = (sealed(&mut records, 0), sealed(&mut records, 1));
        let text = String::from_utf8(one.bytes.clone()).unwrap();
        assert!(
            !text.contains("\"pin\"")
                && !text.contains("argv")
                && !text.contains("fine")
                && !text.contains(&"03".repeat(32))
        );
        assert_eq!(
            shown(&one),
            r#"{"arguments":{"pin":"[secret:pin]"},"plan":{"argv":["ls"]},"notes":{"feedback":"fine"}}"#
        );
        assert_eq!(one.key.len(), KEY_BYTES);
        assert_ne!(one.key, two.key);
        assert_ne!(one.bytes, two.bytes);
        let digest = Keyed::new(&one.key).digest(Subject::Arguments, br#"{"pin":"1234"}"#);
        assert!(text.contains(&format!("\"arguments_hmac\":\"{}\"", Hex::new(&digest).as_str())));
        assert!(!text.contains("plan_hmac"), "the plan is kept as it is");
    }

    #[test]
    fn what_a_caller_chose_is_bounded_and_stays_valid() {
        let principal = principal("local");
        let mut records = PendingRecords::default();
        let (long, rules) = ("ü".repeat(100_000), [RuleReference { id: "r", file: "f", line: 1 }; 100]);
        let json = serde_json::to_string(&long).unwrap();
        records
            .push(&Entry {
                tool: Some(&long),
                rules: &rules,
                arguments: Some(Evidence::plain(&json)),
                ..Entry::new(RecordKind::Refused, Timestamp(5), &principal)
            })
            .unwrap();
        let record = sealed(&mut records, 0);
        assert!(record.bytes.len() < 4_000 && record.detail.len() < 5_000);
        let text: serde_json::Value = serde_json::from_slice(&record.bytes).unwrap();
        assert_eq!(text["rules_omitted"], 36);
        let detail: serde_json::Value = serde_json::from_str(&shown(&record)).unwrap();
        assert_eq!(detail["arguments"]["bytes"], json.len());
    }

    #[test]
    fn a_record_never_enters_another_tenants_chain() {
        let (one, two) = (principal("one"), principal("two"));
        let mut records = PendingRecords::default();
        records.push(&Entry::new(RecordKind::Decision, Timestamp(1), &one)).unwrap();
        let refused = records.push(&Entry::new(RecordKind::Decision, Timestamp(1), &two));
        assert_eq!(refused, Err(StoreError::Refused(Refusal::OtherTenant)));
        let link = Link { tenant: &two.tenant, seq: 1, previous: Link::GENESIS };
        assert!(records.seal(0, &link, &mut SealedRecord::default()).is_err());
        records.clear();
        records.push(&Entry::new(RecordKind::Decision, Timestamp(1), &two)).unwrap();
    }
}

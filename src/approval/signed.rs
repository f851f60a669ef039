//! Answers that approvers sign, so that who can write the store cannot give one.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::catalog::Digest;
use crate::clock::Timestamp;
use crate::code::{CallError, ErrorCode};
use crate::ident::{Tenant, UserName};
use crate::signature::{PublicKey, SIGNATURE_BYTES, SecretKey};

use super::{Approvers, canonical};

/// Most signed answers to one question.
const MOST: usize = 128;

/// What an approver says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Said {
    /// Yes.
    Approved,
    /// No.
    Denied,
}

/// A stored question, as far as an answer to it is bound to it.
#[derive(Debug, Clone, Copy)]
pub struct AskedQuestion<'a> {
    /// Its id.
    pub id: &'a str,
    /// Whose it is.
    pub tenant: &'a Tenant,
    /// The digest of exactly what is shown.
    pub question: Digest,
    /// What a yes would be to.
    pub binding: Digest,
    /// When it runs out.
    pub expires: Timestamp,
}

/// One approver's answer, with a signature over it and everything that it is an answer to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SignedAnswer {
    /// Who says it.
    pub approver: UserName,
    /// What they say.
    pub answer: Said,
    /// When.
    pub at: Timestamp,
    /// What they want the model to know.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// The signature, in base 64.
    signature: String,
}

/// The signed answers to one question, in the order in which they came.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct SignedAnswers(Vec<SignedAnswer>);

impl SignedAnswer {
    /// Signs an answer.
    #[must_use]
    pub fn sign(
        asked: &AskedQuestion<'_>,
        approver: UserName,
        answer: Said,
        at: Timestamp,
        note: Option<String>,
        key: &SecretKey,
    ) -> Self {
        let mut signed = Self { approver, answer, at, note, signature: String::new() };
        signed.signature = STANDARD.encode(key.sign(&signed.statement(asked)));
        signed
    }

    /// The signature, in base 64.
    #[must_use]
    pub fn signature(&self) -> &str {
        &self.signature
    }

    /// Whether it is what the owner of `key` said to this question, in its time.
    #[must_use]
    pub fn holds(&self, asked: &AskedQuestion<'_>, key: &PublicKey) -> bool {
        let signature = STANDARD.decode(&self.signature).ok();
        let signature = signature.and_then(|bytes| <[u8; SIGNATURE_BYTES]>::try_from(bytes).ok());
        self.at < asked.expires
            && signature.is_some_and(|signature| key.verifies(&self.statement(asked), &signature))
    }

    /// What is signed: one canonical JSON object, so that no two answers have the same bytes.
    fn statement(&self, asked: &AskedQuestion<'_>) -> Vec<u8> {
        // Every field by name: one that is added and not signed does not compile.
        let Self { approver, answer, at, note, signature: _ } = self;
        let AskedQuestion { id, tenant, question, binding, expires } = asked;
        canonical(&json!({
            "what": "answer to a question of tgw",
            "version": 1,
            "approval": id,
            "tenant": tenant,
            "question": question,
            "binding": binding,
            "expires": expires,
            "approver": approver,
            "answer": answer,
            "at": at,
            "note": note,
        }))
        .into_bytes()
    }
}

impl SignedAnswers {
    /// Reads what the store holds; anything that this version did not write is no answer.
    #[must_use]
    pub fn parse(text: Option<&str>) -> Self {
        text.and_then(|text| serde_json::from_str(text).ok()).unwrap_or_default()
    }

    /// The text that the store keeps.
    ///
    /// # Errors
    /// `INTERNAL`, where they have no JSON form.
    pub fn to_json(&self) -> Result<String, CallError> {
        serde_json::to_string(self)
            .map_err(|_| CallError::new(ErrorCode::Internal, "signed answers could not be written"))
    }

    /// The same with one more; `None` where the approver has answered, or no more can be kept.
    #[must_use]
    pub fn with(&self, answer: SignedAnswer) -> Option<Self> {
        let again = self.0.iter().any(|known| known.approver == answer.approver);
        if again || self.0.len() >= MOST {
            return None;
        }
        Some(Self(self.0.iter().cloned().chain([answer]).collect()))
    }

    /// The same without those of an approver, whose place may be taken by an answer that holds.
    #[must_use]
    pub fn without(&self, approver: &UserName) -> Self {
        Self(self.0.iter().filter(|answer| answer.approver != *approver).cloned().collect())
    }

    /// Every answer, whether it holds or not.
    pub fn iter(&self) -> impl Iterator<Item = &SignedAnswer> {
        self.0.iter()
    }

    /// The answers that hold: each by an approver of this list, with their key, to this very question; one for each approver.
    #[must_use]
    pub fn believed<'a>(&'a self, asked: &AskedQuestion<'_>, approvers: &Approvers) -> Vec<&'a SignedAnswer> {
        let mut believed: Vec<&SignedAnswer> = Vec::new();
        for answer in self.0.iter().take(MOST) {
            let holds = approvers.key(&answer.approver).is_some_and(|key| answer.holds(asked, key));
            if holds && !believed.iter().any(|known| known.approver == answer.approver) {
                believed.push(answer);
            }
        }
        believed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const AT: Timestamp = Timestamp(1_000);

    struct Case {
        tenant: Tenant,
        id: String,
        question: Digest,
        binding: Digest,
        expires: Timestamp,
    }

    impl Case {
        fn new() -> Self {
            Self {
                tenant: Tenant::parse("local").unwrap(),
                id: "a_aaaaaaaaaaaaaaaa".to_owned(),
                question: Digest([1; 32]),
                binding: Digest([2; 32]),
                expires: Timestamp(2_000),
            }
        }

        fn asked(&self) -> AskedQuestion<'_> {
            let Self { tenant, id, question, binding, expires } = self;
            AskedQuestion { id, tenant, question: *question, binding: *binding, expires: *expires }
        }
    }

    fn user(name: &str) -> UserName {
        UserName::parse(name).unwrap()
    }

    fn people(names: &[&str]) -> (Approvers, Vec<SecretKey>) {
        let mut approvers = Approvers::default();
        let keys: Vec<SecretKey> = names.iter().map(|_| SecretKey::random().unwrap()).collect();
        for (name, key) in names.iter().zip(&keys) {
            approvers.add(user(name), key.public()).unwrap();
        }
        (approvers, keys)
    }

    fn sign(name: &str, key: &SecretKey) -> SignedAnswer {
        SignedAnswer::sign(&Case::new().asked(), user(name), Said::Approved, AT, Some("fine".into()), key)
    }

    fn all(answers: &[&SignedAnswer]) -> SignedAnswers {
        SignedAnswers(answers.iter().map(|answer| (*answer).clone()).collect())
    }

    #[test]
    fn an_answer_holds_for_its_own_question_only() {
        let (approvers, keys) = people(&["ann"]);
        let answers = all(&[&sign("ann", &keys[0])]);
        assert_eq!(answers.believed(&Case::new().asked(), &approvers).len(), 1);
        let changes: [fn(&mut Case); 6] = [
            |case| case.id = "a_aaaaaaaaaaaaaaab".to_owned(),
            |case| case.tenant = Tenant::parse("other").unwrap(),
            |case| case.question = Digest([9; 32]),
            |case| case.binding = Digest([9; 32]),
            |case| case.expires = Timestamp(3_000),
            |case| case.expires = AT,
        ];
        for (at, change) in changes.iter().enumerate() {
            let mut case = Case::new();
            change(&mut case);
            assert!(answers.believed(&case.asked(), &approvers).is_empty(), "{at}");
        }
    }

    #[test]
    fn nothing_of_an_answer_can_be_changed() {
        let (approvers, keys) = people(&["ann", "bo"]);
        let changes: [fn(&mut SignedAnswer); 6] = [
            |answer| answer.approver = user("bo"),
            |answer| answer.answer = Said::Denied,
            |answer| answer.at = Timestamp(1_001),
            |answer| answer.note = None,
            |answer| answer.note = Some("other".into()),
            |answer| answer.signature = answer.signature.replacen(['A', 'b', 'C', 'd'], "e", 1) + "=",
        ];
        for (at, change) in changes.iter().enumerate() {
            let mut answer = sign("ann", &keys[0]);
            change(&mut answer);
            assert!(all(&[&answer]).believed(&Case::new().asked(), &approvers).is_empty(), "{at}");
        }
    }

    #[test]
    fn only_an_approver_with_the_key_of_the_list_counts_and_once() {
        let (mut approvers, keys) = people(&["ann", "bo"]);
        let (ann, bo, forged) = (sign("ann", &keys[0]), sign("bo", &keys[1]), sign("bo", &keys[0]));
        let names = |answers: &SignedAnswers, approvers: &Approvers| -> Vec<String> {
            let believed = answers.believed(&Case::new().asked(), approvers);
            believed.iter().map(|answer| answer.approver.to_string()).collect()
        };
        assert_eq!(names(&all(&[&ann, &ann, &forged, &bo]), &approvers), ["ann", "bo"]);
        approvers.remove(&user("ann"));
        assert_eq!(names(&all(&[&ann, &bo]), &approvers), ["bo"]);
        approvers.add(user("ann"), SecretKey::random().unwrap().public()).unwrap();
        assert_eq!(names(&all(&[&ann, &bo]), &approvers), ["bo"]);
    }

    #[test]
    fn answers_read_back_and_anything_else_is_none() {
        let (approvers, keys) = people(&["ann"]);
        let answers = SignedAnswers::default().with(sign("ann", &keys[0])).unwrap();
        assert_eq!(answers.with(sign("ann", &keys[0])), None);
        let text = answers.to_json().unwrap();
        assert_eq!(SignedAnswers::parse(Some(&text)), answers);
        assert_eq!(answers.without(&user("ann")), SignedAnswers::default());
        let wider = text.replace("\"at\"", "\"more\":1,\"at\"");
        for other in [None, Some(""), Some("{}"), Some("[1]"), Some(wider.as_str())] {
            assert!(SignedAnswers::parse(other).believed(&Case::new().asked(), &approvers).is_empty());
        }
    }
}

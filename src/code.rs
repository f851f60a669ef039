//! The errors a model or a harness can see: a closed list, each with its status, retry
//! advice, exit status and explanation, and [`CallError`], the form they travel in.

use std::fmt;

use serde::Serialize;

use crate::ident::InvalidName;

/// What a reply says happened to a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// It was done, and the contract's success condition held.
    Succeeded,
    /// It was not done; proven, for an effect.
    Failed,
    /// Scope, policy, a person or the backend refused it.
    Denied,
    /// A person must answer first.
    InputRequired,
    /// A backend took it and finishes later.
    Accepted,
    /// It is under way.
    Working,
    /// It may or may not have happened.
    Unknown,
    /// It was stopped before an effect began.
    Cancelled,
}

impl Status {
    /// Every status.
    pub const ALL: [Self; 8] = [
        Self::Succeeded,
        Self::Failed,
        Self::Denied,
        Self::InputRequired,
        Self::Accepted,
        Self::Working,
        Self::Unknown,
        Self::Cancelled,
    ];

    /// The status as it is written on the wire.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Succeeded => "succeeded",
            Self::Failed => "failed",
            Self::Denied => "denied",
            Self::InputRequired => "input_required",
            Self::Accepted => "accepted",
            Self::Working => "working",
            Self::Unknown => "unknown",
            Self::Cancelled => "cancelled",
        }
    }

    /// The exit status of `tgw call` for a reply with this status and, where there is one, this code.
    #[must_use]
    pub fn exit_code(self, code: Option<ErrorCode>) -> u8 {
        match (code, self) {
            (Some(code), _) => code.exit_code(),
            (None, Self::Succeeded) => 0,
            (None, Self::Accepted | Self::Working) => 7,
            (None, Self::Failed) => 1,
            (None, Self::Denied) => 3,
            (None, Self::InputRequired) => 4,
            (None, Self::Unknown) => 6,
            (None, Self::Cancelled) => 8,
        }
    }
}

/// Whether the call changed anything, as far as is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Effect {
    /// Nothing changed.
    None,
    /// Something may have changed.
    Possible,
    /// Something changed.
    Happened,
}

/// What a caller may sensibly do next.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Retry {
    /// The same intent will not succeed.
    Never,
    /// The very same call may be sent again.
    SameCall,
    /// A call with other arguments, or another tool, may succeed.
    ChangedCall,
    /// The same call may succeed once a person has answered.
    AfterApproval,
    /// The same call may succeed later.
    Later,
}

macro_rules! codes {
    ($($(#[$doc:meta])* $variant:ident = $text:literal, $status:ident, $retry:ident, $exit:literal, $explanation:literal;)*) => {
        /// The code of an error that a model or a harness can see.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum ErrorCode {
            $($(#[$doc])* $variant,)*
        }

        impl ErrorCode {
            /// Every code, in the order of the documentation.
            pub const ALL: &'static [Self] = &[$(Self::$variant),*];

            /// The code as it is written on the wire.
            #[must_use]
            pub fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $text,)* }
            }

            /// The status of a reply that carries this code.
            #[must_use]
            pub fn status(self) -> Status {
                match self { $(Self::$variant => Status::$status,)* }
            }

            /// What the caller may do next, unless the error says otherwise.
            #[must_use]
            pub fn retry(self) -> Retry {
                match self { $(Self::$variant => Retry::$retry,)* }
            }

            /// The exit status of `tgw call`.
            #[must_use]
            pub fn exit_code(self) -> u8 {
                match self { $(Self::$variant => $exit,)* }
            }

            /// The text of `tgw explain CODE`.
            #[must_use]
            pub fn explanation(self) -> &'static str {
                match self { $(Self::$variant => $explanation,)* }
            }
        }
    };
}

codes! {
    /// The line is not a call.
    MalformedCall = "MALFORMED_CALL", Failed, ChangedCall, 1,
        "The line is not a call: it is not valid UTF-8 or JSON, repeats a key, is too deep or too long, has an \
unknown key, uses an id twice in one run, or holds a number that would lose precision. Nothing of it was run \
and the stream goes on. Send one JSON object a line: {\"id\":…,\"name\":…,\"arguments\":{…}}. Integers outside \
the 64-bit ranges must be sent as strings.";
    /// No such tool.
    UnknownTool = "UNKNOWN_TOOL", Failed, ChangedCall, 1,
        "The catalog has no tool of this name. Names are matched exactly. `tgw tools` lists what this principal \
can see; the hint names the nearest visible tool where there is one.";
    /// The arguments break the contract.
    InvalidArguments = "INVALID_ARGUMENTS", Failed, ChangedCall, 1,
        "The arguments break the tool's schema or one of the checks made outside the model. Every violation is \
listed with its JSON pointer, what was expected and what was found. Nothing was run. Change the arguments and \
call again.";
    /// A path leaves the workspace.
    PathOutsideWorkspace = "PATH_OUTSIDE_WORKSPACE", Failed, ChangedCall, 1,
        "A path leads out of the workspace: it is absolute, climbs above the root, or passes through a symbolic \
link that leaves it. Paths are relative to the workspace root. An absolute symbolic link is refused even where \
it points inside.";
    /// No such file.
    FileNotFound = "FILE_NOT_FOUND", Failed, ChangedCall, 1,
        "The path does not exist in the workspace, or is not of the kind that the tool needs (a directory, a \
FIFO or a device where a regular file is wanted). List the directory to see what is there.";
    /// The model expected a milder tool.
    ExpectationMismatch = "EXPECTATION_MISMATCH", Failed, ChangedCall, 1,
        "The call stated what it expected of the tool (`expects`), and the contract is stricter: for instance the \
call expected a read-only tool and this one writes. Nothing was run. Choose another tool, or state the \
expectation that holds.";
    /// A precondition does not hold.
    PreconditionFailed = "PRECONDITION_FAILED", Failed, ChangedCall, 1,
        "A condition that the contract asks for before running does not hold, or could not be looked up, or the file is not as \
the call needs it; the message says which. Nothing was run, and a person's yes was not used up. Where a service answered that the \
call is in conflict with what is there (409, 412), it was asked and changed nothing.";
    /// The effect key was used for something else.
    IdempotencyConflict = "IDEMPOTENCY_CONFLICT", Failed, ChangedCall, 1,
        "The effect key of this call was used before with other arguments; the answer lists where they differ. One key \
names one effect: send what was sent before, or use a new key for a new effect. Nothing was run. `tgw effects show` shows \
the earlier one.";
    /// The contract is not the one that was accepted.
    ContractChanged = "CONTRACT_CHANGED", Failed, Never, 1,
        "The tool's contract is not the one that was accepted, or under which the call was approved: its digest \
differs. The tool stays stopped until a person accepts the new contract, that of an upstream server's tool with `tgw lock`; a call that was approved is asked about anew.";
    /// A credential could not be had.
    CredentialUnavailable = "CREDENTIAL_UNAVAILABLE", Failed, Later, 1,
        "A credential that the tool needs could not be resolved: its source is missing, empty or failed. \
Nothing was run, and no approval was used up. (A credential that the policy keeps from the tool or the agent is a \
PERMISSION_DENIED.) `tgw doctor` lists \
the credentials and their sources.";
    /// The sandbox asked for is not to be had.
    SandboxUnavailable = "SANDBOX_UNAVAILABLE", Failed, Never, 1,
        "The contract or the policy asks for a sandbox level that this machine does not offer. Nothing was run. \
`tgw doctor` shows the levels there are and what is missing.";
    /// The backend cannot be reached.
    BackendUnavailable = "BACKEND_UNAVAILABLE", Failed, Later, 1,
        "The program or service behind the tool could not be started or reached, answered that it takes no requests for \
now, or broke off its answer to a read. Nothing was done. Call again later; the hint says how long the service asks to wait.";
    /// The tool ran and reported failure.
    ExecutionFailed = "EXECUTION_FAILED", Failed, ChangedCall, 1,
        "The tool ran and reported that it failed: its success condition did not hold. For a command the \
content holds what it printed, bounded and redacted; what a service said is in the audit.";
    /// The result is too large.
    ResultTooLarge = "RESULT_TOO_LARGE", Failed, ChangedCall, 1,
        "A read produced more than its byte cap, and the contract says to fail rather than cut. Ask for less: a \
narrower path, pattern or range.";
    /// The result breaks the output schema.
    InvalidResult = "INVALID_RESULT", Failed, Never, 1,
        "The tool's result is not what its contract promises: it is not valid JSON where JSON is declared, or it \
breaks the output schema. The result is withheld.";
    /// The stored result is gone.
    ResultExpired = "RESULT_EXPIRED", Failed, ChangedCall, 1,
        "The result reference names nothing that this task may read: it was never made by this task, or its \
retention has run out. Call the tool again.";
    /// The record could not be written.
    AuditUnavailable = "AUDIT_UNAVAILABLE", Failed, Later, 1,
        "The audit record could not be written, so nothing was run: no record, no execution. Look at the state \
store with `tgw doctor`: a full disk, a read-only file or a damaged chain are the usual causes.";
    /// Scope or policy forbids it.
    PermissionDenied = "PERMISSION_DENIED", Denied, Never, 3,
        "The tool exists, but scope or policy forbids this call: the agent, the step, the task or a permission \
does not include it, a rule denies it, or it touches a protected file. `tgw check` with the same call shows \
each rule that counted and where it is written.";
    /// A person said no.
    ApprovalDenied = "APPROVAL_DENIED", Denied, ChangedCall, 3,
        "A person was asked and said no. Their words, where they gave any, are in the message. Do not send the \
same call again.";
    /// The question ran out of time.
    ApprovalExpired = "APPROVAL_EXPIRED", Denied, Never, 3,
        "The question was not answered in its time. Silence is not consent: the call was not run. Expired is \
final for that question.";
    /// A budget is used up.
    BudgetExceeded = "BUDGET_EXCEEDED", Denied, Later, 3,
        "A budget of the policy is used up for this task, agent, user or tenant. The message names it. \
Where the budget has a window it frees again, and the hint says when; without one nothing frees it, and the call's retry is \
`never`, or `changed_call` where a smaller amount still fits.";
    /// The backend refused.
    BackendDenied = "BACKEND_DENIED", Denied, Never, 3,
        "The service behind the tool refused the call with its own authority (401 or 403). The gateway had allowed it: \
what the gateway itself refuses is PERMISSION_DENIED. Look at the credential that the contract names and at the service's permissions.";
    /// A person must answer first.
    ApprovalRequired = "APPROVAL_REQUIRED", InputRequired, AfterApproval, 4,
        "The policy asks a person before this call runs, and no terminal is attached. The question is stored \
under the approval id in the hint; `tgw approvals` answers it from any process. Nothing was run.";
    /// Too slow, and nothing happened.
    Timeout = "TIMEOUT", Failed, SameCall, 5,
        "The deadline passed. The tool was a read, or nothing had begun, so nothing changed. The whole process \
tree was ended.";
    /// It may or may not have happened.
    OutcomeUnknown = "OUTCOME_UNKNOWN", Unknown, Never, 6,
        "The effect began and its end is not known: a time-out, a kill, a lost connection, or an exit status that \
the contract does not explain. It may have happened, and its key stays taken: the same call is answered so again and \
nothing runs. Do not send it again before someone has looked, unless the error says `retry: same_call`. `tgw effects \
reconcile` looks it up where the contract says how; a person settles it with `tgw effects resolve`.";
    /// A check after the fact disagrees.
    VerificationFailed = "VERIFICATION_FAILED", Unknown, Never, 6,
        "The tool reported success and a look at the system of record disagrees, for as long as the contract waits for it. The \
effect key stays taken and nothing runs again under it, also where a retry is otherwise safe. Do not send it again \
before someone has looked: a person settles it with `tgw effects resolve`.";
    /// It was stopped.
    Cancelled = "CANCELLED", Cancelled, SameCall, 8,
        "The call was stopped before an effect began: by Ctrl-C, by a cancel line, or because the reader of the \
results went away.";
    /// A defect of the gateway.
    Internal = "INTERNAL", Failed, Never, 70,
        "A defect of the gateway itself. The call was not run, or its outcome is in the audit. Please report it \
with the receipt.";
}

impl ErrorCode {
    /// Finds a code by its wire form, whatever the case.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|code| code.as_str().eq_ignore_ascii_case(text))
    }
}

impl fmt::Display for ErrorCode {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}

impl Serialize for ErrorCode {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

/// One thing wrong with a call's arguments.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Violation {
    /// RFC 6901 pointer into the arguments; empty for the arguments as a whole.
    pub pointer: String,
    /// What the contract wants there.
    pub expected: String,
    /// What is there: redacted, at most 80 characters.
    pub found: String,
    /// What to do.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
}

/// An error as the model sees it: a safe message, and advice apart from it.
///
/// Messages are lowercase without a final period, with input in backticks. Paths outside the
/// workspace, credentials and backend bodies never enter one.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct CallError {
    /// The code.
    pub code: ErrorCode,
    /// A contract's own code, where the contract maps this failure to one.
    pub contract_code: Option<String>,
    /// What is wrong.
    pub message: String,
    /// What the caller can do next.
    pub hint: Option<String>,
    /// What kind of retry makes sense.
    pub retry: Retry,
    /// Everything wrong with the arguments, for [`ErrorCode::InvalidArguments`].
    pub violations: Vec<Violation>,
}

impl CallError {
    /// An error with the code's own retry advice and no hint.
    #[must_use]
    pub fn new(code: ErrorCode, message: impl Into<String>) -> Self {
        Self {
            code,
            contract_code: None,
            message: message.into(),
            hint: None,
            retry: code.retry(),
            violations: Vec::new(),
        }
    }

    /// Adds what the caller can do next.
    #[must_use]
    pub fn with_hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// Adds the list of violations.
    #[must_use]
    pub fn with_violations(mut self, violations: Vec<Violation>) -> Self {
        self.violations = violations;
        self
    }
}

impl Serialize for CallError {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        use serde::ser::SerializeMap;
        let mut map = serializer.serialize_map(None)?;
        match &self.contract_code {
            Some(code) => map.serialize_entry("code", code)?,
            None => map.serialize_entry("code", &self.code)?,
        }
        map.serialize_entry("message", &self.message)?;
        if let Some(hint) = &self.hint {
            map.serialize_entry("hint", hint)?;
        }
        map.serialize_entry("retry", &self.retry)?;
        if !self.violations.is_empty() {
            map.serialize_entry("violations", &self.violations)?;
        }
        map.end()
    }
}

impl From<InvalidName> for CallError {
    fn from(error: InvalidName) -> Self {
        Self::new(ErrorCode::MalformedCall, error.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_parses_back_and_explains_itself() {
        for code in ErrorCode::ALL {
            assert_eq!(ErrorCode::parse(code.as_str()), Some(*code));
            assert!(code.explanation().len() > 40, "{code} has no real explanation");
        }
    }
}

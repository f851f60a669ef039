//! The honest status of a command: what is proven, and what is not known.

use crate::catalog::Risk;
use crate::code::{CallError, Effect, ErrorCode, Retry, Status};

use super::CommandEnd;

/// What the contract's conditions said about an exit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Conditions {
    /// Whether the success condition held, or why it could not be evaluated.
    pub(super) success: Result<bool, String>,
    /// Whether it is proven that nothing happened. A condition that could not be evaluated proves nothing.
    pub(super) no_effect: bool,
}

/// A status with its effect and, unless it succeeded, its error.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Judgement {
    pub(super) status: Status,
    pub(super) effect: Effect,
    pub(super) error: Option<CallError>,
}

/// Judges how a command ended. `conditions` are those of an exit; `cap` is the output's in bytes.
///
/// A read that did not succeed failed. A write that began failed only where its contract proves that nothing happened;
/// anything else that is not its success is unknown.
pub(super) fn judge(end: &CommandEnd, risk: Risk, conditions: &Conditions, cap: usize) -> Judgement {
    if let CommandEnd::NotStarted(error) = end {
        let effect = Effect::None;
        return Judgement { status: error.code.status(), effect, error: Some(error.clone()) };
    }
    let (code, message) = match (end, &conditions.success) {
        // Ended by the gateway because there was enough: nothing says that it failed, and it could change nothing.
        (CommandEnd::Truncated, _) if risk == Risk::ReadOnly => {
            return Judgement { status: Status::Succeeded, effect: Effect::None, error: None };
        }
        (CommandEnd::Truncated, _) => {
            (ErrorCode::ExecutionFailed, format!("the command was ended after {cap} bytes of output"))
        }
        (CommandEnd::Exited(_), Ok(true)) => {
            let quiet = risk == Risk::ReadOnly || conditions.no_effect;
            let effect = if quiet { Effect::None } else { Effect::Happened };
            return Judgement { status: Status::Succeeded, effect, error: None };
        }
        (CommandEnd::Exited(status), Ok(false)) => {
            (ErrorCode::ExecutionFailed, format!("the command exited with status {status}"))
        }
        (CommandEnd::Exited(status), Err(problem)) => (
            ErrorCode::ExecutionFailed,
            format!(
                "the command exited with status {status} and its success condition has no answer: {problem}"
            ),
        ),
        (CommandEnd::Signalled(signal), _) => {
            (ErrorCode::ExecutionFailed, format!("signal {signal} ended the command"))
        }
        (CommandEnd::Outlived, _) => (
            ErrorCode::ExecutionFailed,
            "the command left processes that could not be ended and may go on".to_owned(),
        ),
        (CommandEnd::TimedOut, _) => {
            (ErrorCode::Timeout, "the deadline passed and the command was ended".to_owned())
        }
        (CommandEnd::Cancelled, _) => {
            (ErrorCode::Cancelled, "the call was cancelled and the command was ended".to_owned())
        }
        (CommandEnd::Overflowed, _) => (
            ErrorCode::ResultTooLarge,
            format!("the command printed more than {cap} bytes, the most that its contract takes"),
        ),
        (CommandEnd::NotStarted(_), _) => (ErrorCode::Internal, "the command was not started".to_owned()),
    };
    let proven = matches!(end, CommandEnd::Exited(_)) && conditions.no_effect;
    unproven(code, message, if proven { Risk::ReadOnly } else { risk })
}

/// Judges what began and did not end well, and of which nothing is proven: a read failed, an effect is unknown.
pub(super) fn unproven(code: ErrorCode, message: String, risk: Risk) -> Judgement {
    if risk == Risk::ReadOnly {
        return Judgement {
            status: code.status(),
            effect: Effect::None,
            error: Some(CallError::new(code, message)),
        };
    }
    let error = CallError::new(
        ErrorCode::OutcomeUnknown,
        format!("{message}; whether its effect happened is not known"),
    )
    .with_hint("look at the state of the object before anything else; do not send the call again");
    Judgement { status: Status::Unknown, effect: Effect::Possible, error: Some(error) }
}

impl Judgement {
    /// Takes over the name and words that the contract gives this failure. What is unknown stays unknown, and is never
    /// to be tried again, whatever the contract advises.
    pub(super) fn name(&mut self, code: &str, message: &str, hint: Option<&str>, retry: Retry) {
        let unknown = self.status == Status::Unknown;
        if let Some(error) = &mut self.error {
            error.contract_code = Some(code.to_owned());
            message.clone_into(&mut error.message);
            error.hint = hint.map(str::to_owned).or_else(|| error.hint.take().filter(|_| unknown));
            error.retry = if unknown { Retry::Never } else { retry };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judged(
        end: CommandEnd,
        risk: Risk,
        success: bool,
        no_effect: bool,
    ) -> (Status, Effect, Option<ErrorCode>) {
        let judgement = judge(&end, risk, &Conditions { success: Ok(success), no_effect }, 100);
        (judgement.status, judgement.effect, judgement.error.map(|error| error.code))
    }

    const EFFECTS: [Risk; 3] = [Risk::Write, Risk::External, Risk::Destructive];

    #[test]
    fn a_read_that_did_not_succeed_failed_for_its_own_reason() {
        let cases = [
            (CommandEnd::Exited(1), Status::Failed, ErrorCode::ExecutionFailed),
            (CommandEnd::Signalled(9), Status::Failed, ErrorCode::ExecutionFailed),
            (CommandEnd::Outlived, Status::Failed, ErrorCode::ExecutionFailed),
            (CommandEnd::TimedOut, Status::Failed, ErrorCode::Timeout),
            (CommandEnd::Cancelled, Status::Cancelled, ErrorCode::Cancelled),
            (CommandEnd::Overflowed, Status::Failed, ErrorCode::ResultTooLarge),
        ];
        for (end, status, code) in cases {
            assert_eq!(judged(end, Risk::ReadOnly, false, false), (status, Effect::None, Some(code)));
        }
    }

    #[test]
    fn an_effect_that_began_and_did_not_end_well_is_unknown() {
        for risk in EFFECTS {
            for end in [
                CommandEnd::Exited(1),
                CommandEnd::Signalled(9),
                CommandEnd::Outlived,
                CommandEnd::TimedOut,
                CommandEnd::Cancelled,
                CommandEnd::Overflowed,
                CommandEnd::Truncated,
            ] {
                assert_eq!(
                    judged(end, risk, false, false),
                    (Status::Unknown, Effect::Possible, Some(ErrorCode::OutcomeUnknown))
                );
            }
        }
    }

    #[test]
    fn only_an_exit_that_proves_it_is_a_failed_effect() {
        assert_eq!(
            judged(CommandEnd::Exited(2), Risk::Write, false, true),
            (Status::Failed, Effect::None, Some(ErrorCode::ExecutionFailed))
        );
        assert_eq!(
            judged(CommandEnd::TimedOut, Risk::Write, false, true),
            (Status::Unknown, Effect::Possible, Some(ErrorCode::OutcomeUnknown))
        );
    }

    #[test]
    fn success_happened_unless_it_is_proven_that_nothing_did() {
        assert_eq!(
            judged(CommandEnd::Exited(0), Risk::Write, true, false),
            (Status::Succeeded, Effect::Happened, None)
        );
        assert_eq!(
            judged(CommandEnd::Exited(0), Risk::Write, true, true),
            (Status::Succeeded, Effect::None, None)
        );
        assert_eq!(
            judged(CommandEnd::Exited(0), Risk::ReadOnly, true, false),
            (Status::Succeeded, Effect::None, None)
        );
    }

    #[test]
    fn a_read_that_was_ended_because_there_was_enough_succeeded() {
        assert_eq!(
            judged(CommandEnd::Truncated, Risk::ReadOnly, false, false),
            (Status::Succeeded, Effect::None, None)
        );
    }

    #[test]
    fn what_never_started_keeps_its_own_error_and_had_no_effect() {
        let error = CallError::new(ErrorCode::SandboxUnavailable, "no such level");
        assert_eq!(
            judged(CommandEnd::NotStarted(error), Risk::Destructive, false, false),
            (Status::Failed, Effect::None, Some(ErrorCode::SandboxUnavailable))
        );
    }

    #[test]
    fn a_condition_without_an_answer_is_no_success() {
        let conditions = Conditions { success: Err("no field `ok`".into()), no_effect: false };
        let judgement = judge(&CommandEnd::Exited(0), Risk::ReadOnly, &conditions, 100);
        assert_eq!(
            judgement.error.map(|error| error.message).as_deref(),
            Some("the command exited with status 0 and its success condition has no answer: no field `ok`")
        );
    }

    #[test]
    fn a_contracts_name_never_makes_an_unknown_effect_a_failed_one() {
        let conditions = Conditions { success: Ok(false), no_effect: false };
        let mut judgement = judge(&CommandEnd::Exited(3), Risk::External, &conditions, 100);
        judgement.name("BLOCKED", "the supplier is blocked", None, Retry::SameCall);
        let error = judgement.error.unwrap();
        assert_eq!((judgement.status, judgement.effect), (Status::Unknown, Effect::Possible));
        assert_eq!(
            (error.code, error.contract_code.as_deref()),
            (ErrorCode::OutcomeUnknown, Some("BLOCKED"))
        );
        assert_eq!(error.retry, Retry::Never);
        assert!(error.hint.is_some());
    }
}

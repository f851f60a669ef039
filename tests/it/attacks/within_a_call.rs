//! Commands that a call runs and that would do what is a person's to do.

use super::fixture::{script, scripts};

/// What a person does, and a call may not.
const PERSONAL: [&str; 20] = [
    "audit keygen",
    "audit checkpoint",
    "effects resolve e_1 --as succeeded --evidence seen",
    "effects cancel e_1",
    "effects reconcile e_1",
    "approvals approve a_1 --digest sha256:00",
    "approvals deny a_1",
    "approvals revoke a_1",
    "approvals run a_1",
    "audit erase --call c --yes",
    "trust --yes",
    "trust --revoke",
    "approvers add ann ed25519:AAAA",
    "approvers remove ann",
    "keys generate",
    "keys rotate",
    "task start",
    "task step T-1 act",
    "task end T-1",
    "state migrate postgres://tgw@127.0.0.1:1/none",
];

#[test]
fn a_command_of_a_call_does_nothing_that_is_a_persons_to_do() {
    let place = scripts("{level: none}");
    let tgw = crate::harness::BINARY;
    for words in PERSONAL {
        let own = place.ask(&words.split(' ').collect::<Vec<_>>());
        assert!(!own.stderr.contains("a command that a call runs cannot"), "{words}: {own:?}");
        for prefix in ["", "setsid -w ", "env -i "] {
            let answer = script(&place, &format!("{prefix}{tgw} {words} 2>&1; echo done $?"));
            let said = answer["content"].as_str().unwrap_or_default();
            assert!(said.contains("a command that a call runs cannot"), "{prefix}{words}: {answer}");
            assert!(said.contains("done 3"), "{prefix}{words}: {answer}");
        }
    }
}

#[test]
fn a_command_of_a_call_may_look() {
    let place = scripts("{level: none}");
    let tgw = crate::harness::BINARY;
    let state = place.state().parent().unwrap().display().to_string();
    for words in ["audit list", "trust --list", "approvers list"] {
        let answer = script(&place, &format!("XDG_STATE_HOME={state} {tgw} {words} 2>&1; echo done $?"));
        let said = answer["content"].as_str().unwrap_or_default();
        assert!(said.contains("done 0"), "{words}: {answer}");
    }
}

//! What every store does, whatever database it lies in: each test runs in SQLite, and in PostgreSQL where the tests are
//! given a server.

use std::ops::ControlFlow;

use super::*;
use crate::catalog::Digest;
use crate::clock::Timestamp;
use crate::ident::{Principal, TaskId, Tenant, ToolName};
use crate::state::testing::{
    Fixture, Kind, Plain, answer, answers, commit, in_both, principal, question, refusal, seals, standing,
    task, tenant, walk,
};
use crate::state::*;

in_both! {
    starters_at_the_same_moment_make_one_store,
    ten_writers_keep_one_chain,
    a_transaction_that_never_committed_leaves_nothing,
    a_grant_is_spent_once,
    of_many_that_spend_the_same_grant_one_succeeds,
    a_stored_question_is_answered_and_its_yes_spent_once,
    expiry_is_final_and_no_answer_by_a_person,
    an_answer_to_an_older_question_and_a_late_yes_are_refused,
    a_standing_grant_ends_by_use_time_or_revocation,
    every_change_of_the_gateway_seals_again,
    no_column_of_a_standing_grant_can_be_changed_by_another_hand,
    no_column_of_a_question_can_be_changed_by_another_hand,
    signed_answers_are_kept_whole_on_a_question_that_waits_and_never_over_anothers,
    a_seal_is_no_seal_of_a_copy,
    what_is_not_believed_can_be_ended_and_is_believed_no_more_for_it,
    a_call_that_is_answered_elsewhere_settles_the_questions_about_it,
    a_question_that_is_not_believed_does_not_keep_a_call_from_being_answered,
    what_ended_long_ago_is_dropped_and_nothing_that_lives,
    results_are_found_by_their_own_task_until_they_expire,
    a_refused_change_keeps_nothing_of_its_batch,
    tenants_have_chains_of_their_own,
}

fn task_of_another_call<'a>(principal: &'a Principal, task: &'a TaskId) -> Change<'a> {
    let Change::AskApproval(asked) = question("c", principal, task) else { unreachable!() };
    Change::AskApproval(NewApproval { likeness: Digest([7; 32]), ..asked })
}

fn starters_at_the_same_moment_make_one_store(kind: Kind) {
    let place = Fixture::new(kind);
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| commit(&mut place.open(), 1, &[], 3).unwrap());
        }
    });
    assert_eq!(walk(&place.open()), 24);
}

fn ten_writers_keep_one_chain(kind: Kind) {
    let place = Fixture::new(kind);
    drop(place.open());
    std::thread::scope(|scope| {
        for _ in 0..10 {
            scope.spawn(|| {
                let mut store = place.open();
                for size in 1..=20 {
                    let receipts = commit(&mut store, 1, &[], size).unwrap();
                    assert_eq!(receipts.len(), size);
                    assert!(receipts.windows(2).all(|pair| pair[0].seq + 1 == pair[1].seq));
                }
            });
        }
    });
    assert_eq!(walk(&place.open()), 10 * 210);
}

fn a_transaction_that_never_committed_leaves_nothing(kind: Kind) {
    struct Dies;
    impl RecordSource for Dies {
        fn count(&self) -> usize {
            3
        }
        fn seal(
            &mut self,
            index: usize,
            link: &Link<'_>,
            record: &mut SealedRecord,
        ) -> Result<(), StoreError> {
            if index == 2 {
                return Err(StoreError::Busy);
            }
            Plain(3).seal(index, link, record)
        }
    }
    let place = Fixture::new(kind);
    let mut store = place.open();
    commit(&mut store, 1, &[], 2).unwrap();
    let failed = store.append(&mut Batch {
        tenant: &tenant(),
        now: Timestamp(1),
        durability: Durability::Kill,
        changes: &[Change::SpendGrant { id: "g", expires: Timestamp(9) }],
        records: &mut Dies,
    });
    assert_eq!(failed, Err(StoreError::Busy));
    assert_eq!(walk(&store), 2);
    commit(&mut store, 1, &[Change::SpendGrant { id: "g", expires: Timestamp(9) }], 1).unwrap();
    assert_eq!(walk(&store), 3);
}

fn a_grant_is_spent_once(kind: Kind) {
    let place = Fixture::new(kind);
    let mut store = place.open();
    let spend = [Change::SpendGrant { id: "g_1", expires: Timestamp(100) }];
    commit(&mut store, 10, &spend, 1).unwrap();
    assert_eq!(refusal(commit(&mut store, 11, &spend, 1)), Refusal::GrantSpent);
    let late = [Change::SpendGrant { id: "g_2", expires: Timestamp(100) }];
    assert_eq!(refusal(commit(&mut store, 100, &late, 1)), Refusal::GrantExpired);
    assert_eq!(walk(&store), 1);
}

fn of_many_that_spend_the_same_grant_one_succeeds(kind: Kind) {
    let place = Fixture::new(kind);
    drop(place.open());
    let spent: usize = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..8)
            .map(|_| {
                scope.spawn(|| {
                    let spend = [Change::SpendGrant { id: "g", expires: Timestamp(100) }];
                    usize::from(commit(&mut place.open(), 10, &spend, 1).is_ok())
                })
            })
            .collect();
        workers.into_iter().map(|worker| worker.join().unwrap()).sum()
    });
    assert_eq!(spent, 1);
    assert_eq!(walk(&place.open()), 1);
}

fn a_stored_question_is_answered_and_its_yes_spent_once(kind: Kind) {
    let place = Fixture::new(kind);
    let mut store = place.open();
    let (principal, task) = (principal(), task("t"));
    let spend = [Change::SpendApproval { id: "a", binding: Digest([1; 32]) }];
    assert_eq!(refusal(commit(&mut store, 1, &spend, 0)), Refusal::UnknownApproval);
    commit(&mut store, 1, &[question("a", &principal, &task)], 1).unwrap();
    assert_eq!(refusal(commit(&mut store, 1, &[question("a", &principal, &task)], 1)), Refusal::IdTaken);
    assert_eq!(refusal(commit(&mut store, 2, &spend, 0)), Refusal::ApprovalPending);
    commit(&mut store, 3, &[answer("a", ApprovalState::Approved)], 1).unwrap();
    assert_eq!(
        refusal(commit(&mut store, 4, &[answer("a", ApprovalState::Denied)], 1)),
        Refusal::ApprovalAnswered
    );
    let other = [Change::SpendApproval { id: "a", binding: Digest([8; 32]) }];
    assert_eq!(refusal(commit(&mut store, 5, &other, 1)), Refusal::GrantMismatch);
    commit(&mut store, 6, &spend, 1).unwrap();
    assert_eq!(refusal(commit(&mut store, 7, &spend, 1)), Refusal::GrantSpent);
    let stored = store.approval(&tenant(), "a").unwrap().unwrap();
    assert_eq!(
        (stored.state, stored.by.as_deref(), stored.feedback.as_deref(), stored.spent),
        (ApprovalState::Approved, Some("ann"), Some("fine"), Some(Timestamp(6)))
    );
    assert_eq!(stored.principal, principal);
    assert_eq!(store.approval(&Tenant::parse("other").unwrap(), "a").unwrap(), None);
}

fn expiry_is_final_and_no_answer_by_a_person(kind: Kind) {
    let place = Fixture::new(kind);
    let mut store = place.open();
    let (principal, task) = (principal(), task("t"));
    commit(&mut store, 1, &[question("a", &principal, &task)], 1).unwrap();
    let expire = [answer("a", ApprovalState::Expired)];
    assert_eq!(refusal(commit(&mut store, 99, &expire, 0)), Refusal::NotExpired);
    assert!(store.overdue_approvals(&tenant(), Timestamp(99), 10).unwrap().is_empty());
    let approve = [answer("a", ApprovalState::Approved)];
    assert_eq!(refusal(commit(&mut store, 100, &approve, 0)), Refusal::ApprovalExpired);
    let overdue = store.overdue_approvals(&tenant(), Timestamp(100), 10).unwrap();
    assert_eq!(overdue[0].state_at(Timestamp(100)), ApprovalState::Expired);
    commit(&mut store, 101, &expire, 1).unwrap();
    assert_eq!(refusal(commit(&mut store, 50, &approve, 0)), Refusal::ApprovalExpired);
    let spend = [Change::SpendApproval { id: "a", binding: Digest([1; 32]) }];
    assert_eq!(refusal(commit(&mut store, 50, &spend, 0)), Refusal::ApprovalExpired);
}

fn an_answer_to_an_older_question_and_a_late_yes_are_refused(kind: Kind) {
    let place = Fixture::new(kind);
    let mut store = place.open();
    let (principal, task) = (principal(), task("t"));
    commit(&mut store, 1, &[question("a", &principal, &task)], 1).unwrap();
    let stale = [Change::AnswerApproval(Answer {
        id: "a",
        state: ApprovalState::Approved,
        question: Digest([7; 32]),
        by: "ann",
        feedback: None,
    })];
    assert_eq!(refusal(commit(&mut store, 2, &stale, 0)), Refusal::QuestionMismatch);
    commit(&mut store, 3, &[answer("a", ApprovalState::Approved)], 0).unwrap();
    let spend = [Change::SpendApproval { id: "a", binding: Digest([1; 32]) }];
    assert_eq!(refusal(commit(&mut store, 100, &spend, 0)), Refusal::GrantExpired);
    commit(&mut store, 4, &[question("b", &principal, &task)], 1).unwrap();
    commit(&mut store, 5, &[answer("b", ApprovalState::Denied)], 0).unwrap();
    let spend = [Change::SpendApproval { id: "b", binding: Digest([1; 32]) }];
    assert_eq!(refusal(commit(&mut store, 6, &spend, 0)), Refusal::ApprovalDenied);
}

fn a_standing_grant_ends_by_use_time_or_revocation(kind: Kind) {
    let place = Fixture::new(kind);
    let mut store = place.open();
    let (principal, task) = (principal(), task("t"));
    let standing = |id, max_uses| {
        Change::Remember(NewStanding {
            id,
            principal: &principal,
            task: &task,
            workspace: b"/w",
            tool: "write_file",
            contract: Digest([4; 32]),
            pinned: r#"{"/path":"a"}"#,
            rules: r#"["ask"]"#,
            expires: Timestamp(100),
            max_uses,
        })
    };
    commit(&mut store, 1, &[standing("s1", Some(2)), standing("s2", None)], 1).unwrap();
    let query = |tool, now| StandingQuery {
        principal: &principal,
        task: &task,
        tool,
        contract: Digest([4; 32]),
        now: Timestamp(now),
    };
    let ids = |store: &SqlStore, query: StandingQuery<'_>| -> Vec<String> {
        store.standing_for(&query).unwrap().into_iter().map(|grant| grant.id).collect()
    };
    assert_eq!(ids(&store, query("write_file", 2)), ["s1", "s2"]);
    assert!(ids(&store, query("delete_path", 2)).is_empty());
    assert!(ids(&store, query("write_file", 100)).is_empty());
    let other = StandingQuery { contract: Digest([5; 32]), ..query("write_file", 2) };
    assert!(ids(&store, other).is_empty());
    let unversioned = Principal { agent_version: None, ..principal.clone() };
    assert!(ids(&store, StandingQuery { principal: &unversioned, ..query("write_file", 2) }).is_empty());

    let used = [Change::UseStanding { id: "s1" }];
    commit(&mut store, 3, &used, 1).unwrap();
    commit(&mut store, 4, &used, 1).unwrap();
    assert_eq!(refusal(commit(&mut store, 5, &used, 1)), Refusal::GrantUsedUp);
    assert_eq!(ids(&store, query("write_file", 5)), ["s2"]);
    let revoke = [Change::RevokeStanding { id: "s2" }];
    commit(&mut store, 6, &revoke, 1).unwrap();
    assert_eq!(refusal(commit(&mut store, 7, &revoke, 1)), Refusal::GrantRevoked);
    let used = [Change::UseStanding { id: "s2" }];
    assert_eq!(refusal(commit(&mut store, 7, &used, 1)), Refusal::GrantRevoked);
    assert_eq!(store.standing(&tenant(), 10).unwrap().len(), 2);
    assert_eq!(walk(&store), 4);
}

fn every_change_of_the_gateway_seals_again(kind: Kind) {
    let (_place, mut store, ..) = answers(kind);
    let spend = Change::SpendApproval { id: "a", binding: Digest([1; 32]) };
    let steps = [
        Change::UseStanding { id: "s" },
        answer("a", ApprovalState::Approved),
        spend,
        Change::RevokeStanding { id: "s" },
    ];
    for step in steps {
        assert_eq!(seals(&store), (Seal::Whole, Seal::Whole), "{step:?}");
        commit(&mut store, 2, &[step], 1).unwrap();
    }
    assert_eq!(seals(&store), (Seal::Whole, Seal::Whole));
}

/// A statement with the bytes in it as the database writes them.
fn written(kind: Kind, sql: &str) -> String {
    match kind {
        Kind::Sqlite => sql.to_owned(),
        Kind::Postgres => {
            sql.replace("zeroblob(32)", "decode(repeat('00', 32), 'hex')").replace("X'", "'\\x")
        }
    }
}

fn no_column_of_a_standing_grant_can_be_changed_by_another_hand(kind: Kind) {
    for change in [
        "id = 's2'",
        "\"user\" = 'bo'",
        "agent = 'other'",
        "agent_version = NULL",
        "agent_version = '2.0'",
        "task = 'u'",
        "workspace = X'2F78'",
        "workspace = NULL",
        "tool = 'delete_path'",
        "contract = zeroblob(32)",
        "pinned = '[]'",
        "rules = '[\"ask\",\"other\"]'",
        "created = 2",
        "expires = 9000000000000",
        "uses = 0",
        "max_uses = 4",
        "max_uses = NULL",
        "revoked = 5",
        "revoked = NULL",
        "seal = NULL",
        "seal = X''",
        "seal = zeroblob(32)",
    ] {
        let (_place, mut store, ..) = answers(kind);
        commit(&mut store, 2, &[Change::UseStanding { id: "s" }], 1).unwrap();
        if change == "revoked = NULL" {
            commit(&mut store, 2, &[Change::RevokeStanding { id: "s" }], 1).unwrap();
        }
        store.sql().execute(&written(kind, &format!("UPDATE standing_grant SET {change}")), &[]).unwrap();
        let stored = store.standing(&tenant(), 1).unwrap().remove(0);
        assert!(stored.seal.doubt().is_some() && !stored.is_live(Timestamp(3)), "{change}");
        let used = [Change::UseStanding { id: &stored.id }];
        assert_eq!(refusal(commit(&mut store, 3, &used, 1)), Refusal::NotBelieved, "{change}");
    }
}

fn no_column_of_a_question_can_be_changed_by_another_hand(kind: Kind) {
    for change in [
        "id = 'b'",
        "\"user\" = 'bo'",
        "agent = 'other'",
        "agent_version = NULL",
        "task = 'u'",
        "step = 'execute'",
        "tool = 'delete_path'",
        "call = '{\"tool\":\"x\"}'",
        "binding = zeroblob(32)",
        "likeness = zeroblob(32)",
        "likeness = NULL",
        "question = zeroblob(32)",
        "created = 2",
        "expires = 9000000000000",
        "state = 'approved'",
        "state = 'pending'",
        "answered = 3",
        "answered_by = 'root'",
        "feedback = NULL",
        "spent = NULL",
        "spent = 9",
        "answers = '[]'",
        "seal = NULL",
    ] {
        let (_place, mut store, ..) = answers(kind);
        let state = if change.contains("approved") { ApprovalState::Denied } else { ApprovalState::Approved };
        commit(&mut store, 2, &[answer("a", state)], 1).unwrap();
        let spend = |id| [Change::SpendApproval { id, binding: Digest([1; 32]) }];
        if change == "spent = NULL" {
            commit(&mut store, 2, &spend("a"), 1).unwrap();
        }
        store.sql().execute(&written(kind, &format!("UPDATE approval SET {change}")), &[]).unwrap();
        let stored = store.approvals(&tenant(), 1).unwrap().remove(0);
        assert!(stored.seal.doubt().is_some(), "{change}");
        assert_eq!(refusal(commit(&mut store, 3, &spend(&stored.id), 1)), Refusal::NotBelieved, "{change}");
    }
}

fn signed_answers_are_kept_whole_on_a_question_that_waits_and_never_over_anothers(kind: Kind) {
    let (_place, mut store, ..) = answers(kind);
    let keep = |before, answers| {
        [Change::KeepAnswers(SignedAnswersNow { id: "a", question: Digest([2; 32]), before, answers })]
    };
    commit(&mut store, 2, &keep(None, "[1]"), 1).unwrap();
    let stored = store.approval(&tenant(), "a").unwrap().unwrap();
    assert_eq!(
        (stored.answers.as_deref(), stored.seal, stored.state),
        (Some("[1]"), Seal::Whole, ApprovalState::Pending)
    );
    for before in [None, Some("[]"), Some("[1] ")] {
        assert_eq!(refusal(commit(&mut store, 2, &keep(before, "[2]"), 1)), Refusal::AnsweredMeanwhile);
    }
    let other = Change::KeepAnswers(SignedAnswersNow {
        id: "a",
        question: Digest([9; 32]),
        before: Some("[1]"),
        answers: "[2]",
    });
    assert_eq!(refusal(commit(&mut store, 2, &[other], 1)), Refusal::QuestionMismatch);
    commit(&mut store, 2, &[answer("a", ApprovalState::Denied)], 1).unwrap();
    assert_eq!(refusal(commit(&mut store, 2, &keep(Some("[1]"), "[2]"), 1)), Refusal::ApprovalAnswered);
}

fn a_seal_is_no_seal_of_a_copy(kind: Kind) {
    let (_place, mut store, ..) = answers(kind);
    let copy = "INSERT INTO standing_grant (id, tenant, \"user\", agent, agent_version, task, workspace, tool, contract, pinned,
            rules, created, expires, uses, max_uses, revoked, seal)
        SELECT 's2', tenant, \"user\", agent, agent_version, 'u', workspace, tool, contract, pinned,
            rules, created, expires, uses, max_uses, revoked, seal FROM standing_grant";
    assert_eq!(store.sql().execute(copy, &[]).unwrap(), 1);
    let used = [Change::UseStanding { id: "s2" }];
    assert_eq!(refusal(commit(&mut store, 3, &used, 1)), Refusal::NotBelieved);
    commit(&mut store, 3, &[Change::UseStanding { id: "s" }], 1).unwrap();
}

fn what_is_not_believed_can_be_ended_and_is_believed_no_more_for_it(kind: Kind) {
    let (_place, mut store, ..) = answers(kind);
    store.sql().execute("UPDATE standing_grant SET uses = 1", &[]).unwrap();
    store.sql().execute("UPDATE approval SET feedback = 'x'", &[]).unwrap();
    let approve = [answer("a", ApprovalState::Approved)];
    assert_eq!(refusal(commit(&mut store, 3, &approve, 1)), Refusal::NotBelieved);
    let end = [Change::RevokeStanding { id: "s" }, answer("a", ApprovalState::Expired)];
    commit(&mut store, 100, &end, 1).unwrap();
    assert_eq!(seals(&store), (Seal::Missing, Seal::Missing));
}

fn a_call_that_is_answered_elsewhere_settles_the_questions_about_it(kind: Kind) {
    let (_place, mut store, principal, task) = answers(kind);
    let other = task_of_another_call(&principal, &task);
    commit(&mut store, 2, &[question("b", &principal, &task), other], 1).unwrap();
    let settle = |state| [Change::SettleLike { likeness: Digest([6; 32]), state, by: "bo" }];
    commit(&mut store, 3, &settle(ApprovalState::Approved), 1).unwrap();
    for id in ["a", "b"] {
        let settled = store.approval(&tenant(), id).unwrap().unwrap();
        assert_eq!(
            (settled.state, settled.by.as_deref(), settled.spent, settled.seal),
            (ApprovalState::Approved, Some("bo"), Some(Timestamp(3)), Seal::Whole)
        );
    }
    assert_eq!(store.approval(&tenant(), "c").unwrap().unwrap().state, ApprovalState::Pending);
    // What is answered stays as it is, and a second time is nothing.
    commit(&mut store, 4, &settle(ApprovalState::Denied), 1).unwrap();
    assert_eq!(store.approval(&tenant(), "a").unwrap().unwrap().state, ApprovalState::Approved);
}

fn a_question_that_is_not_believed_does_not_keep_a_call_from_being_answered(kind: Kind) {
    let (_place, mut store, ..) = answers(kind);
    store.sql().execute("UPDATE approval SET tool = 'other'", &[]).unwrap();
    let settle = [Change::SettleLike { likeness: Digest([6; 32]), state: ApprovalState::Approved, by: "bo" }];
    commit(&mut store, 3, &settle, 1).unwrap();
    assert_eq!(store.approval(&tenant(), "a").unwrap().unwrap().state, ApprovalState::Pending);
}

fn what_ended_long_ago_is_dropped_and_nothing_that_lives(kind: Kind) {
    let (_place, mut store, principal, task) = answers(kind);
    let week = 7 * 24 * 3600 * 1000;
    let left = |store: &SqlStore| {
        let approvals = store.approvals(&tenant(), 10).unwrap().len();
        (approvals, store.standing(&tenant(), 10).unwrap().len())
    };
    // Until a question's end is marked it stays, however long ago it was.
    assert_eq!(store.purge(Timestamp(99 + week), 10).unwrap(), 0);
    assert_eq!(store.purge(Timestamp(100 + week), 10).unwrap(), 1);
    assert_eq!(left(&store), (1, 0));
    commit(&mut store, 100 + week, &[answer("a", ApprovalState::Expired)], 1).unwrap();
    assert_eq!(store.purge(Timestamp(100 + week), 10).unwrap(), 1);
    assert_eq!(left(&store), (0, 0));
    for id in ["s1", "s2", "s3"] {
        commit(&mut store, 1, &[standing(id, &principal, &task)], 0).unwrap();
    }
    assert_eq!(store.purge(Timestamp(100 + week), 2).unwrap(), 2);
    assert_eq!(left(&store), (0, 1));
}

fn results_are_found_by_their_own_task_until_they_expire(kind: Kind) {
    let place = Fixture::new(kind);
    let mut store = place.open();
    let (mine, other) = (task("mine"), task("other"));
    let result = |reference, tool, value: &'static str| {
        Change::StoreResult(NewResult {
            reference,
            task: &mine,
            tool,
            value: value.as_bytes(),
            trust: "\"untrusted\"",
            expires: Timestamp(100),
        })
    };
    commit(&mut store, 1, &[result("r_1", "search", "1"), result("r_2", "search", "2")], 1).unwrap();
    commit(&mut store, 2, &[result("r_3", "list", "3")], 1).unwrap();
    let tenant = tenant();
    let find = |scope, now| store.result("r_1", scope, Timestamp(now)).unwrap().map(|found| found.value);
    assert_eq!(find(ResultScope::Task(&tenant, &mine), 5), Some(b"1".to_vec()));
    assert_eq!(find(ResultScope::Tenant(&tenant), 5), Some(b"1".to_vec()));
    assert_eq!(find(ResultScope::Task(&tenant, &other), 5), None);
    let elsewhere = Tenant::parse("else").unwrap();
    assert_eq!(find(ResultScope::Tenant(&elsewhere), 5), None);
    assert_eq!(find(ResultScope::Task(&tenant, &mine), 100), None);
    let listed = store.results(ResultScope::Task(&tenant, &mine), 2, Timestamp(5)).unwrap();
    assert_eq!(listed.iter().map(|result| result.reference.as_str()).collect::<Vec<_>>(), ["r_3", "r_2"]);
    let mut values = Vec::new();
    let tool = ToolName::parse("search").unwrap();
    store
        .recent_values(&tenant, &tool, 10, Timestamp(5), &mut |value| {
            values.push(value.to_vec());
            ControlFlow::Continue(())
        })
        .unwrap();
    assert_eq!(values, [b"2".to_vec(), b"1".to_vec()]);
    assert_eq!(store.purge(Timestamp(99), 10).unwrap(), 0);
    assert_eq!(store.purge(Timestamp(100), 2).unwrap(), 2);
    assert_eq!(store.purge(Timestamp(100), 2).unwrap(), 1);
}

fn a_refused_change_keeps_nothing_of_its_batch(kind: Kind) {
    let place = Fixture::new(kind);
    let mut store = place.open();
    let (principal, task) = (principal(), task("t"));
    let changes = [question("a", &principal, &task), Change::UseStanding { id: "none" }];
    assert_eq!(refusal(commit(&mut store, 1, &changes, 3)), Refusal::UnknownGrant);
    assert_eq!(store.approval(&tenant(), "a").unwrap(), None);
    assert_eq!(walk(&store), 0);
}

fn tenants_have_chains_of_their_own(kind: Kind) {
    let place = Fixture::new(kind);
    let mut store = place.open();
    let other = Tenant::parse("acme").unwrap();
    commit(&mut store, 1, &[], 3).unwrap();
    store
        .append(&mut Batch {
            tenant: &other,
            now: Timestamp(1),
            durability: Durability::Kill,
            changes: &[],
            records: &mut Plain(2),
        })
        .unwrap();
    assert_eq!(store.tenants().unwrap(), [other.clone(), tenant()]);
    assert_eq!((walk(&store), store.head(&other).unwrap().unwrap().seq), (3, 2));
    assert_eq!(store.stray_records().unwrap(), 0);
    store.sql().execute("DELETE FROM chain WHERE tenant = 'acme'", &[]).unwrap();
    assert_eq!(store.stray_records().unwrap(), 2);
    let described = store.describe().unwrap();
    assert_eq!((described.records, described.pending_approvals), (3, 0));
    assert!(described.bytes > 0 && described.schema_version > 0);
}

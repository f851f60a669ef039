use std::cell::RefCell;

use proptest::prelude::*;
use proptest::test_runner::TestRunner;

use super::*;
use crate::clock::Timestamp;
use crate::ident::Principal;
use crate::state::testing::{Fixture, Kind, in_both, principal};
use crate::state::{
    Batch, Change, ClaimedEffect, Durability, NoRecords, PursuedEffect, Pursuit, SqlStore, Store,
};

/// What a process or a person may try at any moment.
#[derive(Debug, Clone)]
enum Try {
    Reserve { key: u8 },
    Retry { effect: usize, ahead: u64 },
    Settle { effect: usize, behind: u64, state: EffectState, how: Settlement },
    Pursue { effect: usize, behind: u64, state: EffectState, how: Settlement },
    Claim { effect: usize, by: &'static str, gone: Option<&'static str>, due: bool },
}

fn tries() -> impl Strategy<Value = Try> {
    use EffectState::{Accepted, Failed, Running, Succeeded, Unknown, Working};
    use Settlement::{Followed, Lost, Outcome, Reconciled, Resolved};
    prop_oneof![
        (
            0..6_usize,
            0..2_u64,
            prop::sample::select(vec![Accepted, Working, Accepted, Working, Succeeded, Running]),
            prop::sample::select(vec![Outcome, Followed]),
        )
            .prop_map(|(effect, behind, state, how)| Try::Pursue { effect, behind, state, how }),
        (
            0..6_usize,
            prop::sample::select(vec!["p", "q"]),
            prop::sample::select(vec![None, Some("p"), Some("q")]),
            any::<bool>(),
        )
            .prop_map(|(effect, by, gone, due)| Try::Claim { effect, by, gone, due }),
        (0..3_u8).prop_map(|key| Try::Reserve { key }),
        (0..6_usize, 0..3_u64).prop_map(|(effect, ahead)| Try::Retry { effect, ahead }),
        (
            0..6_usize,
            0..2_u64,
            prop::sample::select(vec![Running, Accepted, Working, Succeeded, Failed, Unknown]),
            prop::sample::select(vec![Outcome, Lost, Followed, Reconciled, Resolved]),
        )
            .prop_map(|(effect, behind, state, how)| Try::Settle { effect, behind, state, how }),
    ]
}

/// The ledger as it should be: written from the design, not from the code.
#[derive(Debug, Clone, PartialEq)]
struct Expected {
    key: u8,
    state: EffectState,
    attempt: u64,
    /// Who has the right to look at what goes on elsewhere.
    looks: Option<&'static str>,
}

struct Bench {
    store: SqlStore,
    /// Each case has a tenant of its own: a database for each would take longer than all that is tried in it.
    case: usize,
    principal: Principal,
    expected: Vec<Expected>,
    _fixture: Fixture,
}

impl Bench {
    fn new(kind: Kind) -> Self {
        let fixture = Fixture::new(kind);
        let store = fixture.open();
        Self { store, case: 0, principal: principal(), expected: Vec::new(), _fixture: fixture }
    }

    fn next_case(&mut self) {
        self.case += 1;
        self.principal.tenant = Tenant::parse(&format!("case-{}", self.case)).unwrap();
        self.expected.clear();
    }

    fn id(&self, number: usize) -> String {
        format!("e_{}_{number}", self.case)
    }

    fn change(&mut self, change: Change<'_>) -> Result<(), StoreError> {
        let tenant = self.principal.tenant.clone();
        let mut batch = Batch {
            tenant: &tenant,
            now: Timestamp(7),
            durability: Durability::Kill,
            changes: &[change],
            records: &mut NoRecords,
        };
        self.store.append(&mut batch).map(|_| ())
    }

    fn attempt(&mut self, tried: &Try) {
        match tried {
            Try::Reserve { key } => {
                let new = self.id(self.expected.len());
                let (principal, task) = (self.principal.clone(), TaskId::parse("t").unwrap());
                let reserved = self.change(Change::ReserveEffect(NewEffect {
                    id: &new,
                    tool: "order",
                    origin: KeyOrigin::Stated,
                    key: Digest([*key; 32]),
                    shown_key: "k",
                    arguments: Digest([0; 32]),
                    shown_arguments: None,
                    exact_arguments: Some("{}"),
                    contract: Digest([1; 32]),
                    principal: &principal,
                    task: &task,
                    call: "c",
                    owner: "o",
                    lease: Timestamp(9),
                }));
                let held = |one: &&Expected| one.key == *key && one.state != EffectState::Failed;
                if self.expected.iter().find(held).is_some() {
                    assert_eq!(reserved, Err(Refusal::KeyTaken.into()));
                } else {
                    assert_eq!(reserved, Ok(()));
                    self.expected.push(Expected {
                        key: *key,
                        state: EffectState::Running,
                        attempt: 1,
                        looks: None,
                    });
                }
            }
            Try::Retry { effect, ahead } => {
                let Some(before) = self.expected.get(*effect).cloned() else { return };
                let attempt = before.attempt + ahead;
                let retried = self.change(Change::RetryEffect(RetriedEffect {
                    id: &self.id(*effect),
                    attempt,
                    call: "c2",
                    owner: "o",
                    lease: Timestamp(9),
                }));
                if before.state == EffectState::Unknown && *ahead == 1 {
                    assert_eq!(retried, Ok(()));
                    self.expected[*effect] = Expected { state: EffectState::Running, attempt, ..before };
                } else {
                    assert_eq!(retried, Err(Refusal::KeyTaken.into()));
                }
            }
            Try::Pursue { effect, behind, state, how } => self.pursue(*effect, *behind, *state, *how),
            Try::Claim { effect, by, gone, due } => self.claim(*effect, by, *gone, *due),
            Try::Settle { effect, behind, state, how } => {
                let Some(before) = self.expected.get(*effect).cloned() else { return };
                let settled = self.change(Change::SettleEffect(SettledEffect {
                    id: &self.id(*effect),
                    attempt: before.attempt.saturating_sub(*behind),
                    state: *state,
                    how: *how,
                    code: None,
                    outcome: None,
                }));
                let allowed = matches!(
                    (before.state, state),
                    (
                        EffectState::Running,
                        EffectState::Succeeded | EffectState::Failed | EffectState::Unknown
                    ) | (EffectState::Unknown, EffectState::Succeeded | EffectState::Failed)
                        | (
                            EffectState::Accepted | EffectState::Working,
                            EffectState::Succeeded | EffectState::Failed | EffectState::Unknown
                        )
                );
                if allowed && *behind == 0 {
                    assert_eq!(settled, Ok(()));
                    self.expected[*effect].state = *state;
                    self.expected[*effect].looks = None;
                } else if *how == Settlement::Outcome {
                    assert_eq!(settled, Ok(()), "a late outcome keeps no record from the chain");
                } else {
                    assert_eq!(settled, Err(Refusal::EffectSettled.into()));
                }
            }
        }
    }

    fn pursue(&mut self, effect: usize, behind: u64, state: EffectState, how: Settlement) {
        use EffectState::{Accepted, Running, Working};
        let Some(before) = self.expected.get(effect).cloned() else { return };
        let pursued = self.change(Change::PursueEffect(PursuedEffect {
            id: &self.id(effect),
            attempt: before.attempt.saturating_sub(behind),
            state,
            how,
            pursuit: &Pursuit { operation: Some("op".into()), ..Pursuit::default() },
            due: Timestamp(7),
            deadline: Timestamp(20),
        }));
        let allowed =
            matches!((before.state, state), (Running | Accepted, Accepted | Working) | (Working, Working));
        if allowed && behind == 0 {
            assert_eq!(pursued, Ok(()));
            self.expected[effect] = Expected { state, looks: None, ..before };
        } else if how == Settlement::Outcome {
            assert_eq!(pursued, Ok(()), "a late outcome keeps no record from the chain");
        } else {
            assert_eq!(pursued, Err(Refusal::EffectSettled.into()));
        }
    }

    /// Of those that try to look, one may, and only at what is due.
    fn claim(&mut self, effect: usize, by: &'static str, gone: Option<&'static str>, due: bool) {
        let Some(before) = self.expected.get(effect).cloned() else { return };
        let tenant = self.principal.tenant.clone();
        let claimed = self.store.append(&mut Batch {
            tenant: &tenant,
            now: Timestamp(if due { 7 } else { 6 }),
            durability: Durability::Kill,
            changes: &[Change::ClaimEffect(ClaimedEffect {
                id: &self.id(effect),
                owner: by,
                gone,
                lease: Timestamp(9),
            })],
            records: &mut NoRecords,
        });
        let free = before.looks.is_none() || before.looks == gone;
        if before.state.is_pursued() && free && due {
            assert_eq!(claimed, Ok(Vec::new()));
            self.expected[effect].looks = Some(by);
        } else {
            assert_eq!(claimed, Err(Refusal::EffectHeld.into()));
        }
    }

    fn check(&self) {
        let tenant = &self.principal.tenant;
        for (number, expected) in self.expected.iter().enumerate() {
            let stored = self.store.effect(tenant, &self.id(number)).unwrap().unwrap();
            assert_eq!((stored.state, stored.attempt), (expected.state, expected.attempt));
            // What a look-up needs is kept while it can be needed, and no longer.
            let open = !matches!(expected.state, EffectState::Succeeded | EffectState::Failed);
            assert_eq!(stored.exact_arguments.is_some(), open);
        }
        for key in 0..3_u8 {
            let holders: Vec<usize> = (0..self.expected.len())
                .filter(|at| self.expected[*at].key == key && self.expected[*at].state != EffectState::Failed)
                .collect();
            let held =
                self.store.effect_by_key(tenant, "order", KeyOrigin::Stated, Digest([key; 32])).unwrap();
            assert!(holders.len() <= 1, "two effects hold one key");
            assert_eq!(held.map(|held| held.id), holders.first().map(|at| self.id(*at)));
        }
        let open = self.store.unsettled_effects(tenant, 100).unwrap();
        let expected = self
            .expected
            .iter()
            .filter(|one| !matches!(one.state, EffectState::Succeeded | EffectState::Failed));
        assert_eq!(open.len(), expected.count());
    }
}

in_both! {
    whatever_is_tried_in_whatever_order_no_key_is_held_twice_and_what_is_settled_stays,
    an_effect_of_another_tenant_is_neither_seen_nor_settled,
    only_what_is_settled_and_has_no_stated_key_is_dropped_in_the_end,
    what_is_unknown_is_tried_once_more_and_by_one_only,
}

fn whatever_is_tried_in_whatever_order_no_key_is_held_twice_and_what_is_settled_stays(kind: Kind) {
    let bench = RefCell::new(Bench::new(kind));
    // On a server every statement is a way there and back.
    let cases = if kind == Kind::Sqlite { 48 } else { 12 };
    let config = ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() };
    let tried = prop::collection::vec(tries(), 1..40);
    let run = TestRunner::new(config).run(&tried, |tried| {
        let mut bench = bench.borrow_mut();
        bench.next_case();
        for one in &tried {
            bench.attempt(one);
            bench.check();
        }
        Ok(())
    });
    run.unwrap();
}

fn what_is_unknown_is_tried_once_more_and_by_one_only(kind: Kind) {
    let mut bench = Bench::new(kind);
    bench.attempt(&Try::Reserve { key: 0 });
    bench.attempt(&Try::Settle { effect: 0, behind: 0, state: EffectState::Unknown, how: Settlement::Lost });
    for _ in 0..2 {
        // The second comes too late.
        bench.attempt(&Try::Retry { effect: 0, ahead: 1 });
        bench.check();
    }
    assert_eq!((bench.expected[0].state, bench.expected[0].attempt), (EffectState::Running, 2));
}

fn an_effect_of_another_tenant_is_neither_seen_nor_settled(kind: Kind) {
    let mut bench = Bench::new(kind);
    bench.attempt(&Try::Reserve { key: 0 });
    let other = Tenant::parse("other").unwrap();
    assert_eq!(bench.store.effect(&other, "e_0_0").unwrap(), None);
    assert_eq!(bench.store.effects(&other, None, 9).unwrap(), []);
    let settled = SettledEffect {
        id: "e_0_0",
        attempt: 1,
        state: EffectState::Failed,
        how: Settlement::Resolved,
        code: None,
        outcome: None,
    };
    let refused = bench.store.append(&mut Batch {
        tenant: &other,
        now: Timestamp(7),
        durability: Durability::Kill,
        changes: &[Change::SettleEffect(settled)],
        records: &mut NoRecords,
    });
    assert_eq!(refused, Err(Refusal::UnknownEffect.into()));
    bench.check();
}

fn only_what_is_settled_and_has_no_stated_key_is_dropped_in_the_end(kind: Kind) {
    let mut bench = Bench::new(kind);
    let (principal, task) = (bench.principal.clone(), TaskId::parse("t").unwrap());
    for (number, origin) in
        [KeyOrigin::Stated, KeyOrigin::Call, KeyOrigin::None, KeyOrigin::Call].into_iter().enumerate()
    {
        let new = NewEffect {
            id: &bench.id(number),
            tool: "order",
            origin,
            key: Digest([u8::try_from(number).unwrap(); 32]),
            shown_key: "k",
            arguments: Digest([0; 32]),
            shown_arguments: None,
            exact_arguments: None,
            contract: Digest([1; 32]),
            principal: &principal,
            task: &task,
            call: "c",
            owner: "o",
            lease: Timestamp(9),
        };
        bench.change(Change::ReserveEffect(new)).unwrap();
        if number < 3 {
            let settled = SettledEffect {
                id: &bench.id(number),
                attempt: 1,
                state: EffectState::Succeeded,
                how: Settlement::Outcome,
                code: None,
                outcome: None,
            };
            bench.change(Change::SettleEffect(settled)).unwrap();
        }
    }
    let month = 30 * 24 * 3600 * 1000;
    let left = |bench: &Bench| -> Vec<String> {
        bench.store.effects(&bench.principal.tenant, None, 9).unwrap().into_iter().map(|one| one.id).collect()
    };
    bench.store.purge(Timestamp(month), 100).unwrap();
    assert_eq!(left(&bench).len(), 4);
    bench.store.purge(Timestamp(month + 8), 100).unwrap();
    assert_eq!(left(&bench), ["e_0_3", "e_0_0"]);
}

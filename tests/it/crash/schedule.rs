//! Kills at random, of one process or of several that meet.

use std::time::Duration;

use super::episode::{Count, Episode, Kind};
use super::random::{Random, SaysSeed, kills};
use super::sweep::ROUNDS;
use super::victim::{Kill, Victim};

fn line(episode: &mut Episode, random: &mut Random) -> String {
    let tool = random.one_of(&["order", "order", "order", "pay", "pay", "send", "ship", "ship", "look"]);
    let number = random.below(5);
    let (reference, amount, fault) = match tool {
        "order" if random.in_hundred(15) => (format!("A{number}"), 3, "none"),
        "order" => (
            format!("A{number}"),
            5 * (number as u64 + 1),
            random.one_of(&["none", "none", "none", "refuses", "breaks"]),
        ),
        // One in three is refused when it is asked about.
        "ship" => (format!("E{number}{}", random.one_of(&["", "", "x"])), 1, "none"),
        _ => (format!("P{}", number % 3), 1, "none"),
    };
    episode.line(tool, &reference, amount, fault)
}

fn victim(episode: &mut Episode, random: &mut Random) -> Victim {
    match random.below(10) {
        0 => Victim::Reconcile,
        1 => Victim::Watch,
        2 if !episode.approved.is_empty() => {
            let at = random.below(episode.approved.len());
            Victim::Redeem(episode.approved[at].clone())
        }
        _ => {
            let lines = 2 + random.below(5);
            Victim::Stream((0..lines).map(|_| line(episode, random)).collect())
        }
    }
}

fn kill(victim: &Victim, random: &mut Random) -> Kill {
    let lines = match victim {
        Victim::Stream(lines) => lines.len(),
        _ => 0,
    };
    if cfg!(debug_assertions) && random.in_hundred(30) {
        let commit = 1 + random.below(2 + 2 * lines);
        return Kill::At { commit, side: random.one_of(&["before", "after"]) };
    }
    let lines = random.below(lines + 1);
    let pause = if lines == 0 { 120_000 } else { 40_000 };
    Kill::After { lines, pause: Duration::from_micros(random.below(pause) as u64) }
}

/// Kills until enough are dead. Every store is settled and compared after a while.
fn schedule(kind: Kind) {
    let seed = Random::seed();
    let _says = SaysSeed(seed);
    let mut random = Random::new(seed);
    let wanted = Count { kills: kills(), between: kills() / 10 };
    let mut total = Count::default();
    // A schedule that never met the moment which matters would show nothing.
    while total.kills < wanted.kills || total.between < wanted.between {
        assert!(total.kills < 5 * wanted.kills, "{total:?} of {wanted:?}");
        let Some(mut episode) = Episode::new(kind) else { return };
        for round in 0..ROUNDS {
            if round % 4 == 0 {
                episode.approve(&format!("P{}", random.below(3)));
            }
            // Now and then several meet, and some of them come to their end.
            let several = if random.in_hundred(30) { 2 + random.below(2) } else { 1 };
            let victims: Vec<(Victim, Kill)> = (0..several)
                .map(|at| {
                    let victim = victim(&mut episode, &mut random);
                    let kill = if at > 0 && random.in_hundred(50) {
                        Kill::Never
                    } else {
                        kill(&victim, &mut random)
                    };
                    (victim, kill)
                })
                .collect();
            episode.round(&victims);
        }
        total.add(episode.settle());
    }
    eprintln!("{kind:?}: {total:?}, seed {seed}");
}

#[test]
fn kills_at_any_moment_leave_nothing_untrue_in_a_file() {
    schedule(Kind::File);
}

#[test]
fn kills_at_any_moment_leave_nothing_untrue_on_a_server() {
    schedule(Kind::Server);
}

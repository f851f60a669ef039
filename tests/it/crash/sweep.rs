//! Every commit of every kind of process is its last one once: right before it, and right after it.

use super::episode::{Count, Episode, Kind};
use super::random::is_long;
use super::victim::{Kill, Victim};

/// How many kills one store has to bear before the next one is made.
pub(super) const ROUNDS: usize = 8;

/// What of a commit a process has seen before it dies.
const SIDES: [&str; 2] = ["before", "after"];

/// Makes what a process is to be killed at; the number is another one each time.
type Prepare = fn(&mut Episode, usize) -> Victim;

/// A stream with a call of every kind.
fn stream(episode: &mut Episode, round: usize) -> Victim {
    let name = |kind: &str| format!("{kind}{round}");
    episode.approve(&name("P"));
    let lines = [
        ("order", name("A"), 1, "none"),
        ("order", name("A"), 1, "none"),
        ("order", name("A"), 2, "none"),
        ("order", name("B"), 1, "refuses"),
        ("order", name("C"), 1, "breaks"),
        ("pay", name("P"), 1, "none"),
        // The yes is spent.
        ("pay", name("P"), 1, "none"),
        ("send", name("D"), 1, "none"),
        ("look", String::new(), 1, "none"),
        ("ship", name("E"), 1, "none"),
    ];
    let line = |(tool, reference, amount, fault): &(&'static str, String, u64, &'static str)| {
        episode.line(tool, reference, *amount, fault)
    };
    Victim::Stream(lines.iter().map(line).collect())
}

fn redeem(episode: &mut Episode, round: usize) -> Victim {
    Victim::Redeem(episode.approve(&format!("P{round}")))
}

fn answer(episode: &mut Episode, round: usize) -> Victim {
    let reference = format!("P{round}");
    episode.note_yes(&reference);
    episode.asked(&reference)
}

/// Somebody looks up what a killed process left.
fn reconcile(episode: &mut Episode, round: usize) -> Victim {
    // Half of the orders happened.
    let line = episode.line("order", &format!("A{round}"), 1, "none");
    let side = if round.is_multiple_of(2) { "before" } else { "after" };
    let kill = Kill::At { commit: 2, side };
    episode.round(&[(Victim::Stream(vec![line]), kill)]);
    Victim::Reconcile
}

fn watch(episode: &mut Episode, round: usize) -> Victim {
    let line = episode.line("ship", &format!("E{round}"), 1, "none");
    episode.unharmed(Victim::Stream(vec![line]));
    Victim::Watch
}

fn resolve(episode: &mut Episode, round: usize) -> Victim {
    let line = episode.line("order", &format!("C{round}"), 1, "breaks");
    episode.unharmed(Victim::Stream(vec![line]));
    let unknown = episode.json(["effects", "list", "--json", "--status", "unknown"]);
    Victim::Resolve { id: unknown[0]["id"].as_str().unwrap().to_owned(), settled: "succeeded" }
}

/// Kills what is prepared at every commit that it has; the first is killed on this side of its commit, the next on the other,
/// and so on.
fn sweep(kind: Kind, prepare: Prepare, first: usize) -> Option<Count> {
    let mut total = Count::default();
    let mut episode = Episode::new(kind)?;
    // What an earlier kill left makes a few commits more or less.
    let (mut survived, mut commit) = (0, 0);
    while survived < 2 {
        commit += 1;
        let victim = prepare(&mut episode, commit);
        let side = SIDES[(first + commit) % SIDES.len()];
        let fallen = episode.round(&[(victim, Kill::At { commit, side })]);
        survived = if fallen[0].killed { 0 } else { survived + 1 };
        if commit % ROUNDS == 0 {
            total.add(episode.settle());
            episode = Episode::new(kind)?;
        }
    }
    total.add(episode.settle());
    Some(total)
}

/// Sweeps each; the long form on both sides of every commit. Demands so many kills, and so many between intent and outcome.
fn sweeps(kind: Kind, prepared: &[Prepare], least: Count) {
    let mut total = Count::default();
    let passes = if is_long() { SIDES.len() } else { 1 };
    for (prepare, first) in prepared.iter().flat_map(|prepare| (0..passes).map(move |first| (prepare, first)))
    {
        let Some(count) = sweep(kind, *prepare, first) else { return };
        total.add(count);
    }
    eprintln!("{kind:?}: {total:?}");
    assert!(total.kills >= least.kills && total.between >= least.between, "{total:?} of {least:?}");
}

/// Kills who makes the store, and the first call in it.
fn openings(kind: Kind) {
    let mut total = Count::default();
    for (commit, side) in (1..=2).flat_map(|commit| SIDES.map(|side| (commit, side))) {
        let Some(mut episode) = Episode::new(kind) else { return };
        let line = episode.line("order", "A", 1, "none");
        episode.round(&[(Victim::Stream(vec![line]), Kill::At { commit, side })]);
        total.add(episode.settle());
    }
    assert_eq!(total.kills, 2 * SIDES.len(), "{total:?}");
}

/// Without fail points, in a release build, there is nothing to sweep.
macro_rules! on_both {
    ($($file:ident, $server:ident: $test:expr;)*) => {
        $(
            #[test]
            #[cfg_attr(not(debug_assertions), ignore = "a release build has no fail points")]
            fn $file() {
                $test(Kind::File);
            }

            #[test]
            #[cfg_attr(not(debug_assertions), ignore = "a release build has no fail points")]
            fn $server() {
                $test(Kind::Server);
            }
        )*
    };
}

on_both! {
    each_commit_of_a_stream_is_its_last_on_a_file, each_commit_of_a_stream_is_its_last_on_a_server:
        |kind| sweeps(kind, &[stream], Count { kills: 14, between: 4 });
    each_commit_of_what_comes_later_is_its_last_on_a_file, each_commit_of_what_comes_later_is_its_last_on_a_server:
        |kind| sweeps(kind, &[redeem, answer, reconcile, watch, resolve], Count { kills: 15, between: 2 });
    each_commit_that_makes_a_store_is_its_last_on_a_file, each_commit_that_makes_a_store_is_its_last_on_a_server: openings;
}

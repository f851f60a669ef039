//! Outliving the call: programs that do all they can not to be found when everything of a command is ended.

use std::fs;

use super::fixture::{script, scripts};
use crate::place::{Place, has_program, has_sandbox, skipped, verdict};

/// Perl that has no environment, descriptor, session or parent of the call's any more, forks and exits without a pause,
/// and writes to a file at each step; at last it makes a host's settings.
const COMET: &str = r#"
use POSIX;
my ($until, $width) = (time + 20, shift);
POSIX::close($_) for 0 .. 9;
POSIX::_exit(0) if fork;
POSIX::setsid();
for (2 .. $width) { last unless fork; }
while (time < $until) {
    my $child = fork;
    POSIX::_exit(0) if $child;
    next unless defined $child;
    POSIX::setsid();
    if (open(my $beat, ">>", "beat/log")) { syswrite($beat, "x"); }
}
if (open(my $planted, ">", "beat/.mcp.json")) { syswrite($planted, "{}"); }
"#;

fn beats(place: &Place) -> u64 {
    fs::metadata(place.workspace().join("beat/log")).map_or(0, |metadata| metadata.len())
}

/// Lets the comet fly, and returns what the call said and whether the comet still beats afterwards.
fn fly(place: &Place, width: u32) -> (String, bool) {
    place.file("comet.pl", COMET);
    place.file("beat/log", "");
    let result = script(
        place,
        &format!("env -i perl comet.pl {width} & until [ -s beat/log ]; do :; done; echo launched"),
    );
    let after = beats(place);
    assert!(after > 0, "{result}");
    // Two more calls take longer than hundreds of beats.
    script(place, "true");
    script(place, "true");
    (verdict(&result), beats(place) > after)
}

#[test]
fn nothing_that_forks_and_exits_without_a_pause_outlives_a_sandboxed_call() {
    if skipped(has_program("perl"), "perl") {
        return;
    }
    for level in ["isolated", "confined"] {
        if skipped(has_sandbox(level), &format!("sandbox level `{level}`")) {
            continue;
        }
        for width in [1, 4, 32] {
            let place = scripts(&format!("{{level: {level}, network: none}}"));
            assert_eq!(fly(&place, width), ("succeeded".to_owned(), false), "{level}, {width}");
        }
    }
}

#[test]
fn without_a_sandbox_it_is_ended_or_the_answer_says_that_it_may_go_on() {
    if skipped(has_program("perl"), "perl") {
        return;
    }
    for limits in ["", ", memory_mb: 4000"] {
        for width in [1, 4] {
            let place = scripts(&format!("{{level: none{limits}}}"));
            let (said, beats) = fly(&place, width);
            assert!(!beats || said == "unknown/OUTCOME_UNKNOWN", "{limits} {width}: {said}");
        }
    }
}

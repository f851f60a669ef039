use std::ffi::OsString;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::time::Duration;

use super::opened::STDERR_CAP;
use super::*;
use crate::catalog::{Overflow, Streams};
use crate::code::ErrorCode;
use crate::execute::test_bench::{Bench, plan, shell, text};
use crate::validate::{ProgramSource, StdinPlan};

/// Whether a process of this number runs, other than as a zombie.
fn is_alive(pid: &str) -> bool {
    std::fs::read_to_string(format!("/proc/{}/stat", pid.trim()))
        .is_ok_and(|stat| !stat.rsplit_once(')').is_some_and(|(_, rest)| rest.trim_start().starts_with('Z')))
}

/// Runs a script that prints the pids of what it leaves behind, and checks that all of it is gone.
async fn leaves_nothing(plan: &CommandPlan) -> CommandCapture {
    let capture = Bench::new().run(plan).await;
    let printed = text(&capture);
    assert!(!printed.trim().is_empty(), "the script printed no pid");
    for pid in printed.split_whitespace() {
        assert!(!is_alive(pid), "process {pid} is alive");
    }
    capture
}

#[tokio::test]
async fn a_command_gives_its_output_its_errors_and_its_status_apart() {
    let capture = Bench::new().run(&shell("echo out; echo err >&2; exit 7")).await;
    assert_eq!(text(&capture), "out\n");
    assert_eq!(capture.stderr, b"err\n");
    assert_eq!(capture.end, CommandEnd::Exited(7));
    assert!(!capture.output_cut && !capture.stderr_cut);
}

#[tokio::test]
async fn merged_streams_keep_the_order_of_arrival() {
    let mut plan = shell("echo 1; echo 2 >&2; echo 3");
    plan.streams = Streams::Merged;
    let capture = Bench::new().run(&plan).await;
    assert_eq!(text(&capture), "1\n2\n3\n");
    assert!(capture.stderr.is_empty());
}

#[tokio::test]
async fn a_signal_that_nobody_here_sent_is_reported() {
    let capture = Bench::new().run(&shell("kill -USR1 $$")).await;
    assert_eq!(capture.end, CommandEnd::Signalled(libc::SIGUSR1));
}

#[tokio::test]
async fn the_end_of_the_direct_child_decides_and_background_work_is_ended() {
    let capture = Bench::new().run(&shell("sleep 600 & echo $! hi")).await;
    let printed = text(&capture);
    let (pid, rest) = printed.split_once(' ').unwrap();
    assert_eq!(rest, "hi\n");
    assert_eq!(capture.end, CommandEnd::Exited(0));
    assert!(!is_alive(pid));
}

#[tokio::test]
async fn a_background_writer_may_finish_what_it_writes() {
    let capture = Bench::new().run(&shell("(echo first; echo second) | cat & exit 0")).await;
    assert_eq!(text(&capture), "first\nsecond\n");
}

#[tokio::test]
async fn a_child_with_a_session_of_its_own_is_ended() {
    leaves_nothing(&shell("setsid sleep 600 & echo $!")).await;
}

#[tokio::test]
async fn a_daemon_that_forked_twice_is_ended() {
    let script = "mkfifo f; (setsid sh -c 'echo $$ > f; exec sleep 600' > /dev/null 2>&1 &); cat f";
    leaves_nothing(&shell(script)).await;
}

#[tokio::test]
async fn a_daemon_that_hides_where_it_came_from_is_ended() {
    let script =
        "mkfifo f; (env -i setsid /bin/sh -c 'echo $$ > f; exec sleep 600' > /dev/null 2>&1 &); cat f";
    let bench = Bench::new();
    let first = bench.run(&shell(script)).await;
    // Another call of another test may have been under way: then the last one to end takes it.
    let mut alive = is_alive(&text(&first));
    while alive {
        bench.run(&shell(":")).await;
        alive = is_alive(&text(&first));
    }
}

#[tokio::test]
async fn the_deadline_ends_the_whole_tree_of_a_command_that_ignores_requests() {
    let mut plan =
        shell("trap '' TERM; setsid sleep 600 & a=$!; sleep 600 & echo $$ $a $!; while :; do wait; done");
    plan.timeout = Duration::from_millis(300);
    let capture = leaves_nothing(&plan).await;
    assert_eq!(capture.end, CommandEnd::TimedOut);
}

#[tokio::test]
async fn a_command_is_asked_to_end_before_it_is_killed() {
    let mut plan = shell("trap 'echo bye; exit 0' TERM; echo ready; while :; do sleep 0.01; done");
    plan.timeout = Duration::from_millis(300);
    let capture = Bench::new().run(&plan).await;
    assert_eq!(text(&capture), "ready\nbye\n");
    assert_eq!(capture.end, CommandEnd::TimedOut);
}

#[tokio::test]
async fn a_cancel_ends_the_whole_tree() {
    let bench = Bench::new();
    let plan = shell("echo $$ > pid; mkfifo f; sleep 600 & cat f");
    let (capture, ()) = tokio::join!(bench.run(&plan), async {
        while !bench.path("f").exists() {
            tokio::task::yield_now().await;
        }
        bench.cancel.cancel();
    });
    assert_eq!(capture.end, CommandEnd::Cancelled);
    assert!(!is_alive(&std::fs::read_to_string(bench.path("pid")).unwrap()));
}

#[tokio::test]
async fn what_was_cancelled_before_it_began_never_starts() {
    let bench = Bench::new();
    bench.cancel.cancel();
    let capture = bench.run(&shell("touch ran")).await;
    let CommandEnd::NotStarted(error) = capture.end else { panic!("it started") };
    assert_eq!(error.code, ErrorCode::Cancelled);
    assert!(!bench.path("ran").exists());
}

#[tokio::test]
async fn dropping_the_call_ends_the_tree() {
    let bench = Bench::new();
    let plan = shell("echo $$ > pid; mkfifo f; cat f");
    {
        let mut running = Box::pin(bench.run(&plan));
        while !bench.path("f").exists() {
            tokio::select! {
                biased;
                _ = &mut running => panic!("it ended"),
                () = tokio::task::yield_now() => {}
            }
        }
    }
    assert!(!is_alive(&std::fs::read_to_string(bench.path("pid")).unwrap()));
}

#[tokio::test]
async fn a_tool_that_prints_for_ever_is_cut_at_the_cap() {
    let mut plan = plan(&["yes"]);
    plan.max_output_bytes = 100_001;
    let capture = Bench::new().run(&plan).await;
    assert_eq!(capture.end, CommandEnd::Truncated);
    assert_eq!(capture.output.len(), 100_001);
    assert!(capture.output_cut);
    plan.on_overflow = Overflow::Fail;
    assert_eq!(Bench::new().run(&plan).await.end, CommandEnd::Overflowed);
}

#[tokio::test]
async fn a_write_that_prints_too_much_runs_to_its_own_end() {
    let mut bench = Bench::new();
    bench.beyond_cap = BeyondCap::Discard;
    let mut plan = shell("head -c 3000000 /dev/zero; touch done");
    plan.max_output_bytes = 10;
    let capture = bench.run(&plan).await;
    assert_eq!(capture.end, CommandEnd::Exited(0));
    assert_eq!(capture.output, vec![0; 10]);
    assert!(capture.output_cut && bench.path("done").exists());
}

#[tokio::test]
async fn errors_are_capped_apart_from_output() {
    let capture = Bench::new().run(&shell("head -c 200000 /dev/zero >&2; echo fine")).await;
    assert_eq!(text(&capture), "fine\n");
    assert_eq!(capture.stderr.len(), STDERR_CAP);
    assert!(capture.stderr_cut);
}

#[tokio::test]
async fn input_arrives_whole_and_then_ends() {
    let mut plan = plan(&["wc", "-c"]);
    plan.stdin = StdinPlan::Text("x".repeat(1_000_000));
    assert_eq!(text(&Bench::new().run(&plan).await).trim(), "1000000");
    plan.stdin = StdinPlan::Text(String::new());
    assert_eq!(text(&Bench::new().run(&plan).await).trim(), "0");
    plan.stdin = StdinPlan::Empty;
    assert_eq!(text(&Bench::new().run(&plan).await).trim(), "0");
}

#[tokio::test]
async fn a_program_that_does_not_read_its_input_is_not_held_up_by_it() {
    let mut plan = shell("exec <&-; echo done");
    plan.stdin = StdinPlan::Text("x".repeat(4_000_000));
    let capture = Bench::new().run(&plan).await;
    assert_eq!((text(&capture).as_str(), capture.end), ("done\n", CommandEnd::Exited(0)));
}

#[tokio::test]
async fn the_environment_is_what_the_plan_states_and_nothing_else() {
    let mut bench = Bench::new();
    let given = [("PATH", "/usr/bin:/bin"), ("HOME", "/h"), ("SECRET", "s"), ("PASSED", "p"), ("TZ", "UTC")];
    bench.environment = given.into_iter().collect();
    let mut plan = plan(&["env"]);
    plan.pass_env = vec!["PASSED".to_owned(), "ABSENT".to_owned()];
    plan.env = vec![("MADE".to_owned(), "a b=c".to_owned())];
    let printed = text(&bench.run(&plan).await);
    let mut lines: Vec<&str> = printed.lines().filter(|line| !line.starts_with("TGW_CALL_TAG=")).collect();
    lines.sort_unstable();
    assert_eq!(lines, ["HOME=/h", "MADE=a b=c", "PASSED=p", "PATH=/usr/bin:/bin", "TZ=UTC"]);
}

#[tokio::test]
async fn a_command_has_its_own_session_no_terminal_and_no_other_descriptor() {
    let leaked = std::fs::File::open("/dev/null").unwrap();
    rustix::io::fcntl_setfd(&leaked, rustix::io::FdFlags::empty()).unwrap();
    let capture = Bench::new().run(&shell("ls /proc/$$/fd; read -r stat < /proc/$$/stat; set -- ${stat##*) }; [ $4 = $$ ] && echo session $5")).await;
    assert_eq!(text(&capture), "0\n1\n2\nsession 0\n");
}

#[tokio::test]
async fn arguments_reach_the_program_as_they_are() {
    let capture = Bench::new().run(&plan(&["printf", "%s|", "a b", "", "$(x)", "*", "é\n"])).await;
    assert_eq!(text(&capture), "a b||$(x)|*|é\n|");
}

#[tokio::test]
async fn the_working_directory_is_inside_the_workspace() {
    let bench = Bench::new();
    std::fs::create_dir(bench.path("sub")).unwrap();
    std::os::unix::fs::symlink("/", bench.path("out")).unwrap();
    std::fs::write(bench.path("file"), "").unwrap();
    let mut plan = shell("pwd -P");
    plan.cwd = "sub".to_owned();
    let expected = bench.folder.path().canonicalize().unwrap().join("sub");
    assert_eq!(Path::new(text(&bench.run(&plan).await).trim()), expected);
    let cases = [
        ("absent", ErrorCode::FileNotFound),
        ("file", ErrorCode::FileNotFound),
        ("out", ErrorCode::PathOutsideWorkspace),
        ("..", ErrorCode::PathOutsideWorkspace),
    ];
    for (cwd, code) in cases {
        plan.cwd = cwd.to_owned();
        let CommandEnd::NotStarted(error) = bench.run(&plan).await.end else { panic!("{cwd} was accepted") };
        assert_eq!(error.code, code, "{cwd}");
    }
}

#[tokio::test]
async fn what_cannot_be_started_says_why_without_a_path() {
    let bench = Bench::new();
    let file = |name: &str, content: &str, mode: u32| {
        std::fs::write(bench.path(name), content).unwrap();
        std::fs::set_permissions(bench.path(name), std::fs::Permissions::from_mode(mode)).unwrap();
        let mut plan = plan(&[name]);
        plan.program = ProgramSource::Path(bench.path(name));
        plan
    };
    let mut missing = plan(&["./nothing"]);
    missing.program = ProgramSource::Path(bench.path("nothing"));
    let cases = [
        (plan(&["no-such-program"]), "program `no-such-program` is not installed"),
        (missing, "program `./nothing` does not exist"),
        (file("plain", "#!/bin/sh\n", 0o644), "program `plain` is not executable"),
        (
            file("orphan", "#!/no/such/interpreter\n", 0o755),
            "program `orphan` or its interpreter does not exist",
        ),
        (
            file("garbage", "\u{1}\u{2}", 0o755),
            "program `garbage` is not a program that this machine can run",
        ),
        (plan(&["echo", "a\0b"]), "an argument of the command holds a NUL character"),
    ];
    for (plan, message) in cases {
        let CommandEnd::NotStarted(error) = bench.run(&plan).await.end else {
            panic!("{message}: it started")
        };
        assert_eq!(error.message, message);
    }
}

#[tokio::test]
async fn a_relative_entry_of_the_path_finds_nothing() {
    let mut bench = Bench::new();
    bench.environment = [("PATH", OsString::from(".:sub"))].into_iter().collect();
    std::fs::write(bench.path("tool"), "#!/bin/sh\n").unwrap();
    std::fs::set_permissions(bench.path("tool"), std::fs::Permissions::from_mode(0o755)).unwrap();
    assert!(matches!(bench.run(&plan(&["tool"])).await.end, CommandEnd::NotStarted(_)));
}

#[tokio::test]
async fn calls_side_by_side_do_not_end_each_other() {
    let bench = Bench::new();
    let long = shell("mkfifo f; setsid sh -c 'read -r line < f; echo daemon $line' & wait; echo end");
    let short = shell("setsid sleep 600 & :");
    let (long, ()) = tokio::join!(bench.run(&long), async {
        while !bench.path("f").exists() {
            tokio::task::yield_now().await;
        }
        bench.run(&short).await;
        bench.run(&shell("echo go > f")).await;
    });
    assert_eq!(text(&long), "daemon go\nend\n");
}

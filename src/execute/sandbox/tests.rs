//! What a command can and cannot do, at every level that this machine has.

use std::fs;
use std::io::Read;
use std::net::{TcpListener, UdpSocket};
use std::os::unix::fs::symlink;
use std::path::Path;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use super::profile::tests::contract;
use super::*;
use crate::catalog::{NetworkRule, Risk, SandboxLevel, SandboxRequest};
use crate::code::ErrorCode;
use crate::execute::ParentEnvironment;
use crate::execute::test_bench::{Bench, plan, shell, text};
use crate::policy::Environment;
use crate::present::{CommandCapture, CommandEnd};
use crate::validate::{CommandPlan, ProgramSource};

/// The levels to test. One that is missing is skipped with a message, or fails where everything was to be installed.
fn levels() -> Vec<SandboxLevel> {
    [SandboxLevel::Confined, SandboxLevel::Isolated].into_iter().filter(|level| is_here(*level)).collect()
}

fn is_here(level: SandboxLevel) -> bool {
    let capability = Capability::probe();
    if capability.offers(level) {
        return true;
    }
    let reasons = capability.describe();
    // A kernel cannot be installed, bubblewrap can.
    let required = level == SandboxLevel::Isolated && everything_is_required();
    assert!(!required, "no `isolated` here: {reasons:?}");
    eprintln!("skipped: no `{}` here: {reasons:?}", profile::name(level));
    false
}

fn everything_is_required() -> bool {
    std::env::var_os("TGW_REQUIRE_FULL").is_some_and(|set| set == "1")
}

fn profile(level: SandboxLevel, risk: Risk, request: SandboxRequest) -> SandboxProfile {
    let contract = contract(risk, Some(SandboxRequest { level: Some(level), ..request }));
    resolve_profile(&contract, &Environment::default(), Capability::probe()).unwrap()
}

fn bench(level: SandboxLevel, risk: Risk) -> Bench {
    let mut bench = Bench::new();
    bench.sandbox = profile(level, risk, SandboxRequest::default());
    bench
}

/// Runs a script at a level as a tool that may write the workspace.
async fn run(level: SandboxLevel, script: &str) -> CommandCapture {
    bench(level, Risk::Write).run(&shell(script)).await
}

/// A number of seconds to sleep that no other process has in its arguments.
fn marker() -> String {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    format!("600.{}{:04}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed))
}

fn marked(marker: &str) -> usize {
    let has_marker = |entry: &fs::DirEntry| {
        let mut arguments = String::new();
        let file = fs::File::open(entry.path().join("cmdline"));
        file.is_ok_and(|mut file| file.read_to_string(&mut arguments).is_ok())
            && arguments.split('\0').any(|argument| argument == marker)
    };
    fs::read_dir("/proc").unwrap().flatten().filter(has_marker).count()
}

#[tokio::test]
async fn a_confined_command_gives_its_output_errors_and_status() {
    for level in levels() {
        let capture = run(level, "echo out; echo err >&2; exit 7").await;
        assert_eq!(text(&capture), "out\n", "{level:?}");
        assert_eq!(String::from_utf8_lossy(&capture.stderr), "err\n");
        assert_eq!(capture.end, CommandEnd::Exited(7));
        assert_eq!(capture.level, level);
    }
}

#[tokio::test]
async fn a_sandbox_adds_no_descriptor_and_keeps_the_working_directory() {
    for level in levels() {
        let bench = bench(level, Risk::ReadOnly);
        fs::create_dir(bench.path("sub")).unwrap();
        let mut plan = shell("ls /proc/$$/fd; pwd -P");
        plan.cwd = "sub".to_owned();
        let folder = bench.folder.path().canonicalize().unwrap().join("sub");
        assert_eq!(text(&bench.run(&plan).await), format!("0\n1\n2\n{}\n", folder.display()), "{level:?}");
    }
}

#[tokio::test]
async fn a_program_that_does_not_exist_in_a_sandbox_never_ran() {
    for level in levels() {
        let bench = bench(level, Risk::ReadOnly);
        let script = bench.path("orphan");
        fs::write(&script, "#!/no/such/interpreter\n").unwrap();
        fs::set_permissions(&script, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
        let mut plan = plan(&["orphan"]);
        plan.program = ProgramSource::Path(script);
        let CommandEnd::NotStarted(error) = bench.run(&plan).await.end else { panic!("{level:?}: it ran") };
        assert_eq!(error.code, ErrorCode::BackendUnavailable, "{level:?}: {error:?}");
        assert_eq!(error.message, "program `orphan` or its interpreter does not exist");
        assert!(error.hint.unwrap().contains("and so their interpreters"), "{level:?}");
    }
}

#[tokio::test]
async fn a_status_that_says_that_a_program_is_missing_comes_with_the_reason() {
    for level in levels() {
        let advice = run(level, "no-such-program-anywhere").await.advice.unwrap();
        assert!(advice.contains(&format!("at sandbox level `{}`", profile::name(level))), "{advice}");
        assert_eq!(run(level, "exit 1").await.advice, None);
    }
    assert_eq!(Bench::new().run(&shell("no-such-program-anywhere")).await.advice, None);
}

#[tokio::test]
async fn nothing_a_confined_command_leaves_behind_stays_alive() {
    for level in levels() {
        let marker = marker();
        let script = format!(
            "sleep {marker} & setsid sleep {marker} & (env -i setsid sh -c 'sleep {marker}' &); trap '' TERM; echo hi"
        );
        let capture = run(level, &script).await;
        assert_eq!((text(&capture).as_str(), capture.end), ("hi\n", CommandEnd::Exited(0)), "{level:?}");
        assert_eq!(marked(&marker), 0, "{level:?}");
    }
}

#[tokio::test]
async fn the_deadline_ends_a_confined_tree_after_asking_it_to_end() {
    for level in levels() {
        let marker = marker();
        let mut plan = shell(&format!(
            "trap 'echo bye' TERM; setsid sleep {marker} & echo on; while :; do sleep {marker}; done"
        ));
        plan.timeout = Duration::from_millis(500);
        let capture = bench(level, Risk::Write).run(&plan).await;
        assert_eq!(capture.end, CommandEnd::TimedOut, "{level:?}");
        assert!(text(&capture).starts_with("on\n"), "{level:?}: {}", text(&capture));
        assert_eq!(marked(&marker), 0, "{level:?}");
    }
}

#[tokio::test]
async fn more_processes_than_may_be_end_the_command() {
    for level in [vec![SandboxLevel::None], levels()].concat() {
        let marker = marker();
        let request = SandboxRequest { processes: Some(20), ..SandboxRequest::default() };
        let mut bench = Bench::new();
        bench.sandbox = profile(level, Risk::Write, request);
        let bomb = format!("bomb() {{ bomb & bomb & sleep {marker}; }}; bomb");
        let capture = bench.run(&shell(&bomb)).await;
        assert_eq!(capture.end, CommandEnd::Signalled(libc::SIGKILL), "{level:?}");
        assert_eq!(marked(&marker), 0, "{level:?}");
        assert_eq!(bench.run(&shell("sleep 0 & sleep 0 & wait")).await.end, CommandEnd::Exited(0));
    }
}

#[tokio::test]
async fn more_memory_than_may_be_is_not_given() {
    for level in [vec![SandboxLevel::None], levels()].concat() {
        let request = SandboxRequest { memory_mb: Some(100), ..SandboxRequest::default() };
        let mut bench = Bench::new();
        bench.sandbox = profile(level, Risk::Write, request);
        let took = bench.run(&plan(&["perl", "-e", "$x = 'x' x 300_000_000; print length $x"])).await;
        assert_ne!(took.end, CommandEnd::Exited(0), "{level:?}");
        assert_eq!(text(&bench.run(&plan(&["perl", "-e", "print 'small'"])).await), "small");
    }
}

/// Starts the gateway in another process, which runs a command at this level, and kills that gateway.
fn kill_a_gateway(level: SandboxLevel) {
    let marker = marker();
    let helper = "execute::sandbox::tests::a_gateway_that_will_be_killed";
    #[expect(clippy::disallowed_methods, reason = "the gateway to be killed must be a process of its own")]
    let mut gateway = std::process::Command::new(std::env::current_exe().unwrap())
        .args(["--exact", helper, "--ignored", "--nocapture"])
        .env("TGW_TEST_MARKER", &marker)
        .env("TGW_TEST_LEVEL", profile::name(level))
        .stdout(std::process::Stdio::null())
        .spawn()
        .unwrap();
    while marked(&marker) < 4 {
        assert!(gateway.try_wait().unwrap().is_none(), "the gateway ended by itself");
        std::thread::yield_now();
    }
    gateway.kill().unwrap();
    gateway.wait().unwrap();
    // Nothing but the end of all of them ends this loop: a survivor shows as a test that hangs.
    while marked(&marker) > 0 {
        std::thread::yield_now();
    }
}

#[test]
fn a_gateway_that_is_killed_leaves_nothing_behind() {
    for level in [vec![SandboxLevel::None], levels()].concat() {
        kill_a_gateway(level);
    }
}

#[tokio::test]
#[ignore = "runs only as the gateway of another test"]
async fn a_gateway_that_will_be_killed() {
    let Ok(marker) = std::env::var("TGW_TEST_MARKER") else { return };
    let stated = std::env::var("TGW_TEST_LEVEL").unwrap();
    let all = [SandboxLevel::None, SandboxLevel::Confined, SandboxLevel::Isolated];
    let level = all.into_iter().find(|level| profile::name(*level) == stated).unwrap();
    let script = format!(
        "sleep {marker} & setsid sleep {marker} & (setsid sh -c 'trap \"\" TERM HUP; sleep {marker}' &); sleep {marker}"
    );
    run(level, &script).await;
}

#[tokio::test]
async fn a_read_only_command_writes_nothing_anywhere() {
    for level in levels() {
        let bench = bench(level, Risk::ReadOnly);
        let outside = tempfile::tempdir().unwrap();
        fs::write(bench.path("file"), "old").unwrap();
        fs::write(outside.path().join("file"), "old").unwrap();
        let script = format!(
            "cat file; echo new > file; rm file; touch made; mkdir folder; mv file moved; ln file hard; \
             echo new > {0}/file; rm {0}/file; touch {0}/made; touch /etc/made /usr/made /root/made; chmod 0 file; \
             truncate -s 0 file; exit 0",
            outside.path().display()
        );
        let capture = bench.run(&shell(&script)).await;
        assert_eq!(text(&capture), "old", "{level:?}");
        for path in [bench.path("file"), outside.path().join("file")] {
            assert_eq!(fs::read_to_string(&path).unwrap(), "old", "{level:?}");
            assert_ne!(
                std::os::unix::fs::PermissionsExt::mode(&fs::metadata(&path).unwrap().permissions()) & 0o777,
                0
            );
        }
        assert_eq!(fs::read_dir(bench.folder.path()).unwrap().count(), 1, "{level:?}");
        assert_eq!(fs::read_dir(outside.path()).unwrap().count(), 1, "{level:?}");
        assert!(!Path::new("/etc/made").exists() && !Path::new("/usr/made").exists());
    }
}

#[tokio::test]
async fn an_interpreter_cannot_delete_outside_the_workspace() {
    for level in levels() {
        let outside = tempfile::tempdir().unwrap();
        let victim = outside.path().join("victim");
        fs::write(&victim, "").unwrap();
        let script = format!("unlink('{0}'); rename('{0}', 'x'); truncate('{0}', 0)", victim.display());
        bench(level, Risk::Write).run(&plan(&["perl", "-e", &script])).await;
        assert!(victim.exists(), "{level:?}");
    }
}

#[tokio::test]
async fn only_the_stated_paths_are_written_and_they_are_made_when_missing() {
    for level in levels() {
        let mut bench = Bench::new();
        let request =
            SandboxRequest { write: Some(vec!["target/deep".to_owned()]), ..SandboxRequest::default() };
        bench.sandbox = profile(level, Risk::ReadOnly, request);
        let capture = bench
            .run(&shell("touch target/deep/a && mv target/deep/a target/deep/b; touch target/c top"))
            .await;
        assert_ne!(capture.end, CommandEnd::Exited(0), "{level:?}");
        assert!(bench.path("target/deep/b").exists(), "{level:?}");
        assert!(!bench.path("target/c").exists() && !bench.path("top").exists(), "{level:?}");
    }
}

#[tokio::test]
async fn a_planted_link_opens_nothing() {
    for level in levels() {
        let outside = tempfile::tempdir().unwrap();
        fs::write(outside.path().join("secret"), "secret").unwrap();
        let mut bench = bench(level, Risk::Write);
        fs::create_dir(bench.path("inside")).unwrap();
        symlink(outside.path(), bench.path("inside/link")).unwrap();
        let capture = bench.run(&shell("cat inside/link/secret; touch inside/link/made")).await;
        assert_eq!(text(&capture), "", "{level:?}");
        assert!(!outside.path().join("made").exists(), "{level:?}");

        symlink(outside.path(), bench.path("target")).unwrap();
        let request = SandboxRequest { write: Some(vec!["target".to_owned()]), ..SandboxRequest::default() };
        bench.sandbox = profile(level, Risk::Write, request);
        let capture = bench.run(&shell("touch target/made")).await;
        assert!(matches!(capture.end, CommandEnd::NotStarted(_)), "{level:?}");
        assert!(!outside.path().join("made").exists(), "{level:?}");
    }
}

#[tokio::test]
async fn protected_paths_are_not_written_and_state_is_not_read() {
    for level in levels() {
        let mut bench = bench(level, Risk::Destructive);
        let root = bench.folder.path().canonicalize().unwrap();
        for folder in [".git/hooks", "state", "src", "deep/er/.git", ".claude"] {
            fs::create_dir_all(root.join(folder)).unwrap();
        }
        let files = [
            ".git/config",
            "state/db",
            "src/main",
            "policy.yaml",
            "mine.yaml",
            "deep/er/.git/config",
            ".claude/settings.json",
        ];
        for file in files {
            fs::write(root.join(file), "old").unwrap();
        }
        bench.protected.in_use = vec![root.join("state"), root.join("mine.yaml")];
        let script = "cat .git/config mine.yaml policy.yaml; cat state/db .claude/settings.json; \
            for file in .git/config .git/hooks/new state/db state/new policy.yaml mine.yaml deep/er/.git/config \
              deep/er/.git/new .claude/settings.json; do echo new > $file; done; \
            rm -rf .git state deep/er/.git policy.yaml mine.yaml .claude; mv .git moved; mv deep other; ln -sf x policy.yaml; \
            echo new > src/main; echo new > src/made";
        let capture = bench.run(&shell(script)).await;
        assert_eq!(text(&capture), "oldoldold", "{level:?}");
        for file in files.iter().filter(|file| **file != "src/main") {
            assert_eq!(fs::read_to_string(root.join(file)).unwrap(), "old", "{level:?} {file}");
        }
        for file in [".git/hooks/new", "state/new", "deep/er/.git/new"] {
            assert!(!root.join(file).exists(), "{level:?} {file}");
        }
        assert_eq!(fs::read_to_string(root.join("src/main")).unwrap(), "new\n", "{level:?}");
        assert!(root.join("src/made").exists(), "{level:?}");
    }
}

#[tokio::test]
async fn a_command_cannot_plant_a_repository() {
    for level in levels() {
        let bench = bench(level, Risk::Write);
        let script = "mkdir .git; mkdir .git/hooks; echo x > .git/config; mv .git moved; rmdir .git; mkdir .git; exit 0";
        bench.run(&shell(script)).await;
        assert_eq!(fs::read_dir(bench.folder.path()).unwrap().count(), 0, "{level:?}");
    }
}

#[tokio::test]
async fn the_home_folder_is_hidden_and_replaced_by_an_empty_one() {
    for level in levels() {
        let home = tempfile::tempdir().unwrap();
        fs::write(home.path().join("secret"), "secret").unwrap();
        let mut bench = bench(level, Risk::ReadOnly);
        bench.environment =
            [("PATH", "/usr/bin:/bin"), ("HOME", home.path().to_str().unwrap())].into_iter().collect();
        let script = format!(
            "cat {0}/secret; ls -A {0} $HOME; echo kept > $HOME/cache && cat $HOME/cache",
            home.path().display()
        );
        let capture = bench.run(&shell(&script)).await;
        let printed = text(&capture);
        assert!(!printed.contains("secret\n") && printed.ends_with("kept\n"), "{level:?}: {printed}");
        assert!(!home.path().join("cache").exists());
    }
}

#[tokio::test]
async fn temporary_files_are_private_and_go_with_the_command() {
    for level in levels() {
        let mut bench = bench(level, Risk::ReadOnly);
        let shared = tempfile::tempdir().unwrap();
        let given = [("PATH", "/usr/bin:/bin"), ("TMPDIR", shared.path().to_str().unwrap())];
        bench.environment = given.into_iter().collect();
        let capture = bench.run(&shell("echo x > $TMPDIR/made && cat $TMPDIR/made")).await;
        assert_eq!(text(&capture), "x\n", "{level:?}");
        assert_eq!(fs::read_dir(shared.path()).unwrap().count(), 0, "{level:?}");
    }
}

#[tokio::test]
async fn a_toolchain_is_readable_without_its_credentials() {
    for level in levels() {
        let home = tempfile::tempdir().unwrap();
        fs::create_dir_all(home.path().join(".cargo/registry")).unwrap();
        for file in ["credentials.toml", "env", "registry/index"] {
            fs::write(home.path().join(".cargo").join(file), file).unwrap();
        }
        let mut bench = bench(level, Risk::ReadOnly);
        bench.environment =
            [("PATH", "/usr/bin:/bin"), ("HOME", home.path().to_str().unwrap())].into_iter().collect();
        let script = "cat $CARGO_HOME/env $CARGO_HOME/registry/index; cat $CARGO_HOME/credentials.toml; echo x > $CARGO_HOME/env";
        let capture = bench.run(&shell(script)).await;
        assert_eq!(text(&capture), "envregistry/index", "{level:?}");
        assert_eq!(fs::read_to_string(home.path().join(".cargo/env")).unwrap(), "env");
    }
}

/// Perl that exits with 0 when it gets a socket of this kind connected, or a datagram sent.
fn connecting(address: &str) -> CommandPlan {
    plan(&["perl", "-MSocket", "-e", &format!("$SIG{{ALRM}} = sub {{ exit 5 }}; alarm 5; {address}; exit 0")])
}

#[tokio::test]
async fn without_a_network_nothing_outside_is_reached() {
    let tcp = TcpListener::bind("127.0.0.1:0").unwrap();
    let udp = UdpSocket::bind("127.0.0.1:0").unwrap();
    udp.set_nonblocking(true).unwrap();
    let (tcp_port, udp_port) = (tcp.local_addr().unwrap().port(), udp.local_addr().unwrap().port());
    for level in levels() {
        let bench = bench(level, Risk::Write);
        let path = bench.path("socket");
        let datagrams = std::os::unix::net::UnixDatagram::bind(&path).unwrap();
        datagrams.set_nonblocking(true).unwrap();
        let path = path.display();
        let attempts = [
            format!(
                "socket(S, PF_INET, SOCK_STREAM, 0) and connect(S, sockaddr_in({tcp_port}, INADDR_LOOPBACK)) or exit 3"
            ),
            format!(
                "socket(S, PF_INET, SOCK_DGRAM, 0) and send(S, 'x', 0, sockaddr_in({udp_port}, INADDR_LOOPBACK)) or exit 3"
            ),
            format!(
                "socketpair(S, T, PF_UNIX, SOCK_DGRAM, 0) and send(S, 'x', 0, sockaddr_un('{path}')) or exit 3"
            ),
            format!("socket(S, PF_UNIX, SOCK_DGRAM, 0) and send(S, 'x', 0, sockaddr_un('{path}')) or exit 3"),
        ];
        for attempt in &attempts[..] {
            let end = bench.run(&connecting(attempt)).await.end;
            let loopback = level == SandboxLevel::Isolated && attempt.contains("INET");
            assert!(loopback || end == CommandEnd::Exited(3), "{level:?}: {attempt}: {end:?}");
        }
        let mut buffer = [0; 8];
        assert!(datagrams.recv(&mut buffer).is_err(), "{level:?}");
        assert!(udp.recv(&mut buffer).is_err(), "{level:?}");
        let stream_pair = "socketpair(S, T, PF_UNIX, SOCK_STREAM, 0) or exit 3";
        assert_eq!(bench.run(&connecting(stream_pair)).await.end, CommandEnd::Exited(0), "{level:?}");
    }
    tcp.set_nonblocking(true).unwrap();
    assert!(tcp.accept().is_err());
}

#[tokio::test]
async fn an_open_network_is_open_and_local_services_stay_closed() {
    let tcp = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = tcp.local_addr().unwrap().port();
    for level in levels() {
        let mut bench = Bench::new();
        let request = SandboxRequest { network: Some(NetworkRule::Open), ..SandboxRequest::default() };
        bench.sandbox = profile(level, Risk::External, request);
        let reach = format!(
            "socket(S, PF_INET, SOCK_STREAM, 0) and connect(S, sockaddr_in({port}, INADDR_LOOPBACK)) or exit 3"
        );
        assert_eq!(bench.run(&connecting(&reach)).await.end, CommandEnd::Exited(0), "{level:?}");
        let local = "socket(S, PF_UNIX, SOCK_STREAM, 0) or exit 3";
        assert_eq!(bench.run(&connecting(local)).await.end, CommandEnd::Exited(3), "{level:?}");
    }
}

#[tokio::test]
async fn other_processes_cannot_be_touched() {
    let gateway = std::process::id();
    for level in levels() {
        let script = format!(
            "kill -0 {gateway} && echo signalled; kill -0 $PPID && echo signalled; cat /proc/{gateway}/environ; \
             cat /proc/$PPID/environ | tr '\\0' '\\n' | grep CARGO_MANIFEST; \
             perl -e 'exit(syscall({ptrace}, 16, {gateway}, 0, 0) == 0 ? 0 : 1)' && echo traced; \
             perl -e 'exit(syscall({prlimit}, {gateway}, 7, 0, 0) == 0 ? 0 : 1)' && echo limited; \
             unshare -U true && echo unshared; unshare -m true && echo unshared; exit 0",
            ptrace = libc::SYS_ptrace,
            prlimit = libc::SYS_prlimit64,
        );
        let printed = text(&run(level, &script).await);
        // In a namespace of its own the parent is the namespace's first process, which is there to be signalled.
        let expected = if level == SandboxLevel::Isolated { "signalled\n" } else { "" };
        assert!(printed == expected || printed.is_empty(), "{level:?}: {printed}");
    }
}

#[tokio::test]
async fn threads_processes_and_pipes_work_in_a_sandbox() {
    for level in levels() {
        let script = "import threading, subprocess, tempfile\n\
            t = threading.Thread(target=lambda: print('thread', flush=True)); t.start(); t.join()\n\
            print(subprocess.run(['sh', '-c', 'echo child | cat'], capture_output=True, text=True).stdout, end='', flush=True)\n\
            tempfile.TemporaryFile().write(b'x')\n\
            print('done')";
        let mut python = plan(&["python3", "-c", script]);
        python.program = ProgramSource::Path("/usr/bin/python3".into());
        if !Path::new("/usr/bin/python3").exists() {
            assert!(!everything_is_required(), "no /usr/bin/python3 here");
            eprintln!("skipped: no /usr/bin/python3 here");
            return;
        }
        let capture = bench(level, Risk::ReadOnly).run(&python).await;
        assert_eq!(
            text(&capture),
            "thread\nchild\ndone\n",
            "{level:?}: {}",
            String::from_utf8_lossy(&capture.stderr)
        );
    }
}

#[tokio::test]
async fn a_rust_project_is_built_and_tested_without_network_and_home() {
    for level in levels() {
        let mut bench = Bench::new();
        fs::create_dir(bench.path("src")).unwrap();
        fs::write(bench.path("Cargo.toml"), "[package]\nname = \"probe\"\nedition = \"2021\"\n").unwrap();
        fs::write(bench.path("src/lib.rs"), "#[test]\nfn adds() { assert_eq!(1 + 1, 2); }\n").unwrap();
        bench.environment = ParentEnvironment::current();
        let request = SandboxRequest {
            write: Some(vec!["target".to_owned(), "Cargo.lock".to_owned()]),
            network: Some(NetworkRule::None),
            ..SandboxRequest::default()
        };
        fs::write(
            bench.path("Cargo.lock"),
            "version = 4\n\n[[package]]\nname = \"probe\"\nversion = \"0.0.0\"\n",
        )
        .unwrap();
        let contract = contract(Risk::ReadOnly, Some(SandboxRequest { level: Some(level), ..request }));
        bench.sandbox = resolve_profile(&contract, &Environment::default(), Capability::probe()).unwrap();
        bench.sandbox.allow_toolchain("RUSTUP_HOME");
        let mut plan = plan(&["cargo", "test", "--offline", "--lib", "--color", "never"]);
        plan.pass_env = vec!["CARGO_HOME".to_owned(), "RUSTUP_HOME".to_owned()];
        let capture = bench.run(&plan).await;
        let errors = String::from_utf8_lossy(&capture.stderr).into_owned();
        assert_eq!(capture.end, CommandEnd::Exited(0), "{level:?}: {errors}");
        assert!(text(&capture).contains("test adds ... ok"), "{level:?}: {}", text(&capture));
    }
}

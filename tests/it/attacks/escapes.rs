//! Escaping from the sandbox, through a real command tool.

use std::net::TcpListener;
use std::process::{Command, Stdio};

use super::fixture::{script, scripts};
use crate::place::{Place, finish, has_sandbox, skipped, verdict};

const LEVELS: [&str; 2] = ["isolated", "confined"];

/// A place per sandbox level of this machine, with a home and a neighbour that hold secrets.
fn places() -> Vec<(&'static str, Place)> {
    let mut places = Vec::new();
    for level in LEVELS {
        if skipped(has_sandbox(level), &format!("sandbox level `{level}`")) {
            continue;
        }
        // The levels above it would be taken as well: the lowest one that is enough is.
        let place = scripts(&format!("{{level: {level}, network: none}}"));
        place.aside("secret.txt", "outside-secret");
        std::fs::create_dir_all(place.home().join(".ssh")).unwrap();
        std::fs::write(place.home().join(".ssh/id_ed25519"), "home-secret").unwrap();
        std::fs::write(place.home().join(".bashrc"), "before").unwrap();
        place.file("inside.txt", "inside\n");
        place.file("work/kept.txt", "");
        places.push((level, place));
    }
    places
}

#[test]
fn the_sandbox_is_the_one_that_the_contract_asks_for_and_lets_work_be_done() {
    for (level, place) in places() {
        let result = script(
            &place,
            "cat inside.txt > work/copy.txt && cat work/copy.txt && mktemp >/dev/null && echo done",
        );
        assert_eq!(verdict(&result), "succeeded", "{level}: {result}");
        assert_eq!(result["content"].as_str().unwrap().trim(), "inside\ndone", "{level}: {result}");
        let sandboxes: Vec<_> = place
            .audit()
            .iter()
            .filter_map(|record| record["record"]["sandbox"].as_str().map(str::to_owned))
            .collect();
        assert!(sandboxes.iter().all(|found| found == level), "{level}: {sandboxes:?}");
    }
}

#[test]
fn nothing_outside_the_workspace_is_read() {
    for (level, place) in places() {
        script(&place, "true");
        let root = place.workspace().parent().unwrap().to_owned();
        let text = format!(
            "cat {root}/aside/secret.txt ../aside/secret.txt {home}/.ssh/id_ed25519 ~/.ssh/id_ed25519 $HOME/.ssh/id_ed25519; ls -la {root} {root}/aside {home} {state}; cat {store}; ln -s {root}/aside out; cat out/secret.txt; cat /proc/1/root{root}/aside/secret.txt /proc/$PPID/root{root}/aside/secret.txt /proc/self/root{root}/aside/secret.txt; cp -r {state} here",
            root = root.display(),
            home = place.home().display(),
            state = place.state().display(),
            store = place.store().display(),
        );
        let result = script(&place, &text);
        let content = result["content"].as_str().unwrap();
        for secret in ["outside-secret", "home-secret", "SQLite format", "id_ed25519\n"] {
            assert!(!content.contains(secret), "{level}: {secret} in {content}");
        }
        let copied = place.workspace().join("here");
        assert!(
            !copied.exists() || super::fixture::files_below(&copied).is_empty(),
            "{level}: the state was copied"
        );
    }
}

#[test]
fn nothing_outside_the_workspace_is_written() {
    for (level, place) in places() {
        script(&place, "true");
        let root = place.workspace().parent().unwrap().to_owned();
        let before = std::fs::read(place.store()).unwrap().len();
        let text = format!(
            "echo evil > {root}/aside/new; echo evil > ../aside/secret.txt; echo evil >> {home}/.bashrc; echo evil > {home}/new; echo evil > {store}; echo evil > {state}/trust.json; mkdir {root}/made; touch /tmp/tgw-escape-{pid} /var/tmp/tgw-escape-{pid} /etc/tgw-escape-{pid} /dev/shm/tgw-escape-{pid}; mv {root}/aside {root}/gone; rm -rf {root}/aside {home}/.ssh; ln {root}/aside/secret.txt linked; mount --bind {root}/aside out; true",
            root = root.display(),
            home = place.home().display(),
            state = place.state().display(),
            store = place.store().display(),
            pid = std::process::id(),
        );
        let result = script(&place, &text);
        assert_eq!(verdict(&result), "succeeded", "{level}: {result}");
        let read = |path: &str| std::fs::read_to_string(root.join(path)).unwrap();
        assert_eq!(
            (
                read("aside/secret.txt").as_str(),
                read("home/.bashrc").as_str(),
                read("home/.ssh/id_ed25519").as_str()
            ),
            ("outside-secret", "before", "home-secret"),
            "{level}"
        );
        for path in ["aside/new", "home/new", "made", "gone"] {
            assert!(!root.join(path).exists(), "{level}: {path} was made");
        }
        for folder in ["/tmp", "/var/tmp", "/etc", "/dev/shm"] {
            let path = format!("{folder}/tgw-escape-{}", std::process::id());
            assert!(!std::path::Path::new(&path).exists(), "{level}: {path} was made");
        }
        assert!(std::fs::read(place.store()).unwrap().len() >= before, "{level}");
        assert_eq!(place.ask(&["audit", "verify"]).code, Some(0), "{level}");
    }
}

#[test]
fn the_configuration_and_the_repository_in_the_workspace_are_not_written() {
    for (level, place) in places() {
        place.file(".git/config", "[core]\n");
        place.file("sub/.git/config", "[core]\n");
        place.file("policy.yaml", "version: 1\n");
        place.file(".claude/settings.json", "{}");
        let text = "echo evil > .git/config; echo evil > .git/hooks; mkdir -p .git/hooks; echo evil > .git/hooks/x; echo evil > sub/.git/config; echo evil > policy.yaml; echo evil > tools.yaml; echo evil > tgw.lock; echo evil > .claude/settings.json; mv .git gone; rm -rf .git sub/.git; ln policy.yaml linked && echo evil > linked; mv sub moved; mv policy.yaml p; echo evil > n; mv n policy.yaml; ln -s n tools.yaml; true";
        let result = script(&place, text);
        assert_eq!(verdict(&result), "succeeded", "{level}: {result}");
        let read = |path: &str| {
            std::fs::read_to_string(place.workspace().join(path))
                .unwrap_or_else(|error| panic!("{level}: {path}: {error}"))
        };
        assert_eq!(read(".git/config"), "[core]\n", "{level}");
        assert_eq!(read("policy.yaml"), "version: 1\n", "{level}");
        assert_eq!(read(".claude/settings.json"), "{}", "{level}");
        let nested = ["sub/.git/config", "moved/.git/config"].iter().any(|path| {
            std::fs::read_to_string(place.workspace().join(path)).is_ok_and(|text| text == "[core]\n")
        });
        assert!(nested, "{level}");
        // What the command may have made there is not obeyed.
        let ended = finish(place.command(env!("CARGO_BIN_EXE_tgw")).args(["tools"]), b"");
        assert_eq!(ended.code, Some(0), "{level}: {ended:?}");
        assert!(ended.stdout.contains("write_file") && !ended.stdout.contains("evil"), "{level}: {ended:?}");
    }
}

#[test]
fn there_is_no_network_and_no_socket_of_the_machine() {
    for (level, place) in places() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        listener.set_nonblocking(true).unwrap();
        let port = listener.local_addr().unwrap().port();
        let socket_path = place.workspace().parent().unwrap().join("aside/socket");
        let socket = std::os::unix::net::UnixListener::bind(&socket_path).unwrap();
        socket.set_nonblocking(true).unwrap();
        let text = format!(
            "(exec 3<>/dev/tcp/127.0.0.1/{port} && echo connected); (exec 3<>/dev/udp/127.0.0.1/{port} && echo x >&3 && echo sent); python3 -c 'import socket; socket.create_connection((\"127.0.0.1\", {port}))' && echo connected; python3 -c 'import socket; s = socket.socket(socket.AF_UNIX); s.connect(\"{socket}\")' && echo connected; python3 -c 'import socket; s = socket.socket(socket.AF_UNIX); s.connect(b\"\\0/tmp/.X11-unix/X0\")' && echo connected; true",
            socket = socket_path.display()
        );
        let result = script(&place, &text);
        let content = result["content"].as_str().unwrap();
        assert!(!content.contains("connected"), "{level}: {content}");
        assert!(listener.accept().is_err(), "{level}: somebody connected");
        assert!(socket.accept().is_err(), "{level}: somebody connected");
    }
}

#[test]
fn no_process_outside_is_signalled_or_looked_into() {
    for (level, place) in places() {
        let mut victim = Command::new("sleep")
            .arg("1000")
            .env("VICTIM", "victim-secret")
            .stdin(Stdio::null())
            .spawn()
            .unwrap();
        let pid = victim.id();
        let text = format!(
            "kill -9 {pid}; kill -STOP {pid}; kill -0 {pid} && echo reached; kill -0 $PPID && kill -STOP $PPID 2>/dev/null; tr '\\0' '\\n' < /proc/{pid}/environ; head -c 10 /proc/{pid}/mem; ls -l /proc/{pid}/fd /proc/{pid}/root/; cat /proc/{pid}/maps | head -1; true"
        );
        let text = text.replace("kill -0 $PPID && kill -STOP $PPID 2>/dev/null; ", "");
        let result = script(&place, &text);
        let content = result["content"].as_str().unwrap();
        let alive = victim.try_wait().unwrap().is_none();
        let state = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap();
        victim.kill().unwrap();
        victim.wait().unwrap();
        assert!(alive, "{level}: the victim is dead: {content}");
        assert!(!state.contains(") T "), "{level}: the victim was stopped");
        assert!(!content.contains("reached"), "{level}: {content}");
        assert!(!content.contains("victim-secret"), "{level}: {content}");
    }
}

#[test]
fn the_command_inherits_no_descriptor_and_no_terminal() {
    for (level, place) in places() {
        let result = script(
            &place,
            "ls -l /proc/self/fd | grep -v -e pipe: -e /dev/null -e /proc/ -e total; (echo x > /dev/tty) && echo tty; true",
        );
        let content = result["content"].as_str().unwrap();
        assert!(!content.lines().any(|line| line == "tty"), "{level}: {content}");
        for leaked in ["state.db", "state.lock", "workspace\n", "/dev/pts", "/dev/ptmx"] {
            assert!(!content.contains(leaked), "{level}: {content}");
        }
    }
}

/// Perl that tries to give a file another owner, set-id bits and an extended attribute, by path.
fn grab(path: &std::path::Path) -> String {
    format!(
        "perl -e 'my $f = q({path}); chown 12345, -1, $f; chown -1, 12345, $f; chmod 04777, $f; chmod 02777, $f; \
         my ($n, $v) = (qq(user.planted\\0), q(x)); syscall({setxattr}, $f, $n, $v, 1, 0);'",
        path = path.display(),
        setxattr = libc_setxattr(),
    )
}

/// The number of `setxattr`, which perl has no name for.
const fn libc_setxattr() -> u32 {
    if cfg!(target_arch = "x86_64") { 188 } else { 5 }
}

fn attributes(path: &std::path::Path) -> usize {
    rustix::fs::listxattr(path, &mut [0_u8; 4096][..]).unwrap_or(0)
}

#[test]
fn owners_set_id_bits_and_attributes_are_changed_nowhere_outside() {
    use std::os::unix::fs::MetadataExt;
    for (level, place) in places() {
        let secret = place.workspace().parent().unwrap().join("aside/secret.txt");
        let facts = || {
            let metadata = secret.metadata().unwrap();
            (metadata.mode(), metadata.uid(), metadata.gid(), attributes(&secret))
        };
        let before = facts();
        let result = script(&place, &format!("{}; echo done", grab(&secret)));
        assert_eq!(verdict(&result), "succeeded", "{level}: {result}");
        assert_eq!(facts(), before, "{level}");
    }
}

#[test]
fn a_command_that_may_write_nothing_changes_no_mode_owner_or_time() {
    use std::os::unix::fs::MetadataExt;
    for level in LEVELS {
        if skipped(has_sandbox(level), &format!("sandbox level `{level}`")) {
            continue;
        }
        let place = scripts(&format!("{{level: {level}, network: none, write: []}}"));
        let inside = place.file("inside.txt", "inside\n");
        let outside = place.aside("secret.txt", "outside");
        let facts = |path: &std::path::Path| {
            let metadata = path.metadata().unwrap();
            (metadata.mode(), metadata.uid(), metadata.gid(), metadata.mtime(), attributes(path))
        };
        let before = (facts(&inside), facts(&outside));
        for path in [&inside, &outside] {
            let text = format!(
                "{grab}; perl -e 'open my $f, q(<), q({path}) or exit; chmod 0777, $f; chown 12345, 12345, $f'; \
                 chmod 777 {path}; touch -d 2000-01-01 {path}; echo done",
                grab = grab(path),
                path = path.display(),
            );
            let result = script(&place, &text);
            assert_eq!(verdict(&result), "succeeded", "{level}: {result}");
        }
        assert_eq!((facts(&inside), facts(&outside)), before, "{level}");
    }
}

#[test]
fn programs_that_copy_unpack_and_set_modes_and_times_do_their_work() {
    use std::os::unix::fs::PermissionsExt;
    for (level, place) in places() {
        place.file("from/deep/a.sh", "#!/bin/sh\necho ran\n");
        let result = script(
            &place,
            "set -e; cd work; cp -a ../from copied; cp -p ../inside.txt kept2.txt; tar cf - ../from 2>/dev/null | tar xf -; \
             chmod 750 copied/deep/a.sh; touch -d 2001-02-03 kept2.txt; test kept2.txt -ot ../inside.txt; \
             install -m 700 copied/deep/a.sh b.sh; ./b.sh; mktemp >/dev/null; echo done",
        );
        assert_eq!(result["content"].as_str().unwrap().trim(), "ran\ndone", "{level}: {result}");
        let mode = place.workspace().join("work/copied/deep/a.sh").metadata().unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o750, "{level}");
    }
}

#[test]
fn metadata_outside_is_not_changed_where_the_sandbox_is_isolated() {
    // Landlock does not see changes of modes and times: docs/security.md says so of `confined`.
    use std::os::unix::fs::PermissionsExt;
    for (level, place) in places().into_iter().filter(|(level, _)| *level == "isolated") {
        script(&place, "true");
        let root = place.workspace().parent().unwrap().to_owned();
        let mode = |path: &std::path::Path| path.metadata().unwrap().permissions().mode();
        let (secret, state) = (root.join("aside/secret.txt"), place.state());
        let before = (mode(&secret), mode(&state));
        script(
            &place,
            &format!(
                "chmod 777 {0} {1}; chown 12345 {0}; touch -d 2000-01-01 {0}",
                secret.display(),
                state.display()
            ),
        );
        assert_eq!((mode(&secret), mode(&state)), before, "{level}");
    }
}

/// The files below a folder that others may not read, or that lie in a folder which they may not enter.
fn private_below(folder: &std::path::Path, closed: bool, found: &mut Vec<String>) {
    use std::os::unix::fs::PermissionsExt;
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let metadata = entry.metadata().unwrap();
        let mode = metadata.permissions().mode();
        if metadata.is_dir() {
            private_below(&entry.path(), closed || mode & 0o001 == 0, found);
        } else if metadata.is_file() && (closed || mode & 0o004 == 0) {
            found.push(entry.path().to_str().unwrap().to_owned());
        }
    }
}

#[test]
fn files_of_the_system_that_others_may_not_read_are_not_read_by_roots_commands() {
    for (level, place) in places() {
        let mut private = Vec::new();
        private_below("/etc".as_ref(), false, &mut private);
        place.file("private.txt", &(private.join("\n") + "\n"));
        let result = script(
            &place,
            "while read -r path; do [ \"$(head -c 1 \"$path\" 2>/dev/null | wc -c)\" = 0 ] || echo \"read $path\"; done < private.txt; \
             getent passwd root | head -c 5; head -c 1 /etc/hosts | wc -c",
        );
        assert_eq!(verdict(&result), "succeeded", "{level}: {result}");
        assert_eq!(result["content"], "root:1\n", "{level}: {result}");
    }
}

//! What a command could do to the machine through its kernel, beside files of the workspace: settings and shared objects.

use super::fixture::{script, scripts};
use crate::place::{Place, has_program, has_sandbox, skipped, verdict};

/// A place per sandbox level of this machine.
fn places() -> Vec<(&'static str, Place)> {
    ["isolated", "confined"]
        .into_iter()
        .filter(|level| !skipped(has_sandbox(level), &format!("sandbox level `{level}`")))
        .map(|level| (level, scripts(&format!("{{level: {level}, network: none}}"))))
        .collect()
}

/// Perl that opens every file below `/proc` and `/sys` for writing, writes nothing, and names those that it could open.
/// What belongs to the processes that it sees itself counts where the folder is another one's.
const OPEN_ALL: &str = r#"
use Fcntl;
my @open = ("/proc", "/sys");
my ($seen, $own) = (0, join("|", $$, "self", "thread-self"));
while (defined(my $folder = shift @open)) {
    opendir(my $listing, $folder) or next;
    for my $name (readdir $listing) {
        next if $name eq "." || $name eq ".." || ($folder eq "/proc" && $name =~ /^($own)$/);
        my $path = "$folder/$name";
        next if -l $path;
        if (-d _) { push @open, $path unless $path =~ m{^/proc/\d+/(task|map_files|fd|fdinfo|net)$}; next; }
        $seen++;
        print "writable $path\n" if sysopen(my $file, $path, O_WRONLY | O_NONBLOCK);
    }
}
print "seen $seen\n";
"#;

#[test]
fn no_setting_of_the_kernel_and_nothing_of_another_process_can_be_opened_for_writing() {
    if skipped(has_program("perl"), "perl") {
        return;
    }
    for (level, place) in places() {
        place.file("open.pl", OPEN_ALL);
        let result = script(&place, "perl open.pl");
        let content = result["content"].as_str().unwrap();
        assert_eq!(verdict(&result), "succeeded", "{level}: {result}");
        let seen = content.lines().last().and_then(|line| line.strip_prefix("seen ")).unwrap();
        assert!(seen.parse::<u32>().unwrap() > 100, "{level}: {content}");
        assert!(!content.contains("writable"), "{level}: {content}");
    }
}

#[test]
fn programs_write_to_their_own_streams_through_proc() {
    for (level, place) in places() {
        let result =
            script(&place, "echo one > /proc/self/fd/1; echo two > /dev/stdout; cat /proc/self/comm");
        assert_eq!(result["content"], "one\ntwo\ncat\n", "{level}: {result}");
    }
}

/// Perl that makes a System V segment, queue and semaphore, and a POSIX queue, and names those that it could make.
const MAKE_OBJECTS: &str = r#"
my $intel = `uname -m` =~ /x86_64/;
my ($key, $make) = (KEY, 01600);
print "memory made\n" if syscall($intel ? 29 : 194, $key, 4096, $make) >= 0;
print "messages made\n" if syscall($intel ? 68 : 186, $key, $make) >= 0;
print "semaphore made\n" if syscall($intel ? 64 : 190, $key, 1, $make) >= 0;
my $name = "tgw-attack-KEY";
if (syscall($intel ? 240 : 180, $name, 0102, 0600, 0) >= 0) {
    print "queue made\n";
    syscall($intel ? 241 : 181, $name);
}
print "done\n";
"#;

#[test]
fn no_memory_or_queue_is_shared_with_programs_outside() {
    if skipped(has_program("perl"), "perl") {
        return;
    }
    let key = 0x7467_0000 | (std::process::id() & 0xffff);
    for (level, place) in places() {
        place.file("objects.pl", &MAKE_OBJECTS.replace("KEY", &key.to_string()));
        let result = script(&place, "perl objects.pl");
        let content = result["content"].as_str().unwrap();
        assert_eq!(verdict(&result), "succeeded", "{level}: {result}");
        let left = objects(key);
        clean_up(key);
        assert!(left.is_empty(), "{level}: {left:?}");
        // Where they are the command's alone they may be made.
        assert!(content == "done\n" || level == "isolated", "{level}: {content}");
        assert!(content.contains("done"), "{level}: {content}");
    }
}

/// The System V objects outside the sandbox that have a key.
fn objects(key: u32) -> Vec<String> {
    ["shm", "msg", "sem"]
        .iter()
        .filter_map(|kind| std::fs::read_to_string(format!("/proc/sysvipc/{kind}")).ok())
        .flat_map(|table| table.lines().map(str::to_owned).collect::<Vec<_>>())
        .filter(|line| line.split_whitespace().next() == Some(&key.to_string()))
        .collect()
}

/// Deletes them, where the attack succeeded.
fn clean_up(key: u32) {
    for kind in ["-M", "-Q", "-S"] {
        let removed = std::process::Command::new("ipcrm").args([kind, &format!("{key:#x}")]).output();
        drop(removed);
    }
}

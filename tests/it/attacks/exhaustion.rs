//! Denial of service: everything ends, in bounded memory, and the stream goes on.

use std::fmt::Write as _;

use serde_json::{Value, json};

use super::fixture::{FREE, SAY, free, line, script, shell};
use crate::place::{Ended, Place, finish, has_sandbox, skipped, verdict};

/// Runs `tgw tools` over a manifest under a bound on its memory.
fn load(text: &str) -> Ended {
    let place = Place::new();
    place.configure(text, FREE);
    bounded(&place, &["tools"], b"")
}

/// Runs tgw with at most 1 GiB of address space: what needs more is a bomb that went off.
pub(super) fn bounded(place: &Place, arguments: &[&str], input: &[u8]) -> Ended {
    let tgw = place.tgw(arguments);
    let mut command = place.command("sh");
    command.args(["-c", "ulimit -v 1048576; exec \"$@\"", "sh"]).arg(tgw.get_program()).args(tgw.get_args());
    finish(&mut command, input)
}

fn assert_refused(what: &str, ended: &Ended) {
    assert_eq!((ended.code, ended.stdout.as_str()), (Some(2), ""), "{what}: {:.2000}", ended.stderr);
    assert!(ended.stderr.len() < 200_000, "{what}: {} bytes of complaint", ended.stderr.len());
}

#[test]
fn bombs_in_a_manifest_are_refused() {
    let mut aliases = String::from("a0: &a0 [x, x, x, x, x, x, x, x, x]\n");
    for level in 1..30 {
        let before = level - 1;
        writeln!(aliases, "a{level}: &a{level} [{}]", vec![format!("*a{before}"); 9].join(", ")).unwrap();
    }
    assert_refused("aliases", &load(&format!("version: 1\n{aliases}tools: []\n")));
    assert_refused("recursive alias", &load("version: 1\ntools: &a [*a]\n"));
    assert_refused("deep flow", &load(&format!("version: 1\ntools: {}", "[".repeat(200_000))));
    assert_refused(
        "deep block",
        &load(&format!(
            "version: 1\ntools:\n{}",
            (0..5_000).map(|depth| format!("{}- \n", " ".repeat(depth))).collect::<String>()
        )),
    );
    assert_refused("long key", &load(&format!("version: 1\n{}: 1\n", "k".repeat(3_000_000))));
    assert_refused(
        "many unknown keys",
        &load(&format!(
            "version: 1\ntools: []\n{}",
            (0..100_000).map(|key| format!("k{key}: 1\n")).collect::<String>()
        )),
    );
    assert_refused("not UTF-8 in disguise", &load("version: 1\u{0}\ntools: []\n"));
    assert_refused("comment only", &load(&"# nothing\n".repeat(100_000)));
}

#[test]
fn a_manifest_of_50_mb_is_refused() {
    let mut text = String::with_capacity(50 << 20);
    text.push_str("version: 1\ntools:\n");
    while text.len() < 50 << 20 {
        text.push_str("  - {name: a, description: b, risk: read_only, input_schema: {type: object}, run: {builtin: read_file}}\n");
    }
    assert_refused("50 MB", &load(&text));
}

#[test]
fn patterns_of_a_schema_run_in_linear_time() {
    let bomb = SAY.replace("word: {type: string}", "word: {type: string, pattern: '^(a+)+(a|a)*(.*a){12}$'}");
    let place = Place::new();
    place.configure(&bomb, FREE);
    let ended = bounded(
        &place,
        &["run"],
        line("say", &json!({ "word": format!("{}!", "a".repeat(50_000)) })).as_bytes(),
    );
    assert_eq!(verdict(&ended.line()), "failed/INVALID_ARGUMENTS", "{:.2000}", ended.stderr);
    for pattern in ["(a{1000}){1000}", "((((a{100}){100}){100}){100})", "\\p{L}{5000}{50}"] {
        let ended = load(
            &SAY.replace("word: {type: string}", &format!("word: {{type: string, pattern: '{pattern}'}}")),
        );
        assert!(ended.code == Some(2) || ended.code == Some(0), "{pattern}: {ended:?}");
    }
}

#[test]
fn search_patterns_run_in_bounded_time_and_memory() {
    let place = free();
    place.file("a.txt", &format!("{}!\n", "a".repeat(1_000_000)));
    let mut input = String::new();
    for pattern in [
        "(a+)+$",
        "(a|aa)*b",
        "(.*a){20}!x",
        "(a{1000}){1000}",
        "((a{100}){100}){100}",
        "\\pL{1000}\\pL{1000}",
        "[",
        "(?=a)a",
        "a**",
        "(?P<n>a)(?P=n)",
        "\u{0}",
        "(",
        "a{99999999}",
    ] {
        input += &line("search_text", &json!({ "pattern": pattern }));
        input += &line("find_files", &json!({ "pattern": pattern }));
    }
    for glob in [
        "{a,{b,{c,{d,{e,{f,g}}}}}}",
        "**/**/**/**/**/**/**/**/**/**/*a*a*a*a*a*a*a*b",
        &"*a".repeat(250),
        &"{a,b}".repeat(100),
        "[",
        "{",
        "[!",
    ] {
        input += &line("find_files", &json!({ "pattern": glob }));
        input += &line("search_text", &json!({ "pattern": "x", "glob": glob }));
    }
    let ended = bounded(&place, &["run"], input.as_bytes());
    assert_eq!(ended.code, Some(0), "{:.2000}", ended.stderr);
    assert_eq!(ended.lines().len(), 40);
    assert!(ended.stdout.len() < 1 << 20);
}

#[test]
fn a_huge_or_deep_line_is_answered_and_the_stream_goes_on() {
    let place = free();
    let good = line("list_directory", &json!({}));
    let deep = format!(
        "{{\"name\":\"list_directory\",\"arguments\":{}1{}}}\n",
        "{\"a\":".repeat(100_000),
        "}".repeat(100_000)
    );
    let deep_array = format!("{}\n", "[".repeat(1_000_000));
    let long =
        format!("{{\"name\":\"list_directory\",\"arguments\":{{\"path\":\"{}\"}}}}\n", "x".repeat(40 << 20));
    let wide = format!(
        "{{\"name\":\"list_directory\",\"arguments\":{{{}}}}}\n",
        (0..200_000).map(|key| format!("\"k{key}\":1")).collect::<Vec<_>>().join(",")
    );
    let numbers =
        format!("{{\"name\":\"list_directory\",\"arguments\":{{\"limit\":{}}}}}\n", "9".repeat(1_000_000));
    let input = [good.as_str(), &deep, &deep_array, &long, &wide, &numbers, &good].concat();
    let ended = bounded(&place, &["run"], input.as_bytes());
    assert_eq!(ended.code, Some(0), "{:.2000}", ended.stderr);
    let lines = ended.lines();
    let verdicts: Vec<_> = lines.iter().map(verdict).collect();
    assert_eq!((verdicts[0].as_str(), verdicts[verdicts.len() - 1].as_str()), ("succeeded", "succeeded"));
    assert_eq!(verdicts.len(), 7, "{verdicts:?}");
    assert!(verdicts[1..6].iter().all(|verdict| verdict.starts_with("failed/")), "{verdicts:?}");
    assert!(ended.stdout.len() < 1 << 20, "{} bytes of answers", ended.stdout.len());
}

#[test]
fn deep_and_wide_results_of_a_tool_are_bounded() {
    let place = Place::new();
    place.configure(&shell("{level: none}").replace("streams: merged", "output: json"), FREE);
    for text in [
        "head -c 1000000 /dev/zero | tr '\\0' '['",
        "printf '{\"a\":1,\"a\":2}'",
        "printf '1e999'",
        "yes '[1,2,3],' | head -c 7000000",
        "printf '\\xff'",
    ] {
        let result = script(&place, text);
        assert!(result.to_string().len() < 1 << 20, "{text}");
        assert_ne!(verdict(&result), "failed/INTERNAL", "{text}: {result}");
    }
}

#[test]
fn a_tool_that_prints_for_ever_is_cut_and_ends() {
    let place = Place::new();
    place.configure(&shell("{level: none}").replace("timeout: 60s", "timeout: 2s"), FREE);
    let result = script(&place, "yes 'the same line again and again'");
    assert_eq!(verdict(&result), "unknown/OUTCOME_UNKNOWN", "{result:.500}");
    assert!(result.to_string().len() < 1 << 20);
    // The same for a tool that closes its streams and goes on, and for one whose child holds them open.
    for text in [
        "exec >&- 2>&-; while :; do :; done",
        "(trap '' TERM; while :; do :; done) &",
        "setsid sleep 1000 & wait",
        "trap '' TERM INT HUP; while :; do :; done",
    ] {
        let result = script(&place, text);
        assert!(
            ["unknown/OUTCOME_UNKNOWN", "succeeded"].contains(&verdict(&result).as_str()),
            "{text}: {result}"
        );
    }
}

#[test]
fn a_fork_bomb_stays_within_its_limit_and_leaves_nothing_running() {
    if skipped(has_sandbox("isolated"), "sandbox level `isolated`") {
        return;
    }
    let place = Place::new();
    place.configure(&shell("{level: isolated, processes: 20}").replace("timeout: 60s", "timeout: 3s"), FREE);
    let mark = format!("bomb-{}", std::process::id());
    let result = script(
        &place,
        &format!("b() {{ b | b & }}; : {mark}; for i in $(seq 50); do sleep 1000 & done; b; wait"),
    );
    assert_ne!(verdict(&result), "failed/INTERNAL", "{result}");
    let left = std::fs::read_dir("/proc")
        .unwrap()
        .flatten()
        .filter_map(|entry| std::fs::read(entry.path().join("cmdline")).ok());
    let left: Vec<_> = left
        .filter(|words| super::fixture::holds(words, &mark) && super::fixture::holds(words, "bash"))
        .collect();
    assert!(left.is_empty(), "{} processes are left", left.len());
}

#[test]
fn arguments_too_many_or_too_long_for_a_command_are_refused_and_not_cut() {
    let place = Place::new();
    let tools = SAY
        .replace("word: {type: string}", "word: {type: string}, words: {type: array, items: {type: string}}")
        .replace("required: [word]", "required: [words]")
        .replace(
            "argv: [tee, -a, ran.log], stdin: \"{{arguments.word}}\\n\"",
            "argv: [touch, {each: arguments.words, args: [\"x{{item}}\"]}]",
        );
    place.configure(&tools, FREE);
    for words in [vec!["x".to_owned(); 300_000], vec!["y".repeat(3 << 20)], vec!["a\u{0}b".to_owned()]] {
        let result = place.call("say", json!({ "words": words }));
        assert_ne!(result["status"], "succeeded", "{:.300}", result.to_string());
        assert_ne!(verdict(&result), "failed/INTERNAL", "{:.300}", result.to_string());
    }
    let made = std::fs::read_dir(place.workspace()).unwrap().count();
    assert_eq!(made, 0);
}

#[test]
fn a_workspace_of_many_or_deep_files_does_not_stop_a_search() {
    let place = free();
    let mut deep = place.workspace();
    for _ in 0..400 {
        deep.push("d");
    }
    std::fs::create_dir_all(&deep).unwrap();
    for number in 0..3_000 {
        place.file(&format!("many/f{number}.txt"), "needle\n");
    }
    let mut input = line("search_text", &json!({ "pattern": "needle", "limit": 500 }));
    input += &line("find_files", &json!({ "pattern": "**", "limit": 1000 }));
    input += &line("list_directory", &json!({ "path": "many", "limit": 1000 }));
    let ended = bounded(&place, &["run"], input.as_bytes());
    assert!(ended.lines().iter().all(|line: &Value| line["status"] == "succeeded"), "{:.2000}", ended.stdout);
}

#[test]
fn a_policy_or_a_task_cannot_be_a_bomb_either() {
    for policy in [
        format!("version: 1\nrules: [{{id: a, verdict: deny, when: '{}'}}]\n", "!".repeat(100_000) + "true"),
        format!("version: 1\nrules: [{{id: a, verdict: deny, when: '{}1{}'}}]\n", "(".repeat(100_000), ")".repeat(100_000)),
        format!("version: 1\nrules: [{{id: a, verdict: deny, when: '{}'}}]\n", vec!["true"; 50_000].join(" && ")),
        "version: 1\nrules: [{id: a, verdict: deny, when: '[1,2,3].exists(a, [1,2,3].exists(b, [1,2,3].exists(c, [1,2,3].exists(d, [1,2,3].exists(e, true)))))'}]\n".to_owned(),
        "version: 1\nrules: [{id: a, verdict: deny, when: '\"a\".matches(\"(a{1000}){1000}\")'}]\n".to_owned(),
    ] {
        let place = Place::new();
        place.configure(SAY, &policy);
        let ended = bounded(&place, &["tools"], b"");
        assert!(matches!(ended.code, Some(0 | 2)), "{:.100}: {:?} {:.1000}", policy, ended.code, ended.stderr);
        assert!(ended.stderr.len() < 200_000);
    }
}

#[test]
fn a_condition_over_large_arguments_ends() {
    let place = Place::new();
    let policy = "version: 1\ndefault_verdict: allow\nrules: [{id: slow, verdict: deny, when: 'arguments.word.split(\"\").exists(a, arguments.word.contains(a + \"!\"))'}]\n";
    place.configure(SAY, policy);
    let ended = bounded(&place, &["run"], line("say", &json!({ "word": "ab".repeat(200_000) })).as_bytes());
    // Where the function is unknown it is a load error; where it is known it is bounded, and an error denies.
    assert!(ended.code == Some(2) || ended.lines().len() == 1, "{:.1000}", ended.stderr);
}

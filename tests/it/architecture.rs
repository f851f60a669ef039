//! What the shape of the code promises: layers, small files, where programs are started, where waiting is done.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use regex::Regex;

use crate::harness::checkout;

/// One source file without its tests.
struct Source {
    /// Its path below `src`, with `/`.
    name: String,
    /// Its text, up to its tests, without comments.
    code: String,
    /// Its lines, up to its tests.
    lines: usize,
}

fn files_below(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files_below(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

/// Every source file that is no test: a module under `#[cfg(test)]` is one, whatever its name.
fn sources() -> Vec<Source> {
    let root = checkout().join("src");
    let mut paths = Vec::new();
    files_below(&root, &mut paths);
    paths.sort();
    let name = |path: &Path| path.strip_prefix(&root).unwrap().display().to_string();
    let declared =
        Regex::new(r"(?s)#\[cfg\((?:all\()?test\b[^\]]*\]\s*(?:pub(?:\([a-z]+\))? )?mod (\w+);").unwrap();
    let mut tests = Vec::new();
    for path in &paths {
        let text = std::fs::read_to_string(path).unwrap();
        let stem = path.file_stem().unwrap();
        let folder = if stem == "mod" || stem == "lib" {
            path.parent().unwrap().to_owned()
        } else {
            path.with_extension("")
        };
        for module in declared.captures_iter(&text) {
            tests.push(folder.join(format!("{}.rs", &module[1])));
            tests.push(folder.join(&module[1]));
        }
    }
    paths
        .iter()
        .filter(|path| !tests.iter().any(|test| path.starts_with(test)))
        .map(|path| {
            let text = std::fs::read_to_string(path).unwrap();
            let own = text.split("\n#[cfg(test)]\nmod tests {").next().unwrap();
            let code = own
                .lines()
                .map(|line| if line.trim_start().starts_with("//") { "" } else { line })
                .collect::<Vec<_>>()
                .join("\n");
            Source { name: name(path), code, lines: own.lines().count() }
        })
        .collect()
}

/// The layers, lowest first, as `src/lib.rs` lists them.
fn layers() -> Vec<String> {
    let text = std::fs::read_to_string(checkout().join("src/lib.rs")).unwrap();
    text.lines()
        .filter_map(|line| line.strip_prefix("pub mod ")?.strip_suffix(';'))
        .map(str::to_owned)
        .collect()
}

#[test]
fn imports_go_up_the_list_of_modules_only() {
    let layers = layers();
    let rank = |module: &str| layers.iter().position(|layer| layer == module);
    let mut wrong = Vec::new();
    for source in sources().iter().filter(|source| !["lib.rs", "main.rs"].contains(&source.name.as_str())) {
        let own = source.name.split(['/', '.']).next().unwrap();
        let own_rank = rank(own).unwrap_or_else(|| panic!("{own} is not listed in src/lib.rs"));
        // `super` of a top-level module is the crate itself.
        let prefix = if source.name.contains('/') { "crate" } else { "(?:crate|super)" };
        let used = Regex::new(&format!(r"\b{prefix}::(?:\{{([^}}]*)\}}|(\w+))")).unwrap();
        for found in used.captures_iter(&source.code) {
            let names = found.get(1).or(found.get(2)).unwrap().as_str();
            for module in names.split(',').filter_map(|name| name.trim().split("::").next()) {
                if module != own && rank(module).is_some_and(|rank| rank > own_rank) {
                    wrong.push(format!("src/{} imports `{module}`, which stands above it", source.name));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn files_are_under_400_lines_without_tests() {
    let long: Vec<String> = sources()
        .iter()
        .filter(|source| source.lines >= 400)
        .map(|source| format!("src/{} has {} lines", source.name, source.lines))
        .collect();
    assert!(long.is_empty(), "{}", long.join("\n"));
}

#[test]
fn a_mod_rs_holds_no_logic() {
    let allowed = Regex::new(
        r"^\s*(?:#!?\[[^\]]*\]\s*|(?:pub(?:\([a-z]+\))? )?mod \w+;\s*|(?:pub(?:\([a-z: ]+\))? )?use [^;]+;\s*)*$",
    )
    .unwrap();
    let wrong: Vec<String> = sources()
        .into_iter()
        .filter(|source| source.name.ends_with("mod.rs") && !allowed.is_match(&source.code))
        .map(|source| source.name)
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn programs_are_started_in_execute_only() {
    let start = Regex::new(r"\bCommand::new\b|\bposix_spawnp?\b|\bexecv|\bfork\(").unwrap();
    let wrong: Vec<String> = sources()
        .into_iter()
        .filter(|source| !source.name.starts_with("execute/") && start.is_match(&source.code))
        .map(|source| source.name)
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The modules that wait for something outside, each with what it waits for.
const WAITING: [(&str, &str); 20] = [
    ("mcp/", "upstream servers"),
    ("execute/", "programs, deadlines"),
    ("gateway/", "executors, persons"),
    ("secret/cache.rs", "those who wait for the same program"),
    ("secret/source.rs", "programs that give credentials"),
    ("lines.rs", "pipes"),
    ("schedule.rs", "pipes, signals, executors"),
    ("schedule/", "pipes, signals, executors"),
    ("drill/", "doubles of executors"),
    ("state/postgres/session.rs", "the server"),
    ("state/postgres/worker.rs", "the connection of a store"),
    ("cli/drill.rs", "the drill"),
    ("cli/run.rs", "the stream"),
    ("cli/call.rs", "the call"),
    ("cli/effects.rs", "look-ups"),
    ("cli/effects/follow.rs", "what goes on elsewhere"),
    ("cli/approvals/run.rs", "the stored call"),
    ("cli/check.rs", "pipes"),
    ("cli/lock/listing.rs", "upstream servers"),
    ("cli/consent.rs", "the person, and signals meanwhile"),
];

#[test]
fn only_modules_with_input_and_output_are_async() {
    let waits = Regex::new(r"\basync (?:fn|move|\{)|\.await\b").unwrap();
    let wrong: Vec<String> = sources()
        .into_iter()
        .filter(|source| {
            waits.is_match(&source.code) && WAITING.iter().all(|(name, _)| !source.name.starts_with(name))
        })
        .map(|source| source.name)
        .collect();
    assert!(wrong.is_empty(), "deciding is synchronous and pure:\n{}", wrong.join("\n"));
}

/// Codes that nothing can cause yet, each with the reason.
const UNREACHABLE: [(&str, &str); 2] = [
    ("BACKEND_DENIED", "the HTTP executor is not built yet"),
    ("INTERNAL", "a defect of the gateway itself"),
];

#[test]
fn every_error_code_has_a_test() {
    let mut paths = Vec::new();
    files_below(&checkout().join("tests"), &mut paths);
    let texts: BTreeMap<PathBuf, String> = paths
        .into_iter()
        .filter(|path| !path.ends_with("architecture.rs"))
        .map(|path| (path.clone(), std::fs::read_to_string(path).unwrap()))
        .collect();
    for code in tgw::code::ErrorCode::ALL {
        let quoted = format!("\"{code}\"");
        let tested = texts.values().any(|text| text.contains(&quoted));
        let excused = UNREACHABLE.iter().any(|(unreachable, _)| *unreachable == code.as_str());
        assert!(tested || excused, "no test mentions {code}");
    }
}

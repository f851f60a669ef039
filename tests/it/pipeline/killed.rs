//! `kill -9` at any moment: nothing that was replied is missing from the chain.

use std::io::{BufRead, BufReader, Write};

use rustix::process::Signal;
use serde_json::{Value, json};

use crate::harness::{ALLOW, Space, call};

use super::signal;

/// How often the gateway is killed.
const ROUNDS: usize = 20;

/// How many reads, and how many writes, are sent before it is.
const CALLS: usize = 14;

#[test]
fn what_was_replied_before_a_kill_is_in_the_chain() {
    let space = Space::with(include_str!("../../../tools.yaml"), ALLOW);
    space.write("f", "a\n");
    std::fs::create_dir(space.path("made")).unwrap();
    // A kill in the middle of a write leaves what was not yet put in place.
    let made = || -> Vec<String> {
        let names = std::fs::read_dir(space.path("made")).unwrap().map(|entry| entry.unwrap().file_name());
        names.map(|name| name.into_string().unwrap()).filter(|name| !name.starts_with(".tgw-")).collect()
    };
    let mut receipts = Vec::new();
    for round in 0..ROUNDS {
        let mut child = space.tgw(["run"]).with_files().start();
        let mut input = child.stdin.take().unwrap();
        let output = BufReader::new(child.stdout.take().unwrap()).lines();
        let reader = std::thread::spawn(move || -> Vec<String> { output.map_while(Result::ok).collect() });
        let lines: String = (0..CALLS)
            .map(|number| {
                let id = format!("c{round}-{number}");
                let read = call(&format!("r{round}-{number}"), "read_file", &json!({"path": "f"}));
                let write = call(&id, "write_file", &json!({"path": format!("made/{id}"), "content": "x"}));
                format!("{read}\n{write}\n")
            })
            .collect();
        let before = made().len();
        input.write_all(lines.as_bytes()).unwrap();
        // Another moment in every round: after so many of its effects.
        while made().len() < before + round % CALLS {
            std::thread::yield_now();
        }
        signal(child.id(), Signal::KILL);
        child.wait().unwrap();
        // The last line may be a part of one.
        for answer in
            reader.join().unwrap().iter().filter_map(|line| serde_json::from_str::<Value>(line).ok())
        {
            assert_eq!(answer["status"], "succeeded", "{answer}");
            receipts.push(answer["receipt"].as_str().unwrap().to_owned());
        }
    }
    let last = space.answer(&call("last", "read_file", &json!({"path": "f"})));
    receipts.push(last["receipt"].as_str().unwrap().to_owned());
    space.intact();
    for some in receipts.chunks(200) {
        let mut verify = space.tgw(["audit", "verify"]);
        for receipt in some {
            verify = verify.and(&["--receipt", receipt]);
        }
        let text = verify.text();
        assert_eq!(text.matches("found: ").count(), some.len());
    }
    // And no file was made whose intent is not on record.
    let recorded: std::collections::HashSet<String> = {
        let text = space.tgw(["audit", "export"]).text();
        text.lines()
            .map(|line| serde_json::from_str::<Value>(line).unwrap())
            .filter(|line| line["record"]["kind"] == "intent")
            .map(|line| line["record"]["call"].as_str().unwrap().to_owned())
            .collect()
    };
    for name in made() {
        assert!(recorded.contains(&name), "{name} was made without a record");
    }
}

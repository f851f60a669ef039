//! `tgw run --wait-approvals`: the stream goes on, and an event says what became of the call.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};

use serde_json::{Value, json};

use super::fixture::*;
use crate::harness::line_schema;
use crate::place::{Place, await_readable, verdict, wait};

/// A stream under way, read line by line.
struct Stream {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
}

impl Stream {
    fn start(place: &Place, arguments: &[&str]) -> Self {
        let mut command = place.tgw(&[&["run", "--wait-approvals"], arguments].concat());
        let mut child =
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        Self { input: child.stdin.take(), output: BufReader::new(child.stdout.take().unwrap()), child }
    }

    fn send(&mut self, line: &Value) {
        self.input.as_mut().unwrap().write_all(format!("{line}\n").as_bytes()).unwrap();
    }

    fn close(&mut self) {
        self.input = None;
    }

    fn line(&mut self) -> Value {
        let mut line = String::new();
        self.arrives();
        self.output.read_line(&mut line).unwrap();
        let value: Value = serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line:?}"));
        let kind = if value.get("event").is_some() { "event" } else { "result" };
        assert!(line_schema(kind).is_valid(&value), "{kind}: {value}");
        value
    }

    /// Waits until something was said, and not for ever.
    fn arrives(&self) {
        use rustix::event::{PollFd, PollFlags};
        let said = !self.output.buffer().is_empty()
            || await_readable(&mut [PollFd::new(self.output.get_ref(), PollFlags::IN)]);
        assert!(said, "nothing more was said");
    }

    fn event(&mut self) -> Value {
        let line = self.line();
        assert_eq!(line["event"], "resolved", "{line}");
        line
    }

    /// Waits for the end; nothing more may have been said.
    fn ends(mut self) -> Option<i32> {
        self.close();
        let mut rest = String::new();
        self.arrives();
        std::io::Read::read_to_string(&mut self.output, &mut rest).unwrap();
        assert_eq!(rest, "");
        wait(&mut self.child)
    }
}

fn others() -> String {
    format!("{TOOLS}{}", TOOLS.split("tools:\n").nth(1).unwrap().replace("name: say", "name: tell"))
}

fn place_with_other() -> Place {
    let place = Place::new();
    place.configure(
        &others(),
        &POLICY.replace("rules: [", "rules: [{id: free, verdict: allow, tools: [tell]}, "),
    );
    place
}

#[test]
fn other_calls_flow_and_the_outcome_follows_when_the_answer_comes() {
    let place = place_with_other();
    let mut stream = Stream::start(&place, &[]);
    stream.send(&say("c1", "asked"));
    stream.send(&json!({ "id": "c2", "name": "tell", "arguments": { "word": "free" } }));
    let first = stream.line();
    assert_eq!((verdict(&first).as_str(), &first["id"]), ("input_required/APPROVAL_REQUIRED", &json!("c1")));
    assert_eq!((verdict(&stream.line()).as_str(), said(&place)), ("succeeded", vec!["free".to_owned()]));
    approve(&place, &approval_id(&first));
    let event = stream.event();
    assert_eq!((verdict(&event).as_str(), &event["id"]), ("succeeded", &json!("c1")));
    stream.send(&json!({ "id": "c3", "name": "tell", "arguments": { "word": "later" } }));
    assert_eq!(verdict(&stream.line()), "succeeded");
    assert_eq!(said(&place), ["free", "asked", "later"]);
    assert_eq!(stream.ends(), Some(0));
}

#[test]
fn the_stream_ends_when_its_questions_are_settled_and_a_no_brings_the_persons_words() {
    let place = place();
    let mut stream = Stream::start(&place, &[]);
    stream.send(&say("c1", "one"));
    stream.send(&say("c2", "two"));
    stream.close();
    let (one, two) = (approval_id(&stream.line()), approval_id(&stream.line()));
    answer(&place, "deny", &two, &["--feedback", "never two"]);
    let event = stream.event();
    assert_eq!((verdict(&event).as_str(), &event["id"]), ("denied/APPROVAL_DENIED", &json!("c2")));
    assert!(event["error"]["message"].as_str().unwrap().contains("never two"));
    approve(&place, &one);
    let event = stream.event();
    assert_eq!((verdict(&event).as_str(), &event["id"]), ("succeeded", &json!("c1")));
    assert_eq!(stream.ends(), Some(0));
    assert_eq!(said(&place), ["one"]);
}

#[test]
fn a_question_that_runs_out_ends_its_call_and_the_stream() {
    let place = place_with(&POLICY.replace("reason: it writes a log", "approval: {expires: 1s}"));
    let mut stream = Stream::start(&place, &[]);
    stream.send(&say("c1", "one"));
    stream.close();
    let id = approval_id(&stream.line());
    assert_eq!(verdict(&stream.event()), "denied/APPROVAL_EXPIRED");
    assert_eq!(stream.ends(), Some(0));
    assert_eq!(state_of(&place, &id), "expired");
}

#[test]
fn a_signal_and_a_cancel_line_give_each_its_end_and_take_the_question_back() {
    let place = place();
    let mut stream = Stream::start(&place, &[]);
    for (id, word) in [("c1", "one"), ("c2", "two")] {
        stream.send(&say(id, word));
    }
    let ids = [approval_id(&stream.line()), approval_id(&stream.line())];
    stream.send(&json!({ "cancel": "c2" }));
    let event = stream.event();
    assert_eq!((verdict(&event).as_str(), &event["id"]), ("cancelled/CANCELLED", &json!("c2")));
    let pid = rustix::process::Pid::from_raw(i32::try_from(stream.child.id()).unwrap()).unwrap();
    rustix::process::kill_process(pid, rustix::process::Signal::INT).unwrap();
    let event = stream.event();
    assert_eq!((verdict(&event).as_str(), &event["id"]), ("cancelled/CANCELLED", &json!("c1")));
    assert_eq!(stream.ends(), Some(130));
    for id in ids {
        assert_eq!(state_of(&place, &id), "revoked");
        assert_eq!(verdict(&place.ask(&["approvals", "run", &id]).line()), "denied/APPROVAL_DENIED");
    }
    assert!(said(&place).is_empty());
}

#[test]
fn twins_that_wait_together_have_one_effect_and_each_its_end() {
    let place = place();
    let mut stream = Stream::start(&place, &[]);
    stream.send(&say("c1", "one"));
    stream.send(&say("c2", "one"));
    stream.close();
    let first = approval_id(&stream.line());
    stream.line();
    approve(&place, &first);
    let mut ends = [stream.event(), stream.event()].map(|event| verdict(&event));
    ends.sort();
    assert_eq!(ends, ["input_required/APPROVAL_REQUIRED", "succeeded"]);
    assert_eq!(stream.ends(), Some(0));
    assert_eq!(said(&place), ["one"]);
}

#[test]
fn an_event_has_native_fields_whatever_the_shape_of_the_call() {
    let place = place();
    let mut stream = Stream::start(&place, &[]);
    stream.send(&json!({ "type": "tool_use", "id": "c1", "name": "say", "input": { "word": "one" } }));
    stream.close();
    let mut line = String::new();
    stream.output.read_line(&mut line).unwrap();
    assert!(line.contains("tool_result"), "{line}");
    let listed: Vec<Value> =
        serde_json::from_str(&place.ask(&["approvals", "list", "--json"]).stdout).unwrap();
    approve(&place, listed[0]["id"].as_str().unwrap());
    assert_eq!(verdict(&stream.event()), "succeeded");
    assert_eq!(stream.ends(), Some(0));
}

impl Drop for Stream {
    fn drop(&mut self) {
        // A test that failed half-way leaves nothing running; one that ended well has waited already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

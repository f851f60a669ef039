//! `tgw audit show`: the story of one call as a time line.

use std::io::IsTerminal;

use serde_json::{Value, json};

use crate::audit::{self, ApprovalView, Event, LedgerView, Part, RecordView, Story};
use crate::cli::arguments::StoreArgs;
use crate::cli::exit::{Failure, Outcome};
use crate::cli::output::print;
use crate::cli::store::{self, OpenedStore, failure};
use crate::cli::table;
use crate::clock::Timestamp;
use crate::text::{escape, escape_line, wrap_words};

/// Columns where no terminal says how many there are.
const USUAL_COLUMNS: usize = 100;
/// Fewest columns that are counted with; a terminal that has fewer breaks lines by itself.
const FEWEST_COLUMNS: usize = 24;
/// Below this, what is said of a record stands under its time and not beside it.
const NARROW: usize = 60;
/// Most lines of one value.
const MOST_LINES: usize = 40;

/// Shows the story that an id names.
pub(super) fn show(arguments: &StoreArgs, id: &str, as_json: bool) -> Outcome {
    let OpenedStore { store, tenant } = store::open(arguments)?;
    let none = || {
        Failure::failed(format!("the chain of `{tenant}` has no record for `{}`", id.escape_debug()))
            .with_hint(
                "give the id of a call, of a question or of an effect, a receipt, or a record's number; \
             `tgw audit list` shows them",
            )
    };
    let store = store.ok_or_else(none)?;
    let stories = audit::stories(&store, &tenant, id).map_err(|error| failure(&error))?;
    let (first, others) = stories.split_first().ok_or_else(none)?;
    if as_json {
        let mut told = value(first);
        if let Value::Object(members) = &mut told {
            members.insert("others".to_owned(), others.iter().map(value).collect());
        }
        print(&table::visible_json(&told))?;
        return Ok(0);
    }
    let columns = match std::io::stdout().is_terminal() {
        true => usize::from(console::Term::stdout().size().1),
        false => USUAL_COLUMNS,
    };
    print(&render_all(id, &stories, columns))?;
    Ok(0)
}

fn value(story: &Story) -> Value {
    let events = story.events.iter().map(|event| {
        let mut record = serde_json::to_value(&event.listed.record).unwrap_or_default();
        if let Value::Object(record) = &mut record {
            record.extend(event.more.iter().cloned());
        }
        json!({
            "part": event.part,
            "at": Timestamp(event.listed.record.at).rfc3339(),
            "says": says(event),
            "receipt": event.listed.receipt.to_string(),
            "record": record,
            "detail": event.listed.detail,
            "erased": is_erased(event),
        })
    });
    json!({
        "call": story.call, "task": story.task, "events": events.collect::<Vec<_>>(),
        "omitted": story.omitted, "same_id": story.namesakes, "names": story.names,
    })
}

/// All stories that an id names. Where that is more than one, each says how it is named alone.
fn render_all(id: &str, stories: &[Story], columns: usize) -> String {
    if let [story] = stories {
        return render(story, columns);
    }
    let mut page = Page { out: String::new(), columns: columns.max(FEWEST_COLUMNS) };
    let id = escape(id);
    page.line(
        0,
        &format!("`{id}` names {} stories; each can be told alone, by the name before it", stories.len()),
    );
    for story in stories {
        let names: Vec<String> =
            story.names.iter().map(|name| format!("`tgw audit show {}`", escape(name))).collect();
        page.out.push('\n');
        page.line(0, &format!("--- {}", names.join(" or ")));
        page.out.push_str(&render(story, columns));
    }
    page.out
}

/// The story as text that fits into so many columns. Everything that a stranger wrote is escaped.
fn render(story: &Story, columns: usize) -> String {
    let mut page = Page { out: String::new(), columns: columns.max(FEWEST_COLUMNS) };
    page.heading(story);
    let mut day = String::new();
    for event in &story.events {
        let at = Timestamp(event.listed.record.at).rfc3339();
        let (date, time) = at.split_once('T').unwrap_or(("", at.as_str()));
        if date != day {
            date.clone_into(&mut day);
            page.out.push('\n');
            page.line(0, &format!("{date} (UTC)"));
        }
        page.event(event, time.trim_end_matches('Z'));
    }
    if story.omitted > 0 {
        page.line(0, &format!("\n… and {} more records; `tgw audit list` has them", story.omitted));
    }
    if let Some(others) = namesakes(story) {
        page.out.push('\n');
        page.line(0, &others);
    }
    if let Some(last) =
        story.events.iter().rev().find(|event| event.part == Part::Call).or(story.events.last())
    {
        page.out.push('\n');
        page.out.push_str(&format!("receipt {}\n", last.listed.receipt));
    }
    page.out
}

fn namesakes(story: &Story) -> Option<String> {
    const MOST: usize = 5;
    let latest: Vec<String> = story.namesakes.iter().rev().take(MOST).map(u64::to_string).collect();
    (!latest.is_empty()).then(|| {
        format!(
            "{} other {} this id, in other tasks; the first records of the latest: {} (`tgw audit show NUMBER`)",
            story.namesakes.len(),
            if story.namesakes.len() == 1 { "call has" } else { "calls have" },
            latest.join(", ")
        )
    })
}

struct Page {
    out: String,
    columns: usize,
}

impl Page {
    /// Who called what; of the record that knows most of the call.
    fn heading(&mut self, story: &Story) {
        let own = |event: &&Event| event.part == Part::Call;
        let Some(first) = story.events.iter().find(own).or(story.events.first()) else { return };
        let record = &first.listed.record;
        let tool = story.events.iter().filter(own).find_map(|event| event.listed.record.tool.as_deref());
        match (&story.call, tool) {
            (Some(call), Some(tool)) => self.line(0, &format!("{} · call {}", escape(tool), escape(call))),
            (Some(call), None) => self.line(0, &format!("call {}", escape(call))),
            (None, _) => self.line(0, &format!("record {}", record.seq)),
        }
        let version =
            record.agent_version.as_deref().map(|version| format!(" {version}")).unwrap_or_default();
        self.field(2, "who", &format!("{} through agent {}{version}", record.user, record.agent));
        self.field(2, "task", record.task.as_deref().unwrap_or_default());
        self.field(2, "step", record.step.as_deref().unwrap_or_default());
        self.field(2, "made for", record.parent.as_deref().unwrap_or_default());
    }

    fn event(&mut self, event: &Event, time: &str) {
        let record = &event.listed.record;
        let said = format!("{} · record {}", says(event), record.seq);
        let said = escape(&said);
        let indent = if self.columns < NARROW {
            self.line(0, time);
            self.line(2, &said);
            4
        } else {
            let under = " ".repeat(time.len() + 2);
            let room = self.columns.saturating_sub(under.len());
            for (at, piece) in wrap_words(&said, room).into_iter().enumerate() {
                let lead = if at == 0 { format!("{time}  ") } else { under.clone() };
                self.out.push_str(&format!("{lead}{piece}\n"));
            }
            under.len()
        };
        for (first, last) in record.erased.iter().flat_map(|erased| &erased.records) {
            self.field(indent, "erased", &format!("the details of records {first} to {last}"));
        }
        for rule in &record.rules {
            self.field(indent, "rule", &format!("{} at {}:{}", rule.id, rule.file, rule.line));
        }
        for credential in &record.credentials {
            let key = credential.key.iter().map(|key| format!(", signed with {key}"));
            let until = credential.expires.iter().map(|until| format!(", until {}", until.rfc3339()));
            let more: String = key.chain(until).collect();
            self.field(
                indent,
                "credential",
                &format!("{} from {}{more}", credential.name, credential.source),
            );
        }
        self.field(indent, "sandbox", record.sandbox.as_deref().unwrap_or_default());
        if let Some(ledger) = record.ledger.as_ref().filter(|_| record.kind != "effect") {
            self.field(indent, "ledger", &ledger_text(ledger));
        }
        self.field(indent, "replied", &replied(record));
        if is_erased(event) {
            self.field(indent, "details", "erased");
        }
        if let Some(Value::Object(detail)) = &event.listed.detail {
            let notes = detail.get("notes").and_then(Value::as_object).into_iter().flatten();
            let own = detail.iter().filter(|(name, _)| *name != "notes");
            for (name, value) in own.chain(notes) {
                self.field(indent, name, &plain(value));
            }
        }
        for (name, value) in &event.more {
            self.field(indent, name, &plain(value));
        }
    }

    /// `label  value`, the value's lines under each other.
    fn field(&mut self, indent: usize, label: &str, value: &str) {
        if value.is_empty() {
            return;
        }
        let lead = format!("{:indent$}{:<10}  ", "", escape(label));
        let (lead, under) = match crate::text::width(&lead) {
            wide if wide + FEWEST_COLUMNS / 2 <= self.columns => (lead, wide),
            _ => {
                self.line(indent, &escape(label));
                (" ".repeat(indent + 2), indent + 2)
            }
        };
        let room = self.columns.saturating_sub(under).max(1);
        let lines: Vec<String> = value
            .trim_end()
            .split('\n')
            .flat_map(|line| {
                let shown = escape_line(line);
                wrap_words(&shown, room).into_iter().map(str::to_owned).collect::<Vec<_>>()
            })
            .take(MOST_LINES + 1)
            .collect();
        for (at, line) in lines.iter().take(MOST_LINES).enumerate() {
            let lead = if at == 0 { lead.clone() } else { " ".repeat(under) };
            self.out.push_str(format!("{lead}{line}").trim_end());
            self.out.push('\n');
        }
        if lines.len() > MOST_LINES {
            self.out.push_str(&format!("{:under$}… (`--json` has it all)\n", ""));
        }
    }

    /// A line of our own words, wrapped.
    fn line(&mut self, indent: usize, text: &str) {
        for piece in wrap_words(text, self.columns.saturating_sub(indent).max(1)) {
            self.out.push_str(&format!("{:indent$}{piece}\n", ""));
        }
    }
}

/// Text as it is, anything else as JSON.
fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

fn is_erased(event: &Event) -> bool {
    event.listed.record.detail_hmac.is_some() && event.listed.detail.is_none()
}

/// What a record says, in a few words.
fn says(event: &Event) -> String {
    let record = &event.listed.record;
    let said = said(record);
    let call = record.call.as_deref().unwrap_or("?");
    let tool = record.tool.as_deref().unwrap_or("?");
    match event.part {
        Part::Probe => format!("probe {tool} ({call}) {said}"),
        Part::SameEffect => format!("call {call}, which has the same effect, {said}"),
        Part::Question if !matches!(record.kind.as_str(), "approval" | "standing" | "task") => {
            format!("call {call}, which uses the answer, {said}")
        }
        Part::Call | Part::Question | Part::Ledger => said,
    }
}

fn said(record: &RecordView) -> String {
    let status = record.status.as_deref().unwrap_or("?");
    let code = record.code.as_deref().map(|code| format!(" {code}")).unwrap_or_default();
    match record.kind.as_str() {
        "decision" => format!("was decided: {}", record.verdict.as_deref().unwrap_or("?")),
        "refused" => format!("was refused:{code}"),
        "intent" => match &record.approval {
            Some(approval) => format!("began, {}", approval_text(approval)),
            None => "began".to_owned(),
        },
        "outcome" => {
            let took = record.duration_us.map(|us| format!(" after {}", duration(us))).unwrap_or_default();
            format!("ended{took}: {status}{code}")
        }
        "replayed" => format!("was answered from the ledger: {status}{code}"),
        "effect" => record.ledger.as_ref().map_or_else(|| "effect".to_owned(), ledger_text),
        "approval" | "standing" => match &record.approval {
            Some(approval) if record.kind == "standing" => {
                format!("remembered answer: {}", approval_text(approval))
            }
            Some(approval) => approval_text(approval),
            None => format!("needs a person: {status}{code}"),
        },
        "erasure" => {
            let by = record.erased.as_ref().map(|erased| format!(" by {}", erased.by)).unwrap_or_default();
            format!("details were erased{by}")
        }
        kind => match &record.approval {
            Some(approval) => format!("{kind}: {}", approval_text(approval)),
            None => kind.to_owned(),
        },
    }
}

fn approval_text(approval: &ApprovalView) -> String {
    let by = approval.by.as_deref().map(|by| format!(" by {by}")).unwrap_or_default();
    let how = match approval.how.as_str() {
        "terminal" => " at the terminal",
        "standing" => " by a remembered answer",
        "queue" | "flag" => "",
        other => return format!("{}{by} ({other}): {}", approval.answer, approval.id),
    };
    format!("{}{by}{how}: {}", approval.answer, approval.id)
}

fn ledger_text(ledger: &LedgerView) -> String {
    let attempt = if ledger.attempt > 1 { format!(", attempt {}", ledger.attempt) } else { String::new() };
    let how = match ledger.how.as_str() {
        "reserved" => "its key is taken",
        "outcome" => "as its call ended",
        "lost" => "its process is gone or had its time",
        "reconciled" => "a look-up told",
        "resolved" => "a person said so",
        "found" => "it was there before",
        other => other,
    };
    let by = ledger.by.as_deref().map(|by| format!(" ({by})")).unwrap_or_default();
    format!("effect {} is {}{attempt}: {how}{by}", ledger.id, ledger.state)
}

/// What the reply to the caller said; empty where the record answers nobody.
fn replied(record: &RecordView) -> String {
    let Some(status) = &record.status else { return String::new() };
    let mut parts = vec![status.clone()];
    parts.extend(record.code.clone());
    parts.extend(record.effect.as_deref().map(|effect| format!("effect {effect}")));
    parts.extend(record.bytes.map(|bytes| format!("{bytes} bytes of content")));
    parts.extend(record.result.as_deref().map(|result| format!("value kept as {result}")));
    parts.join(", ")
}

fn duration(us: u64) -> String {
    match us {
        0..1_000 => format!("{us} µs"),
        1_000..1_000_000 => format!("{} ms", us / 1_000),
        _ => format!("{}.{} s", us / 1_000_000, us % 1_000_000 / 100_000),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::audit::Listed;
    use crate::catalog::Digest;
    use crate::state::Receipt;
    use crate::text::{is_hidden, width};

    fn event(part: Part, record: Value, detail: Option<Value>) -> Event {
        let mut whole = json!({
            "v": 1, "tenant": "local", "seq": 7, "prev": "sha256:00", "at": 1_767_323_045_678_u64, "kind": "outcome",
            "user": "ann", "agent": "default", "task": "t", "call": "c1", "tool": "send_mail",
        });
        whole.as_object_mut().unwrap().extend(record.as_object().unwrap().clone());
        Event {
            part,
            listed: Listed {
                receipt: Receipt { seq: 7, hash: Digest([1; 32]) },
                record: serde_json::from_value(whole).unwrap(),
                erasable: detail.is_some(),
                detail,
            },
            more: Vec::new(),
        }
    }

    fn hostile() -> Story {
        let text = "\u{1b}[2J\u{202e}evil\n2026-01-02 (UTC)\n03:04:05.678  ended: succeeded";
        let long = "x".repeat(300);
        Story {
            call: Some(text.to_owned()),
            task: Some(text.to_owned()),
            events: vec![
                event(
                    Part::Call,
                    json!({"kind": "intent", "tool": text, "task": text, "user": text, "step": text,
                        "rules": [{"id": text, "file": text, "line": 3}],
                        "credentials": [{"name": text, "source": text, "key": text, "expires": 5}],
                        "approval": {"id": text, "by": text, "how": text, "answer": text},
                        "ledger": {"id": text, "attempt": 2, "state": text, "how": text, "by": text}}),
                    Some(
                        json!({"arguments": {"to": text, "long": long}, "plan": text, "notes": {text: text}}),
                    ),
                ),
                event(
                    Part::Probe,
                    json!({"kind": text, "status": text, "code": text, "effect": text, "result": text}),
                    None,
                ),
            ],
            omitted: 3,
            namesakes: vec![1, 2],
            names: vec![text.to_owned()],
        }
    }

    #[test]
    fn what_strangers_wrote_neither_acts_nor_passes_for_a_line_of_the_story_in_any_width() {
        for columns in [24, 40, 59, 60, 80, 200] {
            let shown = render(&hostile(), columns);
            assert!(shown.chars().all(|c| c == '\n' || !is_hidden(c)), "{columns}: {shown:?}");
            let days = shown.lines().filter(|line| line.starts_with("2026-01-02 (UTC)")).count();
            assert_eq!(days, 1, "{columns}: {shown}");
            let stamped = shown.lines().filter(|line| line.starts_with("03:04:05.678")).count();
            assert_eq!(stamped, 2, "{columns}: {shown}");
            for line in shown.lines().filter(|line| !line.starts_with("receipt ")) {
                assert!(width(line) <= columns, "{columns}: {line}");
            }
        }
    }

    #[test]
    fn several_stories_are_told_apart_whatever_they_are_called() {
        let stories = [hostile(), hostile()];
        let shown = render_all("\u{1b}[2J\n--- evil", &stories, 200);
        assert!(shown.chars().all(|c| c == '\n' || !is_hidden(c)), "{shown:?}");
        assert_eq!(shown.lines().filter(|line| line.starts_with("--- ")).count(), 2, "{shown}");
        assert!(
            shown
                .lines()
                .next()
                .unwrap()
                .ends_with("names 2 stories; each can be told alone, by the name before it")
        );
    }

    #[test]
    fn a_value_of_many_lines_is_cut_with_a_word_about_where_it_is_whole() {
        let many = "line\n".repeat(500);
        let story = Story {
            call: Some("c1".to_owned()),
            events: vec![event(
                Part::Call,
                json!({"status": "failed"}),
                Some(json!({"notes": {"error": many}})),
            )],
            ..Story::default()
        };
        let shown = render(&story, 80);
        assert!(shown.lines().count() < 60 && shown.contains("`--json` has it all"), "{shown}");
    }

    #[test]
    fn times_are_short() {
        assert_eq!([7, 1_234, 999_999, 1_250_000].map(duration), ["7 µs", "1 ms", "999 ms", "1.2 s"]);
    }
}

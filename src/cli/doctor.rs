//! `tgw doctor`: what was found, what is trusted, what this machine can do.

use std::os::fd::AsFd;

use serde_json::{Value, json};

use crate::catalog::CredentialSource;
use crate::diagnostic::{Report, Severity};
use crate::execute::Capability;
use crate::state::{SqliteStore, Store};

use super::arguments::DoctorArgs;
use super::discover::{Found, Origin};
use super::display::is_terminal;
use super::exit::Outcome;
use super::output::print;
use super::session;
use super::table;

/// One line of the report.
struct Finding {
    area: &'static str,
    good: bool,
    text: String,
}

/// Prints the report; exit status 1 where something keeps calls from running.
pub(crate) fn doctor(arguments: &DoctorArgs) -> Outcome {
    let loaded = session::load(&arguments.session)?;
    let session = &loaded.session;
    let mut findings = Vec::new();
    let mut add = |area, good, text: String| findings.push(Finding { area, good, text });

    add("workspace", true, session.workspace.root().display().to_string());
    for (what, found) in [("tools", &loaded.tools), ("policy", &loaded.policies)] {
        files(what, found, &mut add);
    }
    add("tools", true, format!("{} contracts", session.catalog.contracts().len()));
    let principal = &session.principal;
    add(
        "principal",
        true,
        format!("user {}, agent {}, tenant {}", principal.user, principal.agent, principal.tenant),
    );
    add(
        "task",
        true,
        format!("{}, step {}", session.task.id, session.step.as_ref().map_or("none", |step| step.as_str())),
    );
    remarks(&loaded, &mut add);
    for spec in session.catalog.credentials() {
        let (good, text) = credential(&spec.source);
        add("credential", good, format!("{}: {text}", spec.name));
    }
    let streams = [
        ("stdin", is_terminal(std::io::stdin().as_fd())),
        ("stdout", is_terminal(std::io::stdout().as_fd())),
        ("stderr", is_terminal(std::io::stderr().as_fd())),
    ];
    let shown = streams
        .map(|(name, yes)| format!("{name} {}", if yes { "terminal" } else { "no terminal" }))
        .join(", ");
    add("terminal", true, shown);
    let controlling = std::fs::File::open("/dev/tty").is_ok();
    let asking = if controlling {
        "a person can be asked"
    } else {
        "none: what needs a person is answered input_required"
    };
    add("terminal", true, format!("controlling: {asking}"));
    let capability = Capability::probe();
    for (level, available, detail) in capability.describe() {
        let level =
            serde_json::to_value(level).ok().and_then(|v| v.as_str().map(str::to_owned)).unwrap_or_default();
        add(
            "sandbox",
            true,
            format!("{level}: {}, {detail}", if available { "available" } else { "not available" }),
        );
    }
    store(&loaded, &mut add);

    let healthy = findings.iter().all(|finding| finding.good);
    if arguments.json {
        let values: Vec<Value> =
            findings.iter().map(|f| json!({ "area": f.area, "good": f.good, "text": f.text })).collect();
        print(&format!("{}\n", json!({ "healthy": healthy, "findings": values })))?;
    } else {
        let rows = findings
            .iter()
            .map(|f| {
                vec![f.area.to_owned(), if f.good { "ok" } else { "PROBLEM" }.to_owned(), f.text.clone()]
            })
            .collect();
        print(&table::render(&["area", "state", "finding"], rows))?;
    }
    Ok(u8::from(!healthy))
}

fn files(what: &'static str, found: &Found, add: &mut impl FnMut(&'static str, bool, String)) {
    for file in &found.files {
        let origin = match file.origin {
            Origin::Flag => "named on the command line",
            Origin::Environment => "named by the environment",
            Origin::Workspace => "of the workspace, trusted",
            Origin::User => "of the user",
            Origin::Embedded => "embedded in the binary",
        };
        add(what, true, format!("{} ({origin})", file.name));
    }
    if let Some(path) = &found.untrusted {
        add(
            what,
            true,
            format!("{} is not trusted and not obeyed: read it, then `tgw trust`", path.display()),
        );
    }
}

/// The warnings of the files, and what of their examples and schemas does not hold: too slow for every start, and a sign
/// that a tool or rule is not what its author meant.
fn remarks(loaded: &session::Loaded, add: &mut impl FnMut(&'static str, bool, String)) {
    let session = &loaded.session;
    let mut thorough = Report::default();
    session.catalog.check_examples(&mut thorough);
    let examples = session.policy.check_examples(&session.catalog);
    let found = loaded.report.diagnostics().iter().chain(thorough.diagnostics()).chain(&examples);
    for diagnostic in found {
        let place = loaded.sources.locate(diagnostic.span);
        add("files", diagnostic.severity == Severity::Warning, format!("{place}: {}", diagnostic.message));
    }
}

/// Whether a credential's source is there. Its value is not looked at, and no program is run.
fn credential(source: &CredentialSource) -> (bool, String) {
    match source {
        CredentialSource::Env(name) => {
            let there = std::env::var_os(name).is_some_and(|value| !value.is_empty());
            (there, format!("variable {name} is {}", if there { "set" } else { "not set" }))
        }
        CredentialSource::File(path) => {
            let there = path.is_file();
            (there, format!("file {} is {}", path.display(), if there { "there" } else { "not there" }))
        }
        CredentialSource::Command(argv) => (
            true,
            format!("command {}, run when needed", argv.first().map(String::as_str).unwrap_or_default()),
        ),
    }
}

fn store(loaded: &session::Loaded, add: &mut impl FnMut(&'static str, bool, String)) {
    match SqliteStore::open_existing(&loaded.state, loaded.session.workspace.root()) {
        Ok(None) => add("state", true, format!("{}: made at the first call", loaded.state.display())),
        Err(error) => add("state", false, format!("{}: {error}", loaded.state.display())),
        Ok(Some(store)) => match store.describe() {
            Ok(found) => add(
                "state",
                true,
                format!(
                    "{}: {} bytes, schema {}, {} records, {} results, {} questions wait",
                    found.path.display(),
                    found.bytes,
                    found.schema_version,
                    found.records,
                    found.results,
                    found.pending_approvals
                ),
            ),
            Err(error) => add("state", false, format!("{}: {error}", loaded.state.display())),
        },
    }
}

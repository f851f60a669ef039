//! `tgw drill`: the laws of effects, tried with doubles on a person's own tools and policy.

use std::collections::BTreeMap;
use std::fs::{self, DirBuilder};
use std::os::unix::fs::DirBuilderExt;
use std::path::PathBuf;
use std::sync::Arc;

use crate::clock::Clock;
use crate::diagnostic::{Report, SourceMap};
use crate::drill::{self, DrillReport, Finding, Ground, Law, World};
use crate::text::escape;

use super::discover::{FoundFile, Origin};
use super::exit::{Failure, Outcome};
use super::operator_arguments::DrillArgs;
use super::output::print;
use super::run::{random_run, runtime};
use super::{session, table};

/// A policy that denies everything, to be added to the person's own: the strictest verdict wins.
const DENYING: &str = "version: 1\ndefault_verdict: allow\nrules: [{id: drill-changed-policy, verdict: deny, reason: the drill changed the policy}]\n";

/// Runs a drill.
pub(crate) fn drill(arguments: &DrillArgs) -> Outcome {
    let mut loaded = session::load(&arguments.session)?;
    loaded.warn_untrusted();
    loaded.log_warnings();
    for name in &arguments.tool {
        if loaded.session.catalog.find(name).is_none() {
            return Err(Failure::configuration(format!("there is no tool `{}`", name.escape_debug()))
                .with_hint("`tgw tools --all` lists them"));
        }
    }
    loaded.policies.files.push(FoundFile {
        origin: Origin::Flag,
        name: Arc::from("<drill>/policy.yaml"),
        path: None,
        text: Arc::from(DENYING),
    });
    let (mut sources, mut report) = (SourceMap::default(), Report::default());
    let root = loaded.session.workspace.root().to_owned();
    let (_, denying) =
        session::compile(&loaded.tools, &loaded.policies, &loaded.lock, &root, &mut sources, &mut report)?;
    let scratch = Scratch::make()?;
    loaded.session.clock = Clock::Fixed(loaded.session.clock.now());
    let ground = Ground {
        session: loaded.session,
        denying: Arc::new(denying),
        folder: scratch.0.clone(),
        tools: arguments.tool.clone(),
    };
    let world = World::default();
    let report = runtime()?.block_on(drill::drill(ground, &world));
    drop(scratch);
    if arguments.json {
        print(&table::visible_json(&report.to_json()))?;
    } else {
        print(&render(&report))?;
    }
    status(&report)
}

fn status(report: &DrillReport) -> Outcome {
    if report.has_broken() {
        return Ok(1);
    }
    let tried = report.findings.iter().any(|drilled| {
        drilled.finding == Finding::Held && !matches!(drilled.law, Law::Outcome | Law::StoreDown | Law::Audit)
    });
    if tried || report.findings.is_empty() {
        return Ok(0);
    }
    Err(Failure::configuration("no tool could be drilled").with_hint(
        "drill as an agent and a user whose calls the policy lets through, and give contracts `examples` that hold here",
    ))
}

fn render(report: &DrillReport) -> String {
    if report.findings.is_empty() {
        return "no tool has effects: there is nothing to drill\n".to_owned();
    }
    let rows = Law::ALL.iter().map(|law| {
        let (held, broken, not_drilled) = report.count(*law);
        let count = |count: usize| if count == 0 { String::new() } else { count.to_string() };
        vec![law.as_str().to_owned(), count(held), count(broken), count(not_drilled), law.text().to_owned()]
    });
    let mut out = table::render(&["law", "held", "broken", "not drilled", "what"], rows.collect());
    for drilled in &report.findings {
        if let Finding::Broken(why) = &drilled.finding {
            let (tool, why) = (escape(&drilled.tool), escape(why));
            out.push_str(&format!("broken: {} on {tool}: {why}\n", drilled.law.as_str()));
        }
    }
    // One line for all laws that one reason keeps from being tried on a tool.
    let mut skipped: BTreeMap<(&str, &str), Vec<&str>> = BTreeMap::new();
    for drilled in &report.findings {
        if let Finding::NotDrilled(why) = &drilled.finding {
            skipped.entry((&drilled.tool, why)).or_default().push(drilled.law.as_str());
        }
    }
    for ((tool, why), laws) in skipped {
        out.push_str(&format!("not drilled on {}: {}: {}\n", escape(tool), laws.join(", "), escape(why)));
    }
    out
}

/// A folder of the drill's own, gone with it.
struct Scratch(PathBuf);

impl Scratch {
    fn make() -> Result<Self, Failure> {
        let folder = std::env::temp_dir().join(format!("tgw-drill-{:016x}", random_run()?));
        DirBuilder::new().mode(0o700).create(&folder).map_err(|error| {
            Failure::failed(format!("cannot make `{}`: {error}", folder.display()))
                .with_hint("set TMPDIR to a folder outside the workspace that you can write")
        })?;
        Ok(Self(folder))
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        if let Err(error) = fs::remove_dir_all(&self.0) {
            tracing::warn!(%error, folder = %self.0.display(), "the drill's stores could not be removed");
        }
    }
}

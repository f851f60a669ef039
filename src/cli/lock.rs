//! `tgw lock`: what upstream servers offer, looked at and accepted by a person.

mod listing;
mod shown;
mod write;

use crate::catalog::{Catalog, Lock, LockFile, LockedServer};
use crate::diagnostic::{Report, SourceMap, nearest};
use crate::state::trust::TrustStore;

use super::arguments::ColourChoice;
use super::consent::{ConsentTo, consents};
use super::discover::{self, Kind, Origin};
use super::exit::{Failure, Outcome};
use super::operator_arguments::LockArgs;
use super::output::{print, warn};
use super::table;
use super::within::refuse_in_a_call;

use listing::{Offer, Place, list};
use shown::differences;

/// Looks at servers, shows what differs from what is accepted, and accepts it with a yes.
pub(crate) fn lock(arguments: &LockArgs, colour: ColourChoice) -> Outcome {
    if !arguments.check {
        refuse_in_a_call("accept tools")?;
    }
    let root = discover::workspace_root(arguments.workspace.as_deref())?;
    let trust = TrustStore::new(&discover::state_home()?);
    let tools = discover::find(Kind::Tools, &arguments.tools, &root, &trust)?;
    let manifests = discover::manifests(&tools, &root);
    let (mut sources, mut report) = (SourceMap::default(), Report::default());
    let Ok(catalog) = Catalog::load(&manifests, &mut sources, &mut report) else {
        return Err(Failure::configuration(report.render(&sources, false)));
    };
    if let Some(path) = &tools.untrusted {
        return Err(Failure::configuration(format!(
            "`{}` is not trusted, and its servers are not started",
            path.display()
        ))
        .with_hint(format!("read it, then run `tgw trust {}`", path.display())));
    }
    let names = chosen(arguments, &catalog)?;
    let (path, origin) = discover::lock_path(arguments.lock.as_deref(), &root);
    let before = accepted(arguments, origin, &root, &trust)?;
    let place = Place::open(&root)?;
    let mut after = Lock { servers: before.servers.clone() };
    // What no manifest declares any more is accepted for nothing.
    after.servers.retain(|name, _| catalog.servers().iter().any(|server| server.name.as_str() == name));
    let mut failed = false;
    let mut offers: Vec<Offer> = Vec::new();
    for server in catalog.servers().iter().filter(|server| names.contains(&server.name.as_str())) {
        match list(server, &catalog, &place) {
            Ok(offer) => {
                let locked =
                    LockedServer { protocol: Some(offer.protocol.clone()), tools: offer.tools.clone() };
                after.servers.insert(server.name.to_string(), locked);
                offers.push(offer);
            }
            Err(error) => {
                failed = true;
                warn(
                    &format!("the server `{}` could not be asked: {}", server.name, error.message),
                    error.hint.as_deref(),
                );
            }
        }
    }
    let refused = listing::leave_out(&mut after, &catalog, &manifests);
    let text = differences(&before, &after, &names, &offers, &refused, colour);
    let differs = before.servers != after.servers;
    if arguments.check {
        print(&text)?;
        return Ok(u8::from(differs || failed));
    }
    if !differs {
        print(&format!("{text}nothing differs from what is accepted\n"))?;
        return Ok(u8::from(failed));
    }
    if arguments.yes {
        print(&text)?;
    } else if !confirm(&text)? {
        print("nothing was accepted\n")?;
        return Ok(1);
    }
    let how = if arguments.yes { "flag" } else { "terminal" };
    write::write(&root, &path, &after.write(), &trust, how)?;
    print(&format!("{}: written and trusted\n", path.display()))?;
    Ok(u8::from(failed))
}

/// The servers meant.
fn chosen<'c>(arguments: &'c LockArgs, catalog: &'c Catalog) -> Result<Vec<&'c str>, Failure> {
    let declared = || catalog.servers().iter().map(|server| server.name.as_str());
    if let Some(unknown) = arguments.servers.iter().find(|name| !declared().any(|known| known == **name)) {
        let failure =
            Failure::configuration(format!("no manifest declares a server `{}`", unknown.escape_debug()));
        return Err(match nearest(unknown, declared()) {
            Some(near) => failure.with_hint(format!("did you mean `{near}`?")),
            None => failure.with_hint("declare it under `servers` in tools.yaml"),
        });
    }
    if catalog.servers().is_empty() {
        return Err(Failure::configuration("no manifest declares a server")
            .with_hint("declare one under `servers` in tools.yaml"));
    }
    if arguments.servers.is_empty() {
        return Ok(declared().collect());
    }
    Ok(arguments.servers.iter().map(String::as_str).collect())
}

/// What is accepted now. What is not trusted, or is no lock, accepts nothing.
fn accepted(
    arguments: &LockArgs,
    origin: Origin,
    root: &std::path::Path,
    trust: &TrustStore,
) -> Result<Lock, Failure> {
    let (path, _) = discover::lock_path(arguments.lock.as_deref(), root);
    if !path.exists() && origin != Origin::Workspace {
        return Ok(Lock::default());
    }
    let found = match discover::find_lock(arguments.lock.as_deref(), root, trust) {
        Ok(found) => found,
        Err(failure) if origin == Origin::Workspace => {
            warn(&format!("{}; everything counts as new", failure.message), None);
            return Ok(Lock::default());
        }
        Err(failure) => return Err(failure),
    };
    if let Some(path) = &found.untrusted {
        warn(&format!("`{}` is not trusted; everything counts as new", path.display()), None);
    }
    let Some(file) = found.files.first() else { return Ok(Lock::default()) };
    let file = LockFile { name: file.name.clone(), text: file.text.clone() };
    Lock::read(&file.text).or_else(|problem| {
        warn(&format!("`{}` is no lock: {problem}; everything counts as new", file.name), None);
        Ok(Lock::default())
    })
}

/// Shows what differs on the controlling terminal and asks there.
fn confirm(text: &str) -> Result<bool, Failure> {
    let consent = ConsentTo {
        heading: "--- what upstream servers offer, against what is accepted".to_owned(),
        text: table::visible(text),
        question: "---\nModels are shown these descriptions, and may call these tools as the policy lets them. Accept?"
            .to_owned(),
        word: "accept",
    };
    consents(consent, None)?.ok_or_else(|| {
        Failure::configuration("no terminal to ask about what differs")
            .with_hint("look at it with `tgw lock --check`, then run `tgw lock --yes`")
    })
}

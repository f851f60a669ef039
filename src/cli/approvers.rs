//! `tgw approvers`: whose signed answers count here.

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::approval::Approvers;
use crate::diagnostic::{Report, SourceMap};
use crate::ident::UserName;
use crate::signature::PublicKey;

use super::approver_arguments::{ApproversArgs, ApproversCommand};
use super::discover;
use super::exit::{Failure, Outcome};
use super::key_file;
use super::output::print;
use super::table;
use super::within::refuse_in_a_call;

/// Runs one approvers command.
pub(crate) fn approvers(arguments: &ApproversArgs) -> Outcome {
    match &arguments.command {
        ApproversCommand::List { json } => list(*json),
        ApproversCommand::Keygen { file } => keygen(file),
        ApproversCommand::Add { name, key } => {
            refuse_in_a_call("change whose answers count")?;
            add(name, key)
        }
        ApproversCommand::Remove { name } => {
            refuse_in_a_call("change whose answers count")?;
            remove(name)
        }
    }
}

/// The approvers of the person's configuration; none where there is no file.
///
/// # Errors
/// When the file is there and cannot be used, or others could have written it.
pub(crate) fn load() -> Result<Approvers, Failure> {
    let Some(path) = path() else { return Ok(Approvers::default()) };
    let Some(file) = discover::read_own(&path)? else { return Ok(Approvers::default()) };
    let (mut sources, mut report) = (SourceMap::default(), Report::default());
    Approvers::load(file.name, file.text, &mut sources, &mut report)
        .map_err(|()| Failure::configuration(report.render(&sources, false)))
}

/// The name of an approver, as it was typed.
pub(super) fn approver(written: &str) -> Result<UserName, Failure> {
    UserName::parse(written).map_err(|error| Failure::configuration(error.to_string()))
}

fn path() -> Option<PathBuf> {
    discover::user_folder().map(|folder| folder.join(Approvers::FILE))
}

fn list(as_json: bool) -> Outcome {
    let approvers = load()?;
    if as_json {
        let all = approvers.iter().map(|(name, key)| json!({ "name": name, "key": key.to_string() }));
        print(&table::visible_json(&Value::Array(all.collect())))?;
        return Ok(0);
    }
    let rows = approvers.iter().map(|(name, key)| vec![name.to_string(), key.to_string()]).collect();
    print(&table::render(&["name", "key"], rows))?;
    Ok(0)
}

fn keygen(file: &Path) -> Outcome {
    print(&format!("{}\n", key_file::make(file)?.public()))?;
    Ok(0)
}

fn add(name: &str, key: &str) -> Outcome {
    let name = approver(name)?;
    let key = PublicKey::parse(key).ok_or_else(|| {
        Failure::configuration("that is no public key that can be used")
            .with_hint("give what `tgw approvers keygen` printed: `ed25519:` and 44 characters")
    })?;
    change(|approvers| {
        approvers.add(name.clone(), key).map_err(|problem| {
            Failure::failed(format!("`{name}` was not added: {problem}"))
                .with_hint("`tgw approvers remove` takes the old one away first")
        })
    })?;
    print(&format!("{}: added\n", table::visible(name.as_str())))?;
    Ok(0)
}

fn remove(name: &str) -> Outcome {
    let name = approver(name)?;
    change(|approvers| {
        if approvers.remove(&name) {
            return Ok(());
        }
        Err(Failure::failed(format!("there is no approver `{name}`"))
            .with_hint("`tgw approvers list` shows them"))
    })?;
    print(&format!("{}: removed, and none of their answers counts\n", table::visible(name.as_str())))?;
    Ok(0)
}

/// Changes the file: whole, or not at all. The draft beside it keeps a second change away meanwhile.
fn change(change: impl FnOnce(&mut Approvers) -> Result<(), Failure>) -> Result<(), Failure> {
    let path = path().ok_or_else(|| {
        Failure::configuration("there is no configuration folder")
            .with_hint("set HOME or XDG_CONFIG_HOME to an absolute path")
    })?;
    let failed =
        |error: io::Error| Failure::failed(format!("`{}` cannot be written: {error}", path.display()));
    let folder = path.parent().unwrap_or(Path::new("/"));
    fs::DirBuilder::new().recursive(true).mode(0o700).create(folder).map_err(failed)?;
    let draft = path.with_extension("yaml.new");
    let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&draft).map_err(
        |error| match error.kind() {
            io::ErrorKind::AlreadyExists => {
                Failure::failed("another change of the approvers is under way, or one was cut off")
                    .with_hint(format!("where nothing else runs, remove `{}`", draft.display()))
            }
            _ => failed(error),
        },
    )?;
    let done = load().and_then(|mut approvers| {
        change(&mut approvers)?;
        file.write_all(approvers.to_yaml().as_bytes())
            .and_then(|()| file.sync_all())
            .and_then(|()| fs::rename(&draft, &path))
            .and_then(|()| fs::File::open(folder)?.sync_all())
            .map_err(failed)
    });
    if done.is_err() {
        // A draft that stays is named by the next change.
        let _ = fs::remove_file(&draft);
    }
    done
}

//! `tgw state`: the store as a whole.

use crate::state::{Place, SealKey, StoreError, migrate};

use super::arguments::StoreArgs;
use super::discover;
use super::exit::{Failure, Outcome};
use super::operator_arguments::{StateArgs, StateCommand};
use super::output::print;
use super::session::{server, store_place};
use super::store::failure;
use super::within::refuse_in_a_call;

/// Does what is asked with the store.
pub(crate) fn state(arguments: &StateArgs) -> Outcome {
    match &arguments.command {
        StateCommand::Migrate { to, store } => {
            refuse_in_a_call("move the state store")?;
            moved(to, store)
        }
    }
}

fn moved(to: &str, arguments: &StoreArgs) -> Outcome {
    let root = discover::workspace_root(arguments.workspace.as_deref())?;
    let place = store_place(arguments.state.as_deref(), &root)?;
    let Place::File(from) = &place else {
        return Err(Failure::configuration(format!("the store is on a server already: {place}"))
            .with_hint("name the file to move with `--state`"));
    };
    let to = server(to)?;
    let key = SealKey::new(&discover::state_home()?);
    let moved = migrate(from, &root, &to, &key).map_err(|error| match error {
        StoreError::Busy => Failure::failed("another process has the state store open")
            .with_hint("end every `tgw` that uses it, and try again: nothing was moved"),
        StoreError::NotEmpty => Failure::failed(error.to_string())
            .with_hint("name a database in which nothing was recorded yet: nothing was moved"),
        error => failure(&error),
    })?;
    match moved {
        None => Err(Failure::failed("there is no store to move: nothing was recorded yet")
            .with_hint("name the server with `--state` or TGW_STATE, and begin there")),
        Some(rows) => {
            print(&format!(
                "moved {rows} rows from {place} to {to}\nset TGW_STATE={to} and TGW_TENANT=local\n"
            ))?;
            Ok(0)
        }
    }
}

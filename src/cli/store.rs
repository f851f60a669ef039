//! Opening the store for commands that only look.

use crate::ident::Tenant;
use crate::state::{SealKey, SqlStore, StoreError};

use super::arguments::StoreArgs;
use super::discover;
use super::exit::Failure;
use super::session::{Loaded, store_place, tenant};

/// An opened store, and whose part of it is looked at.
pub(crate) struct OpenedStore {
    /// The store; `None` where nothing was ever written.
    pub(crate) store: Option<SqlStore>,
    /// The tenant.
    pub(crate) tenant: Tenant,
}

/// The tenant that the arguments name.
///
/// # Errors
/// When it is no tenant's name.
pub(crate) fn named_tenant(arguments: &StoreArgs) -> Result<Tenant, Failure> {
    let root = discover::workspace_root(arguments.workspace.as_deref())?;
    tenant(arguments.tenant.as_deref(), &store_place(arguments.state.as_deref(), &root)?)
}

/// Opens the store that the arguments name; it is never made by looking.
///
/// # Errors
/// When it is there and cannot be used.
pub(crate) fn open(arguments: &StoreArgs) -> Result<OpenedStore, Failure> {
    let root = discover::workspace_root(arguments.workspace.as_deref())?;
    let place = store_place(arguments.state.as_deref(), &root)?;
    let tenant = tenant(arguments.tenant.as_deref(), &place)?;
    let store = SqlStore::open_existing(&place, &root, SealKey::new(&discover::state_home()?))
        .map_err(|error| failure(&error))?;
    Ok(OpenedStore { store, tenant })
}

/// Opens the store that calls are recorded in, and makes it where there is none.
///
/// A store that cannot be written now is for every call to say, since each is answered; one that can never be used is the
/// person's to mend first.
///
/// # Errors
/// When its place is unsafe, or it is something else than a store of this version.
pub(crate) fn create(loaded: &Loaded) -> Result<Result<SqlStore, StoreError>, Failure> {
    match SqlStore::open(&loaded.state, loaded.session.workspace.root(), loaded.seal_key()) {
        Err(
            error @ (StoreError::UnsafePlace { .. }
            | StoreError::Foreign(_)
            | StoreError::Newer { .. }
            | StoreError::OtherKey
            | StoreError::Moved
            | StoreError::NoHome),
        ) => Err(unusable(&error, loaded.session.workspace.root())),
        opened => Ok(opened),
    }
}

/// A place that can never be used, and what to change: the store's, or the workspace's where they are in each other's way.
fn unusable(error: &StoreError, root: &std::path::Path) -> Failure {
    let failure = Failure::configuration(error.to_string());
    match error {
        StoreError::UnsafePlace { path, .. } if path.starts_with(root) || root.starts_with(path) => failure
            .with_hint(format!(
                "the workspace is `{}`: name a store outside it with `--state`, or another workspace with `--workspace`",
                root.display()
            )),
        error => failure.with_hint(way_on(error).unwrap_or("name another store with `--state`")),
    }
}

/// A store's error as a person sees it.
pub(crate) fn failure(error: &StoreError) -> Failure {
    Failure::failed(error.to_string())
        .with_hint(way_on(error).unwrap_or("`tgw doctor` shows where the store is and what is wrong with it"))
}

/// What to do about an error that says all there is to know.
fn way_on(error: &StoreError) -> Option<&'static str> {
    match error {
        StoreError::OtherKey => Some(
            "every machine that shares a store needs the same `seal.key` in its state home: copy it from one that has it",
        ),
        StoreError::Moved => Some(
            "name the server with `--state` or TGW_STATE, as `tgw state migrate` printed it; the file is only kept",
        ),
        _ => None,
    }
}

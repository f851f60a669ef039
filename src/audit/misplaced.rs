//! Chains that stand under another name than their records say.

use std::borrow::Cow;
use std::ops::ControlFlow;

use serde::Deserialize;

use crate::ident::Tenant;
use crate::state::{Order, Scan, Store, StoreError};

#[derive(Deserialize)]
struct Owner<'a> {
    #[serde(borrow)]
    tenant: Cow<'a, str>,
}

/// The tenants whose chain begins with another tenant's record: under the name that it had, nothing is left to verify.
///
/// # Errors
/// Why the store cannot be read.
pub fn misplaced(store: &dyn Store) -> Result<Vec<Tenant>, StoreError> {
    let mut found = Vec::new();
    for tenant in store.tenants()? {
        let mut is_other = false;
        store.scan(&tenant, Scan::all(Order::OldestFirst), &mut |stored| {
            let owner = serde_json::from_slice::<Owner<'_>>(&stored.bytes);
            is_other = owner.map_or(true, |owner| owner.tenant != tenant.as_str());
            ControlFlow::Break(())
        })?;
        if is_other {
            found.push(tenant);
        }
    }
    Ok(found)
}

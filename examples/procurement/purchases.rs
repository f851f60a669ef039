//! Suppliers and their quotes, budgets, drafts, and purchase requests.

use rusqlite::{Connection, OptionalExtension as _, Transaction};
use serde_json::{Value, json};

use crate::books::{Books, number, text};
use crate::{Refusal, fault};

/// Every supplier of the tenant that quoted for an item.
pub(crate) fn suppliers(books: &Books, tenant: &str, item: &str) -> Result<Value, Refusal> {
    let mut statement = books.file.prepare(
        "SELECT supplier.id, name, amount_minor, currency, days FROM supplier JOIN quote ON quote.supplier = supplier.id
         WHERE tenant = ?1 AND item = ?2 ORDER BY amount_minor",
    )?;
    let rows = statement.query_map((tenant, item), |row| {
        Ok(json!({
            "id": row.get::<_, String>(0)?,
            "name": row.get::<_, String>(1)?,
            "amount_minor": row.get::<_, i64>(2)?,
            "currency": row.get::<_, String>(3)?,
            "delivery_days": row.get::<_, Option<i64>>(4)?,
        }))
    })?;
    Ok(json!({"items": rows.collect::<Result<Vec<_>, _>>()?}))
}

/// One supplier of the tenant.
pub(crate) fn supplier(books: &Books, tenant: &str, id: &str) -> Result<Value, Refusal> {
    let found = books.file.query_row(
        "SELECT name, blocked FROM supplier WHERE id = ?1 AND tenant = ?2",
        (id, tenant),
        |row| Ok(json!({"found": true, "name": row.get::<_, String>(0)?, "blocked": row.get::<_, bool>(1)?})),
    );
    Ok(found.optional()?.unwrap_or_else(|| json!({"found": false, "name": "", "blocked": false})))
}

/// What is left of a budget.
pub(crate) fn budget(books: &Books, tenant: &str, currency: &str) -> Result<Value, Refusal> {
    let (limit, left) = left(&books.file, tenant, currency)?;
    Ok(json!({"limit_minor": limit, "remaining_minor": left}))
}

/// A budget's limit, and what is left of it.
fn left(file: &Connection, tenant: &str, currency: &str) -> Result<(i64, i64), Refusal> {
    let limit = file.query_row(
        "SELECT limit_minor FROM budget WHERE tenant = ?1 AND currency = ?2",
        (tenant, currency),
        |row| row.get::<_, i64>(0),
    );
    let limit = limit.optional()?.unwrap_or(0);
    let used: i64 = file.query_row(
        "SELECT coalesce(sum(amount_minor), 0) FROM request WHERE tenant = ?1 AND currency = ?2",
        (tenant, currency),
        |row| row.get(0),
    )?;
    Ok((limit, limit.saturating_sub(used)))
}

/// Keeps a comparison; a later one under the same key takes its place.
pub(crate) fn save_draft(
    books: &mut Books,
    tenant: &str,
    key: &str,
    payload: &Value,
) -> Result<Value, Refusal> {
    let change = books.change()?;
    change.execute("INSERT OR REPLACE INTO draft VALUES (?1, ?2, ?3)", (key, tenant, payload.to_string()))?;
    change.commit()?;
    Ok(json!({"key": key}))
}

/// The draft under a key.
pub(crate) fn find_draft(books: &Books, tenant: &str, key: &str) -> Result<Value, Refusal> {
    let found = books.file.query_row(
        "SELECT payload FROM draft WHERE tenant = ?1 AND key = ?2",
        (tenant, key),
        |row| row.get::<_, String>(0),
    );
    let items = found
        .optional()?
        .into_iter()
        .map(|text| serde_json::from_str(&text))
        .collect::<Result<Vec<Value>, _>>()?;
    Ok(json!({"items": items}))
}

/// Enters a purchase request into the queue. One key is one request.
pub(crate) fn request(books: &mut Books, tenant: &str, key: &str, payload: &Value) -> Result<Value, Refusal> {
    if fault::strikes(books, "refuse")? {
        return Err(Refusal::Business("requests are closed".to_owned()));
    }
    if fault::strikes(books, "hang-before")? {
        fault::hang();
    }
    if fault::strikes(books, "lie")? {
        return Ok(
            json!({"id": format!("P-{key}"), "amount_minor": number(payload, "amount_minor")?, "state": "queued"}),
        );
    }
    let (supplier, amount, currency) =
        (text(payload, "supplier_id")?, number(payload, "amount_minor")?, text(payload, "currency")?);
    let after = fault::strikes(books, "hang-after")?;
    let change = books.change()?;
    if let Some(kept) = kept_request(&change, tenant, key)? {
        let (written, value) = kept;
        if serde_json::from_str::<Value>(&written)? != *payload {
            return Err(Refusal::Conflict("the key was used for another request".to_owned()));
        }
        return Ok(value);
    }
    let blocked = change.query_row(
        "SELECT blocked FROM supplier WHERE id = ?1 AND tenant = ?2",
        (supplier, tenant),
        |row| row.get::<_, bool>(0),
    );
    if blocked.optional()?.ok_or(Refusal::NotYours)? {
        return Err(Refusal::Business("the supplier is blocked".to_owned()));
    }
    if amount > left(&change, tenant, currency)?.1 {
        return Err(Refusal::Business("the budget does not suffice".to_owned()));
    }
    let id = format!("P-{key}");
    change.execute(
        "INSERT INTO request VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
        (&id, key, tenant, payload.to_string(), supplier, amount, currency),
    )?;
    change.commit()?;
    if after {
        fault::hang();
    }
    Ok(json!({"id": id, "amount_minor": amount, "state": "queued"}))
}

fn kept_request(
    change: &Transaction<'_>,
    tenant: &str,
    key: &str,
) -> Result<Option<(String, Value)>, Refusal> {
    let kept = change.query_row(
        "SELECT payload, id, amount_minor FROM request WHERE tenant = ?1 AND key = ?2",
        (tenant, key),
        |row| {
            let value =
                json!({"id": row.get::<_, String>(1)?, "amount_minor": row.get::<_, i64>(2)?, "state": "queued"});
            Ok((row.get::<_, String>(0)?, value))
        },
    );
    Ok(kept.optional()?)
}

/// The requests under a key: none or one.
pub(crate) fn find_request(books: &Books, tenant: &str, key: &str) -> Result<Value, Refusal> {
    let found = books.file.query_row(
        "SELECT id, amount_minor FROM request WHERE tenant = ?1 AND key = ?2",
        (tenant, key),
        |row| Ok(json!({"id": row.get::<_, String>(0)?, "amount_minor": row.get::<_, i64>(1)?, "state": "queued"})),
    );
    Ok(json!({"items": found.optional()?.into_iter().collect::<Vec<_>>()}))
}

/// One request of the tenant.
pub(crate) fn get_request(books: &Books, tenant: &str, id: &str) -> Result<Value, Refusal> {
    let found = books.file.query_row(
        "SELECT supplier, amount_minor, currency FROM request WHERE id = ?1 AND tenant = ?2",
        (id, tenant),
        |row| {
            Ok(json!({
                "found": true,
                "supplier_id": row.get::<_, String>(0)?,
                "amount_minor": row.get::<_, i64>(1)?,
                "currency": row.get::<_, String>(2)?,
            }))
        },
    );
    Ok(found
        .optional()?
        .unwrap_or_else(|| json!({"found": false, "supplier_id": "", "amount_minor": 0, "currency": ""})))
}

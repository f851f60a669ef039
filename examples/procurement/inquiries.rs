//! Inquiries by mail: taken at once, delivered later.

use rusqlite::OptionalExtension as _;
use serde_json::{Value, json};

use crate::books::{Books, text};
use crate::{Refusal, fault};

/// How often it is looked before a mail has gone out.
const LOOKS: i64 = 2;

/// Takes an inquiry to a supplier. One key is one mail.
pub(crate) fn send(books: &mut Books, tenant: &str, key: &str, payload: &Value) -> Result<Value, Refusal> {
    if fault::strikes(books, "refuse")? {
        return Err(Refusal::Business("the mail was refused".to_owned()));
    }
    if fault::strikes(books, "hang-before")? {
        fault::hang();
    }
    if fault::strikes(books, "lie")? {
        return Ok(json!({"accepted": true, "operation_id": format!("M-{key}")}));
    }
    let supplier = text(payload, "supplier_id")?;
    text(payload, "question")?;
    let after = fault::strikes(books, "hang-after")?;
    let change = books.change()?;
    let known =
        change.query_row("SELECT 1 FROM supplier WHERE id = ?1 AND tenant = ?2", (supplier, tenant), |_| {
            Ok(())
        });
    known.optional()?.ok_or(Refusal::NotYours)?;
    let id = format!("M-{key}");
    let written = payload.to_string();
    let before = change.query_row(
        "SELECT payload FROM inquiry WHERE tenant = ?1 AND key = ?2",
        (tenant, key),
        |row| row.get::<_, String>(0),
    );
    match before.optional()? {
        Some(before) if before == written => {}
        Some(_) => return Err(Refusal::Conflict("the key was used for another inquiry".to_owned())),
        None => {
            change.execute("INSERT INTO inquiry VALUES (?1, ?2, ?3, ?4, 0)", (&id, key, tenant, &written))?;
        }
    }
    change.commit()?;
    if after {
        fault::hang();
    }
    Ok(json!({"accepted": true, "operation_id": id}))
}

/// The inquiries under a key: none or one.
pub(crate) fn find(books: &Books, tenant: &str, key: &str) -> Result<Value, Refusal> {
    let found =
        books.file.query_row("SELECT id FROM inquiry WHERE tenant = ?1 AND key = ?2", (tenant, key), |row| {
            row.get::<_, String>(0)
        });
    let items: Vec<Value> = found
        .optional()?
        .into_iter()
        .map(|id| json!({"id": id, "accepted": true, "operation_id": id}))
        .collect();
    Ok(json!({"items": items}))
}

/// How far a mail is. Each look brings it further.
pub(crate) fn state(books: &mut Books, tenant: &str, id: &str) -> Result<Value, Refusal> {
    let bounces = fault::strikes(books, "bounce")?;
    let forgets = fault::strikes(books, "forget-mail")?;
    let change = books.change()?;
    let row = change.query_row(
        "SELECT payload, looks FROM inquiry WHERE id = ?1 AND tenant = ?2",
        (id, tenant),
        |row| Ok((row.get::<_, String>(0)?, row.get::<_, i64>(1)?)),
    );
    let (payload, looks) = row.optional()?.ok_or(Refusal::NotYours)?;
    if bounces {
        return Ok(json!({"id": id, "state": "bounced"}));
    }
    change.execute("UPDATE inquiry SET looks = looks + 1 WHERE id = ?1", [id])?;
    let state = match looks {
        0 => "queued",
        _ if looks < LOOKS => "sending",
        _ => "delivered",
    };
    if state == "delivered" && !forgets {
        let payload: Value = serde_json::from_str(&payload)?;
        let supplier = text(&payload, "supplier_id")?;
        change.execute(
            "INSERT OR IGNORE INTO delivery SELECT ?1, mail FROM supplier WHERE id = ?2",
            (id, supplier),
        )?;
    }
    change.commit()?;
    Ok(json!({"id": id, "state": state}))
}

/// What the receiving side recorded of a mail.
pub(crate) fn delivery(books: &Books, tenant: &str, id: &str) -> Result<Value, Refusal> {
    let found = books.file.query_row(
        "SELECT recipient FROM delivery JOIN inquiry ON inquiry.id = delivery.inquiry WHERE inquiry.id = ?1 AND tenant = ?2",
        (id, tenant),
        |row| row.get::<_, String>(0),
    );
    Ok(match found.optional()? {
        Some(recipient) => json!({"delivered": true, "recipient": recipient}),
        None => json!({"delivered": false}),
    })
}

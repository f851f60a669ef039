//! The file that holds what really happened.

use std::time::Duration;

use rusqlite::{Connection, Transaction, TransactionBehavior};
use serde_json::{Value, json};

use crate::Refusal;

const SCHEMA: &str = "
CREATE TABLE IF NOT EXISTS supplier (id TEXT PRIMARY KEY, tenant TEXT NOT NULL, name TEXT NOT NULL, mail TEXT NOT NULL, blocked INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS quote (supplier TEXT NOT NULL, item TEXT NOT NULL, amount_minor INTEGER NOT NULL, currency TEXT NOT NULL, days INTEGER, PRIMARY KEY (supplier, item));
CREATE TABLE IF NOT EXISTS budget (tenant TEXT NOT NULL, currency TEXT NOT NULL, limit_minor INTEGER NOT NULL, PRIMARY KEY (tenant, currency));
CREATE TABLE IF NOT EXISTS draft (key TEXT NOT NULL, tenant TEXT NOT NULL, payload TEXT NOT NULL, PRIMARY KEY (tenant, key));
CREATE TABLE IF NOT EXISTS request (id TEXT PRIMARY KEY, key TEXT NOT NULL, tenant TEXT NOT NULL, payload TEXT NOT NULL, supplier TEXT NOT NULL, amount_minor INTEGER NOT NULL, currency TEXT NOT NULL, UNIQUE (tenant, key));
CREATE TABLE IF NOT EXISTS inquiry (id TEXT PRIMARY KEY, key TEXT NOT NULL, tenant TEXT NOT NULL, payload TEXT NOT NULL, looks INTEGER NOT NULL, UNIQUE (tenant, key));
CREATE TABLE IF NOT EXISTS delivery (inquiry TEXT PRIMARY KEY, recipient TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS pass (id TEXT PRIMARY KEY);
CREATE TABLE IF NOT EXISTS fault (name TEXT PRIMARY KEY, times INTEGER NOT NULL);
";

/// Three suppliers of the tenant `local`, one of which has not said when it delivers; and one of another tenant.
const FIRST: &str = "
INSERT OR IGNORE INTO supplier VALUES
  ('S-1', 'local', 'Alder Office', 'sales@alder.example', 0),
  ('S-2', 'local', 'Birch Supply', 'offers@birch.example', 0),
  ('S-3', 'local', 'Cedar Trade', 'desk@cedar.example', 1),
  ('S-9', 'other', 'Dogwood', 'sales@dogwood.example', 0);
INSERT OR IGNORE INTO quote VALUES
  ('S-1', 'desk', 42350, 'EUR', 14), ('S-2', 'desk', 39900, 'EUR', NULL), ('S-3', 'desk', 31000, 'EUR', 7),
  ('S-9', 'desk', 100, 'EUR', 1);
INSERT OR IGNORE INTO budget VALUES ('local', 'EUR', 100000), ('other', 'EUR', 900000);
";

/// The file, opened.
pub(crate) struct Books {
    pub(crate) file: Connection,
}

impl Books {
    /// Opens the file, and makes it where there is none.
    pub(crate) fn open(path: &str) -> Result<Self, Refusal> {
        let mut file = Connection::open(path)?;
        file.busy_timeout(Duration::from_secs(10))?;
        file.execute_batch("PRAGMA synchronous = FULL;")?;
        let begun = file.transaction_with_behavior(TransactionBehavior::Immediate)?;
        begun.execute_batch(SCHEMA)?;
        if begun.query_row("SELECT count(*) FROM supplier", [], |row| row.get::<_, i64>(0))? == 0 {
            begun.execute_batch(FIRST)?;
        }
        begun.commit()?;
        Ok(Self { file })
    }

    /// Begins a change that nobody else's comes between.
    pub(crate) fn change(&mut self) -> Result<Transaction<'_>, Refusal> {
        Ok(self.file.transaction_with_behavior(TransactionBehavior::Immediate)?)
    }

    /// Tells everything that happened, for a person and for tests.
    pub(crate) fn tell(&self) -> Result<Value, Refusal> {
        let rows = |sql: &str| -> Result<Vec<Value>, Refusal> {
            let mut statement = self.file.prepare(sql)?;
            let found = statement.query_map([], |row| row.get::<_, String>(0))?;
            let texts = found.collect::<Result<Vec<_>, _>>()?;
            Ok(texts.iter().map(|text| serde_json::from_str(text).unwrap_or(Value::Null)).collect())
        };
        Ok(json!({
            "drafts": rows("SELECT json_object('key', key, 'tenant', tenant) FROM draft ORDER BY key")?,
            "requests": rows("SELECT json_object('key', key, 'tenant', tenant, 'supplier_id', supplier, 'amount_minor', amount_minor) FROM request ORDER BY id")?,
            "inquiries": rows("SELECT json_object('key', key, 'tenant', tenant) FROM inquiry ORDER BY id")?,
            "deliveries": rows("SELECT json_object('recipient', recipient) FROM delivery ORDER BY inquiry")?,
        }))
    }
}

/// The text of a field.
pub(crate) fn text<'p>(payload: &'p Value, field: &str) -> Result<&'p str, Refusal> {
    payload
        .get(field)
        .and_then(Value::as_str)
        .ok_or_else(|| Refusal::Business(format!("`{field}` is missing")))
}

/// The whole number of a field.
pub(crate) fn number(payload: &Value, field: &str) -> Result<i64, Refusal> {
    payload
        .get(field)
        .and_then(Value::as_i64)
        .ok_or_else(|| Refusal::Business(format!("`{field}` is missing")))
}

//! Ways in which the system goes wrong when it is told to.

use std::time::Duration;

use rusqlite::OptionalExtension as _;
use serde_json::{Value, json};

use crate::Refusal;
use crate::books::Books;

/// What can be told: no service at all; no answer, before or after the work; success without work; a refusal; a mail
/// that never arrives, and one that is said to have arrived.
const NAMES: [&str; 7] = ["down", "hang-before", "hang-after", "lie", "refuse", "bounce", "forget-mail"];

/// Lets the next `times` calls go wrong.
pub(crate) fn arm(books: &Books, name: &str, times: &str) -> Result<Value, Refusal> {
    if !NAMES.contains(&name) {
        return Err(Refusal::Usage(format!("the faults are {}", NAMES.join(", "))));
    }
    let times: u32 = times.parse().map_err(|_| Refusal::Usage("`--times` takes a number".to_owned()))?;
    books.file.execute("INSERT OR REPLACE INTO fault VALUES (?1, ?2)", (name, times))?;
    Ok(json!({"fault": name, "times": times}))
}

/// Whether a call goes wrong in this way; counted.
pub(crate) fn strikes(books: &Books, name: &str) -> Result<bool, Refusal> {
    let left =
        books.file.query_row("SELECT times FROM fault WHERE name = ?1", [name], |row| row.get::<_, u32>(0));
    if left.optional()?.unwrap_or(0) == 0 {
        return Ok(false);
    }
    let taken =
        books.file.execute("UPDATE fault SET times = times - 1 WHERE name = ?1 AND times > 0", [name])?;
    Ok(taken == 1)
}

/// Gives no answer.
pub(crate) fn hang() -> ! {
    loop {
        std::thread::sleep(Duration::from_secs(3600));
    }
}

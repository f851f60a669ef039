//! From an outcome to what the model and the person see: redacted, then bounded.

use serde_json::Value;

use crate::code::{CallError, Effect, Status};
use crate::text;

use super::DisplayBody;

/// A result that may leave the gateway: redacted and bounded. Only [`present`](super::present) makes one.
///
/// What was not redacted cannot be passed off as presented:
///
/// ```compile_fail,E0451
/// # use tgw::present::Presented;
/// # fn forged(earlier: Presented, text: String) -> Presented {
/// Presented { content: Some(text), ..earlier }
/// # }
/// ```
#[derive(Debug)]
pub struct Presented {
    pub(super) status: Status,
    pub(super) effect: Effect,
    pub(super) verified: bool,
    pub(super) object: Option<Value>,
    pub(super) operation: Option<Value>,
    pub(super) content: Option<String>,
    pub(super) truncated: bool,
    pub(super) total: Option<Value>,
    pub(super) next: Option<Value>,
    pub(super) stored: Stored,
    pub(super) stderr: Option<String>,
    pub(super) warnings: Vec<String>,
    pub(super) error: Option<CallError>,
    pub(super) display: DisplayBody,
}

/// The whole value as it may be kept: redacted.
#[derive(Debug, Clone, PartialEq)]
pub enum Stored {
    /// There is no value, or it is withheld.
    Nothing,
    /// The value, and the bytes of its JSON.
    Value(Value, usize),
    /// The value is larger than what is kept; the bytes of its JSON.
    TooLarge(usize),
}

impl Presented {
    /// What happened to the call.
    #[must_use]
    pub fn status(&self) -> Status {
        self.status
    }

    /// Whether something changed.
    #[must_use]
    pub fn effect(&self) -> Effect {
        self.effect
    }

    /// For an effect that succeeded: `verified` where a look at the system of record confirmed it, else `unverified`.
    #[must_use]
    pub fn verification(&self) -> Option<&'static str> {
        (self.status == Status::Succeeded && self.effect == Effect::Happened).then_some(if self.verified {
            "verified"
        } else {
            "unverified"
        })
    }

    /// The object that an effect made or changed.
    #[must_use]
    pub fn object(&self) -> Option<&Value> {
        self.object.as_ref()
    }

    /// The backend's id of the operation that the call began.
    #[must_use]
    pub fn operation(&self) -> Option<&Value> {
        self.operation.as_ref()
    }

    /// The bounded text that the model sees.
    #[must_use]
    pub fn content(&self) -> Option<&str> {
        self.content.as_deref()
    }

    /// Whether the content is less than the whole.
    #[must_use]
    pub fn truncated(&self) -> bool {
        self.truncated
    }

    /// How much there is in all.
    #[must_use]
    pub fn total(&self) -> Option<&Value> {
        self.total.as_ref()
    }

    /// Where the next page starts.
    #[must_use]
    pub fn next(&self) -> Option<&Value> {
        self.next.as_ref()
    }

    /// The whole value, as it may be kept.
    #[must_use]
    pub fn stored(&self) -> &Stored {
        &self.stored
    }

    /// The end of standard error, for the audit and the display.
    #[must_use]
    pub fn stderr(&self) -> Option<&str> {
        self.stderr.as_deref()
    }

    /// Remarks that are not errors.
    #[must_use]
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }

    /// The error.
    #[must_use]
    pub fn error(&self) -> Option<&CallError> {
        self.error.as_ref()
    }

    /// What a person is shown.
    #[must_use]
    pub fn display(&self) -> &DisplayBody {
        &self.display
    }

    /// Adds a remark that is not an error. Its characters are the gateway's own or already redacted.
    pub fn warn(&mut self, warning: impl Into<String>) {
        self.warnings.push(warning.into());
    }
}

/// Whether a display body would show nothing of its own.
pub(super) fn is_plain(body: &DisplayBody) -> bool {
    matches!(body, DisplayBody::Content)
}

/// The columns and rows of a table over a value, as the contract lays it out.
///
/// `None` where the rows are not there or are no list.
pub(super) fn table(value: &Value, columns: &[String], rows: Option<&str>) -> Option<DisplayBody> {
    let rows = value.pointer(rows.unwrap_or_default())?.as_array()?;
    let cell = |row: &Value, column: &String| match row.get(column) {
        None | Some(Value::Null) => String::new(),
        Some(Value::String(text)) => text::head(text, CELL_BYTES).to_owned(),
        Some(other) => text::head(&other.to_string(), CELL_BYTES).to_owned(),
    };
    let rows = rows.iter().take(ROWS).map(|row| columns.iter().map(|column| cell(row, column)).collect());
    Some(DisplayBody::Table { columns: columns.to_vec(), rows: rows.collect() })
}

/// Most bytes of one cell of a table.
const CELL_BYTES: usize = 400;

/// Most rows that a display keeps.
const ROWS: usize = 1000;

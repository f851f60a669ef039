//! A small purchasing system with real state: suppliers, quotes, budgets, drafts, inquiries by mail, purchase requests.
//!
//! Every command is a process of its own, reads its payload as JSON from stdin where it has one, and prints one JSON
//! value. What it keeps is in one SQLite file, so that it can be asked afterwards what really happened. `fault` makes
//! the next calls go wrong in a named way.
//!
//! Where `PROCUREMENT_KEYS` names a file, every command but `fault` and `tell` needs a pass of tgw's for exactly it, in
//! `PURCHASING_PASS`: see `pass.rs`.
//!
//! Exit status: 0 done, 2 refused and nothing happened, 3 the key was used for something else, 4 not this tenant's,
//! 64 a wrong command line, 70 the file cannot be used, 75 out of service.

use std::error::Error;
use std::io::{Read as _, Write as _};
use std::process::ExitCode;

use serde_json::Value;

mod books;
mod fault;
mod inquiries;
mod pass;
mod purchases;

use books::Books;

/// Why a command was not carried out.
#[derive(Debug)]
pub(crate) enum Refusal {
    /// Nothing happened, for a reason of the business.
    Business(String),
    /// The key names another request.
    Conflict(String),
    /// The object belongs to another tenant, or is not there: which of the two is not told.
    NotYours,
    /// Out of service.
    Down,
    /// The command line is wrong.
    Usage(String),
    /// The file cannot be used.
    Broken(Box<dyn Error>),
}

impl<E: Error + 'static> From<E> for Refusal {
    fn from(error: E) -> Self {
        Self::Broken(Box::new(error))
    }
}

impl Refusal {
    fn status(&self) -> u8 {
        match self {
            Self::Business(_) => 2,
            Self::Conflict(_) => 3,
            Self::NotYours => 4,
            Self::Usage(_) => 64,
            Self::Broken(_) => 70,
            Self::Down => 75,
        }
    }

    fn message(&self) -> String {
        match self {
            Self::Business(why) | Self::Conflict(why) | Self::Usage(why) => why.clone(),
            Self::NotYours => "no such object for this tenant".to_owned(),
            Self::Down => "out of service".to_owned(),
            Self::Broken(error) => error.to_string(),
        }
    }
}

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    match run(&words) {
        Ok(value) => {
            // Whoever asked may be gone; what was done stays done.
            let _ = writeln!(std::io::stdout(), "{value}");
            ExitCode::SUCCESS
        }
        Err(refusal) => {
            eprintln!("{}", refusal.message());
            ExitCode::from(refusal.status())
        }
    }
}

fn run(words: &[String]) -> Result<Value, Refusal> {
    let (command, rest) = words
        .split_first()
        .ok_or_else(|| Refusal::Usage("which command? see examples/procurement/README.md".into()))?;
    let words = Words(rest);
    let mut books =
        Books::open(&std::env::var("PROCUREMENT_BOOKS").unwrap_or_else(|_| "books.db".to_owned()))?;
    match command.as_str() {
        "fault" => return fault::arm(&books, words.get("--name")?, words.get("--times").unwrap_or("1")),
        "tell" => return books.tell(),
        _ => {}
    }
    let tenant = words.get("--tenant")?;
    if fault::strikes(&books, "down")? {
        return Err(Refusal::Down);
    }
    let payload = match command.as_str() {
        "save-draft" | "request" | "inquire" => Some(payload()?),
        _ => None,
    };
    if let Some(keys) = std::env::var_os("PROCUREMENT_KEYS") {
        let keys = std::fs::read_to_string(keys)?;
        let pass = std::env::var("PURCHASING_PASS").unwrap_or_default();
        let arguments = payload.clone().unwrap_or_else(|| words.arguments());
        pass::check(
            &books,
            &keys,
            &pass,
            &pass::Request { tenant, tool: tool(command)?, arguments: &arguments },
        )?;
    }
    let payload = payload.unwrap_or_default();
    match command.as_str() {
        "suppliers" => purchases::suppliers(&books, tenant, words.get("--item")?),
        "supplier" => purchases::supplier(&books, tenant, words.get("--id")?),
        "budget" => purchases::budget(&books, tenant, words.get("--currency")?),
        "save-draft" => purchases::save_draft(&mut books, tenant, words.get("--key")?, &payload),
        "find-draft" => purchases::find_draft(&books, tenant, words.get("--key")?),
        "request" => purchases::request(&mut books, tenant, words.get("--key")?, &payload),
        "find-request" => purchases::find_request(&books, tenant, words.get("--key")?),
        "get-request" => purchases::get_request(&books, tenant, words.get("--id")?),
        "inquire" => inquiries::send(&mut books, tenant, words.get("--key")?, &payload),
        "find-inquiry" => inquiries::find(&books, tenant, words.get("--key")?),
        "inquiry-state" => inquiries::state(&mut books, tenant, words.get("--id")?),
        "delivery" => inquiries::delivery(&books, tenant, words.get("--id")?),
        other => Err(Refusal::Usage(format!("no command `{other}`"))),
    }
}

/// The tool of tools.yaml that a command serves.
fn tool(command: &str) -> Result<&'static str, Refusal> {
    Ok(match command {
        "suppliers" => "search_suppliers",
        "supplier" => "get_supplier",
        "budget" => "get_budget",
        "save-draft" => "save_supplier_comparison_draft",
        "request" => "create_purchase_request",
        "find-request" => "find_request",
        "get-request" => "get_request",
        "inquire" => "ask_supplier",
        "find-inquiry" => "find_inquiry",
        "inquiry-state" => "get_inquiry_state",
        "delivery" => "get_delivery",
        other => return Err(Refusal::Usage(format!("no tool for `{other}`"))),
    })
}

fn payload() -> Result<Value, Refusal> {
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text)?;
    Ok(serde_json::from_str(&text)?)
}

/// The words behind a command: pairs of a name and its value.
struct Words<'a>(&'a [String]);

impl<'a> Words<'a> {
    /// The arguments of the tool, where they come as words: every pair but the tenant's.
    fn arguments(&self) -> Value {
        let pairs = self.0.chunks_exact(2).filter_map(|pair| match pair {
            [key, _] if key == "--tenant" => None,
            [key, value] if key == "--key" => Some(("reference".to_owned(), Value::from(&**value))),
            [key, value] => Some((key.trim_start_matches('-').to_owned(), Value::from(&**value))),
            _ => None,
        });
        Value::Object(pairs.collect())
    }

    fn get(&self, name: &str) -> Result<&'a str, Refusal> {
        let mut pairs = self.0.chunks_exact(2);
        let found = pairs.find_map(|pair| match pair {
            [key, value] if key == name => Some(value.as_str()),
            _ => None,
        });
        found.ok_or_else(|| Refusal::Usage(format!("`{name}` is missing")))
    }
}

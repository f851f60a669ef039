//! What calls have taken from budgets.

use crate::clock::Timestamp;

/// One purse: what is left in it is its own, whoever else has one under the same budget.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Purse<'a> {
    /// The budget's id.
    pub budget: &'a str,
    /// Whose it is: `task`, `agent`, `user`, `tenant`.
    pub per: &'a str,
    /// The name of that one.
    pub subject: &'a str,
    /// The value that splits the budget, as JSON text; `None` where nothing does.
    pub group: Option<&'a str>,
}

/// What a call takes from a purse at the moment it begins.
#[derive(Debug, Clone, Copy)]
pub struct NewCharge<'a> {
    /// The purse.
    pub purse: Purse<'a>,
    /// The effect that takes it, or a random id for a call without one.
    pub source: &'a str,
    /// How much.
    pub amount: u64,
    /// The most that the purse may hold of charges since [`NewCharge::since`], this one included; `None` where a person let
    /// this call go over it.
    pub limit: Option<u64>,
    /// From when on charges count; `None` for all.
    pub since: Option<Timestamp>,
    /// When it no longer counts; `None` for never.
    pub until: Option<Timestamp>,
}

/// What counts of a purse.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PurseQuery<'a> {
    /// The purse.
    pub purse: Purse<'a>,
    /// From when on charges count; `None` for all.
    pub since: Option<Timestamp>,
    /// An effect whose charge is not looked at, since it would only be taken again.
    pub except: Option<&'a str>,
}

/// What a purse holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PurseTotal {
    /// Whose it is.
    pub subject: String,
    /// The value that splits the budget, as JSON text.
    pub group: Option<String>,
    /// What was taken.
    pub used: u64,
    /// By how many calls.
    pub calls: u64,
    /// When the oldest of them took it.
    pub oldest: Timestamp,
}

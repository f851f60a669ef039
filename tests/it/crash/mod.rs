//! `kill -9` at every commit and at any other moment, at volume: what the backend did, what the ledger says, what is in the
//! audit chain and what was replied must agree.
//!
//! `TGW_CRASH_KILLS=500` is the long form of the random schedules, `TGW_CRASH_SEED` repeats one of them.

mod agree;
mod backend;
mod episode;
mod random;
mod schedule;
mod sweep;
mod victim;

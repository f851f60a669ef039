//! Ids within one run: the missing ones assigned, the repeated ones refused, in flat memory.

use std::collections::HashSet;
use std::hash::{BuildHasher, BuildHasherDefault, Hasher, RandomState};

use crate::code::{CallError, ErrorCode};
use crate::ident::CallId;

/// The ids of one run.
///
/// Assigned ids are `call_RUN_N` and need no storage. Of the given ones it keeps a 64-bit keyed fingerprint of at least
/// the latest [`IdRegister::WINDOW`], about 1.2 MB however long the run is: two different ids are taken for the same once
/// in 10^14 calls, and an id that comes back after more than the window is not noticed here.
#[derive(Debug)]
pub struct IdRegister {
    prefix: String,
    assigned: u64,
    keys: RandomState,
    // Two generations instead of a queue: when the younger is full it becomes the older, and the older is forgotten.
    recent: Fingerprints,
    earlier: Fingerprints,
}

type Fingerprints = HashSet<u64, BuildHasherDefault<AsIs>>;

impl IdRegister {
    /// How many given ids are remembered at the least: as many as a table of 2^16 places takes before it doubles.
    pub const WINDOW: usize = 57_344;

    /// A register for the run of this number, which should be random: an assigned id may name an effect.
    #[must_use]
    pub fn new(run: u64) -> Self {
        Self {
            prefix: format!("call_{run:016x}_"),
            assigned: 0,
            keys: RandomState::new(),
            recent: Fingerprints::default(),
            earlier: Fingerprints::default(),
        }
    }

    /// The next id for a call that has none.
    pub fn assign(&mut self) -> CallId {
        loop {
            self.assigned += 1;
            if let Ok(id) = CallId::parse(&format!("{}{}", self.prefix, self.assigned))
                && !self.remembers(&id)
            {
                return id;
            }
        }
    }

    /// Takes note of an id that a call was given.
    ///
    /// # Errors
    /// `MALFORMED_CALL` where the run has used it before.
    pub fn claim(&mut self, id: &CallId) -> Result<(), CallError> {
        let fingerprint = self.keys.hash_one(id.as_str());
        if self.was_assigned(id) || self.earlier.contains(&fingerprint) || !self.recent.insert(fingerprint) {
            let message = format!("the id `{}` was used before in this run", id.as_str());
            return Err(CallError::new(ErrorCode::MalformedCall, message)
                .with_hint("give every call an id of its own, or none"));
        }
        if self.recent.len() >= Self::WINDOW {
            std::mem::swap(&mut self.recent, &mut self.earlier);
            self.recent.clear();
        }
        Ok(())
    }

    fn remembers(&self, id: &CallId) -> bool {
        let fingerprint = self.keys.hash_one(id.as_str());
        self.recent.contains(&fingerprint) || self.earlier.contains(&fingerprint)
    }

    fn was_assigned(&self, id: &CallId) -> bool {
        let number = id.as_str().strip_prefix(&self.prefix).and_then(|number| number.parse::<u64>().ok());
        number.is_some_and(|number| (1..=self.assigned).contains(&number))
    }
}

/// The hash of what is a hash already.
#[derive(Default)]
struct AsIs(u64);

impl Hasher for AsIs {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = self.0.rotate_left(8) ^ u64::from(*byte);
        }
    }

    fn write_u64(&mut self, value: u64) {
        self.0 = value;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(text: &str) -> CallId {
        CallId::parse(text).unwrap()
    }

    #[test]
    fn an_id_is_taken_once() {
        let mut register = IdRegister::new(7);
        assert_eq!(register.claim(&id("a")), Ok(()));
        assert_eq!(register.claim(&id("b")), Ok(()));
        let error = register.claim(&id("a")).unwrap_err();
        assert_eq!(error.code, ErrorCode::MalformedCall);
        assert_eq!(error.message, "the id `a` was used before in this run");
    }

    #[test]
    fn assigned_ids_count_as_used_and_avoid_given_ones() {
        let mut register = IdRegister::new(0xab);
        register.claim(&id("call_00000000000000ab_1")).unwrap();
        let assigned = register.assign();
        assert_eq!(assigned.as_str(), "call_00000000000000ab_2");
        assert!(register.claim(&assigned).is_err());
        assert!(register.claim(&id("call_00000000000000ab_3")).is_ok());
        assert_eq!(register.assign().as_str(), "call_00000000000000ab_4");
    }

    #[test]
    fn the_window_holds_and_memory_stays_flat() {
        let mut register = IdRegister::new(1);
        for number in 0..4 * IdRegister::WINDOW {
            assert!(register.claim(&id(&format!("c{number}"))).is_ok(), "c{number} was refused");
            if let Some(earlier) = number.checked_sub(IdRegister::WINDOW - 1) {
                assert!(number % 1_000 != 0 || register.claim(&id(&format!("c{earlier}"))).is_err());
            }
        }
        assert!(register.recent.capacity() + register.earlier.capacity() <= 2 * IdRegister::WINDOW);
    }
}

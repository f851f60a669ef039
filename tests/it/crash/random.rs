//! Chance that can be repeated.

/// How many processes a random schedule kills at least.
pub(super) fn kills() -> usize {
    std::env::var("TGW_CRASH_KILLS").map_or(15, |text| text.parse().unwrap())
}

/// Whether the long form was asked for.
pub(super) fn is_long() -> bool {
    std::env::var_os("TGW_CRASH_KILLS").is_some()
}

/// The numbers that follow from a seed (SplitMix64).
pub(super) struct Random(u64);

impl Random {
    pub(super) fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The seed of a schedule: what `TGW_CRASH_SEED` says, or any.
    pub(super) fn seed() -> u64 {
        if let Ok(text) = std::env::var("TGW_CRASH_SEED") {
            return text.parse().unwrap();
        }
        let mut bytes = [0; 8];
        getrandom::fill(&mut bytes).unwrap();
        u64::from_ne_bytes(bytes)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below `end`.
    pub(super) fn below(&mut self, end: usize) -> usize {
        usize::try_from(self.next() % end as u64).unwrap()
    }

    /// Whether something happens that happens in so many of a hundred cases.
    pub(super) fn in_hundred(&mut self, cases: usize) -> bool {
        self.below(100) < cases
    }

    pub(super) fn one_of<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.below(choices.len())]
    }
}

/// Says how a schedule is repeated, where it failed.
pub(super) struct SaysSeed(pub(super) u64);

impl Drop for SaysSeed {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("TGW_CRASH_SEED={} repeats the schedule", self.0);
        }
    }
}

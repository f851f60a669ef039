//! The released versions of the protocol.

use std::fmt;

/// A released version, oldest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Protocol {
    /// The first.
    V20241105,
    /// With batches.
    V20250326,
    /// With structured results.
    V20250618,
    /// The last with a handshake.
    V20251125,
    /// Without a handshake: every request says which version it speaks.
    V20260728,
}

impl Protocol {
    /// Every version, oldest first.
    pub const ALL: [Self; 5] =
        [Self::V20241105, Self::V20250326, Self::V20250618, Self::V20251125, Self::V20260728];

    /// The newest version that begins with `initialize`.
    pub const NEWEST_WITH_HANDSHAKE: Self = Self::V20251125;

    /// The version as it is written on the wire.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::V20241105 => "2024-11-05",
            Self::V20250326 => "2025-03-26",
            Self::V20250618 => "2025-06-18",
            Self::V20251125 => "2025-11-25",
            Self::V20260728 => "2026-07-28",
        }
    }

    /// Reads the form written on the wire.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|version| version.as_str() == text)
    }

    /// Whether it begins with `initialize`.
    #[must_use]
    pub fn has_handshake(self) -> bool {
        self <= Self::NEWEST_WITH_HANDSHAKE
    }
}

impl fmt::Display for Protocol {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}

//! What a result hides and shows besides what every result does.

/// A kind of personal data.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum PersonalKind {
    /// A mail address.
    Email = 1,
    /// The number of a payment card.
    Card = 2,
    /// An international bank account number.
    Iban = 4,
    /// A telephone number in international form.
    Phone = 8,
}

impl PersonalKind {
    /// Every kind.
    pub const ALL: [Self; 4] = [Self::Email, Self::Card, Self::Iban, Self::Phone];

    /// As files and placeholders name it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Email => "email",
            Self::Card => "card",
            Self::Iban => "iban",
            Self::Phone => "phone",
        }
    }

    /// The kind of this name.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == text)
    }
}

/// Kinds of personal data that are hidden.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Personal(u8);

impl Personal {
    /// These and one more.
    #[must_use]
    pub fn with(self, kind: PersonalKind) -> Self {
        Self(self.0 | kind as u8)
    }

    /// These and those.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// These without those.
    #[must_use]
    pub fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Whether a kind is among them.
    #[must_use]
    pub fn has(self, kind: PersonalKind) -> bool {
        self.0 & kind as u8 != 0
    }
}

impl FromIterator<PersonalKind> for Personal {
    fn from_iter<I: IntoIterator<Item = PersonalKind>>(kinds: I) -> Self {
        kinds.into_iter().fold(Self::default(), Self::with)
    }
}

/// What a tool's results hide and show besides what every result does.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Masks {
    /// Personal data that is hidden.
    pub personal: Personal,
    /// What only has the shape of a secret and is shown all the same.
    pub shown: Vec<Waiver>,
}

/// A kind of what only has the shape of a secret, and why it is none where this tool says it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Waiver {
    /// The kind, as a placeholder names it.
    pub kind: String,
    /// Why.
    pub reason: String,
}

/// Every kind of what has the shape of a secret, as placeholders name them: a provider, or one of those that have none.
pub fn shape_kinds() -> impl Iterator<Item = &'static str> {
    let lines = include_str!("../secret/shape/tokens.txt").lines().filter(|line| !line.starts_with('#'));
    lines.filter_map(|line| line.split_ascii_whitespace().next()).chain(["token", "jwt", "private_key"])
}

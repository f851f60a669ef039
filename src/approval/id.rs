//! Ids of what is kept about approvals.

use std::fmt;

use crate::code::{CallError, ErrorCode};

/// Letters of ids: lower case, without the ones that are read as others.
const LETTERS: &[u8; 32] = b"abcdefghjkmnpqrstuvwxyz023456789";

/// Letters of one id: 80 bits, so that no id can be guessed.
const LENGTH: usize = 16;

macro_rules! id {
    ($(#[$doc:meta])* $name:ident, $prefix:literal) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq, Hash)]
        pub struct $name(String);

        impl $name {
            /// A new id, at random.
            ///
            /// # Errors
            /// `INTERNAL` where the system has no randomness to give.
            pub fn random() -> Result<Self, CallError> {
                Ok(Self(format!("{}{}", $prefix, random_letters()?)))
            }

            /// Reads an id; `None` for anything that is not exactly one.
            #[must_use]
            pub fn parse(text: &str) -> Option<Self> {
                let letters = text.strip_prefix($prefix)?;
                let valid = letters.len() == LENGTH && letters.bytes().all(|byte| LETTERS.contains(&byte));
                valid.then(|| Self(text.to_owned()))
            }

            /// The id as text.
            #[must_use]
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str(&self.0)
            }
        }
    };
}

id!(
    /// The id of a stored question: `a_` and sixteen letters.
    ApprovalId, "a_"
);
id!(
    /// The id of a standing grant: `g_` and sixteen letters.
    GrantId, "g_"
);

fn random_letters() -> Result<String, CallError> {
    let mut bytes = [0; LENGTH];
    getrandom::fill(&mut bytes)
        .map_err(|_| CallError::new(ErrorCode::Internal, "the system has no randomness to give"))?;
    Ok(bytes
        .iter()
        .filter_map(|byte| LETTERS.get(usize::from(byte % 32)))
        .map(|letter| char::from(*letter))
        .collect())
}

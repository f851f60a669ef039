//! Random bytes from the system, drawn a page at a time.

use zeroize::Zeroizing;

use super::StoreError;

const POOL: usize = 2048;

/// Random bytes. Each is handed out once and wiped.
pub struct RandomPool {
    bytes: Zeroizing<Vec<u8>>,
}

impl Default for RandomPool {
    fn default() -> Self {
        Self { bytes: Zeroizing::new(Vec::new()) }
    }
}

impl RandomPool {
    /// Draws `N` bytes.
    ///
    /// # Errors
    /// [`StoreError::NoRandomness`] when the system has none.
    pub fn draw<const N: usize>(&mut self) -> Result<[u8; N], StoreError> {
        if self.bytes.len() < N {
            // One system call for many draws: a record that needs a key must not cost a trip to the kernel.
            self.bytes.resize(POOL.max(N), 0);
            getrandom::fill(&mut self.bytes).map_err(|error| StoreError::NoRandomness(error.to_string()))?;
        }
        let rest = self.bytes.len().saturating_sub(N);
        let mut drawn = [0; N];
        for (to, from) in drawn.iter_mut().zip(self.bytes.iter_mut().skip(rest)) {
            *to = std::mem::take(from);
        }
        self.bytes.truncate(rest);
        Ok(drawn)
    }

    /// Makes an id nobody can guess: `prefix` and 26 characters of base 32, 130 bits.
    ///
    /// # Errors
    /// [`StoreError::NoRandomness`] when the system has none.
    pub fn id(&mut self, prefix: &str) -> Result<String, StoreError> {
        // Crockford's alphabet: no letters that are mistaken for digits.
        const ALPHABET: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";
        let mut id = String::with_capacity(prefix.len() + 26);
        id.push_str(prefix);
        for byte in self.draw::<26>()? {
            id.extend(ALPHABET.get(usize::from(byte & 31)).map(|letter| char::from(*letter)));
        }
        Ok(id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_long_and_never_repeat() {
        let mut pool = RandomPool::default();
        let ids: std::collections::HashSet<String> = (0..500).map(|_| pool.id("r_").unwrap()).collect();
        assert_eq!(ids.len(), 500);
        assert!(ids.iter().all(|id| id.len() == 28 && id.starts_with("r_")));
    }
}

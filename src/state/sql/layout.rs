//! Where a record lies: the id of its row is its chain's id and its number in one integer, so that appending is always at
//! the end of one B-tree and needs no second index.

use crate::state::StoreError;

const SEQ_BITS: u32 = 40;

/// The row of record `seq` in a chain: 2^22 chains of 2^40 records each.
pub(super) fn row_id(chain: i64, seq: u64) -> Result<i64, StoreError> {
    i64::try_from(seq)
        .ok()
        .filter(|seq| *seq < 1 << SEQ_BITS)
        .zip(Some(chain).filter(|chain| (0..1 << (62 - SEQ_BITS)).contains(chain)))
        .map(|(seq, chain)| (chain << SEQ_BITS) | seq)
        .ok_or_else(|| StoreError::Unavailable("a chain has reached its greatest length".to_owned()))
}

/// The number of the record in a row.
pub(super) fn seq_of(row: i64) -> u64 {
    (row & ((1 << SEQ_BITS) - 1)).unsigned_abs()
}

/// SQL that turns a row's id into its chain's id.
pub(super) const CHAIN_OF_ROW: &str = "id >> 40";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_of_two_chains_never_meet() {
        assert_eq!(seq_of(row_id(3, 17).unwrap()), 17);
        assert!(row_id(1, (1 << 40) - 1).unwrap() < row_id(2, 0).unwrap());
        assert!(row_id(1, 1 << 40).is_err());
        assert!(row_id(1 << 22, 1).is_err());
    }
}

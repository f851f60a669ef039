//! Effects that are under way elsewhere, in SQLite: what is known of them, and who looks.

use crate::state::{ClaimedEffect, EffectState, PursuedEffect, Refusal, Settlement, StoreError};

use super::change::{Transaction, inserted, millis};
use super::rows::damaged;
use super::values;

impl Transaction<'_> {
    /// Notes what is known of an effect, and lets go of it. Refused where it is settled, or another attempt is under way.
    pub(super) fn pursue(&self, effect: &PursuedEffect<'_>) -> Result<(), StoreError> {
        let known: Option<(String, i64)> = self.sql.one(
            "SELECT state, attempt FROM effect WHERE id = ?1 AND tenant = ?2",
            values![effect.id, self.tenant.as_str()],
            |row| Ok((row.get(0)?, row.get(1)?)),
        )?;
        let (state, attempt) = known.ok_or(Refusal::UnknownEffect)?;
        let state = EffectState::parse(&state).ok_or_else(|| damaged("unknown state of an effect"))?;
        let fits = attempt.unsigned_abs() == effect.attempt
            && effect.state.is_pursued()
            && state.may_become(effect.state);
        if !fits {
            // As with an outcome that comes too late: the chain must still hold what the call heard.
            return if effect.how == Settlement::Outcome {
                Ok(())
            } else {
                Err(Refusal::EffectSettled.into())
            };
        }
        let pursuit = serde_json::to_string(effect.pursuit).map_err(damaged)?;
        self.sql.execute("UPDATE effect SET state = ?2, changed = CASE WHEN state = ?2 THEN changed ELSE ?3 END, how = ?4, code = NULL,
                    owner = NULL, pursuit = ?5, due = ?6, deadline = ?7
                 WHERE id = ?1", values![effect.id,
                effect.state.as_str(),
                millis(self.now),
                effect.how.as_str(),
                pursuit,
                millis(effect.due),
                millis(effect.deadline)])?;
        Ok(())
    }

    /// Takes the right to look at an effect. Of several that try, one gets it.
    pub(super) fn claim(&self, claimed: &ClaimedEffect<'_>) -> Result<(), StoreError> {
        let rows = self.sql.execute(
            "UPDATE effect SET owner = ?3, lease = ?4
                 WHERE id = ?1 AND tenant = ?2 AND state IN ('accepted', 'working') AND due <= ?5
                    AND (owner IS NULL OR owner = ?6 OR lease <= ?5)",
            values![
                claimed.id,
                self.tenant.as_str(),
                claimed.owner,
                millis(claimed.lease),
                millis(self.now),
                claimed.gone
            ],
        )?;
        inserted(rows, Refusal::EffectHeld)
    }
}

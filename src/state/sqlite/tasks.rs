//! Kept tasks: each row that changes is sealed again in the same transaction.

use rusqlite::{Connection, OptionalExtension, Row, params};

use crate::catalog::Digest;
use crate::ident::{StepName, TaskId, Tenant};
use crate::state::{KeptTask, MovedTask, NewTask, Refusal, Seal, SealKey, StoreError, TaskMark};

use super::SqliteStore;
use super::change::{Transaction, inserted, millis};
use super::rows::{Parsed, at, count, damaged, maybe_at};

impl Transaction<'_> {
    pub(super) fn start_task(&self, task: &NewTask<'_>) -> Result<(), StoreError> {
        let rows = self
            .connection
            .prepare_cached(
                "INSERT INTO task (tenant, id, content, step, revision, created, changed, changed_by)
                 VALUES (?1, ?2, ?3, ?4, 1, ?5, ?5, ?6) ON CONFLICT DO NOTHING",
            )?
            .execute(params![
                self.tenant.as_str(),
                task.id.as_str(),
                task.content,
                task.step.map(StepName::as_str),
                millis(self.now),
                task.by,
            ])?;
        inserted(rows, Refusal::TaskExists)?;
        self.seal_task(task.id)
    }

    /// Changes a task that is still as it was looked at. What is not believed is not changed, so that it never comes to be.
    pub(super) fn move_task(&self, task: &MovedTask<'_>) -> Result<(), StoreError> {
        let stored = self.kept(task.id)?;
        if stored.seal != Seal::Whole {
            return Err(Refusal::NotBelieved.into());
        }
        if stored.ended.is_some() {
            return Err(Refusal::TaskEnded.into());
        }
        if stored.revision != task.from {
            return Err(Refusal::TaskMoved.into());
        }
        self.connection
            .prepare_cached(
                "UPDATE task SET content = ?3, step = ?4, revision = revision + 1, changed = ?5, changed_by = ?6,
                                 ended = CASE WHEN ?7 THEN ?5 END
                 WHERE tenant = ?1 AND id = ?2",
            )?
            .execute(params![
                self.tenant.as_str(),
                task.id.as_str(),
                task.content,
                task.step.map(StepName::as_str),
                millis(self.now),
                task.by,
                task.ends,
            ])?;
        self.seal_task(task.id)
    }

    /// Holds that a task is as the call was decided under.
    pub(super) fn stand_in(&self, id: &TaskId, mark: TaskMark) -> Result<(), StoreError> {
        if task_mark(self.connection, self.tenant, id)? == Some(mark) {
            Ok(())
        } else {
            Err(Refusal::TaskMoved.into())
        }
    }

    fn kept(&self, id: &TaskId) -> Result<KeptTask, StoreError> {
        kept_task(self.connection, self.key, self.tenant, id)?.ok_or_else(|| Refusal::UnknownTask.into())
    }

    fn seal_task(&self, id: &TaskId) -> Result<(), StoreError> {
        let seal = self.key.seal(&self.kept(id)?.canonical())?;
        self.connection
            .prepare_cached("UPDATE task SET seal = ?3 WHERE tenant = ?1 AND id = ?2")?
            .execute(params![self.tenant.as_str(), id.as_str(), &seal.0[..]])?;
        Ok(())
    }
}

impl SqliteStore {
    pub(super) fn kept_task_of(&self, tenant: &Tenant, id: &TaskId) -> Result<Option<KeptTask>, StoreError> {
        kept_task(&self.connection, &self.key, tenant, id)
    }

    pub(super) fn task_mark_of(&self, tenant: &Tenant, id: &TaskId) -> Result<Option<TaskMark>, StoreError> {
        task_mark(&self.connection, tenant, id)
    }

    pub(super) fn kept_tasks(&self, tenant: &Tenant, limit: usize) -> Result<Vec<KeptTask>, StoreError> {
        let mut statement = self
            .connection
            .prepare_cached(&format!("{TASK} WHERE tenant = ?1 ORDER BY changed DESC, id LIMIT ?2"))?;
        let rows =
            statement.query_map(params![tenant.as_str(), limit as i64], |row| task_row(row, &self.key))?;
        rows.map(|row| row?).collect()
    }
}

const TASK: &str =
    "SELECT tenant, id, content, step, revision, created, changed, changed_by, ended, seal FROM task";

fn kept_task(
    connection: &Connection,
    key: &SealKey,
    tenant: &Tenant,
    id: &TaskId,
) -> Result<Option<KeptTask>, StoreError> {
    connection
        .prepare_cached(&format!("{TASK} WHERE tenant = ?1 AND id = ?2"))?
        .query_row(params![tenant.as_str(), id.as_str()], |row| task_row(row, key))
        .optional()?
        .transpose()
}

fn task_mark(connection: &Connection, tenant: &Tenant, id: &TaskId) -> Result<Option<TaskMark>, StoreError> {
    let found = connection
        .prepare_cached("SELECT revision, CASE WHEN length(seal) = 32 THEN seal END FROM task WHERE tenant = ?1 AND id = ?2")?
        .query_row(params![tenant.as_str(), id.as_str()], |row| {
            Ok(TaskMark { revision: count(row, 0)?, seal: row.get::<_, Option<[u8; 32]>>(1)?.map(Digest) })
        })
        .optional()?;
    Ok(found)
}

fn task_row(row: &Row<'_>, key: &SealKey) -> Parsed<KeptTask> {
    let (tenant, id, step): (String, String, Option<String>) = (row.get(0)?, row.get(1)?, row.get(3)?);
    Ok((|| {
        let mut task = KeptTask {
            tenant: Tenant::parse(&tenant).map_err(damaged)?,
            id: TaskId::parse(&id).map_err(damaged)?,
            content: row.get(2)?,
            step: step.as_deref().map(StepName::parse).transpose().map_err(damaged)?,
            revision: count(row, 4)?,
            created: at(row, 5)?,
            changed: at(row, 6)?,
            by: row.get(7)?,
            ended: maybe_at(row, 8)?,
            seal: Seal::Missing,
        };
        task.seal = key.check(&task.canonical(), row.get::<_, Option<Vec<u8>>>(9)?.as_deref());
        Ok(task)
    })())
}

//! Kept tasks: each row that changes is sealed again in the same transaction.

use crate::ident::{StepName, TaskId, Tenant};
use crate::state::{KeptTask, MovedTask, NewTask, Refusal, Seal, SealKey, StoreError, TaskMark};

use super::SqlStore;
use super::change::{Transaction, inserted, millis};
use super::rows::damaged;
use super::{Database, Row, values};

impl Transaction<'_> {
    pub(super) fn start_task(&self, task: &NewTask<'_>) -> Result<(), StoreError> {
        let rows = self.sql.execute(
            "INSERT INTO task (tenant, id, content, step, revision, created, changed, changed_by)
                 VALUES (?1, ?2, ?3, ?4, 1, ?5, ?5, ?6) ON CONFLICT DO NOTHING",
            values![
                self.tenant.as_str(),
                task.id.as_str(),
                task.content,
                task.step.map(StepName::as_str),
                millis(self.now),
                task.by
            ],
        )?;
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
        self.sql.execute(
            "UPDATE task SET content = ?3, step = ?4, revision = revision + 1, changed = ?5, changed_by = ?6,
                                 ended = CASE WHEN ?7 THEN CAST(?5 AS BIGINT) END
                 WHERE tenant = ?1 AND id = ?2",
            values![
                self.tenant.as_str(),
                task.id.as_str(),
                task.content,
                task.step.map(StepName::as_str),
                millis(self.now),
                task.by,
                task.ends
            ],
        )?;
        self.seal_task(task.id)
    }

    /// Holds that a task is as the call was decided under.
    pub(super) fn stand_in(&self, id: &TaskId, mark: TaskMark) -> Result<(), StoreError> {
        if task_mark(self.sql, self.tenant, id)? == Some(mark) {
            Ok(())
        } else {
            Err(Refusal::TaskMoved.into())
        }
    }

    fn kept(&self, id: &TaskId) -> Result<KeptTask, StoreError> {
        kept_task(self.sql, self.key, self.tenant, id)?.ok_or_else(|| Refusal::UnknownTask.into())
    }

    fn seal_task(&self, id: &TaskId) -> Result<(), StoreError> {
        let seal = self.key.seal(&self.kept(id)?.canonical())?;
        self.sql.execute(
            "UPDATE task SET seal = ?3 WHERE tenant = ?1 AND id = ?2",
            values![self.tenant.as_str(), id.as_str(), seal.0],
        )?;
        Ok(())
    }
}

impl SqlStore {
    pub(super) fn kept_task_of(&self, tenant: &Tenant, id: &TaskId) -> Result<Option<KeptTask>, StoreError> {
        kept_task(self.sql(), &self.key, tenant, id)
    }

    pub(super) fn task_mark_of(&self, tenant: &Tenant, id: &TaskId) -> Result<Option<TaskMark>, StoreError> {
        task_mark(self.sql(), tenant, id)
    }

    pub(super) fn kept_tasks(&self, tenant: &Tenant, limit: usize) -> Result<Vec<KeptTask>, StoreError> {
        self.sql().all(
            &format!("{TASK} WHERE tenant = ?1 ORDER BY changed DESC, id LIMIT ?2"),
            values![tenant.as_str(), limit],
            |row| task_row(row, &self.key),
        )
    }
}

const TASK: &str =
    "SELECT tenant, id, content, step, revision, created, changed, changed_by, ended, seal FROM task";

fn kept_task(
    sql: &dyn Database,
    key: &SealKey,
    tenant: &Tenant,
    id: &TaskId,
) -> Result<Option<KeptTask>, StoreError> {
    sql.one(&format!("{TASK} WHERE tenant = ?1 AND id = ?2"), values![tenant.as_str(), id.as_str()], |row| {
        task_row(row, key)
    })
}

fn task_mark(sql: &dyn Database, tenant: &Tenant, id: &TaskId) -> Result<Option<TaskMark>, StoreError> {
    let found = sql.one(
        "SELECT revision, CASE WHEN length(seal) = 32 THEN seal END FROM task WHERE tenant = ?1 AND id = ?2",
        values![tenant.as_str(), id.as_str()],
        |row| Ok(TaskMark { revision: row.count(0)?, seal: row.maybe_digest(1)? }),
    )?;
    Ok(found)
}

fn task_row(row: &Row<'_>, key: &SealKey) -> Result<KeptTask, StoreError> {
    let (tenant, id, step): (String, String, Option<String>) = (row.get(0)?, row.get(1)?, row.get(3)?);
    let mut task = KeptTask {
        tenant: Tenant::parse(&tenant).map_err(damaged)?,
        id: TaskId::parse(&id).map_err(damaged)?,
        content: row.get(2)?,
        step: step.as_deref().map(StepName::parse).transpose().map_err(damaged)?,
        revision: row.count(4)?,
        created: row.at(5)?,
        changed: row.at(6)?,
        by: row.get(7)?,
        ended: row.maybe_at(8)?,
        seal: Seal::Missing,
    };
    task.seal = key.check(&task.canonical(), row.maybe_bytes(9)?);
    Ok(task)
}

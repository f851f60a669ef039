//! Moving a store from a file to a server, whole.

use std::ops::ControlFlow;
use std::path::Path;

use super::postgres::{Postgres, Server};
use super::sql::{Database, Row, Value};
use super::sqlite::Sqlite;
use super::{Durability, SealKey, StoreError};

/// What a column holds.
#[derive(Clone, Copy)]
enum Kind {
    Integer,
    Text,
    Bytes,
}

use Kind::{Bytes, Integer, Text};

/// A table and its columns. Rows are taken in the order in which they came.
struct Table {
    name: &'static str,
    order: &'static str,
    columns: &'static [(&'static str, Kind)],
}

const TABLES: [Table; 8] = [
    Table {
        name: "chain",
        order: "id",
        columns: &[("id", Integer), ("tenant", Text), ("seq", Integer), ("hash", Bytes)],
    },
    Table {
        name: "record",
        order: "id",
        columns: &[("id", Integer), ("hash", Bytes), ("bytes", Bytes), ("key", Bytes), ("detail", Bytes)],
    },
    Table {
        name: "result",
        order: "rowid",
        columns: &[
            ("reference", Text),
            ("tenant", Text),
            ("task", Text),
            ("tool", Text),
            ("created", Integer),
            ("expires", Integer),
            ("trust", Text),
            ("value", Bytes),
        ],
    },
    Table {
        name: "approval",
        order: "rowid",
        columns: &[
            ("id", Text),
            ("tenant", Text),
            ("\"user\"", Text),
            ("agent", Text),
            ("agent_version", Text),
            ("task", Text),
            ("step", Text),
            ("tool", Text),
            ("call", Text),
            ("binding", Bytes),
            ("question", Bytes),
            ("created", Integer),
            ("expires", Integer),
            ("state", Text),
            ("answered", Integer),
            ("answered_by", Text),
            ("feedback", Text),
            ("spent", Integer),
            ("likeness", Bytes),
            ("seal", Bytes),
            ("answers", Text),
        ],
    },
    Table {
        name: "spent_grant",
        order: "id",
        columns: &[("id", Text), ("spent", Integer), ("expires", Integer)],
    },
    Table {
        name: "standing_grant",
        order: "rowid",
        columns: &[
            ("id", Text),
            ("tenant", Text),
            ("\"user\"", Text),
            ("agent", Text),
            ("agent_version", Text),
            ("task", Text),
            ("workspace", Bytes),
            ("tool", Text),
            ("contract", Bytes),
            ("pinned", Text),
            ("rules", Text),
            ("created", Integer),
            ("expires", Integer),
            ("uses", Integer),
            ("max_uses", Integer),
            ("revoked", Integer),
            ("seal", Bytes),
        ],
    },
    Table {
        name: "effect",
        order: "rowid",
        columns: &[
            ("id", Text),
            ("tenant", Text),
            ("tool", Text),
            ("origin", Text),
            ("key", Bytes),
            ("shown_key", Text),
            ("arguments", Bytes),
            ("shown_arguments", Text),
            ("exact_arguments", Text),
            ("contract", Bytes),
            ("\"user\"", Text),
            ("agent", Text),
            ("agent_version", Text),
            ("task", Text),
            ("call", Text),
            ("owner", Text),
            ("lease", Integer),
            ("attempt", Integer),
            ("state", Text),
            ("created", Integer),
            ("changed", Integer),
            ("how", Text),
            ("code", Text),
            ("outcome", Text),
            ("pursuit", Text),
            ("due", Integer),
            ("deadline", Integer),
        ],
    },
    Table {
        name: "charge",
        order: "source, budget",
        columns: &[
            ("source", Text),
            ("budget", Text),
            ("tenant", Text),
            ("per", Text),
            ("subject", Text),
            ("portion", Text),
            ("at", Integer),
            ("amount", Integer),
            ("until", Integer),
        ],
    },
];

const TASKS: Table = Table {
    name: "task",
    order: "tenant, id",
    columns: &[
        ("tenant", Text),
        ("id", Text),
        ("content", Text),
        ("step", Text),
        ("revision", Integer),
        ("created", Integer),
        ("changed", Integer),
        ("changed_by", Text),
        ("ended", Integer),
        ("seal", Bytes),
    ],
};

/// Moves the store in the file at `from` to an empty store on a server. Everything is there in one commit; the file is
/// marked as moved after it, and is never opened again. `key` has sealed what is moved, and seals the store on the server.
///
/// Returns how many rows were moved, or `None` where there is no file.
///
/// # Errors
/// [`StoreError::Busy`] where another process has the file open; [`StoreError::NotEmpty`] where the server holds a store with
/// records; otherwise why either cannot be used. The file is as it was then.
pub fn migrate(from: &Path, workspace: &Path, to: &Server, key: &SealKey) -> Result<Option<u64>, StoreError> {
    let Some(source) = Sqlite::open_existing(from, workspace)? else { return Ok(None) };
    let target = Postgres::open(to, key)?;
    source.alone()?;
    let moved = fill(&source, &target);
    let marked = match moved {
        Ok(moved) => source.mark_moved().map(|()| Some(moved)),
        Err(error) => Err(error),
    };
    if marked.is_err() {
        source.no_longer_alone();
    }
    marked
}

fn fill(source: &Sqlite, target: &Postgres) -> Result<u64, StoreError> {
    target.begin_alone(Durability::Power)?;
    let filled = fill_tables(source, target);
    match filled {
        Ok(moved) => target.commit().map(|()| moved),
        Err(error) => {
            target.roll_back();
            Err(error)
        }
    }
}

fn fill_tables(source: &dyn Database, target: &dyn Database) -> Result<u64, StoreError> {
    let tables = || TABLES.iter().chain([&TASKS]);
    for table in tables() {
        let any = format!("SELECT EXISTS (SELECT 1 FROM {})", table.name);
        if target.one(&any, &[], |row| row.get::<bool>(0))? != Some(false) {
            return Err(StoreError::NotEmpty);
        }
    }
    let mut moved = 0;
    for table in tables() {
        moved += copy(table, source, target)?;
    }
    // The server gives the next chain a number of its own.
    let next = "SELECT setval(pg_get_serial_sequence('tgw.chain', 'id'), COALESCE(MAX(id), 0) + 1, false) FROM chain";
    target.visit(next, &[], &mut |_| Ok(ControlFlow::Continue(())))?;
    Ok(moved)
}

fn copy(table: &Table, source: &dyn Database, target: &dyn Database) -> Result<u64, StoreError> {
    let Table { name, order, columns } = table;
    let names: Vec<&str> = columns.iter().map(|(name, _)| *name).collect();
    let names = names.join(", ");
    let places: Vec<String> = (1..=columns.len()).map(|place| format!("?{place}")).collect();
    let insert =
        format!("INSERT INTO {name} ({names}) OVERRIDING SYSTEM VALUE VALUES ({})", places.join(", "));
    let mut copied = 0;
    source.visit(&format!("SELECT {names} FROM {name} ORDER BY {order}"), &[], &mut |row| {
        let read: Vec<Read> = columns
            .iter()
            .enumerate()
            .map(|(index, (_, kind))| Read::of(row, index, *kind))
            .collect::<Result<_, _>>()?;
        let values: Vec<Value<'_>> = read.iter().map(Read::value).collect();
        copied += target.execute(&insert, &values)?;
        Ok(ControlFlow::Continue(()))
    })?;
    Ok(copied)
}

/// A value on its way.
enum Read {
    Integer(Option<i64>),
    Text(Option<String>),
    Bytes(Option<Vec<u8>>),
}

impl Read {
    fn of(row: &Row<'_>, column: usize, kind: Kind) -> Result<Self, StoreError> {
        Ok(match kind {
            Integer => Self::Integer(row.get(column)?),
            Text => Self::Text(row.get(column)?),
            Bytes => Self::Bytes(row.get(column)?),
        })
    }

    fn value(&self) -> Value<'_> {
        match self {
            Self::Integer(Some(value)) => Value::Integer(*value),
            Self::Text(Some(value)) => Value::Text(value),
            Self::Bytes(Some(value)) => Value::Bytes(value),
            Self::Integer(None) | Self::Text(None) | Self::Bytes(None) => Value::Null,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::testing::{Fixture, Kind, answers, commit, seals, tenant, walk};
    use crate::state::{Place, Seal, Store};

    /// A server's store whose machine has the key of `file`.
    fn server_for(file: &Fixture) -> Fixture {
        let server = Fixture::new(Kind::Postgres);
        std::fs::copy(file.home().join("seal.key"), server.home().join("seal.key")).unwrap();
        server
    }

    fn moved(file: &Fixture, server: &Fixture) -> Result<Option<u64>, StoreError> {
        let Place::Server(to) = server.place() else { unreachable!() };
        migrate(file.file(), Path::new("/nowhere"), to, &server.key())
    }

    #[test]
    fn a_moved_store_is_whole_and_believed_and_its_file_is_used_no_more() {
        if !Kind::postgres_is_there() {
            return;
        }
        let (file, mut store, ..) = answers(Kind::Sqlite);
        commit(&mut store, 2, &[], 70).unwrap();
        let head = store.head(&tenant()).unwrap();
        let server = server_for(&file);
        assert_eq!(moved(&file, &server), Err(StoreError::Busy), "a gateway has it open");
        commit(&mut store, 3, &[], 0).unwrap();
        drop(store);
        assert_eq!(moved(&file, &server), Ok(Some(71 + 1 + 2)));
        let mut there = server.open();
        assert_eq!(there.head(&tenant()).unwrap(), head);
        assert_eq!(walk(&there), 71);
        assert_eq!(seals(&there), (Seal::Whole, Seal::Whole));
        commit(&mut there, 4, &[], 2).unwrap();
        assert_eq!(walk(&there), 73);
        assert_eq!(Sqlite::open(file.file(), Path::new("/nowhere")).map(drop), Err(StoreError::Moved));
        assert_eq!(moved(&file, &server), Err(StoreError::Moved));
    }

    #[test]
    fn a_store_is_moved_only_to_an_empty_one_and_stays_where_it_is_else() {
        if !Kind::postgres_is_there() {
            return;
        }
        let (file, store, ..) = answers(Kind::Sqlite);
        drop(store);
        let server = server_for(&file);
        commit(&mut server.open(), 1, &[], 1).unwrap();
        assert_eq!(moved(&file, &server), Err(StoreError::NotEmpty));
        let mut store = file.open();
        commit(&mut store, 4, &[], 1).unwrap();
        assert_eq!((walk(&store), walk(&server.open())), (2, 1));
    }
}

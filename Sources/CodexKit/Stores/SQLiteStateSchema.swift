import SQLite

/// The tables of ``SQLiteRuntimeStateStore``. What is searched for or sorted by has a column of its own; the rest is JSON in `body`.
enum SQLiteStateSchema {
    /// Every step since the first release; only ever added to.
    static let steps = [
        Migration(
            """
            CREATE TABLE threads (
                id TEXT PRIMARY KEY NOT NULL, updated REAL NOT NULL, last_sequence INTEGER NOT NULL DEFAULT 0, body TEXT NOT NULL
            ) STRICT;
            CREATE TABLE turns (
                id TEXT NOT NULL, thread TEXT NOT NULL REFERENCES threads ON DELETE CASCADE, position INTEGER NOT NULL, body TEXT NOT NULL,
                PRIMARY KEY (thread, id)
            ) STRICT;
            CREATE INDEX turns_in_order ON turns (thread, position);
            CREATE TABLE history (
                thread TEXT NOT NULL REFERENCES threads ON DELETE CASCADE, sequence INTEGER NOT NULL, id TEXT NOT NULL,
                turn TEXT, kind TEXT NOT NULL, role TEXT, created REAL NOT NULL, body TEXT NOT NULL,
                PRIMARY KEY (thread, sequence)
            ) STRICT, WITHOUT ROWID;
            CREATE INDEX history_by_id ON history (thread, id);
            CREATE TABLE attachments (
                name TEXT PRIMARY KEY NOT NULL, thread TEXT NOT NULL, sequence INTEGER NOT NULL,
                FOREIGN KEY (thread, sequence) REFERENCES history ON DELETE CASCADE
            ) STRICT, WITHOUT ROWID;
            CREATE INDEX attachments_by_record ON attachments (thread, sequence);
            CREATE TABLE contexts (
                thread TEXT PRIMARY KEY NOT NULL REFERENCES threads ON DELETE CASCADE, covered INTEGER NOT NULL, body TEXT NOT NULL
            ) STRICT;
            """)
    ]
}

#pragma once
#include <sqlite3.h>

/// SQLITE_TRANSIENT, a macro with a cast: the bytes are copied.
static inline int forge_sqlite3_bind_copy(sqlite3_stmt *_Nonnull statement, int index, const void *_Nonnull bytes,
                                          int count) {
    return sqlite3_bind_blob(statement, index, bytes, count, SQLITE_TRANSIENT);
}

/// sqlite3_db_config(SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE), which is variadic: whether closing leaves the write-ahead log as it is.
static inline int forge_sqlite3_keep_log_on_close(sqlite3 *_Nonnull database, int keep) {
    return sqlite3_db_config(database, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, keep, (int *)0);
}

// The floor of a durable store: a bare loop that writes rows with SQLite, and a bare loop that only calls `fsync`.

#include "CFloor.h"
#include "floor_common.h"

#include <errno.h>
#include <fcntl.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct cfloor_table {
    sqlite3 *database;
    sqlite3_stmt *insert;
    uint64_t rows;
    uint32_t size;
    unsigned char value[];
};

static int run(sqlite3 *database, const char *text) { return sqlite3_exec(database, text, NULL, NULL, NULL); }

struct cfloor_table *cfloor_table_open(const char *path, uint32_t size) {
    struct cfloor_table *table = calloc(1, sizeof *table + size);
    if (!table) return NULL;
    table->size = size;
    memset(table->value, 0x5A, size);
    if (sqlite3_open(path, &table->database) == SQLITE_OK
        && run(table->database, "PRAGMA locking_mode=EXCLUSIVE; PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL")
               == SQLITE_OK
        && run(table->database, "CREATE TABLE records (kind INTEGER NOT NULL, key TEXT NOT NULL, value BLOB NOT NULL, "
                                "checksum INTEGER NOT NULL, PRIMARY KEY (kind, key)) WITHOUT ROWID") == SQLITE_OK
        && sqlite3_prepare_v2(table->database, "INSERT OR REPLACE INTO records VALUES (?, ?, ?, ?)", -1, &table->insert,
                              NULL) == SQLITE_OK)
        return table;
    cfloor_table_close(table);
    return NULL;
}

static int insert_row(struct cfloor_table *table) {
    char key[48];
    int length = snprintf(key, sizeof key, "run-1a2b3c4d5e6f7-%llu", (unsigned long long)table->rows);
    sqlite3_bind_int(table->insert, 1, 2);
    sqlite3_bind_text(table->insert, 2, key, length, SQLITE_STATIC);
    sqlite3_bind_blob(table->insert, 3, table->value, (int)table->size, SQLITE_STATIC);
    sqlite3_bind_int64(table->insert, 4, (sqlite3_int64)table->rows++);
    int code = sqlite3_step(table->insert);
    sqlite3_reset(table->insert);
    return code == SQLITE_DONE ? SQLITE_OK : SQLITE_ERROR;
}

int cfloor_table_add(struct cfloor_table *table, uint64_t count) {
    int failed = run(table->database, "BEGIN IMMEDIATE");
    while (count-- > 0 && failed == SQLITE_OK) failed = insert_row(table);
    if (failed == SQLITE_OK) failed = run(table->database, "COMMIT");
    return failed == SQLITE_OK ? 0 : EIO;
}

void cfloor_table_close(struct cfloor_table *table) {
    sqlite3_finalize(table->insert);
    sqlite3_close(table->database);
    free(table);
}

int cfloor_rows(const char *path, uint64_t rows, uint32_t batch, uint32_t size, uint64_t *elapsed_ns) {
    struct cfloor_table *table = cfloor_table_open(path, size);
    if (!table) return EIO;
    int error = 0;
    uint64_t start = cfloor_now();
    for (uint64_t left = rows; left > 0 && !error;) {
        uint64_t count = left < batch ? left : batch;
        error = cfloor_table_add(table, count);
        left -= count;
    }
    *elapsed_ns = cfloor_now() - start;
    cfloor_table_close(table);
    return error;
}

static int compare(const void *a, const void *b) {
    uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;
    return left < right ? -1 : left > right;
}

int cfloor_fsync(const char *path, uint32_t count, uint64_t *median_ns) {
    int file = open(path, O_CREAT | O_TRUNC | O_RDWR | O_CLOEXEC, 0600);
    if (file < 0) return errno;
    uint64_t *times = malloc(count * sizeof *times);
    int error = times ? 0 : ENOMEM;
    char page[4096];
    memset(page, 0x5A, sizeof page);
    for (uint32_t turn = 0; turn < count && !error; turn++) {
        uint64_t start = cfloor_now();
        if (write(file, page, sizeof page) != (ssize_t)sizeof page || fsync(file) != 0) error = errno;
        times[turn] = cfloor_now() - start;
    }
    close(file);
    if (!error) {
        qsort(times, count, sizeof *times, compare);
        *median_ns = times[count / 2];
    }
    free(times);
    return error;
}

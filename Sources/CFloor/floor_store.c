// What SQLite does in a bare loop, and what the disk does with the least there is to write: the floor of a durable store.

#include "CFloor.h"
#include "floor_common.h"

#include <errno.h>
#include <fcntl.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int run(sqlite3 *database, const char *text) { return sqlite3_exec(database, text, NULL, NULL, NULL); }

static int write_rows(sqlite3 *database, sqlite3_stmt *insert, uint64_t rows, uint32_t batch, uint32_t size) {
    unsigned char *value = malloc(size);
    if (!value) return ENOMEM;
    memset(value, 0x5A, size);
    int failed = SQLITE_OK;
    for (uint64_t row = 0; row < rows && failed == SQLITE_OK; row++) {
        if (row % batch == 0) failed = run(database, "BEGIN IMMEDIATE");
        char key[48];
        int length = snprintf(key, sizeof key, "run-1a2b3c4d5e6f7-%llu", (unsigned long long)row);
        sqlite3_bind_int(insert, 1, 2);
        sqlite3_bind_text(insert, 2, key, length, SQLITE_STATIC);
        sqlite3_bind_blob(insert, 3, value, (int)size, SQLITE_STATIC);
        sqlite3_bind_int64(insert, 4, (sqlite3_int64)row);
        if (failed == SQLITE_OK && sqlite3_step(insert) != SQLITE_DONE) failed = SQLITE_ERROR;
        sqlite3_reset(insert);
        if (failed == SQLITE_OK && (row % batch == batch - 1 || row == rows - 1)) failed = run(database, "COMMIT");
    }
    free(value);
    return failed == SQLITE_OK ? 0 : EIO;
}

int cfloor_rows(const char *path, uint64_t rows, uint32_t batch, uint32_t size, uint64_t *elapsed_ns) {
    sqlite3 *database = NULL;
    sqlite3_stmt *insert = NULL;
    int error = EIO;
    if (sqlite3_open(path, &database) == SQLITE_OK
        && run(database, "PRAGMA locking_mode=EXCLUSIVE; PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL") == SQLITE_OK
        && run(database, "CREATE TABLE records (kind INTEGER NOT NULL, key TEXT NOT NULL, value BLOB NOT NULL, "
                         "checksum INTEGER NOT NULL, PRIMARY KEY (kind, key)) WITHOUT ROWID") == SQLITE_OK
        && sqlite3_prepare_v2(database, "INSERT OR REPLACE INTO records VALUES (?, ?, ?, ?)", -1, &insert, NULL)
               == SQLITE_OK) {
        uint64_t start = cfloor_now();
        error = write_rows(database, insert, rows, batch, size);
        *elapsed_ns = cfloor_now() - start;
    }
    sqlite3_finalize(insert);
    sqlite3_close(database);
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

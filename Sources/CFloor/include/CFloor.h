/// The floor: what plain C over libzmq does with the same frames on the same machine.
///
/// Measures are given as ratios to this, so it is written the way a C programmer would write it for speed: one thread
/// to a socket, blocking calls, no copy that can be left out. It sends and receives five frames, as the bus protocol
/// does: command, id, subject, attributes, body. The client can also drive a server that is not written in C, which is
/// how every later measure gets an impartial load.

#ifndef CFLOOR_H
#define CFLOOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#pragma clang assume_nonnull begin

/// How many frames a message has.
#define CFLOOR_FRAMES 5

/// How long the id frame is that the client makes unique for each request.
#define CFLOOR_ID_SIZE 36

/// How many bytes at the end of an id are the request's number, in lower-case hexadecimal digits.
#define CFLOOR_NUMBER_SIZE 12

/// How long a key's text is in Z85, with its terminating zero.
#define CFLOOR_KEY_SIZE 41

/// The longest endpoint that is handed back, with its terminating zero.
#define CFLOOR_ENDPOINT_SIZE 256

/// A clock that only goes forward, in nanoseconds. Both sides of a comparison read this one.
static inline uint64_t cfloor_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/// The bytes of one message, frame by frame.
struct cfloor_message {
    const uint8_t *_Nullable data[CFLOOR_FRAMES];
    size_t size[CFLOOR_FRAMES];
};

/// The keys of both ends of encrypted connections: texts of CFLOOR_KEY_SIZE bytes that are read during the call only.
///
/// Where a function takes them, null is for plain connections. No ZAP handler answers for a server in C, so CURVE
/// encrypts and proves keys but accepts any: that is the floor, and what a program spends on deciding is above it.
struct cfloor_curve {
    /// What the server keeps for itself.
    const char *server_secret_key;
    /// What the client knows of the server beforehand.
    const char *server_public_key;
    const char *client_public_key;
    const char *client_secret_key;
};

/// What a client does.
struct cfloor_load {
    /// The request. Its id frame (index 1) must be CFLOOR_ID_SIZE bytes long; the end of it is overwritten with a
    /// counter.
    struct cfloor_message request;
    /// Whether the end of the subject frame (index 2) is overwritten with the same counter; the frame must then have at
    /// least CFLOOR_NUMBER_SIZE bytes.
    bool unique_subject;
    /// How the client encrypts; null for plain connections.
    const struct cfloor_curve *_Nullable curve;
    /// How many requests to send.
    uint64_t count;
    /// How many may be outstanding.
    uint32_t window;
    /// How many messages answer one request; the last of them ends it.
    uint32_t answers_per_request;
    /// Added to the counter in the ids, so that runs against one server do not share ids.
    uint64_t first_id;
    /// How long no answer may come before the client gives up, in milliseconds.
    int timeout_ms;
};

/// What a client found.
struct cfloor_result {
    /// When the first request was sent, or the first message received, as `cfloor_now` tells the time.
    uint64_t started_ns;
    /// From the first send to the last answer.
    uint64_t elapsed_ns;
    /// Requests that were answered in full.
    uint64_t completed;
    /// Answers whose id frame was not that of an outstanding request, or whose frames were not five.
    uint64_t wrong;
};

/// What a server does with a message.
enum cfloor_answer {
    /// Takes the frames into memory of its own and sends them from there, as a program does that reads its messages.
    CFLOOR_COPY,
    /// Passes the frames on without looking at them, as a proxy does: no program that reads its messages can be faster.
    CFLOOR_FORWARD,
};

/// A running server.
struct cfloor_server;

/// Starts a server in its own thread with its own context. It sends back every message of five frames.
///
/// @param endpoint What to bind; `tcp://127.0.0.1:*` takes a free port.
/// @param answer How it does that.
/// @param reply The frames of the answer but for the id (index 1), copied; with null it sends back what it received.
/// @param curve How it encrypts; null for plain connections.
/// @param bound Where the endpoint with its real port is written.
/// @return The server, or null with errno set.
struct cfloor_server *_Nullable cfloor_server_start(
    const char *endpoint,
    enum cfloor_answer answer,
    const struct cfloor_message *_Nullable reply,
    const struct cfloor_curve *_Nullable curve,
    char bound[_Nonnull CFLOOR_ENDPOINT_SIZE]
);

/// Ends a server and waits until its thread is gone.
void cfloor_server_stop(struct cfloor_server *server);

/// Sends requests from the calling thread and waits for their answers.
///
/// @param endpoint What to connect to. @param load What to send. @param latencies Room for `load->count` times in
/// nanoseconds from send to last answer, in the order of completion; or null. @param result Where the findings are
/// written. @return 0, or an errno; ETIMEDOUT when answers stayed away.
int cfloor_client_run(
    const char *endpoint,
    const struct cfloor_load *load,
    uint64_t *_Nullable latencies,
    struct cfloor_result *result
);

/// Receives messages that a sender thread sends one way, and tells how long that took.
///
/// @param message What is sent; its id frame is not changed.
/// @param count How many.
/// @param curve How both encrypt; null for a plain connection.
/// @param result `completed` counts what was received, `wrong` what had not five frames.
/// @return 0, or an errno.
int cfloor_receive(
    const struct cfloor_message *message,
    uint64_t count,
    const struct cfloor_curve *_Nullable curve,
    struct cfloor_result *result
);

/// A thread that sends messages one way.
struct cfloor_sender;

/// Starts sending: the sender's half of `cfloor_receive`, for a receiver that is not in C.
///
/// The connection stays open until the sender is stopped, because what a receiver has not read yet may be lost with it.
///
/// @param message What is sent; it must outlive the sender.
/// @param curve How it encrypts; null for a plain connection.
/// @return The sender, or null with errno set.
struct cfloor_sender *_Nullable cfloor_sender_start(
    const char *endpoint,
    const struct cfloor_message *message,
    uint64_t count,
    const struct cfloor_curve *_Nullable curve
);

/// Closes the connection, also when not everything was sent, and waits until the thread is gone.
void cfloor_sender_stop(struct cfloor_sender *sender);

/// A table of a new SQLite file, with one prepared statement, in exclusive mode and with a write-ahead log that each commit
/// waits for.
struct cfloor_table;

/// Makes one. @param path The file; there must be none. @param size The bytes of each row's value. @return NULL where that
/// fails.
struct cfloor_table *_Nullable cfloor_table_open(const char *path, uint32_t size);

/// Adds so many rows in one transaction: one `fsync`, and more where SQLite brings its log home. @return 0, or an errno;
/// the table can only be closed then.
int cfloor_table_add(struct cfloor_table *table, uint64_t count);

/// Closes the file.
void cfloor_table_close(struct cfloor_table *table);

/// Writes rows into a new SQLite file in a bare loop: one prepared statement, a transaction and so an `fsync` a batch.
///
/// @param path The file; there must be none. @param size The bytes of a row's value. @param elapsed_ns Where the time is
/// written that the rows took. @return 0, or an errno.
int cfloor_rows(const char *path, uint64_t rows, uint32_t batch, uint32_t size, uint64_t *elapsed_ns);

/// Appends a page to a file and waits until it is on the disk, again and again.
///
/// @param path The file. @param median_ns Where the median of the times is written. @return 0, or an errno.
int cfloor_fsync(const char *path, uint32_t count, uint64_t *median_ns);

#pragma clang assume_nonnull end

#endif

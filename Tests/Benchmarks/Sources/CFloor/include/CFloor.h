/// The floor: programs in plain C over libzmq, SQLite and the disk, with which the measures compare the Swift code.
///
/// A measure is a ratio to the floor. So the floor is written as a C programmer would write it for speed: one thread for
/// each socket, blocking calls, no avoidable copies. It sends and receives messages of five frames, as the bus protocol
/// does: command, id, subject, attributes, body. The client can also send requests to a server that is not written in C,
/// so that both servers of a comparison get the same load.

#ifndef CFLOOR_H
#define CFLOOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#pragma clang assume_nonnull begin

/// How many frames a message has.
#define CFLOOR_FRAMES 5

/// The size in bytes of the id frame; the client makes the id unique for each request.
#define CFLOOR_ID_SIZE 36

/// How many bytes at the end of an id are the request's number, in lower-case hexadecimal digits.
#define CFLOOR_NUMBER_SIZE 12

/// How long a key's text is in Z85, with its terminating zero.
#define CFLOOR_KEY_SIZE 41

/// The size in bytes of a buffer for an endpoint, with the terminating zero.
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
/// If a function gets null instead of the keys, its connections are not encrypted. A server in C has no ZAP handler:
/// CURVE encrypts, and checks that a client holds its secret key, but every key may connect. So the floor does not
/// include the time in which a program decides which keys may connect.
struct cfloor_curve {
    /// Only the server knows this key.
    const char *server_secret_key;
    /// The client must know this key before it connects.
    const char *server_public_key;
    const char *client_public_key;
    const char *client_secret_key;
};

/// The work of a client: which requests it sends, and how many.
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
    /// How many requests may be sent and not yet answered in full at the same time.
    uint32_t window;
    /// How many messages answer one request; the last of them ends it.
    uint32_t answers_per_request;
    /// Added to the counter in the ids, so that runs against one server do not share ids.
    uint64_t first_id;
    /// How long the client waits for the connection, and for each answer, before it gives up, in milliseconds.
    int timeout_ms;
};

/// The result of a client or of a receiver.
struct cfloor_result {
    /// When the first request was sent, or the first message received, as `cfloor_now` tells the time.
    uint64_t started_ns;
    /// The time from the first send to the last answer, or from the first received message to the last one.
    uint64_t elapsed_ns;
    /// The number of requests that were answered in full, or of received messages.
    uint64_t completed;
    /// The number of answers that have no id of an unanswered request, and of messages that do not have five frames.
    uint64_t wrong;
};

/// What a server does with a message.
enum cfloor_answer {
    /// Copies the frames into its own memory and sends them from there, as a program that reads its messages does.
    CFLOOR_COPY,
    /// Passes the frames on without looking at them, as a proxy does: no program that reads its messages can be faster.
    CFLOOR_FORWARD,
};

/// A running server.
struct cfloor_server;

/// Starts a server in its own thread with its own context. It sends back every message of five frames.
///
/// @param endpoint What to bind; `tcp://127.0.0.1:*` takes a free port.
/// @param answer Whether it copies or forwards each message.
/// @param reply The frames of every answer, except the id frame (index 1), which is that of the request; the function
/// copies them. With null, the server sends back the received frames. CFLOOR_FORWARD ignores this parameter.
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

/// A running `zmq_proxy`.
struct cfloor_proxy;

/// Starts `zmq_proxy` in its own thread with its own context, with a PUB that captures.
///
/// @param server The endpoint that a DEALER connects to, behind a ROUTER; null for a proxy between an XSUB and an XPUB.
/// @param bound Where the endpoint of the ROUTER or the XSUB is written.
/// @param bound_back Where the endpoint of the XPUB is written.
/// @return The proxy, or null with errno set.
struct cfloor_proxy *_Nullable cfloor_proxy_start(
    const char *_Nullable server,
    char bound[_Nonnull CFLOOR_ENDPOINT_SIZE],
    char bound_back[_Nonnull CFLOOR_ENDPOINT_SIZE]
);

/// Ends a proxy and waits until its thread is gone.
void cfloor_proxy_stop(struct cfloor_proxy *proxy);

/// Sends requests from the calling thread and waits for their answers.
///
/// @param endpoint What to connect to.
/// @param load What to send.
/// @param latencies Room for `load->count` times, or null. Each time is that from the send of a request to its last
/// answer, in nanoseconds; the times are in the order of completion.
/// @param result Where the result is written.
/// @return 0, or an errno; ETIMEDOUT if the connection or an answer did not come in time.
int cfloor_client_run(
    const char *endpoint,
    const struct cfloor_load *load,
    uint64_t *_Nullable latencies,
    struct cfloor_result *result
);

/// Receives messages that another thread sends without expecting answers, and measures how long that takes.
///
/// @param message The message that is sent again and again; its id frame is not changed.
/// @param count How many times it is sent.
/// @param curve How both encrypt; null for a plain connection.
/// @param result `completed` counts all received messages, `wrong` those that do not have five frames.
/// @return 0, or an errno.
int cfloor_receive(
    const struct cfloor_message *message,
    uint64_t count,
    const struct cfloor_curve *_Nullable curve,
    struct cfloor_result *result
);

/// A thread that sends messages and expects no answers.
struct cfloor_sender;

/// Starts sending: the sender's half of `cfloor_receive`, for a receiver that is not in C.
///
/// The connection stays open until the sender is stopped, because messages that the receiver has not read yet may be lost
/// when the connection ends.
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

/// Publishes messages through a proxy from another thread, and measures how long receiving all of them takes.
///
/// @param in The proxy's endpoint for publishers.
/// @param out Its endpoint for subscribers.
/// @return 0, or an errno.
int cfloor_publish(
    const char *in,
    const char *out,
    const struct cfloor_message *message,
    uint64_t count,
    struct cfloor_result *result
);

/// Sends requests by a REQ, one after the other, to a REP in another thread that copies and returns them.
///
/// @param latencies Room for `count` times of round trips, in nanoseconds.
/// @return 0, or an errno.
int cfloor_request_reply(const struct cfloor_message *message, uint64_t count, uint64_t *latencies);

/// Closes the connection, also when not everything was sent, and waits until the thread is gone.
void cfloor_sender_stop(struct cfloor_sender *sender);

/// A table of a new SQLite file, with one prepared statement, in exclusive mode; each commit waits until SQLite's
/// write-ahead log is on the disk.
struct cfloor_table;

/// Makes a table.
///
/// @param path The file; it must not exist.
/// @param size The size in bytes of each row's value.
/// @return The table, or null if it cannot be made.
struct cfloor_table *_Nullable cfloor_table_open(const char *path, uint32_t size);

/// Adds `count` rows in one transaction.
///
/// That takes one `fsync`, and more when SQLite copies its write-ahead log into the database file.
///
/// @return 0, or an errno; after an error, the table can only be closed.
int cfloor_table_add(struct cfloor_table *table, uint64_t count);

/// Closes the file.
void cfloor_table_close(struct cfloor_table *table);

/// Writes rows into a new SQLite file in a bare loop: one prepared statement, and one transaction for `batch` rows.
///
/// @param path The file; it must not exist.
/// @param size The size in bytes of each row's value.
/// @param elapsed_ns Where the time is written in which the rows were added.
/// @return 0, or an errno.
int cfloor_rows(const char *path, uint64_t rows, uint32_t batch, uint32_t size, uint64_t *elapsed_ns);

/// Appends a page to a file and waits until the page is on the disk, `count` times.
///
/// @param path The file; its old content is lost.
/// @param median_ns Where the median of the times is written.
/// @return 0, or an errno.
int cfloor_fsync(const char *path, uint32_t count, uint64_t *median_ns);

#pragma clang assume_nonnull end

#endif

#include "floor_common.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct cfloor_sender {
    void *context;
    void *dealer;
    pthread_t thread;
    const struct cfloor_message *message;
    uint64_t count;
    bool is_publisher;
};

/// Waits for the subscription of the other end, before which a publisher's messages go nowhere.
static int await_subscription(void *publisher) {
    uint8_t subscription;
    return zmq_recv(publisher, &subscription, sizeof subscription, 0) < 0 ? errno : 0;
}

static void *send_all(void *argument) {
    struct cfloor_sender *sender = argument;
    int error = sender->is_publisher ? await_subscription(sender->dealer) : 0;
    for (uint64_t number = 0; !error && number < sender->count; number++) {
        error = cfloor_send_message(sender->dealer, sender->message, 0);
    }
    return NULL;
}

static void discard(struct cfloor_sender *sender) {
    const int error = errno;
    if (sender->dealer) zmq_close(sender->dealer);
    if (sender->context) zmq_ctx_term(sender->context);
    free(sender);
    errno = error;
}

static struct cfloor_sender *start(
    const char *endpoint,
    const struct cfloor_message *message,
    uint64_t count,
    const struct cfloor_curve *curve,
    bool is_publisher
) {
    struct cfloor_sender *sender = calloc(1, sizeof *sender);
    if (!sender) return NULL;
    sender->message = message;
    sender->count = count;
    sender->is_publisher = is_publisher;
    sender->context = zmq_ctx_new();
    const int type = is_publisher ? ZMQ_XPUB : ZMQ_DEALER;
    sender->dealer = sender->context ? cfloor_socket(sender->context, type, curve) : NULL;
    if (!sender->dealer || (is_publisher && cfloor_keep_all(sender->dealer) != 0) || zmq_connect(sender->dealer, endpoint) != 0
        || (errno = pthread_create(&sender->thread, NULL, send_all, sender)) != 0) {
        discard(sender);
        return NULL;
    }
    return sender;
}

struct cfloor_sender *cfloor_sender_start(
    const char *endpoint,
    const struct cfloor_message *message,
    uint64_t count,
    const struct cfloor_curve *curve
) {
    return start(endpoint, message, count, curve, false);
}

void cfloor_sender_stop(struct cfloor_sender *sender) {
    const int off = 0;
    // Ends a send that still waits for room.
    zmq_ctx_shutdown(sender->context);
    pthread_join(sender->thread, NULL);
    zmq_setsockopt(sender->dealer, ZMQ_LINGER, &off, sizeof off);
    discard(sender);
}

/// Receives one message into memory, from a ROUTER with the peer's id before it.
///
/// @return The number of frames, or -1 with errno set.
static int receive_message(void *router, zmq_msg_t *frame, struct cfloor_buffer *buffer) {
    int frames = 0;
    buffer->size = 0;
    do {
        while (zmq_msg_recv(frame, router, 0) < 0) {
            if (errno != EINTR) return -1;
        }
        if ((errno = cfloor_keep(buffer, frame)) != 0) return -1;
        frames++;
    } while (zmq_msg_more(frame));
    return frames;
}

static int receive_all(void *router, int wanted_frames, uint64_t count, struct cfloor_result *result) {
    struct cfloor_buffer buffer = {0};
    zmq_msg_t frame;
    zmq_msg_init(&frame);
    int error = 0;
    while (!error && result->completed < count) {
        const int frames = receive_message(router, &frame, &buffer);
        if (frames < 0) error = errno;
        // The time starts with the first message, so that it does not include connecting.
        if (result->completed == 0) result->started_ns = cfloor_now();
        if (frames != wanted_frames) result->wrong++;
        result->completed++;
    }
    result->elapsed_ns = cfloor_now() - result->started_ns;
    zmq_msg_close(&frame);
    free(buffer.bytes);
    return error;
}

int cfloor_receive(
    const struct cfloor_message *message,
    uint64_t count,
    const struct cfloor_curve *curve,
    struct cfloor_result *result
) {
    memset(result, 0, sizeof *result);
    void *context = zmq_ctx_new();
    if (!context) return errno;
    char endpoint[CFLOOR_ENDPOINT_SIZE];
    size_t size = sizeof endpoint;
    struct cfloor_sender *sender = NULL;
    void *router = cfloor_socket(context, ZMQ_ROUTER, curve);
    int error = 0;
    if (!router || zmq_bind(router, "tcp://127.0.0.1:*") != 0
        || zmq_getsockopt(router, ZMQ_LAST_ENDPOINT, endpoint, &size) != 0
        || !(sender = cfloor_sender_start(endpoint, message, count, curve))) {
        error = errno;
    }
    if (!error) error = receive_all(router, CFLOOR_FRAMES + 1, count, result);
    if (sender) cfloor_sender_stop(sender);
    if (router) zmq_close(router);
    zmq_ctx_term(context);
    return error;
}

int cfloor_publish(
    const char *in,
    const char *out,
    const struct cfloor_message *message,
    uint64_t count,
    struct cfloor_result *result
) {
    memset(result, 0, sizeof *result);
    void *context = zmq_ctx_new();
    if (!context) return errno;
    struct cfloor_sender *sender = NULL;
    void *subscriber = cfloor_socket(context, ZMQ_SUB, NULL);
    int error = 0;
    if (!subscriber || cfloor_keep_all(subscriber) != 0 || zmq_setsockopt(subscriber, ZMQ_SUBSCRIBE, "", 0) != 0
        || zmq_connect(subscriber, out) != 0 || !(sender = start(in, message, count, NULL, true))) {
        error = errno;
    }
    if (!error) error = receive_all(subscriber, CFLOOR_FRAMES, count, result);
    if (sender) cfloor_sender_stop(sender);
    if (subscriber) zmq_close(subscriber);
    zmq_ctx_term(context);
    return error;
}

/// What the thread of a REP needs.
struct replier {
    void *rep;
    uint64_t count;
};

static void *reply_all(void *argument) {
    struct replier *replier = argument;
    struct cfloor_buffer buffer = {0};
    zmq_msg_t frames[CFLOOR_FRAMES];
    for (uint64_t number = 0; number < replier->count; number++) {
        buffer.size = 0;
        for (int frame = 0; frame < CFLOOR_FRAMES; frame++) {
            zmq_msg_init(&frames[frame]);
            if (zmq_msg_recv(&frames[frame], replier->rep, 0) < 0) goto end;
            if (cfloor_keep(&buffer, &frames[frame]) != 0) goto end;
        }
        const uint8_t *place = buffer.bytes;
        for (int frame = 0; frame < CFLOOR_FRAMES; frame++) {
            const size_t size = zmq_msg_size(&frames[frame]);
            zmq_msg_close(&frames[frame]);
            if (zmq_send(replier->rep, place, size, frame + 1 < CFLOOR_FRAMES ? ZMQ_SNDMORE : 0) < 0) goto end;
            place += size;
        }
    }
end:
    free(buffer.bytes);
    return NULL;
}

int cfloor_request_reply(const struct cfloor_message *message, uint64_t count, uint64_t *latencies) {
    void *context = zmq_ctx_new();
    if (!context) return errno;
    char endpoint[CFLOOR_ENDPOINT_SIZE];
    size_t size = sizeof endpoint;
    struct cfloor_buffer buffer = {0};
    struct replier replier = {cfloor_socket(context, ZMQ_REP, NULL), count};
    void *req = cfloor_socket(context, ZMQ_REQ, NULL);
    pthread_t thread;
    int error = 0;
    if (!replier.rep || !req || zmq_bind(replier.rep, "tcp://127.0.0.1:*") != 0
        || zmq_getsockopt(replier.rep, ZMQ_LAST_ENDPOINT, endpoint, &size) != 0 || zmq_connect(req, endpoint) != 0) {
        error = errno;
    }
    if (!error) error = pthread_create(&thread, NULL, reply_all, &replier);
    const int has_thread = !error;
    zmq_msg_t frame;
    zmq_msg_init(&frame);
    for (uint64_t number = 0; !error && number < count; number++) {
        const uint64_t start = cfloor_now();
        error = cfloor_send_message(req, message, 0);
        if (!error && receive_message(req, &frame, &buffer) != CFLOOR_FRAMES) error = errno ? errno : EPROTO;
        latencies[number] = cfloor_now() - start;
    }
    zmq_msg_close(&frame);
    free(buffer.bytes);
    if (has_thread) {
        if (error) zmq_ctx_shutdown(context);
        pthread_join(thread, NULL);
    }
    if (replier.rep) zmq_close(replier.rep);
    if (req) zmq_close(req);
    zmq_ctx_term(context);
    return error;
}

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
};

static void *send_all(void *argument) {
    struct cfloor_sender *sender = argument;
    int error = 0;
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

struct cfloor_sender *cfloor_sender_start(
    const char *endpoint,
    const struct cfloor_message *message,
    uint64_t count,
    const struct cfloor_curve *curve
) {
    struct cfloor_sender *sender = calloc(1, sizeof *sender);
    if (!sender) return NULL;
    sender->message = message;
    sender->count = count;
    sender->context = zmq_ctx_new();
    sender->dealer = sender->context ? cfloor_socket(sender->context, ZMQ_DEALER, curve) : NULL;
    if (!sender->dealer || zmq_connect(sender->dealer, endpoint) != 0
        || (errno = pthread_create(&sender->thread, NULL, send_all, sender)) != 0) {
        discard(sender);
        return NULL;
    }
    return sender;
}

void cfloor_sender_stop(struct cfloor_sender *sender) {
    const int off = 0;
    // Ends a send that still waits for room.
    zmq_ctx_shutdown(sender->context);
    pthread_join(sender->thread, NULL);
    zmq_setsockopt(sender->dealer, ZMQ_LINGER, &off, sizeof off);
    discard(sender);
}

/// Receives one message from a ROUTER into memory: first the peer's id, then the frames of the message.
///
/// @return The number of frames without the peer's id, or -1 with errno set.
static int receive_message(void *router, zmq_msg_t *frame, struct cfloor_buffer *buffer) {
    int frames = -1;
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

static int receive_all(void *router, uint64_t count, struct cfloor_result *result) {
    struct cfloor_buffer buffer = {0};
    zmq_msg_t frame;
    zmq_msg_init(&frame);
    int error = 0;
    while (!error && result->completed < count) {
        const int frames = receive_message(router, &frame, &buffer);
        if (frames < 0) error = errno;
        // The time starts with the first message, so that it does not include connecting.
        if (result->completed == 0) result->started_ns = cfloor_now();
        if (frames != CFLOOR_FRAMES) result->wrong++;
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
    if (!error) error = receive_all(router, count, result);
    if (sender) cfloor_sender_stop(sender);
    if (router) zmq_close(router);
    zmq_ctx_term(context);
    return error;
}

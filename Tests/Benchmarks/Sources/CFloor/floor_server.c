#include "floor_common.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct cfloor_server {
    void *context;
    void *router;
    pthread_t thread;
    enum cfloor_answer answer;
    bool has_reply;
    struct cfloor_message reply;
    uint8_t *storage;
};

/// Waits for one frame; returns false if the context ends.
static bool take(zmq_msg_t *frame, void *socket) {
    while (zmq_msg_recv(frame, socket, 0) < 0) {
        if (errno != EINTR) return false;
    }
    return true;
}

/// Passes a frame on without copying it; if the peer has disconnected, the frame is silently dropped.
static void pass(zmq_msg_t *frame, void *socket, bool more) {
    while (zmq_msg_send(frame, socket, more ? ZMQ_SNDMORE : 0) < 0) {
        if (errno != EINTR) return;
    }
}

/// Receives one message and passes it on; returns false if the context ends.
static bool forward(struct cfloor_server *server, zmq_msg_t *frames) {
    int taken = 0;
    bool more = true;
    while (more && taken <= CFLOOR_FRAMES) {
        if (!take(&frames[taken], server->router)) return false;
        more = zmq_msg_more(&frames[taken++]);
    }
    if (taken != CFLOOR_FRAMES + 1 || more) return true;
    for (int frame = 0; frame < taken; frame++) pass(&frames[frame], server->router, frame + 1 < taken);
    return true;
}

/// Receives one message into memory and sends the answer from there.
///
/// Returns false if the context ends or no memory is left.
static bool copy(struct cfloor_server *server, zmq_msg_t *frame, struct cfloor_buffer *buffer) {
    size_t ends[CFLOOR_FRAMES + 1];
    int taken = 0;
    buffer->size = 0;
    do {
        if (!take(frame, server->router) || cfloor_keep(buffer, frame) != 0) return false;
        if (taken <= CFLOOR_FRAMES) ends[taken] = buffer->size;
        taken++;
    } while (zmq_msg_more(frame));
    if (taken != CFLOOR_FRAMES + 1) return true;
    struct cfloor_message message = server->reply;
    for (int index = 0; index < CFLOOR_FRAMES; index++) {
        if (server->has_reply && index != CFLOOR_ID_FRAME) continue;
        message.data[index] = buffer->bytes + ends[index];
        message.size[index] = ends[index + 1] - ends[index];
    }
    if (zmq_send(server->router, buffer->bytes, ends[0], ZMQ_SNDMORE) >= 0) {
        cfloor_send_message(server->router, &message, 0);
    }
    return true;
}

static void *serve(void *argument) {
    struct cfloor_server *server = argument;
    struct cfloor_buffer buffer = {0};
    zmq_msg_t frames[CFLOOR_FRAMES + 1];
    for (int frame = 0; frame <= CFLOOR_FRAMES; frame++) zmq_msg_init(&frames[frame]);
    while (server->answer == CFLOOR_FORWARD ? forward(server, frames) : copy(server, frames, &buffer)) {
    }
    for (int frame = 0; frame <= CFLOOR_FRAMES; frame++) zmq_msg_close(&frames[frame]);
    zmq_close(server->router);
    free(buffer.bytes);
    return NULL;
}

/// Keeps a copy of the reply's frames.
static bool copy_reply(struct cfloor_server *server, const struct cfloor_message *message) {
    size_t total = 0;
    for (int frame = 0; frame < CFLOOR_FRAMES; frame++) total += message->size[frame];
    server->storage = malloc(total + 1);
    if (!server->storage) return false;
    uint8_t *next = server->storage;
    for (int frame = 0; frame < CFLOOR_FRAMES; frame++) {
        if (message->size[frame]) memcpy(next, message->data[frame], message->size[frame]);
        server->reply.data[frame] = next;
        server->reply.size[frame] = message->size[frame];
        next += message->size[frame];
    }
    return true;
}

static void discard(struct cfloor_server *server) {
    const int error = errno;
    if (server->router) zmq_close(server->router);
    if (server->context) zmq_ctx_term(server->context);
    free(server->storage);
    free(server);
    errno = error;
}

struct cfloor_server *cfloor_server_start(
    const char *endpoint,
    enum cfloor_answer answer,
    const struct cfloor_message *reply,
    const struct cfloor_curve *curve,
    char bound[CFLOOR_ENDPOINT_SIZE]
) {
    struct cfloor_server *server = calloc(1, sizeof *server);
    if (!server) return NULL;
    server->answer = answer;
    server->has_reply = reply;
    size_t size = CFLOOR_ENDPOINT_SIZE;
    server->context = zmq_ctx_new();
    server->router = server->context ? cfloor_socket(server->context, ZMQ_ROUTER, curve) : NULL;
    if (!server->router || (reply && !copy_reply(server, reply)) || zmq_bind(server->router, endpoint) != 0
        || zmq_getsockopt(server->router, ZMQ_LAST_ENDPOINT, bound, &size) != 0
        || (errno = pthread_create(&server->thread, NULL, serve, server)) != 0) {
        discard(server);
        return NULL;
    }
    return server;
}

void cfloor_server_stop(struct cfloor_server *server) {
    // Ends the blocking receive; the thread closes its socket.
    zmq_ctx_shutdown(server->context);
    pthread_join(server->thread, NULL);
    server->router = NULL;
    discard(server);
}

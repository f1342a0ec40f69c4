#include "floor_common.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int set_key(void *socket, int option, const char *text) {
    return zmq_setsockopt(socket, option, text, CFLOOR_KEY_SIZE);
}

static int encrypt(void *socket, int type, const struct cfloor_curve *curve) {
    const int on = 1;
    if (type == ZMQ_ROUTER) {
        // No ZAP domain is set, so libzmq asks nobody whether a key may connect.
        if (zmq_setsockopt(socket, ZMQ_CURVE_SERVER, &on, sizeof on) != 0) return -1;
        return set_key(socket, ZMQ_CURVE_SECRETKEY, curve->server_secret_key);
    }
    if (set_key(socket, ZMQ_CURVE_SERVERKEY, curve->server_public_key) != 0) return -1;
    if (set_key(socket, ZMQ_CURVE_PUBLICKEY, curve->client_public_key) != 0) return -1;
    return set_key(socket, ZMQ_CURVE_SECRETKEY, curve->client_secret_key);
}

void *cfloor_socket(void *context, int type, const struct cfloor_curve *curve) {
    void *socket = zmq_socket(context, type);
    if (!socket) return NULL;
    // The queues, the linger time and the frame limit are those of SocketOptions.router and .dealer, so that both sides
    // of a comparison queue alike. The heartbeats have the times of `Heartbeats()`; SocketOptions has none by default.
    const int queue = 256, linger = 2000, on = 1, beat = 2000, patience = 6000;
    const int64_t frame = 1 << 20;
    int failed = zmq_setsockopt(socket, ZMQ_SNDHWM, &queue, sizeof queue);
    failed |= zmq_setsockopt(socket, ZMQ_RCVHWM, &queue, sizeof queue);
    failed |= zmq_setsockopt(socket, ZMQ_LINGER, &linger, sizeof linger);
    failed |= zmq_setsockopt(socket, ZMQ_MAXMSGSIZE, &frame, sizeof frame);
    failed |= zmq_setsockopt(socket, ZMQ_HEARTBEAT_IVL, &beat, sizeof beat);
    failed |= zmq_setsockopt(socket, ZMQ_HEARTBEAT_TIMEOUT, &patience, sizeof patience);
    failed |= zmq_setsockopt(socket, ZMQ_HEARTBEAT_TTL, &patience, sizeof patience);
    if (type == ZMQ_ROUTER) failed |= zmq_setsockopt(socket, ZMQ_ROUTER_MANDATORY, &on, sizeof on);
    if (curve) failed |= encrypt(socket, type, curve);
    if (!failed) return socket;
    const int error = errno;
    zmq_close(socket);
    errno = error;
    return NULL;
}

int cfloor_keep_all(void *socket) {
    const int unlimited = 0;
    return zmq_setsockopt(socket, ZMQ_SNDHWM, &unlimited, sizeof unlimited)
        | zmq_setsockopt(socket, ZMQ_RCVHWM, &unlimited, sizeof unlimited);
}

int cfloor_keep(struct cfloor_buffer *buffer, zmq_msg_t *frame) {
    const size_t size = zmq_msg_size(frame);
    if (buffer->capacity - buffer->size < size) {
        const size_t capacity = 2 * (buffer->size + size) + 4096;
        uint8_t *bytes = realloc(buffer->bytes, capacity);
        if (!bytes) return ENOMEM;
        buffer->bytes = bytes;
        buffer->capacity = capacity;
    }
    if (size) memcpy(buffer->bytes + buffer->size, zmq_msg_data(frame), size);
    buffer->size += size;
    return 0;
}

int cfloor_send_message(void *socket, const struct cfloor_message *message, int first_flags) {
    for (int frame = 0; frame < CFLOOR_FRAMES; frame++) {
        const int flags = first_flags | (frame + 1 < CFLOOR_FRAMES ? ZMQ_SNDMORE : 0);
        while (zmq_send(socket, message->data[frame], message->size[frame], flags) < 0) {
            if (errno != EINTR) return errno;
        }
    }
    return 0;
}

/// The functions that the server, the client and the one-way receiver share.

#ifndef CFLOOR_COMMON_H
#define CFLOOR_COMMON_H

#include "CFloor.h"

#include <stdbool.h>
#include <zmq.h>

/// The frame that carries the request's id.
#define CFLOOR_ID_FRAME 1

/// The frame that carries the request's subject.
#define CFLOOR_SUBJECT_FRAME 2

/// Makes a socket with the queue lengths and the linger that the measured sockets have.
///
/// @param curve How it encrypts: a ROUTER as the server, a DEALER as the client. Null for plain connections.
/// @return The socket, or null with errno set.
void *_Nullable cfloor_socket(void *_Nonnull context, int type, const struct cfloor_curve *_Nullable curve);

/// Takes away the limit of a socket's queues, for publishers, which drop what has no room.
///
/// @return 0, or -1 with errno set.
int cfloor_keep_all(void *_Nonnull socket);

/// A received message, copied into one block of memory: its frames one after the other.
struct cfloor_buffer {
    uint8_t *_Nullable bytes;
    size_t capacity;
    size_t size;
};

/// Appends a copy of a received frame to the buffer.
///
/// @return 0, or an errno.
int cfloor_keep(struct cfloor_buffer *_Nonnull buffer, zmq_msg_t *_Nonnull frame);

/// Sends the frames of a message, blocking.
///
/// @return 0, or an errno.
int cfloor_send_message(void *_Nonnull socket, const struct cfloor_message *_Nonnull message, int first_flags);

#endif

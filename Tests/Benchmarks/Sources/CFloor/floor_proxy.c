#include "floor_common.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

struct cfloor_proxy {
    void *context;
    void *front;
    void *back;
    void *capture;
    pthread_t thread;
};

static void close_sockets(struct cfloor_proxy *proxy) {
    void *const sockets[] = {proxy->front, proxy->back, proxy->capture};
    for (int index = 0; index < 3; index++) {
        if (sockets[index]) zmq_close(sockets[index]);
    }
}

static void *run(void *argument) {
    struct cfloor_proxy *proxy = argument;
    zmq_proxy(proxy->front, proxy->back, proxy->capture);
    close_sockets(proxy);
    return NULL;
}

static int bind_free(void *socket, char bound[CFLOOR_ENDPOINT_SIZE]) {
    size_t size = CFLOOR_ENDPOINT_SIZE;
    if (zmq_bind(socket, "tcp://127.0.0.1:*") != 0) return -1;
    return zmq_getsockopt(socket, ZMQ_LAST_ENDPOINT, bound, &size);
}

struct cfloor_proxy *cfloor_proxy_start(
    const char *server,
    char bound[CFLOOR_ENDPOINT_SIZE],
    char bound_back[CFLOOR_ENDPOINT_SIZE]
) {
    struct cfloor_proxy *proxy = calloc(1, sizeof *proxy);
    if (!proxy) return NULL;
    proxy->context = zmq_ctx_new();
    if (proxy->context) {
        proxy->front = cfloor_socket(proxy->context, server ? ZMQ_ROUTER : ZMQ_XSUB, NULL);
        proxy->back = cfloor_socket(proxy->context, server ? ZMQ_DEALER : ZMQ_XPUB, NULL);
        proxy->capture = cfloor_socket(proxy->context, ZMQ_PUB, NULL);
    }
    if (!proxy->front || !proxy->back || !proxy->capture || zmq_bind(proxy->capture, "inproc://capture") != 0
        || (server ? zmq_connect(proxy->back, server) : cfloor_keep_all(proxy->back) | bind_free(proxy->back, bound_back)) != 0
        || bind_free(proxy->front, bound) != 0
        || (errno = pthread_create(&proxy->thread, NULL, run, proxy)) != 0) {
        const int error = errno;
        close_sockets(proxy);
        if (proxy->context) zmq_ctx_term(proxy->context);
        free(proxy);
        errno = error;
        return NULL;
    }
    return proxy;
}

void cfloor_proxy_stop(struct cfloor_proxy *proxy) {
    // Ends zmq_proxy; the thread closes its sockets.
    zmq_ctx_shutdown(proxy->context);
    pthread_join(proxy->thread, NULL);
    zmq_ctx_term(proxy->context);
    free(proxy);
}

/// The header of libzmq for Swift; only the module ZeroMQ imports it.
///
/// libzmq's own header has no nullability annotations, so Swift imports its functions with implicitly unwrapped
/// optionals. The declarations below replace calls in which null has a meaning, and macros, variadic functions and other
/// functions that Swift cannot use directly.

#ifndef CZEROMQ_H
#define CZEROMQ_H

#if !__has_include(<zmq.h>)
#error "libzmq is missing: apt install libzmq3-dev | dnf install zeromq-devel | apk add zeromq-dev | brew install zeromq"
#endif

#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <zmq.h>

#if ZMQ_VERSION < ZMQ_MAKE_VERSION(4, 3, 0)
#error "libzmq is older than 4.3: install a newer one"
#endif

#if defined(__linux__)
#include <sys/eventfd.h>
#include <sys/prctl.h>
#else
#include <pthread.h>
#endif

#pragma clang assume_nonnull begin

/// Stands for the macro `ETERM`: the context was shut down, and the socket can only be closed.
static const int32_t czmq_error_terminated = ETERM;

/// Stands for the macro `EFSM`: the operation does not fit the socket's state.
static const int32_t czmq_error_state = EFSM;

/// Stands for `ZMQ_ZAP_ENFORCE_DOMAIN`, which libzmq 4.3 knows but its header shows only with the draft API.
static const int czmq_zap_enforce_domain = 93;

/// Stands for `zmq_setsockopt` with an `int`, which Swift would reach only through a raw pointer to a variable.
static inline int czmq_set_int(void *socket, int option, int value) {
    return zmq_setsockopt(socket, option, &value, sizeof value);
}

/// Stands for `zmq_setsockopt` with an `int64_t`, the type of `ZMQ_MAXMSGSIZE`.
static inline int czmq_set_int64(void *socket, int option, int64_t value) {
    return zmq_setsockopt(socket, option, &value, sizeof value);
}

/// Stands for `zmq_socket_monitor` with a null address: ends the monitor of the socket.
static inline int czmq_monitor_stop(void *socket) {
    return zmq_socket_monitor(socket, NULL, 0);
}

/// Stands for `strlen`, which Swift has only through the platform's C library.
static inline size_t czmq_text_size(const char *text) {
    return strlen(text);
}

/// Stands for the variadic `prctl` with `PR_SET_NAME`: names the calling thread; the kernel keeps fifteen bytes.
static inline void czmq_name_thread(const char *name) {
#if defined(__linux__)
    prctl(PR_SET_NAME, name, 0, 0, 0);
#else
    pthread_setname_np(name);
#endif
}

#pragma clang assume_nonnull end

#endif

#include "floor_common.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/// One client run.
struct run {
    const struct cfloor_load *load;
    struct cfloor_result *result;
    uint64_t *latencies;
    void *socket;
    uint8_t id[CFLOOR_ID_SIZE];
    /// The subject with the request's number at its end; null if all requests have the same subject.
    uint8_t *subject;
    /// The answer that was received last.
    struct cfloor_buffer answer;
    /// Two rings of `window` places: when each unanswered request was sent, and how many answers it still gets.
    uint64_t *sent_at;
    uint32_t *owed;
};

/// Writes a counter as the last digits of a frame; `end` points behind the frame.
static void write_counter(uint8_t *end, uint64_t value) {
    for (int digit = 1; digit <= CFLOOR_NUMBER_SIZE; digit++) {
        end[-digit] = (uint8_t) "0123456789abcdef"[value & 15];
        value >>= 4;
    }
}

/// The counter in an id, or UINT64_MAX when there is none.
static uint64_t read_counter(const uint8_t *id) {
    uint64_t value = 0;
    for (int digit = CFLOOR_ID_SIZE - CFLOOR_NUMBER_SIZE; digit < CFLOOR_ID_SIZE; digit++) {
        const uint8_t character = id[digit];
        if (character >= '0' && character <= '9') {
            value = value << 4 | (uint64_t)(character - '0');
        } else if (character >= 'a' && character <= 'f') {
            value = value << 4 | (uint64_t)(character - 'a' + 10);
        } else {
            return UINT64_MAX;
        }
    }
    return value;
}

static int send_request(struct run *run, uint64_t number) {
    struct cfloor_message message = run->load->request;
    write_counter(run->id + CFLOOR_ID_SIZE, run->load->first_id + number);
    message.data[CFLOOR_ID_FRAME] = run->id;
    if (run->subject) {
        write_counter(run->subject + message.size[CFLOOR_SUBJECT_FRAME], run->load->first_id + number);
        message.data[CFLOOR_SUBJECT_FRAME] = run->subject;
    }
    run->sent_at[number % run->load->window] = cfloor_now();
    run->owed[number % run->load->window] = run->load->answers_per_request;
    return cfloor_send_message(run->socket, &message, 0);
}

/// Receives one answer.
///
/// @param number Where the number of the answered request is written, or UINT64_MAX if the answer has no id of this run.
/// @return 0, or an errno.
static int receive_answer(struct run *run, zmq_msg_t *frame, uint64_t *number) {
    int frames = 0;
    *number = UINT64_MAX;
    run->answer.size = 0;
    do {
        while (zmq_msg_recv(frame, run->socket, 0) < 0) {
            if (errno != EINTR) return errno == EAGAIN ? ETIMEDOUT : errno;
        }
        const size_t start = run->answer.size;
        if (cfloor_keep(&run->answer, frame) != 0) return ENOMEM;
        if (frames == CFLOOR_ID_FRAME && run->answer.size - start == CFLOOR_ID_SIZE) {
            const uint64_t counter = read_counter(run->answer.bytes + start);
            if (counter != UINT64_MAX && counter >= run->load->first_id) *number = counter - run->load->first_id;
        }
        frames++;
    } while (zmq_msg_more(frame));
    if (frames != CFLOOR_FRAMES) *number = UINT64_MAX;
    return 0;
}

static int exchange(struct run *run) {
    const struct cfloor_load *load = run->load;
    zmq_msg_t frame;
    zmq_msg_init(&frame);
    int error = 0;
    uint64_t sent = 0;
    // Requests may be answered out of order. A new request waits until the earlier request with the same place in the
    // rings is answered in full.
    while (!error && run->result->completed < load->count) {
        while (!error && sent < load->count && sent - run->result->completed < load->window
               && run->owed[sent % load->window] == 0) {
            error = send_request(run, sent++);
        }
        uint64_t number = UINT64_MAX;
        if (!error) error = receive_answer(run, &frame, &number);
        if (error) break;
        const uint64_t place = number % load->window;
        if (number >= sent || sent - number > load->window || run->owed[place] == 0) {
            run->result->wrong++;
        } else if (--run->owed[place] == 0) {
            if (run->latencies) run->latencies[run->result->completed] = cfloor_now() - run->sent_at[place];
            run->result->completed++;
        }
    }
    zmq_msg_close(&frame);
    return error;
}

/// Waits until the connection is up, so that the measured time does not include connecting.
static int await_connection(struct run *run) {
    zmq_pollitem_t item = {.socket = run->socket, .events = ZMQ_POLLOUT};
    int ready = -1;
    while (ready < 0) {
        ready = zmq_poll(&item, 1, run->load->timeout_ms);
        if (ready < 0 && errno != EINTR) return errno;
    }
    return ready == 1 ? 0 : ETIMEDOUT;
}

static int run_client(struct run *run, void *context, const char *endpoint) {
    const int immediate = 1;
    run->socket = cfloor_socket(context, ZMQ_DEALER, run->load->curve);
    if (!run->socket) return errno;
    const int timeout = run->load->timeout_ms;
    int error = 0;
    if (zmq_setsockopt(run->socket, ZMQ_IMMEDIATE, &immediate, sizeof immediate) != 0
        || zmq_setsockopt(run->socket, ZMQ_RCVTIMEO, &timeout, sizeof timeout) != 0
        || zmq_connect(run->socket, endpoint) != 0) {
        error = errno;
    }
    if (!error) error = await_connection(run);
    if (!error) {
        run->result->started_ns = cfloor_now();
        error = exchange(run);
        run->result->elapsed_ns = cfloor_now() - run->result->started_ns;
    }
    zmq_close(run->socket);
    return error;
}

/// Whether the load can be sent at all.
static bool is_sound(const struct cfloor_load *load) {
    if (load->window == 0 || load->answers_per_request == 0) return false;
    if (load->unique_subject && load->request.size[CFLOOR_SUBJECT_FRAME] < CFLOOR_NUMBER_SIZE) return false;
    return load->request.size[CFLOOR_ID_FRAME] == CFLOOR_ID_SIZE;
}

/// Allocates the memory for a run; returns false if there is not enough memory.
static bool prepare(struct run *run) {
    const struct cfloor_message *request = &run->load->request;
    memcpy(run->id, request->data[CFLOOR_ID_FRAME], CFLOOR_ID_SIZE);
    run->sent_at = calloc(run->load->window, sizeof *run->sent_at);
    run->owed = calloc(run->load->window, sizeof *run->owed);
    if (!run->sent_at || !run->owed) return false;
    if (!run->load->unique_subject) return true;
    run->subject = malloc(request->size[CFLOOR_SUBJECT_FRAME]);
    if (!run->subject) return false;
    memcpy(run->subject, request->data[CFLOOR_SUBJECT_FRAME], request->size[CFLOOR_SUBJECT_FRAME]);
    return true;
}

int cfloor_client_run(
    const char *endpoint,
    const struct cfloor_load *load,
    uint64_t *latencies,
    struct cfloor_result *result
) {
    memset(result, 0, sizeof *result);
    if (!is_sound(load)) return EINVAL;
    struct run run = {.load = load, .result = result, .latencies = latencies};
    void *context = prepare(&run) ? zmq_ctx_new() : NULL;
    int error = context ? run_client(&run, context, endpoint) : ENOMEM;
    if (context) zmq_ctx_term(context);
    free(run.answer.bytes);
    free(run.sent_at);
    free(run.owed);
    free(run.subject);
    return error;
}

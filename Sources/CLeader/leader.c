#define _GNU_SOURCE
#include "CLeader.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#ifdef __linux__
#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <sys/auxv.h>
#include <sys/prctl.h>
#elif defined(__APPLE__)
#include <dlfcn.h>
#include <mach-o/dyld.h>
#endif

#ifndef MSG_CMSG_CLOEXEC
#define MSG_CMSG_CLOEXEC 0
#endif

/// The exit status of a leader that has started no command.
#define NO_COMMAND 127

struct forge_lease {
    /// As a time of `forge_lease_now`; 0 if the lease has not begun or was ended early.
    _Atomic int64_t end;
};

int64_t forge_lease_now(void) {
    struct timespec now;
#ifdef CLOCK_BOOTTIME
    clock_gettime(CLOCK_BOOTTIME, &now);
#else
    clock_gettime(CLOCK_MONOTONIC, &now);
#endif
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

int64_t forge_lease_end(const struct forge_lease *lease) { return atomic_load(&((struct forge_lease *)lease)->end); }

void forge_lease_set(struct forge_lease *lease, int64_t end) { atomic_store(&lease->end, end); }

static int is_over(const struct forge_lease *lease) { return lease && forge_lease_now() >= forge_lease_end(lease); }

int forge_lease_make(struct forge_lease **lease) {
#ifdef MFD_CLOEXEC
    const int file = memfd_create("forgebus-lease", MFD_CLOEXEC);
#else
    char path[] = "/tmp/forgebus-lease-XXXXXX";
    const int file = mkstemp(path);
    if (file >= 0) unlink(path), fcntl(file, F_SETFD, FD_CLOEXEC);
#endif
    if (file < 0) return -1;
    void *page = MAP_FAILED;
    if (ftruncate(file, sizeof **lease) == 0) {
        page = mmap(NULL, sizeof **lease, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    }
    if (page == MAP_FAILED) {
        close(file);
        return -1;
    }
    *lease = page;
    return file;
}

static void wake(int signal) { (void)signal; }

/// Waits for the worker's message, and takes the command's input and the lease, if there is one, from it.
///
/// Returns the descriptor of the input; -1 if the worker has ended, or if the message cannot be used.
static int receive_input(int worker, const struct forge_lease **lease) {
    char word;
    struct iovec text = {&word, 1};
    union {
        struct cmsghdr header;
        char space[CMSG_SPACE(2 * sizeof(int))];
    } control;
    struct msghdr message = {
        .msg_iov = &text, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control.space};
    ssize_t count;
    do count = recvmsg(worker, &message, MSG_CMSG_CLOEXEC);
    while (count < 0 && errno == EINTR);
    const struct cmsghdr *header = count == 1 ? CMSG_FIRSTHDR(&message) : NULL;
    if (!header || header->cmsg_type != SCM_RIGHTS) return -1;
    int received[2];
    const size_t size = header->cmsg_len - CMSG_LEN(0);
    if (size != sizeof *received && size != sizeof received) return -1;
    memcpy(received, CMSG_DATA(header), size);
    if (size == sizeof received) {
        void *page = mmap(NULL, sizeof **lease, PROT_READ, MAP_SHARED, received[1], 0);
        close(received[1]);
        if (page == MAP_FAILED) return -1;
        *lease = page;
    }
    return received[0];
}

/// Tells the worker why the command could not be started, and ends this process.
static _Noreturn void give_up(int worker, int failure) {
    signal(SIGPIPE, SIG_IGN);
    const ssize_t count = write(worker, &failure, sizeof failure);
    (void)count;  // If the write fails, the worker has ended.
    _exit(NO_COMMAND);
}

/// Replaces the variables in `all` by the command's variables, without their prefix.
static char **variables_of_command(char **all) {
    const size_t length = strlen(FORGE_LEADER_VARIABLE);
    char **end = all;
    for (char **variable = all; *variable; variable++)
        if (strncmp(*variable, FORGE_LEADER_VARIABLE, length) == 0) *end++ = *variable + length;
    *end = NULL;
    return all;
}

static _Noreturn void become_command(
    int worker, pid_t leader, const struct forge_lease *lease, char **arguments, char **variables) {
#ifdef __linux__
    // If the leader itself is killed, it cannot kill the command. The kernel then kills the command, even if the command
    // has left the group.
    prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
    if (getppid() != leader) _exit(NO_COMMAND);
    // Signals to this process since the fork were blocked, and come now. So none of them is lost, and a command that must
    // end does not begin.
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    // As late as possible: the worker may have been stopped for a long time since it checked the lease.
    if (is_over(lease)) give_up(worker, ESTALE);
    execve(arguments[0], arguments, variables);
    give_up(worker, errno);
}

/// Ends in the same way as the command, so that the worker, which waits for the leader, learns how the command ended.
static _Noreturn void end_like_command(int status) {
    if (WIFEXITED(status)) _exit(WEXITSTATUS(status));
    // The leader must not dump a core; the command has already dumped its own, if it had to.
    const struct rlimit none = {0, 0};
    setrlimit(RLIMIT_CORE, &none);
#ifdef __linux__
    prctl(PR_SET_DUMPABLE, 0);
#endif
    const int number = WTERMSIG(status);
    sigset_t unblocked;
    sigemptyset(&unblocked);
    sigaddset(&unblocked, number);
    signal(number, SIG_DFL);
    raise(number);
    sigprocmask(SIG_UNBLOCK, &unblocked, NULL);
    _exit(128 + number);
}

/// Waits until the command ends; kills the command and its group if the worker or the lease ends first.
static _Noreturn void watch(int worker, pid_t command, const struct forge_lease *lease, const sigset_t *woken) {
    // The lease is checked again after a quarter of a second, because the time of a wait does not include the time in
    // which the machine sleeps.
    const struct timespec quarter = {0, 250000000};
    while (1) {
        int status;
        if (waitpid(command, &status, WNOHANG) == command) end_like_command(status);
        fd_set sockets;
        FD_ZERO(&sockets);
        FD_SET(worker, &sockets);
        char word;
        if (!is_over(lease) && (pselect(worker + 1, &sockets, NULL, NULL, lease ? &quarter : NULL, woken) <= 0 ||
                                read(worker, &word, 1) > 0))
            continue;
        // The command may have left the group, so it is killed by its number, too. No other process can have the number
        // before the command is reaped.
        kill(command, SIGKILL);
        kill(0, SIGKILL);
    }
}

static _Noreturn void lead(char **arguments, char **all) {
    // A process that has the leader's name but leads no group must not continue: it would kill a group of others.
    if (getpgrp() != getpid()) _exit(NO_COMMAND);
    // Signals to the group are for the command. The leader blocks them, and stays until the command has ended.
    sigset_t blocked, woken;
    sigfillset(&blocked);
    sigprocmask(SIG_SETMASK, &blocked, NULL);
    woken = blocked;
    sigdelset(&woken, SIGCHLD);
    sigaction(SIGCHLD, &(struct sigaction){.sa_handler = wake}, NULL);
#ifdef __linux__
    prctl(PR_SET_NAME, FORGE_LEADER_NAME);
#endif
    const int worker = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    const struct forge_lease *lease = NULL;
    const int input = receive_input(worker, &lease);
    if (input < 0) _exit(NO_COMMAND);
    dup2(input, STDIN_FILENO);
    close(input);
    char **variables = variables_of_command(all);
    const pid_t leader = getpid();
    const pid_t command = fork();
    if (command == 0) become_command(worker, leader, lease, arguments, variables);
    const int failure = errno;
    if (command < 0) give_up(worker, failure);
    for (int standard = STDIN_FILENO; standard <= STDERR_FILENO; standard++) close(standard);
    watch(worker, command, lease, &woken);
}

#if defined(__GLIBC__) || defined(__APPLE__)
#define CONSTRUCTORS_HAVE_ARGUMENTS 1

/// Runs before all other code of the program; a process that was started as a leader never reaches `main`.
__attribute__((constructor(101))) static void lead_if_leader(int count, char **arguments, char **variables) {
    if (count > 1 && strcmp(arguments[0], FORGE_LEADER_NAME) == 0) lead(arguments + 1, variables);
}
#endif

#if defined(__linux__) && CONSTRUCTORS_HAVE_ARGUMENTS

size_t forge_leader_path(char *buffer, size_t size) {
    Dl_info here;
    if (dladdr((const void *)lead_if_leader, &here) == 0) return 0;
    const ElfW(Ehdr) *file = here.dli_fbase;
    if ((uintptr_t)file + file->e_phoff != getauxval(AT_PHDR)) return 0;
    // Not the program's path: the file with that path may have been replaced or removed since the start.
    static const char path[] = "/proc/self/exe";
    if (size < sizeof path) return 0;
    memcpy(buffer, path, sizeof path);
    return sizeof path - 1;
}

#elif defined(__APPLE__)

size_t forge_leader_path(char *buffer, size_t size) {
    Dl_info here;
    uint32_t room = (uint32_t)size;
    if (dladdr((const void *)lead_if_leader, &here) == 0) return 0;
    if (here.dli_fbase != (const void *)_dyld_get_image_header(0)) return 0;
    return _NSGetExecutablePath(buffer, &room) == 0 ? strlen(buffer) : 0;
}

#else

size_t forge_leader_path(char *buffer, size_t size) {
    (void)buffer, (void)size;
    return 0;
}

#endif

int forge_leader_connect(int ends[2]) {
#ifdef SOCK_CLOEXEC
    return socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends);
#else
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0) return -1;
    const int on = 1;
    setsockopt(ends[0], SOL_SOCKET, SO_NOSIGPIPE, &on, sizeof on);
    return fcntl(ends[0], F_SETFD, FD_CLOEXEC) | fcntl(ends[1], F_SETFD, FD_CLOEXEC);
#endif
}

int forge_leader_begin(int worker, int input, int lease) {
    const int sent[] = {input, lease};
    const size_t size = lease < 0 ? sizeof input : sizeof sent;
    char word = 0;
    struct iovec text = {&word, 1};
    union {
        struct cmsghdr header;
        char space[CMSG_SPACE(2 * sizeof(int))];
    } control = {.space = {0}};
    struct msghdr message = {
        .msg_iov = &text, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = CMSG_SPACE(size)};
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(size);
    memcpy(CMSG_DATA(header), sent, size);
#ifdef MSG_NOSIGNAL
    return sendmsg(worker, &message, MSG_NOSIGNAL) == 1 ? 0 : -1;
#else
    return sendmsg(worker, &message, 0) == 1 ? 0 : -1;
#endif
}

int forge_leader_failure(int worker) {
    int failure = 0;
    return recv(worker, &failure, sizeof failure, MSG_DONTWAIT) == sizeof failure ? failure : 0;
}

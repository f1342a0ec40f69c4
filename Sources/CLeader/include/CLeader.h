/// The leader: a small process between the worker and one command, so that the command does not outlive the worker.
///
/// The leader is this program, started again under the name `FORGE_LEADER_NAME`: a constructor recognises the name, and
/// runs the leader instead of `main`. The leader leads the command's process group. It has one end of a socket, and only
/// the worker has the other end. When the command ends, the leader ends in the same way. When the socket is closed, the
/// worker has ended, and the leader kills the group.
///
/// If the worker holds its store by a lease, the leader also kills the group at the end of the lease, even if the worker
/// is stopped at that time and cannot do it.
///
/// The leader's standard input is the socket. Its arguments are the path of the command's program and the command's
/// arguments. The command gets the variables of the leader's environment that begin with `FORGE_LEADER_VARIABLE`,
/// without this prefix.

#ifndef CLEADER_H
#define CLEADER_H

#include <stddef.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

/// The leader's own name, its argument 0.
#define FORGE_LEADER_NAME "forgebus-leader"

/// The prefix of the command's variables in the leader's environment.
#define FORGE_LEADER_VARIABLE "_"

/// Writes the path of the running program to `buffer`; returns its length, or 0 if commands must run without leaders.
///
/// The result is 0 if this code is in a library that the program has loaded, if the system is neither macOS nor Linux
/// with glibc, or if the path does not fit into the buffer.
size_t forge_leader_path(char *buffer, size_t size);

/// Makes the socket between the worker (the first end) and a leader (the second end); returns 0, or -1 with errno set.
int forge_leader_connect(int ends[_Nonnull 2]);

/// Tells the leader to start its command, with `input` as the command's standard input.
///
/// `lease` is the descriptor that `forge_lease_make` returned, or -1 for a command without a lease. Returns 0, or -1 with
/// errno set if the leader has already ended.
int forge_leader_begin(int worker, int input, int lease);

/// The errno with which a leader, which has ended now, could not start its command; 0 if it started the command.
int forge_leader_failure(int worker);

/// A lease, in memory that the worker shares with all its leaders.
struct forge_lease;

/// Makes a lease that is over until its end is set; returns the descriptor of its memory, or -1 with errno set.
int forge_lease_make(struct forge_lease *_Nullable *_Nonnull lease);

/// Sets the end of the lease, as a time of `forge_lease_now`; with 0 the lease is over.
void forge_lease_set(struct forge_lease *lease, int64_t end);

/// The end of the lease, as a time of `forge_lease_now`; 0 if the lease has not begun or was ended early.
int64_t forge_lease_end(const struct forge_lease *lease);

/// The current time in nanoseconds, by a clock that continues while the machine sleeps.
int64_t forge_lease_now(void);

#pragma clang assume_nonnull end

#endif

/// The leader: a small process between the worker and one command, so that the command does not outlive the worker.
///
/// It is this very program, started again under a name of its own: a constructor knows it by that name and never lets it
/// get to `main`. It leads the command's process group and holds a socket whose other end only the worker has. When the
/// command ends, it ends in the same way; when the socket ends, the worker is no more, and it kills its group.
///
/// Where the worker holds its store by a lease, it also kills its group at the end of the lease, even if the worker is
/// suspended and knows nothing of that.
///
/// Its standard input is the socket. Its arguments are the program's path and the command's arguments; the command gets
/// those variables of its environment that begin with `FORGE_LEADER_VARIABLE`, without that.

#ifndef CLEADER_H
#define CLEADER_H

#include <stddef.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

/// The leader's own name, its argument 0.
#define FORGE_LEADER_NAME "forgebus-leader"

/// What the name of a variable begins with that is the command's.
#define FORGE_LEADER_VARIABLE "_"

/// Where the program lies that is running; 0 if started again it would not be a leader.
///
/// That is so where this code is not part of the program's own file, but of a library that it loads.
size_t forge_leader_path(char *buffer, size_t size);

/// Makes the socket between the worker, which has the first end, and a leader, which has the second; 0, or -1 and errno.
int forge_leader_connect(int ends[_Nonnull 2]);

/// Has the leader start its command, which reads `input`, for as long as `lease` lasts, a descriptor of
/// `forge_lease_make` or -1; 0, or -1 and errno where the leader is gone already.
int forge_leader_begin(int worker, int input, int lease);

/// Why the command of a leader that has ended could not be started, as an errno; 0 if it could.
int forge_leader_failure(int worker);

/// The end of a lease that all leaders of a worker read.
struct forge_lease;

/// Makes the end of a lease, which is over until it is set; gives its descriptor, or -1 and errno.
int forge_lease_make(struct forge_lease *_Nullable *_Nonnull lease);

/// Sets the end of the lease, in nanoseconds of `forge_lease_now`; 0 is over.
void forge_lease_set(struct forge_lease *lease, int64_t end);

/// The end of the lease.
int64_t forge_lease_end(const struct forge_lease *lease);

/// The time in nanoseconds, by a clock that goes on while the machine sleeps.
int64_t forge_lease_now(void);

#pragma clang assume_nonnull end

#endif

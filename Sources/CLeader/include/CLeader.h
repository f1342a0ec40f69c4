/// The leader: a small process between the worker and one command, so that the command does not outlive the worker.
///
/// It is this very program, started again under a name of its own: a constructor knows it by that name and never lets it
/// get to `main`. It leads the command's process group and holds a socket whose other end only the worker has. When the
/// command ends, it ends in the same way; when the socket ends, the worker is no more, and it kills its group.
///
/// Its standard input is the socket. Its arguments are the program's path and the command's arguments; the command gets
/// those variables of its environment that begin with `FORGE_LEADER_VARIABLE`, without that.

#ifndef CLEADER_H
#define CLEADER_H

#include <stddef.h>

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

/// Has the leader start its command, which reads `input`; 0, or -1 and errno where the leader is gone already.
int forge_leader_begin(int worker, int input);

/// Why the command of a leader that has ended could not be started, as an errno; 0 if it could.
int forge_leader_failure(int worker);

#pragma clang assume_nonnull end

#endif

"""A file system that forgets what was not made sure of: python forgetful.py DIRECTORY mounts it there, with FUSE.

Everything is in memory. What is written counts as lasting once its file is fsynced; that a name stands for a file, once
its directory is. Whoever sets an attribute of the mounted directory has it do something:

    user.cut       the power fails: what does not last is gone. The value is a number; from 1 on it seeds the choice of
                   writes that reached the disk by chance, as 0 none has.
    user.failing   what fails from now on with EIO: `fsync`, or nothing if it is empty.
"""

import errno
import os
import random
import stat
import sys
import time

import fuse

ROOM = 1 << 30
BLOCK = 4096


class File:
    """A file as it is, as it would be found after the power failed, and the writes between the two."""

    def __init__(self, mode):
        self.mode, self.changed = mode, time.time()
        self.content, self.lasting = bytearray(), bytearray()
        self.pending = []

    def change(self, change):
        self.pending.append(change)
        apply(change, self.content)
        self.changed = time.time()

    def synchronize(self):
        for change in self.pending:
            apply(change, self.lasting)
        self.pending = []

    def lose(self, chance):
        """The power fails; with a `chance`, some of what was pending has reached the disk."""
        for change in self.pending:
            if chance and chance.random() < 0.5:
                apply(change, self.lasting)
        self.content, self.pending = bytearray(self.lasting), []


def apply(change, content):
    """A change is where to write and what; or the size to cut or fill up to, and None."""
    offset, data = change
    if len(content) < offset:
        content.extend(bytes(offset - len(content)))
    if data is None:
        del content[offset:]
    else:
        content[offset : offset + len(data)] = data


class Forgetful(fuse.Operations):
    """One directory of files."""

    def __init__(self):
        self.names, self.lasting = {}, {}
        self.opened, self.last = {}, 0
        self.failing = ""

    def setxattr(self, path, name, value, options, position=0):
        if name == "user.cut":
            chance = random.Random(int(value)) if int(value) else None
            self.names = dict(self.lasting)
            for file in self.names.values():
                file.lose(chance)
        elif name == "user.failing":
            self.failing = value.decode()
        else:
            raise fuse.FuseOSError(errno.ENOTSUP)

    # Names

    def getattr(self, path, fh=None):
        who = {"st_uid": os.getuid(), "st_gid": os.getgid()}
        if path == "/" and fh is None:
            return {"st_mode": stat.S_IFDIR | 0o700, "st_nlink": 2, **who}
        file = self._file(path, fh)
        size = {"st_size": len(file.content), "st_blocks": -(-len(file.content) // 512)}
        return {"st_mode": stat.S_IFREG | file.mode, "st_nlink": 1, "st_mtime": file.changed, **size, **who}

    def readdir(self, path, fh):
        return [".", "..", *(name[1:] for name in self.names)]

    def create(self, path, mode, fi=None):
        self.names[path] = File(mode & 0o777)
        return self.open(path, 0)

    def unlink(self, path):
        self._file(path)
        del self.names[path]

    def rename(self, old, new):
        self.names[new] = self._file(old)
        del self.names[old]

    def chmod(self, path, mode):
        self._file(path).mode = mode & 0o777

    def fsyncdir(self, path, datasync, fh):
        self._fail_if("fsync")
        self.lasting = dict(self.names)

    def statfs(self, path):
        free = (ROOM - sum(len(file.content) for file in self.names.values())) // BLOCK
        sizes = {"f_bsize": BLOCK, "f_frsize": BLOCK, "f_blocks": ROOM // BLOCK}
        return {**sizes, "f_bfree": free, "f_bavail": free, "f_namemax": 255}

    # Contents

    def open(self, path, flags):
        self.last += 1
        self.opened[self.last] = self._file(path)
        return self.last

    def release(self, path, fh):
        del self.opened[fh]

    def read(self, path, size, offset, fh):
        return bytes(self.opened[fh].content[offset : offset + size])

    def write(self, path, data, offset, fh):
        self.opened[fh].change((offset, data))
        return len(data)

    def truncate(self, path, length, fh=None):
        self._file(path, fh).change((length, None))

    def fsync(self, path, datasync, fh):
        self._fail_if("fsync")
        self.opened[fh].synchronize()

    def _file(self, path, fh=None):
        file = self.opened.get(fh) or self.names.get(path)
        if file is None:
            raise fuse.FuseOSError(errno.ENOENT)
        return file

    def _fail_if(self, what):
        if self.failing == what:
            raise fuse.FuseOSError(errno.EIO)


if __name__ == "__main__":
    asked_each_time = {"attr_timeout": 0, "entry_timeout": 0, "negative_timeout": 0}
    fuse.FUSE(
        Forgetful(), sys.argv[1], foreground=True, nothreads=True, hard_remove=True, big_writes=True, **asked_each_time
    )

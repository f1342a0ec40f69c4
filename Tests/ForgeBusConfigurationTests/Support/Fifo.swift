import Foundation
import Synchronization
import TestSupport

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// A named pipe through which the commands of a test say what they do, and are told to go on.
struct Fifo: Sendable {
    let path: String

    init(_ name: String, in directory: TemporaryDirectory) throws {
        path = directory.file(name)
        guard mkfifo(path, 0o600) == 0 else { throw POSIXError(.init(rawValue: errno) ?? .EIO) }
    }

    /// Waits for a writer, and reads until the last one is gone.
    func readToEnd() async -> String { await waitForWriter().readToEnd() }

    /// Waits until somebody has written.
    func waitForWriter() async -> PipeEnd {
        let end = openAhead()
        await end.wait()
        return end
    }

    /// Opens the pipe before anybody writes.
    func openAhead() -> PipeEnd { PipeEnd(descriptor: open(path, O_RDONLY | O_NONBLOCK)) }

    /// An end of the pipe that reads and writes and never ends, for a test that talks with many commands.
    func talk() -> PipeEnd { PipeEnd(descriptor: open(path, O_RDWR | O_NONBLOCK)) }
}

/// An open end of a pipe; a test whose time is over is not kept by it.
struct PipeEnd: Sendable {
    let descriptor: Int32

    /// The next byte; nil at the end.
    func next() async -> UInt8? { await read(1).first }

    /// All until nobody has it open for writing any more; then it is closed.
    func readToEnd() async -> String {
        var bytes: [UInt8] = []
        while case let chunk = await read(4096), !chunk.isEmpty { bytes += chunk }
        end()
        return String(decoding: bytes, as: UTF8.self)
    }

    func say(_ byte: UInt8) {
        var byte = byte
        precondition(write(descriptor, &byte, 1) == 1)
    }

    func end() { close(descriptor) }

    /// Waits until there is something to read, or the end.
    func wait() async {
        await onThread { isCancelled in
            while !isCancelled(), !isReadable() {}
        }
    }

    /// What is there, at most `count` bytes; waits for the first, and is empty at the end.
    private func read(_ count: Int) async -> [UInt8] {
        await onThread { isCancelled in
            var buffer = [UInt8](repeating: 0, count: count)
            while !isCancelled() {
                let size = systemRead(descriptor, &buffer, count)
                if size >= 0 { return Array(buffer[..<size]) }
                _ = isReadable()
            }
            return []
        }
    }

    /// Blocks until it is, a fifth of a second at most.
    private func isReadable() -> Bool {
        var request = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&request, 1, 200) > 0
    }
}

private func systemRead(_ descriptor: Int32, _ buffer: inout [UInt8], _ count: Int) -> Int {
    read(descriptor, &buffer, count)
}

/// Runs what blocks on a thread of its own, so that it holds none of Swift's pool.
private func onThread<Value: Sendable>(_ body: @escaping @Sendable (_ isCancelled: () -> Bool) -> Value) async -> Value
{
    let flag = Flag()
    return await withTaskCancellationHandler {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread { continuation.resume(returning: body { flag.isSet.load(ordering: .relaxed) }) }
        }
    } onCancel: {
        flag.isSet.store(true, ordering: .relaxed)
    }
}

private final class Flag: Sendable {
    let isSet = Atomic(false)
}

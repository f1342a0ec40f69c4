import Dispatch
import ForgeBusProtocol
import ForgeLocks
import Foundation

#if canImport(Musl)
import Musl
#endif

/// Writes a worker's log to standard error, on its own thread.
///
/// No caller waits for the reader of the log: lines wait in a bounded queue. A line is dropped and counted if the queue
/// has no room, or if the line cannot be written, for instance because the reader has left or the disk is full. Later a
/// line reports the number of dropped lines.
///
/// Each process has one log, and the log's thread ends with the process.
final class WorkerLog: Sendable {
    /// The most lines that may wait.
    static let lineLimit = 4_096
    /// The most bytes that all waiting lines may have together.
    static let sizeLimit = 1 << 20

    private struct State {
        var queue: LogQueue
        /// Whether the thread sleeps, because every line was written or dropped.
        var isIdle = false
        /// Whether ``flush(within:)`` waits until the thread sleeps.
        var isAwaited = false
    }

    let format: LogFormat
    /// The label of the line that reports dropped lines.
    private let label: String
    private let descriptor: Int32
    private let state: Guarded<State>
    private let wake = DispatchSemaphore(value: 0)
    private let flushed = DispatchSemaphore(value: 0)

    /// Starts the thread that writes the lines.
    init(
        format: LogFormat = .text,
        label: String = "forgebus.worker",
        descriptor: Int32 = 2,
        queue: LogQueue = LogQueue(lineLimit: WorkerLog.lineLimit, sizeLimit: WorkerLog.sizeLimit)
    ) {
        self.format = format
        self.label = label
        self.descriptor = descriptor
        state = Guarded(State(queue: queue))
        let thread = Thread { [self] in run() }
        thread.name = "forgebus-log"
        thread.start()
    }

    /// Queues a line; never waits.
    func add(_ line: String) {
        let wakes = state.withLock { state in
            state.queue.add(line)
            defer { state.isIdle = false }
            return state.isIdle
        }
        if wakes { wake.signal() }
    }

    /// Queues the lines of an error, after `name` and behind all earlier lines.
    func complain(_ lines: [String], as name: String = "forgebus: ") {
        add(format.complaint(lines, as: name))
    }

    /// Waits until every line is written or dropped, but no longer than the given time.
    ///
    /// Only one thread at a time may call this method, such as the thread that ends the process.
    func flush(within time: DispatchTimeInterval) {
        let isIdle = state.withLock { state in
            state.isAwaited = !state.isIdle
            return state.isIdle
        }
        if !isIdle { _ = flushed.wait(timeout: .now() + time) }
    }

    private func run() -> Never {
        while true {
            if let portion = next() {
                let written = put(portion.bytes)
                state.withLock { $0.queue.settle(portion, written: written) }
            } else {
                wake.wait()
            }
        }
    }

    /// The next bytes to write; nil if there are none and the thread must sleep until it is woken.
    private func next() -> LogQueue.Portion? {
        let (portion, isDone) = state.withLock { state in
            let portion = state.queue.next(telling: news)
            state.isIdle = portion == nil
            defer { if state.isIdle { state.isAwaited = false } }
            return (portion, state.isIdle && state.isAwaited)
        }
        if isDone { flushed.signal() }
        return portion
    }

    private func news(of count: Int) -> String {
        format.line(
            .warning,
            label,
            ["lines": "\(count)"],
            source: "forgebus",
            Errors.droppedLines
        )
    }

    /// Writes all bytes, and waits for a slow reader without a time limit.
    ///
    /// - Returns: The number of written bytes; fewer than all after an error.
    private func put(_ bytes: [UInt8]) -> Int {
        bytes.withUnsafeBytes { bytes in
            var done = 0
            while done < bytes.count {
                let count = write(descriptor, bytes.baseAddress.map { $0 + done }, bytes.count - done)
                if count > 0 {
                    done += count
                } else if count < 0, errno == EAGAIN {
                    awaitRoom()
                } else if count == 0 || errno != EINTR {
                    break
                }
            }
            return done
        }
    }

    /// Waits until the descriptor accepts more bytes.
    ///
    /// The descriptor may be non-blocking, because another process that shares it can change this setting.
    private func awaitRoom() {
        var room = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        _ = poll(&room, 1, -1)
    }
}

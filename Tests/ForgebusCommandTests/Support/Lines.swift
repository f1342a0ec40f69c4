import Subprocess
import Synchronization

/// What a process says, line by line, for whoever waits for one of them.
final class Lines: Sendable {
    /// The process ended without saying what was waited for.
    struct NeverSaid: Error, CustomStringConvertible {
        let description: String
    }

    private struct Waiter {
        let text: String
        let continuation: CheckedContinuation<String?, Never>
    }

    private struct State {
        var lines: [String] = []
        var isEnded = false
        var waiters: [Waiter] = []
    }

    private let state = Mutex(State())

    /// Everything that was said so far.
    var all: [String] { state.withLock { $0.lines } }

    /// The first line that contains `text`, as soon as it is said.
    @discardableResult
    func first(containing text: String) async throws -> String {
        let line: String? = await withCheckedContinuation { continuation in
            let (isKnown, line) = state.withLock { state -> (Bool, String?) in
                let line = state.lines.first { $0.contains(text) }
                if line == nil, !state.isEnded { state.waiters.append(Waiter(text: text, continuation: continuation)) }
                return (line != nil || state.isEnded, line)
            }
            if isKnown { continuation.resume(returning: line) }
        }
        guard let line else { throw NeverSaid(description: "never said: \(text)\n\(all.joined(separator: "\n"))") }
        return line
    }

    func fill(from output: SubprocessOutputSequence) async {
        do {
            for try await line in output.strings() { add(line) }
        } catch {
            add("(the rest could not be read: \(error))")
        }
        let waiters = state.withLock { state in
            state.isEnded = true
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter.continuation.resume(returning: nil) }
    }

    private func add(_ line: String) {
        let served = state.withLock { state in
            state.lines.append(line)
            defer { state.waiters.removeAll { line.contains($0.text) } }
            return state.waiters.filter { line.contains($0.text) }
        }
        for waiter in served { waiter.continuation.resume(returning: line) }
    }
}

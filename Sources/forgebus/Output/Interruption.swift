import ForgeBusProtocol
import UnixSignals

/// Ends a conversation early: Ctrl-C, SIGTERM, or a reader of its output that leaves.
///
/// It ends only the command; the worker continues with its requests.
enum Interruption {
    /// How a conversation ended.
    struct Ending<Answer: Sendable>: Sendable {
        /// Its result, also after an interruption, because the answer may have been on its way.
        let result: Result<Answer, BusError>
        /// The command's status after an interruption; nil without one.
        let status: ExitStatus?
    }

    private enum Event<Answer: Sendable>: Sendable {
        case ended(Result<Answer, BusError>)
        case signalled(ExitStatus?)
    }

    /// Runs `conversation`, and cancels it when the process is told to end or the reader of its output leaves.
    static func ending<Answer: Sendable>(
        _ conversation: @escaping @Sendable () async throws(BusError) -> Answer
    ) async -> Ending<Answer> {
        let signals = await UnixSignalsSequence(trapping: .sigint, .sigterm)
        return await withTaskGroup(of: Event<Answer>.self) { group in
            group.addTask {
                do throws(BusError) { return .ended(.success(try await conversation())) } catch {
                    return .ended(.failure(error))
                }
            }
            group.addTask { .signalled(await firstStatus(of: signals)) }
            group.addTask { .signalled(await Terminal.readerLeaves() ? .unread : nil) }
            var status: ExitStatus?
            while let event = await group.next() {
                group.cancelAll()
                switch event {
                case .ended(let result): return Ending(result: result, status: status)
                case .signalled(let ending): status = status ?? ending
                }
            }
            fatalError("A conversation ended without a result.")
        }
    }

    /// The status for the first signal; nil when the task is cancelled before one arrives.
    private static func firstStatus(of signals: UnixSignalsSequence) async -> ExitStatus? {
        for await signal in signals { return signal == .sigterm ? .terminated : .interrupted }
        return nil
    }
}

extension ErrorCode {
    /// The command ended before it had its answer; only this program uses this code.
    static let interrupted = ErrorCode(rawValue: "interrupted")
}

extension BusError {
    /// The error of a command that ended before it had its answer.
    static func interrupted(_ message: String, next: String) -> BusError {
        BusError(.interrupted, "The command ended early: \(message)", next: next)
    }

    /// The error of a request whose answer was not awaited.
    static func interrupted(_ request: RequestID?) -> BusError {
        guard let request else { return .interrupted("no answer had come.", next: "Ask again.") }
        return .interrupted(
            "the outcome of \(request) is unknown.",
            next: "Send it again with --id \(request) to learn it; it is executed only once."
        )
    }
}

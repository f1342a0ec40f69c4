import ForgeBusProtocol
import UnixSignals

/// What ends a conversation before its time: Ctrl-C, SIGTERM, or a reader of its output who leaves.
///
/// It ends the command and nothing else; what the worker was asked for goes on.
enum Interruption {
    /// How a conversation ended.
    struct Ending<Answer: Sendable>: Sendable {
        /// Its result, also when it was interrupted: the answer may have been on its way.
        let result: Result<Answer, BusError>
        /// How the command ends for being interrupted; nil if it was not.
        let status: ExitStatus?
    }

    private enum Event<Answer: Sendable>: Sendable {
        case ended(Result<Answer, BusError>)
        case signalled(ExitStatus?)
    }

    /// Runs `conversation`, and cancels it as soon as the process is told to end, or nobody reads any more.
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

    /// The status for the first signal; nil when the task is cancelled before one came.
    private static func firstStatus(of signals: UnixSignalsSequence) async -> ExitStatus? {
        for await signal in signals { return signal == .sigterm ? .terminated : .interrupted }
        return nil
    }
}

extension ErrorCode {
    /// The command was told to end before it had its answer; said by this program only.
    static let interrupted = ErrorCode(rawValue: "interrupted")
}

extension BusError {
    /// A command that was told to end before it had its answer.
    static func interrupted(_ message: String, next: String) -> BusError {
        BusError(.interrupted, "It was told to end: \(message)", next: next)
    }

    /// A request whose answer nobody waited for.
    static func interrupted(_ request: RequestID?) -> BusError {
        guard let request else { return .interrupted("no answer had come.", next: "Ask again.") }
        return .interrupted(
            "the outcome of \(request) is unknown.",
            next: "Send it again with --id \(request) to learn it; it is done once."
        )
    }
}

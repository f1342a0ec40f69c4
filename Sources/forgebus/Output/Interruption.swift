import ForgeBusProtocol
import UnixSignals

/// Ends a conversation with a worker early, after Ctrl-C or SIGTERM, or when the reader of the output leaves.
///
/// An interruption ends only the command; the worker continues with the command's requests.
enum Interruption {
    /// How a conversation ended.
    struct Ending<Answer: Sendable>: Sendable {
        /// The conversation's result; even after an interruption it can be a success, if the answer had already come.
        let result: Result<Answer, BusError>
        /// The command's status after an interruption; nil without one.
        let status: ExitStatus?
    }

    private enum Event<Answer: Sendable>: Sendable {
        case ended(Result<Answer, BusError>)
        case signalled(ExitStatus?)
    }

    /// Runs `conversation`, and cancels it when the process gets a signal to end or the reader of the output leaves.
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
            fatalError("This is a defect of forgebus: a command ended without a result, so its outcome is unknown.")
        }
    }

    /// The status for the first signal; nil when the task is cancelled before one arrives.
    private static func firstStatus(of signals: UnixSignalsSequence) async -> ExitStatus? {
        for await signal in signals { return signal == .sigterm ? .terminated : .interrupted }
        return nil
    }
}

extension ErrorCode {
    /// The command ended before it got an answer; only this program uses this code.
    static let interrupted = ErrorCode(rawValue: "interrupted")
}

extension BusError {
    /// The error of a command that ended before it got an answer.
    static func interrupted(_ message: String, next: String) -> BusError {
        BusError(.interrupted, "The command ended early: \(message)", next: next)
    }

    /// The error of a command that ended before the answer to its request came.
    ///
    /// - Parameter request: The request's id; nil if the request has no effect.
    /// - Returns: An error that says how to send the request again.
    static func interrupted(_ request: RequestID?) -> BusError {
        guard let request else { return .interrupted("no complete answer had come.", next: "Run the command again.") }
        return .interrupted(
            "the outcome of the request \(request) is unknown.",
            next: "Send the request again with --id \(request) to learn the outcome; the request is executed only once."
        )
    }
}

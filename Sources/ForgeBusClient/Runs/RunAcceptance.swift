public import ForgeBusProtocol

/// A worker's acceptance of a run.
public struct RunAcceptance: Hashable, Sendable {
    /// The run's id at the worker that accepted it.
    public let run: RunID
    /// How durable the acceptance is.
    public let durability: Durability
    /// How long the worker keeps the result after the end of the run.
    public let retention: Duration

    /// Makes the acceptance from an ACCEPTED; nil if the ACCEPTED lacks the run's id or the retention.
    init?(_ acceptance: Acceptance) {
        guard let run = acceptance.run, let retention = acceptance.retention else { return nil }
        self.run = run
        durability = acceptance.durability
        self.retention = retention
    }
}

extension RunResult {
    /// Makes the result from the last answer to a RUN.
    ///
    /// - Throws: `BusError` with code `bad_answer` if the answer is not a RESULT.
    init(last answer: Answer.Content) throws(BusError) {
        switch answer {
        case .result(let result): self = result
        // The call waits for a result. It ends with ACCEPTED only if that lacks the run's id or the retention.
        case .accepted: throw Errors.acceptedNoRun
        case .welcome, .progress, .evaluated, .verdict, .ok, .shown, .page, .event, .pong, .error:
            throw Errors.unexpected("RESULT", answer)
        }
    }
}

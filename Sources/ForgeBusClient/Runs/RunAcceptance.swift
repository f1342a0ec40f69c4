public import ForgeBusProtocol

/// The worker's acceptance of a run: the run's id, and how durable the acceptance is.
public struct RunAcceptance: Hashable, Sendable {
    /// The run's id at the worker that accepted it.
    public let run: RunID
    /// How durable the acceptance is.
    public let durability: Durability
    /// How long the worker keeps the run's answer after the run's end.
    public let retention: Duration

    /// Reads an ACCEPTED; nil if it lacks the run's id or the retention.
    init?(_ acceptance: Acceptance) {
        guard let run = acceptance.run, let retention = acceptance.retention else { return nil }
        self.run = run
        durability = acceptance.durability
        self.retention = retention
    }
}

extension RunResult {
    /// Reads the last answer to a RUN.
    ///
    /// - Throws: ``BusError`` with code `bad_answer` if it is not a RESULT.
    init(last answer: Answer.Content) throws(BusError) {
        switch answer {
        case .result(let result): self = result
        // Of a run that is waited for, ACCEPTED is the last answer only when it begins none.
        case .accepted: throw .acceptedNoRun
        case .welcome, .progress, .evaluated, .verdict, .ok, .shown, .page, .event, .pong, .error:
            throw .unexpected("RESULT")
        }
    }
}

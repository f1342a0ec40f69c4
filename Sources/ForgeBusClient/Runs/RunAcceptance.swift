public import ForgeBusProtocol

/// The worker has accepted a run: which one it is, and how durable that is.
public struct RunAcceptance: Hashable, Sendable {
    /// The run's id at the worker that took it.
    public let run: RunID
    /// What the acceptance survives.
    public let durability: Durability
    /// How long after the run's end its answer is kept.
    public let retention: Duration

    /// What ACCEPTED says of a run; nil where it does not name one, and how long its answer is kept.
    init?(_ acceptance: Acceptance) {
        guard let run = acceptance.run, let retention = acceptance.retention else { return nil }
        self.run = run
        durability = acceptance.durability
        self.retention = retention
    }
}

extension RunResult {
    /// What the last answer to a RUN says.
    ///
    /// - Throws: `BusError` with code `bad_answer` where it is no RESULT.
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

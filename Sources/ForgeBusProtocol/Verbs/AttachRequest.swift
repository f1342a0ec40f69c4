/// A request to follow a run; another sender may have started the run.
public struct AttachRequest: Hashable, Sendable {
    /// The run's id.
    public var run: Name
    /// How long the worker waits for the end of the run before it answers with the run's current state.
    ///
    /// With zero, the worker answers with the state immediately. With nil, the worker waits until the run ends.
    public var patience: Duration?
    /// Whether the worker also sends PROGRESS for the start, the end and each retry of an action.
    ///
    /// The worker sends PROGRESS in any case when the run waits, resumes, is parked or is redriven.
    public var wantsProgress: Bool

    /// Makes a request to follow `run`.
    public init(run: Name, patience: Duration? = nil, wantsProgress: Bool = false) {
        self.run = run
        self.patience = patience
        self.wantsProgress = wantsProgress
    }
}

extension AttachRequest: Verb {
    package static let words = ["ATTACH"]
    package static let attributes = ["wait_ms", "progress"]
    package static let right: Right? = .read
    package static let isLedgered = false
    package static let isTiedToStore = true

    package init(_ run: Name, _ attributes: AttributeReader, _ body: BodyReader) throws(BusError) {
        self.init(
            run: run,
            patience: try attributes.duration("wait_ms", atLeast: 0),
            wantsProgress: try attributes.flag("progress")
        )
    }

    package var command: Request.Command { .attach(self) }
    package var subject: Name { run }
    package var target: String? { nil }
    package var lastAnswer: LastAnswer { .resultOrState }
    package var isAnsweredAtOnce: Bool { patience == .zero }

    package func write(to attributes: inout JSONObject) {
        attributes["wait_ms"] = patience?.json
        if wantsProgress { attributes["progress"] = true }
    }
}

/// Word of a run is asked for, by somebody who may not have begun it.
public struct AttachRequest: Hashable, Sendable {
    /// Which run.
    public var run: RunID
    /// After how long its state comes instead, if it has not ended; zero asks for the state now, nil waits for the end.
    public var patience: Duration?
    /// Whether every action's start and end is told by PROGRESS.
    public var wantsProgress: Bool

    /// Word of `run`.
    public init(run: RunID, patience: Duration? = nil, wantsProgress: Bool = false) {
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

    package init(_ run: RunID, _ attributes: AttributeReader, _ body: BodyReader) throws(BusError) {
        self.init(
            run: run,
            patience: try attributes.duration("wait_ms", atLeast: 0),
            wantsProgress: try attributes.flag("progress")
        )
    }

    package var command: Request.Command { .attach(self) }
    package var subject: RunID { run }
    package var target: String? { nil }
    package var lastAnswer: LastAnswer { .resultOrState }
    package var isAnsweredAtOnce: Bool { patience == .zero }

    package func write(to attributes: inout JSONObject) {
        attributes["wait_ms"] = patience?.json
        if wantsProgress { attributes["progress"] = true }
    }
}

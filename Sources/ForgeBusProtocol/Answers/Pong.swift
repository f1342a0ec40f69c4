/// The worker lives.
public struct Pong: Hashable, Sendable {
    /// What the worker calls itself.
    public var worker: String
    /// What it takes.
    public var state: State
    /// The body of the PING.
    public var body: [UInt8]

    /// What a worker takes.
    public enum State: String, CaseIterable, Hashable, Sendable {
        /// Decisions only: its start-up sequence is not through.
        case starting
        /// Everything.
        case ready
        /// Decisions only: it finishes what it has and stops.
        case draining
    }

    /// The worker lives.
    public init(worker: String, state: State, body: [UInt8] = []) {
        self.worker = worker
        self.state = state
        self.body = body
    }
}

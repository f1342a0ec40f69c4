/// The worker's answer to a PING.
public struct Pong: Hashable, Sendable {
    /// The worker's name.
    public var worker: String
    /// The requests that the worker accepts now.
    public var state: State
    /// The body of the PING.
    public var body: [UInt8]

    /// The requests that a worker accepts.
    public enum State: String, CaseIterable, Hashable, Sendable {
        /// Decisions only: its startup actions are still running.
        case starting
        /// All requests.
        case ready
        /// Decisions only: it finishes running actions and stops.
        case draining
    }

    /// Makes the answer to a PING.
    public init(worker: String, state: State, body: [UInt8] = []) {
        self.worker = worker
        self.state = state
        self.body = body
    }
}

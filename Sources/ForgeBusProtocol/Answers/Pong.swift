/// The worker's answer to a PING.
public struct Pong: Hashable, Sendable {
    /// The worker's name.
    public var worker: String
    /// Whether the worker is starting, ready or draining, which decides the requests that it accepts now.
    public var state: State
    /// The body of the PING.
    public var body: [UInt8]

    /// The states of a worker, which decide the requests that it accepts.
    public enum State: String, CaseIterable, Hashable, Sendable {
        /// The startup actions are still running; of the requests that change something, the worker accepts only
        /// decisions.
        case starting
        /// The worker accepts all requests.
        case ready
        /// The worker finishes the running actions and stops; of the requests that change something, it accepts only
        /// decisions.
        case draining
    }

    /// Makes the answer to a PING.
    public init(worker: String, state: State, body: [UInt8] = []) {
        self.worker = worker
        self.state = state
        self.body = body
    }
}

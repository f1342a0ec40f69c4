/// The worker's answer to a PING.
public struct Pong: Hashable, Sendable {
    /// The worker's name.
    public var worker: String
    /// The worker's state; a worker that is starting or draining refuses new work.
    public var state: State
    /// The body of the PING.
    public var body: [UInt8]

    /// The states of a worker.
    public enum State: String, CaseIterable, Hashable, Sendable {
        /// The startup actions are still executing.
        ///
        /// The worker refuses NOTIFY, new runs and REDRIVE with `not_ready`.
        case starting
        /// The worker accepts all requests.
        case ready
        /// The worker finishes the executing actions and stops.
        ///
        /// It refuses NOTIFY, new runs and REDRIVE with `draining`.
        case draining
    }

    /// Makes the answer to a PING.
    public init(worker: String, state: State, body: [UInt8] = []) {
        self.worker = worker
        self.state = state
        self.body = body
    }
}

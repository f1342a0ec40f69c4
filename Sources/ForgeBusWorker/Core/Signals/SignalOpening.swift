import ForgeBusProtocol

/// A request to open a signal.
struct SignalOpening: Sendable {
    let signal: Name
    let waiting: SignalWait
    let deadline: Duration?
}

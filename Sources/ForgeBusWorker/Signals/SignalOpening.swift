import ForgeBusProtocol

/// Asks for the opening of a signal.
struct SignalOpening: Sendable {
    let signal: Name
    let waiting: GateBook.Waiting
    let deadline: Duration?
}

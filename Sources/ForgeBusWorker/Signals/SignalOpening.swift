import ForgeBusProtocol

/// Somebody waits for a signal.
struct SignalOpening: Sendable {
    let signal: SignalID
    let waiting: GateBook.Waiting
    let deadline: Duration?
}

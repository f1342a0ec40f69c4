/// The id of one connection, over a socket or within the process; only the transport makes such ids.
///
/// The number is never printed: a peer that knows which number a socket assigns next can make the process fail.
struct ConnectionID: Hashable, Sendable, CustomStringConvertible, CustomReflectable {
    let number: UInt64

    var description: String { "ConnectionID(redacted)" }
    var customMirror: Mirror { Mirror(self, children: [:]) }
}

/// The sender of a request: a connection, and the principal that sent the request on it.
///
/// The socket forgets a connection id when the connection ends, and may later give the same id to another sender. If
/// that sender is a different principal, it never gets this caller's answers.
struct Caller: Hashable, Sendable {
    let connection: ConnectionID
    /// The principal's name; empty for an unknown caller, whose answers a ``Callers`` does not count.
    let principal: String
    /// The index of the caller's entry in a ``Callers``; the book checks this hint before each use.
    var place = -1

    init(_ connection: ConnectionID, _ principal: AccessPolicy.Principal) { self.init(connection, principal.name) }

    /// Creates an unknown caller: a connection whose message was not assigned to a principal.
    init(unknown connection: ConnectionID) { self.init(connection, "") }

    private init(_ connection: ConnectionID, _ principal: String) {
        self.connection = connection
        self.principal = principal
    }

    static func == (a: Caller, b: Caller) -> Bool { a.connection == b.connection && a.principal == b.principal }

    func hash(into hasher: inout Hasher) { hasher.combine(connection) }
}

import ForgeBusProtocol

/// Names one watch: the connection that wants to know, and the request it asked with.
struct WatchKey: Hashable, Sendable {
    let caller: Caller
    let request: RequestID
}

/// An event for one watch, on its way to the connection.
struct ToldEvent: Sendable {
    let key: WatchKey
    /// Which of the watches that were begun under the key it is for.
    let watch: UInt64
    let sequence: Int
    let subject: EventSubject
    let body: JSONObject
}

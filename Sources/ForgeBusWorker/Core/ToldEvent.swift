import ForgeBusProtocol

/// Identifies one watch by its caller and by the request that opened it.
struct WatchKey: Hashable, Sendable {
    let caller: Caller
    let request: RequestID
}

/// An event for one watch, on its way to the connection.
struct ToldEvent: Sendable {
    let key: WatchKey
    /// The number of the watch, which distinguishes watches that were opened under the same key.
    let watch: UInt64
    let sequence: Int
    let subject: EventSubject
    let body: JSONObject
}

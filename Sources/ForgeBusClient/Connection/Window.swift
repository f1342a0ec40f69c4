import ForgeBusProtocol

/// The outstanding requests of one connection (sent, and without a first answer), and their limit.
///
/// Pure. Each connection begins with an empty window, because its worker may have another limit. A worker refuses
/// requests beyond the limit `outstanding` of its WELCOME, so the client keeps within it. Few clients come near this
/// limit. So the window assumes a limit at first. When the client reaches it, it asks the worker, once for each
/// connection.
struct Window {
    /// What the client knows of the worker's limit.
    private enum Limit {
        /// The client has not asked for the limit.
        case assumed
        /// The client has sent a HELLO to ask for the limit.
        case asked
        case told(Int)
        /// The worker names no limit, because its version is older.
        case none
    }

    /// The limit until the worker has named its own.
    static let assumed = 256
    /// How many requests of the limit are reserved for the client's own HELLO, PING and UNWATCH, which do not count
    /// here.
    static let reserve = 8

    /// The id of the HELLO that asks for the limit.
    let hello = RequestID.random()
    private var unanswered: Set<RequestID> = []
    private var limit = Limit.assumed

    /// How many requests may be outstanding, without the reserve.
    private var room: Int {
        switch limit {
        case .assumed, .asked: Self.assumed - Self.reserve
        case .told(let number): max(1, number - Self.reserve)
        case .none: .max
        }
    }

    /// Whether the request may be sent: there is room, or it is a resend of an outstanding request.
    func admits(_ id: RequestID) -> Bool { unanswered.count < room || contains(id) }

    /// Whether the request is outstanding.
    func contains(_ id: RequestID) -> Bool { unanswered.contains(id) }

    /// Whether to ask for the worker's limit before more requests are sent.
    var isWorthAsking: Bool { if case .assumed = limit { true } else { false } }

    /// The connection took the request.
    mutating func sent(_ id: RequestID) { unanswered.insert(id) }

    /// The connection took the HELLO.
    mutating func asked() { limit = .asked }

    /// An answer came, perhaps to a request whose call has ended.
    ///
    /// - Returns: Whether there may be more room now.
    mutating func heard(_ answer: Answer.Content, for id: RequestID) -> Bool {
        guard answer.isFirst else { return false }
        let hadPlace = unanswered.remove(id) != nil
        if case .welcome(let welcome) = answer { limit = welcome.limits["outstanding"].map(Limit.told) ?? .none }
        // A temporary refusal says nothing about the limit, so the assumed limit stays.
        if case .error(let error) = answer, id == hello, !error.isRetryable { limit = .none }
        return hadPlace || id == hello
    }

    /// The call of the request has ended.
    ///
    /// - Returns: Whether there may be more room now.
    mutating func ended(_ id: RequestID) -> Bool { unanswered.remove(id) != nil }
}

extension Answer.Content {
    /// Whether a request can get this answer as its first one.
    fileprivate var isFirst: Bool {
        switch self {
        case .accepted, .verdict, .ok, .pong, .welcome, .shown, .page, .error: true
        case .progress, .result, .evaluated, .event: false
        }
    }
}

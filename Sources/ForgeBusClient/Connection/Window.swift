import ForgeBusProtocol

/// The sent requests of one connection that have no first answer yet, and the limit of their number.
///
/// Pure. Each connection begins with an empty window. A worker refuses requests beyond the limit that its WELCOME calls
/// `outstanding`, so the client keeps within this limit. Few clients come near it: a client first assumes a limit, and
/// asks for the real one only when it reaches that, once per connection.
struct Window {
    /// What the client knows about the limit.
    private enum Limit {
        /// The client has not asked for it.
        case assumed
        /// The HELLO is on its way.
        case asked
        case told(Int)
        /// The worker has no limit, because its version is older than this limit.
        case none
    }

    /// The limit that the client assumes until the worker has named its own.
    static let assumed = 256
    /// The part of the limit that is reserved for the client's own messages, which it does not count: HELLO, PING and
    /// UNWATCH.
    static let reserve = 8

    /// The id of the HELLO that asks for the limit.
    let hello = RequestID.random()
    private var unanswered: Set<RequestID> = []
    private var limit = Limit.assumed

    /// The number of requests that may be unanswered, without the client's own messages.
    private var room: Int {
        switch limit {
        case .assumed, .asked: Self.assumed - Self.reserve
        case .told(let number): max(1, number - Self.reserve)
        case .none: .max
        }
    }

    /// Whether the request may be sent: there is room, or the request has its place already.
    func admits(_ id: RequestID) -> Bool { unanswered.count < room || contains(id) }

    /// Whether the request was sent and has no first answer yet.
    func contains(_ id: RequestID) -> Bool { unanswered.contains(id) }

    /// Whether the client should ask the worker for its limit before it sends more.
    var isWorthAsking: Bool { if case .assumed = limit { true } else { false } }

    /// The connection took the request.
    mutating func sent(_ id: RequestID) { unanswered.insert(id) }

    /// The connection took the HELLO.
    mutating func asked() { limit = .asked }

    /// An answer came, even if nobody waits for it any more.
    ///
    /// - Returns: Whether there may be more room now.
    mutating func heard(_ answer: Answer.Content, for id: RequestID) -> Bool {
        guard answer.isFirst else { return false }
        let hadPlace = unanswered.remove(id) != nil
        if case .welcome(let welcome) = answer { limit = welcome.limits["outstanding"].map(Limit.told) ?? .none }
        // A refusal for now says nothing about the number: what was assumed stays.
        if case .error(let error) = answer, id == hello, !error.isRetryable { limit = .none }
        return hadPlace || id == hello
    }

    /// Nobody waits for the request's answer any more.
    ///
    /// - Returns: Whether there may be more room now.
    mutating func ended(_ id: RequestID) -> Bool { unanswered.remove(id) != nil }
}

extension Answer.Content {
    /// Whether this is the kind of answer that comes first to a request.
    fileprivate var isFirst: Bool {
        switch self {
        case .accepted, .verdict, .ok, .pong, .welcome, .shown, .page, .error: true
        case .progress, .result, .evaluated, .event: false
        }
    }
}

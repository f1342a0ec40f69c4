import ForgeBusProtocol

/// The requests of one connection that are on their way without a first answer, and how many there may be.
///
/// Pure; each connection begins with an empty one, perhaps to a worker with another number. A worker refuses what goes beyond the number that its WELCOME calls `outstanding`, so a client keeps to it. Few
/// clients ever come near it: until one does, it assumes a number, and then it asks, once for each connection.
struct Window {
    /// How many there may be, as far as the client knows.
    private enum Limit {
        /// Nobody has asked.
        case assumed
        /// The HELLO is on its way.
        case asked
        case told(Int)
        /// The worker is older than this limit.
        case none
    }

    /// The number until the worker has told its own.
    static let assumed = 256
    /// How many of the number are left to what the client sends by itself, and does not count: HELLO, PING and UNWATCH.
    static let reserve = 8

    /// The id of the HELLO that asks for the number.
    let hello = RequestID.random()
    private var unanswered: Set<RequestID> = []
    private var limit = Limit.assumed

    /// How many requests there may be beside what the client sends by itself.
    private var room: Int {
        switch limit {
        case .assumed, .asked: Self.assumed - Self.reserve
        case .told(let number): max(1, number - Self.reserve)
        case .none: .max
        }
    }

    /// Whether the request may be sent: there is room, or it is on its way already and is sent again.
    func admits(_ id: RequestID) -> Bool { unanswered.count < room || contains(id) }

    /// Whether the request is on its way and has no first answer yet.
    func contains(_ id: RequestID) -> Bool { unanswered.contains(id) }

    /// Whether the worker should be asked for its number before more is sent.
    var isWorthAsking: Bool { if case .assumed = limit { true } else { false } }

    /// The request was handed to the connection.
    mutating func sent(_ id: RequestID) { unanswered.insert(id) }

    /// The HELLO was handed to the connection.
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

    /// Nobody waits for its answer any more.
    ///
    /// - Returns: Whether there may be more room now.
    mutating func ended(_ id: RequestID) -> Bool { unanswered.remove(id) != nil }
}

extension Answer.Content {
    /// Whether it is what a request is answered with first.
    fileprivate var isFirst: Bool {
        switch self {
        case .accepted, .verdict, .ok, .pong, .welcome, .shown, .page, .error: true
        case .progress, .result, .evaluated, .event: false
        }
    }
}

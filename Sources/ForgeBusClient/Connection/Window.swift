import ForgeBusProtocol

/// The outstanding requests of one connection, and the limit of their number.
///
/// Pure: it has no side effects. A request is outstanding if it was sent and has no first answer yet. A worker refuses
/// requests beyond its limit, `outstanding` in its WELCOME, so the client stays within this limit. Few clients come
/// near the limit. So the window first assumes the limit ``assumed``. When the client reaches the assumed limit, it
/// asks the worker for the real one, once for each connection. Each connection begins with an empty window, because its
/// worker may have another limit.
struct Window {
    /// What the client knows about the worker's limit.
    private enum Limit {
        /// The client has not asked for the limit.
        case assumed
        /// The client has sent a HELLO to ask for the limit.
        case asked
        /// The worker's WELCOME names this limit.
        case told(Int)
        /// There is no limit: the worker's WELCOME names none, or the worker refused the HELLO permanently.
        case none
    }

    /// The limit that the client assumes until the worker has named its own.
    static let assumed = 256
    /// The part of the limit that is reserved for HELLO, PING and UNWATCH requests that the client sends by itself.
    ///
    /// These requests do not count in the window.
    static let reserve = 8

    /// The id of the HELLO that asks for the limit.
    let hello = RequestID.random()
    private var unanswered: Set<RequestID> = []
    private var limit = Limit.assumed

    /// How many requests may be outstanding: the limit minus the reserve, but at least one.
    private var room: Int {
        switch limit {
        case .assumed, .asked: Self.assumed - Self.reserve
        case .told(let number): max(1, number - Self.reserve)
        case .none: .max
        }
    }

    /// Whether the request may be sent, because the window has room or because the request is outstanding already.
    func admits(_ id: RequestID) -> Bool { unanswered.count < room || contains(id) }

    /// Whether the request is outstanding.
    func contains(_ id: RequestID) -> Bool { unanswered.contains(id) }

    /// Whether the client should ask for the worker's limit, because it has not asked yet.
    var isWorthAsking: Bool { if case .assumed = limit { true } else { false } }

    /// Records that the request was sent.
    mutating func sent(_ id: RequestID) { unanswered.insert(id) }

    /// Records that the HELLO was sent.
    mutating func asked() { limit = .asked }

    /// Records an answer to the request `id`, whose call may already have ended.
    ///
    /// - Returns: Whether the window may have more room now.
    mutating func heard(_ answer: Answer.Content, for id: RequestID) -> Bool {
        guard answer.word.isFirst else { return false }
        let hadPlace = unanswered.remove(id) != nil
        if case .welcome(let welcome) = answer { limit = welcome.limits["outstanding"].map(Limit.told) ?? .none }
        // A temporary refusal says nothing about the limit, so the assumed limit stays.
        if case .error(let error) = answer, id == hello, !error.isRetryable { limit = .none }
        return hadPlace || id == hello
    }

    /// Records that the call of the request `id` has ended.
    ///
    /// - Returns: Whether the window may have more room now.
    mutating func ended(_ id: RequestID) -> Bool { unanswered.remove(id) != nil }
}

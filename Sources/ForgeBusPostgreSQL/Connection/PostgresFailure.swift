#if PostgreSQL
import ForgeBusProtocol
import ForgeBusStore

/// Why a transaction does not count as committed.
enum PostgresFailure: Error, Equatable {
    /// The server refused a statement, and rolled the transaction back.
    case refused(state: String, message: String)
    /// The connection broke, or the answer did not come in time: whether the transaction was committed is unknown.
    case lost(String)
    /// The server must not be used, for this reason.
    case unsuitable(StoreError)
    /// The server committed the transaction, and said that a replica may not have it.
    case warned(String)

    /// The cause, as a sentence without its full stop.
    var cause: String {
        switch self {
        case .refused(let state, let message): "\(message) (SQLSTATE \(state))"
        case .lost(let message), .warned(let message): message
        case .unsuitable(let error): error.message
        }
    }

    /// The error with which this process must stop acting for the worker, because a function of the schema refused the
    /// transaction; nil for any other failure.
    ///
    /// The functions of the schema raise the SQLSTATEs that begin with `FB`.
    var loss: StoreError? {
        guard case .refused(let state, let message) = self else { return nil }
        let sentence = message.prefix(1).uppercased() + message.dropFirst() + "."
        return switch state {
        case "FB001", "FB006": Errors.superseded(sentence)
        case "FB003": Errors.lacksCommits(sentence)
        case "FB004": Errors.replaced
        case "FB009": Errors.foreignCommits(sentence)
        default: nil
        }
    }

    /// Whether the database has more commits than the process knows of.
    var isAhead: Bool { if case .refused(state: "FB002", _) = self { true } else { false } }

    /// Whether the same transaction may succeed later.
    ///
    /// It may if the connection was lost, if the commit is uncertain, if the server lacks room or memory or is starting
    /// or stopping, if another transaction was in the way, or if commits do not wait for a replica or the disk at the
    /// moment.
    var isPassing: Bool {
        guard case .refused(let state, _) = self else {
            if case .unsuitable = self { return false }
            return true
        }
        return ["40", "53", "57", "58"].contains { state.hasPrefix($0) } || ["55P03", "FB007", "FB010"].contains(state)
    }

    /// Whether statements that change nothing should be sent again: something outside them, such as a lost connection or a
    /// time limit, ended them.
    ///
    /// Not if the server lacked memory or room for them: they might fail again and again, and commits wait for them.
    var isInterruption: Bool {
        switch self {
        case .lost: true
        case .refused(let state, _): state.hasPrefix("57") || ["FB007", "FB010"].contains(state)
        case .unsuitable, .warned: false
        }
    }
}

/// The pauses between attempts to reach a server: longer each time, up to 2 s, and random, so that several processes do
/// not try at the same moment.
enum Reconnection {
    private static let backoff = Backoff(from: .milliseconds(50), upTo: .seconds(2))

    /// The pause to make after `others` failed attempts.
    static func pause(after others: Int) -> Duration { backoff.pause(after: others) * Double.random(in: 0.5...1) }
}
#endif

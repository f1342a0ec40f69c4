#if PostgreSQL
import ForgeBusProtocol
import ForgeBusStore

/// Why a transaction has no answer that says that it was committed.
enum PostgresFailure: Error, Equatable {
    /// The server refused a statement, and rolled the transaction back.
    case refused(state: String, message: String)
    /// The connection broke, or the answer did not come in time: the transaction is committed or not.
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

    /// The error of a process that must not go on, because the database has said so; nil for any other failure.
    ///
    /// The states are those that the functions of the schema raise.
    var loss: StoreError? {
        guard case .refused(let state, let message) = self else { return nil }
        let sentence = message.prefix(1).uppercased() + message.dropFirst() + "."
        return switch state {
        case "FB001", "FB006": .superseded(sentence)
        case "FB003", "FB004":
            StoreError(
                .unsound,
                sentence,
                next:
                    "Find out whether the database was restored or failed over to a replica that had not caught up: what the "
                    + "worker acknowledged since then is lost. To go on with what the database has, start the worker again."
            )
        default: nil
        }
    }

    /// Whether the database has more commits than the process knows of.
    var isAhead: Bool { if case .refused(state: "FB002", _) = self { true } else { false } }

    /// Whether the same transaction may succeed later: the server lacks room or memory, is starting or stopping, or
    /// another transaction was in the way.
    var isPassing: Bool {
        guard case .refused(let state, _) = self else {
            if case .unsuitable = self { return false }
            return true
        }
        return ["40", "53", "57", "58"].contains { state.hasPrefix($0) } || state == "55P03"
    }
}

/// The pauses between attempts to reach a server: longer each time, and never the same for two processes.
enum Reconnection {
    private static let backoff = Backoff(from: .milliseconds(50), upTo: .seconds(2))

    /// The pause to make after so many failed attempts.
    static func pause(after others: Int) -> Duration { backoff.pause(after: others) * Double.random(in: 0.5...1) }
}
#endif

import ForgeBusProtocol
import Foundation

/// The sessions of the console: who has signed in, by the random id that the browser keeps in a cookie.
///
/// The gateway keeps sessions only in its memory: when it starts again, users sign in again.
struct Sessions: Sendable {
    /// What somebody proved when they signed in; the session lasts no longer than that.
    struct Session: Hashable, Sendable {
        /// The hash of the token.
        var token: String
        var began: Date
    }

    /// The sessions by the hashes of their ids.
    private var sessions: [String: Session] = [:]

    /// How long a session lasts.
    static let age = TimeInterval(30 * 86_400)
    /// The most sessions; a new one ends the oldest.
    static let limit = 10_000
    /// The most sessions with one token; a new one ends the oldest of them.
    static let limitPerToken = 100

    /// The session with this id; nil if there is none, or if it is too old.
    func session(_ id: String, at now: Date) -> Session? {
        guard let session = sessions[AccessToken.hash(of: id)], now < session.began + Self.age else { return nil }
        return session
    }

    /// Begins a session, and returns its id: 256 random bits.
    mutating func begin(_ session: Session) -> String {
        let own = sessions.filter { $0.value.token == session.token }
        if own.count >= Self.limitPerToken { endOldest(of: own) }
        if sessions.count >= Self.limit { endOldest(of: sessions) }
        let id = AccessToken.secret()
        sessions[AccessToken.hash(of: id)] = session
        return id
    }

    /// Ends a session; does nothing if there is none with this id.
    mutating func end(_ id: String) { sessions[AccessToken.hash(of: id)] = nil }

    private mutating func endOldest(of sessions: [String: Session]) {
        if let oldest = sessions.min(by: { $0.value.began < $1.value.began }) { self.sessions[oldest.key] = nil }
    }
}

import ForgeBusProtocol

/// What becomes of an action that failed, before its pipeline goes on.
public struct ActionPolicy: Hashable, Sendable {
    /// How often it is tried in all, 1 or more.
    public let attempts: Int
    /// How long it is before the second attempt; it doubles before each further one, up to five minutes.
    ///
    /// While an action waits for its next attempt its run holds no slot.
    public let backoff: Duration
    /// What happens when the last attempt failed.
    public let onFailure: OnFailure

    /// What happens when the last attempt failed.
    public enum OnFailure: String, CaseIterable, Hashable, Sendable {
        /// The action's result is that it failed, and the run goes on with what does not require it.
        case proceed
        /// The run stops there, `parked`, until somebody redrives it: then the action is tried again, as
        /// often as ``attempts`` says.
        case park
    }

    /// The longest time between two attempts.
    public static let longestBackoff: Duration = .seconds(300)

    /// Tried once, and the run goes on.
    public static let once = ActionPolicy()

    /// What becomes of an action that failed.
    public init(attempts: Int = 1, backoff: Duration = .seconds(1), onFailure: OnFailure = .proceed) {
        self.attempts = max(1, attempts)
        self.backoff = max(.zero, backoff)
        self.onFailure = onFailure
    }

    /// How long it is from the end of an attempt, counted from 1, to the next one.
    func pause(after attempt: Int) -> Duration {
        Backoff(from: backoff, upTo: Self.longestBackoff).pause(after: attempt - 1)
    }
}

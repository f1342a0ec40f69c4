import ForgeBusProtocol

/// The policy for a failed action: how often it is tried again, and what happens after its last attempt.
public struct ActionPolicy: Hashable, Sendable {
    /// The total number of attempts, including the first; 1 or more.
    public let attempts: Int
    /// The pause before the second attempt; it doubles before each further attempt, up to ``longestBackoff``.
    ///
    /// While an action waits for its next attempt, its run holds no slot.
    public let backoff: Duration
    /// What happens after the last attempt has failed.
    public let onFailure: OnFailure

    /// What happens after the last attempt has failed.
    public enum OnFailure: String, CaseIterable, Hashable, Sendable {
        /// The action fails, and the run continues with the actions that do not require it.
        case proceed
        /// The run is `parked` until somebody redrives it; the action then gets ``attempts`` new attempts.
        case park
    }

    /// The longest pause between two attempts.
    public static let longestBackoff: Duration = .seconds(300)

    /// The policy of a single attempt; if the attempt fails, the action fails and the run continues.
    public static let once = ActionPolicy()

    /// Creates a policy; fewer attempts than 1 become 1, and a negative backoff becomes zero.
    public init(attempts: Int = 1, backoff: Duration = .seconds(1), onFailure: OnFailure = .proceed) {
        self.attempts = max(1, attempts)
        self.backoff = max(.zero, backoff)
        self.onFailure = onFailure
    }

    /// The pause between the end of the attempt with this number and the next attempt; the first attempt has number 1.
    func pause(after attempt: Int) -> Duration {
        Backoff(from: backoff, upTo: Self.longestBackoff).pause(after: attempt - 1)
    }
}

@testable import ForgeBusWorker

/// What is to follow when an action has failed: decided here once more, apart from the core.
enum FailurePolicy: Equatable {
    /// It is tried again as this attempt.
    case retry(attempt: Int)
    /// Its run is parked.
    case park
    /// Its run goes on with the failure.
    case proceed

    /// After this attempt at an action of the simulated pipelines.
    init(after attempt: Int, at action: String) {
        switch action {
        case "a": self = attempt < 2 ? .retry(attempt: attempt + 1) : .park
        case "b": self = .park
        case "c": self = attempt < 2 ? .retry(attempt: attempt + 1) : .proceed
        default: self = .proceed
        }
    }

    /// Whether the task of a run leaves it there: an action without a policy simply ends.
    static func applies(to action: String) -> Bool { action != "d" }
}

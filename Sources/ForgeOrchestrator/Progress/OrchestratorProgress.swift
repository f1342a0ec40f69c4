/// The progress of the current or latest evaluation of an orchestrator, as one value.
///
/// A view can show ``fractionCompleted`` and ``description``; a terminal or a log can show ``description`` alone.
public struct OrchestratorProgress: Sendable, Equatable {
    /// Whether an evaluation is running.
    public internal(set) var isProcessing = false
    /// The id of the action that is executing now, or nil.
    public internal(set) var currentActionId: ActionID?
    /// The number of actions whose condition held; 0 while the conditions are being evaluated.
    public internal(set) var eligibleCount = 0
    /// The reports of the actions that have ended, in the order of execution.
    public internal(set) var reports: [ActionReport] = []

    /// Makes the progress of an orchestrator before its first evaluation.
    public init() {}

    /// How many actions have ended.
    public var completedCount: Int { reports.count }

    /// The fraction of the eligible actions that have ended, from 0 to 1.
    ///
    /// If no action is eligible, the fraction is 0 while an evaluation is running, and otherwise 1.
    public var fractionCompleted: Double {
        if eligibleCount == 0 { return isProcessing ? 0 : 1 }
        return Double(completedCount) / Double(eligibleCount)
    }

    /// The reports of the actions that ended with ``ActionResult/failed(_:)``.
    public var failures: [ActionReport] { reports.filter(\.isFailed) }
}

extension OrchestratorProgress: CustomStringConvertible {
    /// The progress as one line, like `1 of 3: migrate` or `3 of 3 actions have ended; migrate failed (no disk)`.
    public var description: String {
        let failed = failures.map { report in
            let cause = if case .failed(let reason) = report.result { " (\(reason))" } else { "" }
            return "\(report.id) failed\(cause)"
        }
        return ([step] + failed).joined(separator: "; ")
    }

    private var step: String {
        if eligibleCount == 0 { return isProcessing ? "checking the conditions" : "nothing to do" }
        let count = "\(completedCount) of \(eligibleCount)"
        if let currentActionId { return "\(count): \(currentActionId)" }
        return "\(count) \(eligibleCount == 1 ? "action has" : "actions have") ended"
    }
}

extension OrchestratorProgress {
    /// The properties that a step changed; `whole` is the property `progress`, which contains all the others.
    struct Fields: OptionSet {
        let rawValue: UInt8

        static let isProcessing = Fields(rawValue: 1)
        static let currentActionID = Fields(rawValue: 2)
        static let eligibleCount = Fields(rawValue: 4)
        static let completedCount = Fields(rawValue: 8)
        static let results = Fields(rawValue: 16)
        static let whole = Fields(rawValue: 32)
        static let none: Fields = []
    }
}

// Each method applies one step of an evaluation, and returns the fields that the step changed.
extension OrchestratorProgress {
    mutating func begin() -> Fields {
        var changed: Fields = [.isProcessing, .whole]
        if eligibleCount != 0 { changed.insert(.eligibleCount) }
        if !reports.isEmpty { changed.formUnion([.completedCount, .results]) }
        self = OrchestratorProgress()
        isProcessing = true
        return changed
    }

    mutating func eligible(_ count: Int) -> Fields {
        defer { eligibleCount = count }
        reports.reserveCapacity(count)
        return count == eligibleCount ? .none : [.eligibleCount, .whole]
    }

    mutating func started(_ id: ActionID) -> Fields {
        currentActionId = id
        return [.currentActionID, .whole]
    }

    mutating func finished(_ report: ActionReport) -> Fields {
        defer { currentActionId = nil }
        reports.append(report)
        let changed: Fields = [.completedCount, .results, .whole]
        return currentActionId == nil ? changed : changed.union(.currentActionID)
    }

    mutating func end() -> Fields {
        isProcessing = false
        return [.isProcessing, .whole]
    }
}

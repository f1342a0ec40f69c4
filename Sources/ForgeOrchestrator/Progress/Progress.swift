/// How far an evaluation has come: what the observable properties of an orchestrator show.
struct Progress: Equatable {
    var isProcessing = false
    var currentActionID: ActionID?
    var eligibleCount = 0
    var completedCount = 0
    var results: [ActionResult] = []

    /// A set of its fields.
    struct Fields: OptionSet {
        let rawValue: UInt8

        static let isProcessing = Fields(rawValue: 1)
        static let currentActionID = Fields(rawValue: 2)
        static let eligibleCount = Fields(rawValue: 4)
        static let completedCount = Fields(rawValue: 8)
        static let results = Fields(rawValue: 16)
        static let none: Fields = []
    }
}

// Each step changes the fields and says which ones it changed.
extension Progress {
    mutating func begin() -> Fields {
        var changed = Fields.isProcessing
        if eligibleCount != 0 { changed.insert(.eligibleCount) }
        if completedCount != 0 { changed.insert(.completedCount) }
        if !results.isEmpty { changed.insert(.results) }
        self = Progress(isProcessing: true)
        return changed
    }

    mutating func eligible(_ count: Int) -> Fields {
        defer { eligibleCount = count }
        return count == eligibleCount ? .none : .eligibleCount
    }

    mutating func started(_ id: ActionID) -> Fields {
        currentActionID = id
        return .currentActionID
    }

    mutating func finished(_ result: ActionResult) -> Fields {
        defer { currentActionID = nil }
        completedCount += 1
        results.append(result)
        let changed: Fields = [.completedCount, .results]
        return currentActionID == nil ? changed : changed.union(.currentActionID)
    }

    mutating func end() -> Fields {
        isProcessing = false
        return .isProcessing
    }
}

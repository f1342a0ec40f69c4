import ForgeBusProtocol
import ForgeBusStore
import ForgeOrchestrator

/// A pipeline's definition, as digests: that of the whole, and those of its parts.
struct RunDefinition: Equatable {
    /// SHA-256 of the whole definition.
    let whole: Fingerprint
    /// The digests of its parts; nil for a run of a release that did not store them.
    let parts: DefinitionParts?

    /// The definition of no pipeline.
    static let none = RunDefinition(whole: .none, parts: nil)
}

/// A change of a pipeline's definition that concerns a run.
enum DefinitionChange: Hashable, CustomStringConvertible {
    /// The worker no longer serves the pipeline.
    case gone
    /// Some part changed; for a run whose parts are not known.
    case somewhere
    /// The seeds or the outputs changed.
    case frame
    /// An action that the run did not know.
    case added(String)
    /// An action of the run is no longer defined.
    case removed(String)
    /// An action is defined otherwise.
    case changed(String)
    /// The actions are executed in another order.
    case reordered

    /// The change, for the middle of a sentence.
    var description: String {
        switch self {
        case .gone: "the worker no longer serves the pipeline"
        case .somewhere: "its definition changed"
        case .frame: "its seeds or outputs changed"
        case .added(let action): "the action \(action) is new"
        case .removed(let action): "the action \(action) is gone"
        case .changed(let action): "the action \(action) changed"
        case .reordered: "the order of its actions changed"
        }
    }

    /// Why a run of `pipeline` is parked, as a sentence.
    func reason(of pipeline: Name) -> String {
        switch self {
        case .gone: "The worker no longer serves the pipeline \(pipeline)."
        case .somewhere: "The definition of the pipeline \(pipeline) has changed since the run was accepted."
        case .frame, .added, .removed, .changed, .reordered:
            "The definition of the pipeline \(pipeline) has changed since the run was accepted: \(self)."
        }
    }
}

extension RunDefinition {
    /// The first change from this definition to `current` that concerns what is ahead of a run; nil if none does.
    ///
    /// Ahead are the run's unfinished actions, all actions that these require, directly or not, and the seeds and
    /// outputs. Of an action that is required and not ahead itself, only the work counts: nobody limits or repeats it
    /// any more. A run whose conditions are not all evaluated has every action ahead.
    ///
    /// - Parameters:
    ///   - current: The definition that is served now.
    ///   - requirements: The requirements of each action, as they are now.
    ///   - course: How far the run has come.
    /// - Returns: The change, or nil.
    func change(
        to current: RunDefinition,
        requiring requirements: [String: Set<String>],
        after course: RunCourse
    ) -> DefinitionChange? {
        guard let old = parts, let new = current.parts else { return whole == current.whole ? nil : .somewhere }
        if old == new { return nil }
        if old.frame != new.frame { return .frame }
        guard let ahead = course.ahead else { return old.change(to: new, in: new.ids + old.ids) }
        let required = requirements.closure(of: ahead).subtracting(ahead).sorted()
        return old.change(to: new, in: ahead) ?? old.changedWork(in: new, among: required)
    }
}

extension RunCourse {
    /// The unfinished actions in their order; nil while each action of the pipeline may become one.
    var ahead: [String]? { eligible.map { Array($0.dropFirst(actions.count)) } }

    /// The course of a run with this stored progress; nil for a run that has not begun.
    init(of progress: ProgressRecord?) {
        if let progress { self.init(progress) } else { self.init() }
    }
}

extension DefinitionParts {
    fileprivate var ids: [String] { actions.map(\.id) }

    fileprivate subscript(id: String) -> Action? { actions.first { $0.id == id } }

    /// The first change among these actions, or of their order.
    fileprivate func change(to new: DefinitionParts, in ids: [String]) -> DefinitionChange? {
        for id in ids {
            switch (self[id], new[id]) {
            // A redriven run may go on without an action that its pipeline does not have.
            case (nil, nil): break
            case (nil, _?): return .added(id)
            case (_?, nil): return .removed(id)
            case (let old?, let new?): if old != new { return .changed(id) }
            }
        }
        let known = Set(ids)
        return self.ids.filter(known.contains) == new.ids.filter(known.contains) ? nil : .reordered
    }

    fileprivate func changedWork(in new: DefinitionParts, among ids: [String]) -> DefinitionChange? {
        ids.first { self[$0]?.work != new[$0]?.work }.map { .changed($0) }
    }
}

import ForgeBusProtocol
import ForgeBusStore

/// A change of a pipeline's definition that concerns a run.
enum DefinitionChange: Hashable, CustomStringConvertible {
    /// The worker no longer serves the pipeline.
    case gone
    /// The pipeline declares other seeds or outputs than before.
    case frame
    /// The pipeline has a new action, which the run's definition does not contain.
    case added(String)
    /// The pipeline no longer has this action of the run.
    case removed(String)
    /// The definition of this action changed.
    case changed(String)
    /// The pipeline executes the actions in another order.
    case reordered

    /// The change in words, as the end of a sentence about the pipeline.
    var description: String {
        switch self {
        case .gone: "the worker no longer serves the pipeline"
        case .frame: "the pipeline declares other seeds or outputs"
        case .added(let action): "the action \"\(action)\" is new"
        case .removed(let action): "the action \"\(action)\" is gone"
        case .changed(let action): "the action \"\(action)\" changed"
        case .reordered: "the order of the pipeline's actions changed"
        }
    }

    /// The sentence that says why a run of `pipeline` is parked.
    func reason(of pipeline: Name) -> String {
        switch self {
        case .gone: "The worker no longer serves the pipeline \"\(pipeline)\"."
        case .frame, .added, .removed, .changed, .reordered:
            "The definition of the pipeline \"\(pipeline)\" has changed since the run was accepted: \(self)."
        }
    }
}

extension RunDefinition {
    /// The digest of what an action does, without its policy and its limits; nil if there is no such action.
    func digest(of action: String) -> Fingerprint? { self[action]?.work }

    /// Finds the first change from this definition to `current` that concerns the unfinished part of a run.
    ///
    /// Changes of the seeds and outputs always concern the run. So do changes of its unfinished actions and of their
    /// order. Unfinished actions may require other actions, directly or indirectly. Of such an action, only the `work`
    /// digest counts: the run does not execute it any more, so its limits and its policy do not matter. Until all
    /// conditions are evaluated, every action counts as unfinished.
    ///
    /// - Parameters:
    ///   - current: The definition that the worker serves now.
    ///   - requirements: The ids of the actions that each action requires now.
    ///   - course: The progress of the run.
    /// - Returns: The change; nil if no change concerns the run.
    func change(
        to current: RunDefinition,
        requiring requirements: [String: Set<String>],
        after course: RunCourse
    ) -> DefinitionChange? {
        if self == current { return nil }
        if frame != current.frame { return .frame }
        guard let ahead = course.ahead else { return change(to: current, in: current.ids + ids) }
        let required = requirements.closure(of: ahead).subtracting(ahead).sorted()
        return change(to: current, in: ahead) ?? changedWork(in: current, among: required)
    }
}

extension RunCourse {
    /// The run's unfinished actions, in order.
    ///
    /// The list is nil until all conditions are evaluated, because until then any action may become eligible.
    var ahead: [String]? { eligible.map { Array($0.dropFirst(actions.count)) } }

    /// Restores the course from the stored progress; nil stands for a run that has not begun.
    init(of progress: ProgressRecord?) {
        if let progress { self.init(progress) } else { self.init() }
    }
}

extension RunDefinition {
    fileprivate var ids: [String] { actions.map(\.id) }

    fileprivate subscript(id: String) -> Action? { actions.first { $0.id == id } }

    /// Finds the first change of these actions, or a change of their order.
    fileprivate func change(to new: RunDefinition, in ids: [String]) -> DefinitionChange? {
        for id in ids {
            switch (self[id], new[id]) {
            // The run was redriven under a definition without this action, so the action does not matter.
            case (nil, nil): break
            case (nil, _?): return .added(id)
            case (_?, nil): return .removed(id)
            case (let old?, let new?): if old != new { return .changed(id) }
            }
        }
        let known = Set(ids)
        return self.ids.filter(known.contains) == new.ids.filter(known.contains) ? nil : .reordered
    }

    fileprivate func changedWork(in new: RunDefinition, among ids: [String]) -> DefinitionChange? {
        ids.first { self[$0]?.work != new[$0]?.work }.map { .changed($0) }
    }
}

public import ForgeBusProtocol

/// The state of a run at one moment, with a description in one line.
public struct RunStatus: Hashable, Sendable {
    /// The run's state, such as `waiting` or `completed`.
    public let state: StateReport.State
    /// The signals and gates that the run waits for; empty if the run waits for no signal or has ended.
    public let signals: [SignalID]
    /// The reason why the run is parked, or ended without completing; empty otherwise.
    public let reason: String
    /// The run's result; nil if the run has not ended.
    public let result: RunResult?

    init(_ result: RunResult) {
        state = StateReport.State(result.state)
        signals = []
        reason = result.reason
        self.result = result
    }

    /// Makes a status from the answer to SHOW for a run that has not ended.
    init(_ item: JSONObject) {
        let waits = (item["waits"]?.array ?? []).compactMap(\.object)
        state = item["state"]?.string.flatMap(StateReport.State.init(rawValue:)) ?? .running
        signals = waits.compactMap { $0["signal"]?.string }.map { SignalID($0) }
        reason = waits.lazy.compactMap { $0["reason"]?.string }.first ?? ""
        result = nil
    }
}

extension RunStatus: CustomStringConvertible {
    /// The run's state, the signals it waits for, the reason, and after the end its outputs and actions, in one line.
    public var description: String {
        var text = state.rawValue
        if !signals.isEmpty { text += " for \(signals.map { "\"\($0)\"" }.formatted)" }
        if !reason.isEmpty { text += " because of “\(reason)”" }
        guard let result else { return text }
        let actions = result.actions.map { "\"\($0.action)\" \($0.result.words) after \($0.duration)" }
        return text + "; outputs \(result.outputs); actions: \(actions.isEmpty ? "none" : actions.formatted)"
    }
}

extension ActionOutcome.Result {
    fileprivate var words: String {
        switch self {
        case .completed: "completed"
        case .skipped: "skipped"
        case .failed(let reason): "failed (\(reason))"
        }
    }
}

/// The status that a test expects of a run.
struct ExpectedStatus: CustomStringConvertible {
    let state: StateReport.State
    let signal: SignalID?
    let outputs: JSONObject?
    let reason: String?

    func isMet(by status: RunStatus) -> Bool {
        guard status.state == state else { return false }
        if let signal, !status.signals.contains(signal) { return false }
        if let reason, !status.reason.contains(reason) { return false }
        guard let outputs else { return true }
        return status.result.map { $0.outputs.members == outputs.members } ?? false
    }

    var description: String {
        var text = state.rawValue
        if let signal { text += " for \"\(signal)\"" }
        if let reason { text += " because of “\(reason)”" }
        if let outputs { text += " with the outputs \(outputs)" }
        return text
    }
}

extension JSONObject {
    /// The values by their keys; two objects with the same entries in different orders have equal `members`.
    fileprivate var members: [String: JSONValue] {
        Dictionary(entries.map { ($0.key, $0.value) }) { _, last in last }
    }
}

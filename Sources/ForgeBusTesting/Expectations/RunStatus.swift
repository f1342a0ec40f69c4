public import ForgeBusProtocol

/// How a run stands; its text says so in one line.
public struct RunStatus: Hashable, Sendable {
    /// How it stands.
    public let state: StateReport.State
    /// The signals and gates for which it waits.
    public let signals: [SignalID]
    /// Why it is parked, or ended otherwise than `completed`; empty for every other state.
    public let reason: String
    /// How it ended; nil while it has not.
    public let result: RunResult?

    init(_ result: RunResult) {
        state = StateReport.State(result.state)
        signals = []
        reason = result.reason
        self.result = result
    }

    /// Reads what SHOW says of a run that has not ended.
    init(_ item: JSONObject) {
        let waits = (item["waits"]?.array ?? []).compactMap(\.object)
        state = item["state"]?.string.flatMap(StateReport.State.init(rawValue:)) ?? .running
        signals = waits.compactMap { $0["signal"]?.string }.map { SignalID($0) }
        reason = waits.lazy.compactMap { $0["reason"]?.string }.first ?? ""
        result = nil
    }
}

extension RunStatus: CustomStringConvertible {
    /// The state, what it waits for, why it ended so, its outputs and its actions.
    public var description: String {
        var text = state.rawValue
        if !signals.isEmpty { text += " for \(signals.map(\.text).formatted)" }
        if !reason.isEmpty { text += " because of “\(reason)”" }
        guard let result else { return text }
        let actions = result.actions.map { "\($0.action) \($0.result.words) after \($0.duration)" }
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

/// How a run is to stand.
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
        if let signal { text += " for \(signal)" }
        if let reason { text += " because of “\(reason)”" }
        if let outputs { text += " with the outputs \(outputs)" }
        return text
    }
}

extension JSONObject {
    /// The entries in whatever order.
    fileprivate var members: [String: JSONValue] {
        Dictionary(entries.map { ($0.key, $0.value) }) { _, last in last }
    }
}

import ForgeBusProtocol
import ForgeBusStore

extension RunOrigin {
    /// The JSON form of the origin, for SHOW and for histories.
    var json: JSONObject {
        var json: JSONObject =
            switch cause {
            case .action(let run, let action): ["run": .string(run.text), "action": .string(action)]
            case .monitor(let monitor, let action): ["monitor": .string(monitor.text), "action": .string(action)]
            case .event(let word): ["event": .string(word)]
            }
        if !causers.isEmpty { json["causers"] = .array(causers.sorted().map { .string($0) }) }
        return json
    }
}

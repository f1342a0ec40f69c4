import ForgeBusClient
import ForgeBusProtocol

/// How a run stands that has not ended, and what it waits for.
struct RunStanding {
    let run: RunID
    let state: StateReport.State
    /// As SHOW tells them, an object for each; none where it waits for nothing.
    let waits: [JSONObject]

    /// Asks the worker what the run waits for; where it does not say, that is left out.
    init(_ state: StateReport.State, of run: RunID, on bus: BusClient) async {
        (self.run, self.state) = (run, state)
        let shown = try? await bus.show(.run, run)
        waits = (shown?["waits"]?.array ?? []).compactMap(\.object)
    }

    /// A line for each thing it waits for.
    var lines: [String] {
        waits.map { wait in
            let action = wait["action"]?.string.map { $0.padded(to: 11) } ?? ""
            return action + Self.cause(wait)
        }
    }

    /// The state as a program reads it.
    func json(event: String) -> JSONObject {
        var object: JSONObject = [
            "event": .string(event), "run": .string(run.text), "state": .string(state.rawValue),
        ]
        if !waits.isEmpty { object["waits"] = .array(waits.map { .object($0) }) }
        return object
    }

    private static func cause(_ wait: JSONObject) -> String {
        if let signal = wait["signal"]?.string {
            let end = wait["deadline_at_ms"]?.integer.map { ", at most until \(Timestamp.text($0))" } ?? ""
            return "waits for \(signal)\(end)"
        }
        if let due = wait["due_at_ms"]?.integer { return "is tried again at \(Timestamp.text(due))" }
        return "is parked: \(wait["reason"]?.string ?? "")"
    }
}

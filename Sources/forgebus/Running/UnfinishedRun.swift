import ForgeBusClient
import ForgeBusProtocol

/// A run that has not ended, with its state and its waits.
struct UnfinishedRun {
    let id: RunID
    let state: StateReport.State
    /// The run's waits.
    let waits: [WaitItem]
    /// The run as the worker shows it; nil if it did not show it in time, or the run has ended.
    private let item: RunItem?

    /// Why the run gets no slot, for people: its pipeline is paused, or another run holds its key; otherwise nil.
    var obstacle: String? { item.flatMap(ItemTable.obstacle) }

    /// How long to wait for the list of the run's waits; the command knows the run's state without it.
    private static let patience = Duration.seconds(1)

    /// Requests the run's waits; the list is empty if the request fails or no answer comes within one second.
    ///
    /// - Throws: `BusError` if the request fails because the task was cancelled.
    init(_ state: StateReport.State, of run: RunID, on bus: BusClient) async throws(BusError) {
        id = run
        do throws(BusError) {
            let item = try await within(Self.patience) { () throws(BusError) in try await bus.show(run: run) }
            // The answer has a newer state than `state`, and the state must match the waits in the answer.
            let now = item?.state ?? state
            self.state = now.isEnd ? state : now
            waits = now.isEnd ? [] : item?.waits ?? []
            self.item = now.isEnd ? nil : item
        } catch {
            if Task.isCancelled { throw error }
            (self.state, waits, item) = (state, [], nil)
        }
    }

    /// The lines about the run's waits, for people; why it gets no slot comes first.
    ///
    /// Each wait has up to three lines: the cause, the gate's message if there is one, and how to decide the signal or
    /// to resume the parked run.
    func lines(_ client: ClientOptions) -> [String] {
        return (obstacle.map { ["queued".padded(to: 11) + $0] } ?? [])
            + waits.flatMap { wait in
                let action = wait.action.map { ($0.isEmpty ? "the run" : $0).padded(to: 11) } ?? ""
                let message = wait.message.map { ["  \($0)"] } ?? []
                let advice =
                    wait.state == .parked
                    ? [client.advice(onParked: id)] : wait.signal.map { [client.advice(on: $0.text)] } ?? []
                return [action + Self.cause(wait)] + message + advice
            }
    }

    /// The run's state, pause and waits as a JSON object for programs.
    func json(event: String) -> JSONObject {
        var object: JSONObject = [
            "event": .string(event), "run": .string(id.text), "state": .string(state.rawValue),
        ]
        for key in ["paused", "key", "holder"] { object[key] = item?.json[key] }
        if !waits.isEmpty { object["waits"] = .array(waits.map { .object($0.json) }) }
        return object
    }

    private static func cause(_ wait: WaitItem) -> String {
        switch wait.state {
        case .waiting:
            let end = wait.deadlineUnixMilliseconds.map { ", at most until \(Timestamp.text($0))" } ?? ""
            let awaited = wait.signal?.text ?? wait.run.map { "the end of \($0)" } ?? "a signal"
            return "waits for \(awaited)\(end)"
        case .retrying:
            let due = wait.dueUnixMilliseconds.map { " at \(Timestamp.text($0))" } ?? ""
            return "is retried\(due)"
        case .parked: return "is parked: \(wait.reason ?? "")"
        // A newer worker may know further kinds of waits.
        default: return JSONValue.object(wait.json).description
        }
    }
}

extension StateReport.State {
    /// Whether this state is a final state of a run.
    fileprivate var isEnd: Bool { RunResult.State(rawValue: rawValue) != nil }
}

import ForgeBusProtocol
import Foundation

/// Asks the worker for what a page shows.
///
/// Owned by the task that makes one page. If several parts of the page need the same list, the reader requests it once.
final class ConsoleReader {
    let bus: any GatewayBus
    let sender: Sender
    let now: Date
    private var gates: [JSONObject]?
    private var parked: [JSONObject]?

    init(bus: any GatewayBus, sender: Sender, now: Date) { (self.bus, self.sender, self.now) = (bus, sender, now) }

    // MARK: What every page shows

    /// The worker's name; empty if it does not answer.
    var workerName: String {
        get async {
            guard case .pong(let pong) = try? await ask(.ping([])) else { return "" }
            return pong.worker
        }
    }

    /// How many gates wait for the sender's decision.
    var waitingCount: Int { get async { (try? await openGates())?.count { $0.you == "may_decide" } ?? 0 } }

    /// How many runs are parked; at most as many as a page of a list has.
    var parkedCount: Int { get async { (try? await parkedRuns())?.count ?? 0 } }

    private func openGates() async throws(BusError) -> [JSONObject] {
        if let gates { return gates }
        let page = try await list(ListRequest(kind: .signals, limit: WireLimits.pageSize))
        let gates = page.items.filter { $0["kind"]?.string == "gate" }
        self.gates = gates
        return gates
    }

    private func parkedRuns() async throws(BusError) -> [JSONObject] {
        if let parked { return parked }
        let page = try await list(ListRequest(kind: .runs, filter: ListFilter(state: .parked)))
        parked = page.items
        return page.items
    }

    // MARK: Pages

    func waiting() async throws(BusError) -> ConsolePage {
        let gates = try await openGates()
        let mine = gates.filter { $0.you == "may_decide" }
        let others = gates.filter { $0.you != "may_decide" }.map { gate in
            var row = gate.texts(["signal", "message"])
            row["opened"] = time(gate, "opened_at_ms")
            if gate.you == "voted" { row["why"] = "you have voted" }
            if let approvals = gate["approvals"]?.integer {
                row["votes"] = "\(gate.approvalCount) of \(approvals) approvals"
            }
            return row
        }
        return ConsolePage(
            title: "Waiting for you",
            template: "waiting",
            tab: "/",
            data: [
                "gates": mine.enumerated().map { card($1, $0) }, "others": others, "hasOthers": !others.isEmpty,
            ],
            watch: "signal.>"
        )
    }

    func gate(_ name: Name) async throws(BusError) -> ConsolePage {
        let gate = try await show(ShowRequest(.signal, name))
        var data: [String: Any] = gate.texts(["signal", "message", "run", "reason", "why", "state"])
        data["by"] = gate["by"]?.string
        data["value"] = gate["value"].map { "\($0)" }
        data["decided"] = time(gate, "decided_at_ms")
        data["tone"] = Tone.of(gate["state"]?.string)
        data["isWaiting"] = gate["state"]?.string == "waiting"
        data["gates"] = [card(gate, 0)]
        await addHistory(of: name, to: &data)
        return ConsolePage(
            title: gate["message"]?.string ?? name.text,
            template: "gatepage",
            tab: "/",
            data: data,
            watch: "signal.\(name)"
        )
    }

    func runs(_ request: APIRequest) async throws(BusError) -> ConsolePage {
        func given(_ name: String) -> String? {
            request.query.first { $0.name == name && !$0.value.isEmpty }?.value
        }
        let filter = ListFilter(
            state: given("state").flatMap { ListFilter.State(rawValue: $0) },
            pipeline: try given("pipeline").map { text throws(BusError) in try Name(text) }
        )
        let list = ListRequest(kind: .runs, limit: 50, cursor: given("cursor"), filter: filter, order: .newest)
        let page = try await self.list(list)
        var data: [String: Any] = ["runs": page.items.map { row($0) }, "hasRuns": !page.items.isEmpty]
        data["states"] = ListFilter.State.allCases.map { state -> [String: Any] in
            ["name": state.rawValue, "isChosen": state == filter.state]
        }
        data["pipeline"] = filter.pipeline?.text ?? ""
        data["isFiltered"] = filter != ListFilter()
        if let cursor = page.cursor {
            let kept = request.query.filter { $0.name != "cursor" && $0.name != "done" } + [("cursor", cursor)]
            data["more"] =
                "/runs?"
                + kept.map { "\($0.name.percentEncoded)=\($0.value.percentEncoded)" }
                .joined(separator: "&")
        }
        return ConsolePage(title: "Runs", template: "runs", tab: "/runs", data: data, watch: "run.>")
    }

    func run(_ name: Name) async throws(BusError) -> ConsolePage {
        let run = try await show(ShowRequest(.run, name))
        var data: [String: Any] = row(run)
        let state = run["state"]?.string ?? ""
        let isEnded = RunResult.State(rawValue: state) != nil
        data["key"] = RequestID.random().text
        data["canSteer"] = !isEnded && state != "stopping"
        data["isParked"] = state == "parked"
        data["reason"] = run["reason"]?.string
        data["seeds"] = rows(run["seeds"]?.object)
        data["hasSeeds"] = run["seeds"]?.object?.isEmpty == false
        data["outputs"] = rows(run["outputs"]?.object)
        data["hasOutputs"] = run["outputs"]?.object?.isEmpty == false
        let answers = (run["signals"]?.array ?? []).compactMap(\.object).map { answer($0) }
        (data["answers"], data["hasAnswers"]) = (answers, !answers.isEmpty)
        data["isDropped"] = run["kept"] == false
        var gates: [[String: Any]] = []
        for wait in (run["waits"]?.array ?? []).compactMap(\.object) {
            guard let text = wait["signal"]?.string, let signal = try? Name(text) else { continue }
            guard let gate = try? await show(ShowRequest(.signal, signal)), gate["kind"]?.string == "gate" else {
                continue
            }
            gates.append(card(gate, gates.count))
        }
        data["gates"] = gates
        let history = await addHistory(of: name, to: &data)
        data["timeline"] = TimeLine(history, isEnded: isEnded, now: now).svg
        let printed = (try? await show(ShowRequest(.output, name)))?["entries"]?.array ?? []
        data["printed"] = printed.compactMap(\.object).map { entry in
            var row: [String: Any] = entry.texts(["action", "output", "errors"])
            if let attempt = entry["attempt"]?.integer, attempt > 1 { row["attempt"] = "\(attempt)" }
            return row
        }
        data["hasPrinted"] = !printed.isEmpty
        return ConsolePage(
            title: name.text,
            template: "run",
            tab: "/runs",
            data: data,
            watch: isEnded ? nil : "run.\(run["pipeline"]?.string ?? "*").\(name)"
        )
    }

    func attention() async throws(BusError) -> ConsolePage {
        let parked = try await parkedRuns()
        var failed: [JSONObject] = []
        for state in [ListFilter.State.failed, .timedOut, .lost] {
            let filter = ListFilter(state: state)
            failed += try await list(ListRequest(kind: .runs, limit: 20, filter: filter, order: .newest)).items
        }
        let listed = (try? await list(ListRequest(kind: .monitors)))?.items ?? []
        let monitors = try listed.map(MonitorItem.init).filter { $0.failure != nil }
        let data: [String: Any] = [
            "key": RequestID.random().text, "parked": parked.map { row($0) }, "hasParked": !parked.isEmpty,
            "failed": failed.map { row($0) }, "hasFailed": !failed.isEmpty, "monitors": monitors.map { monitor($0) },
            "hasMonitors": !monitors.isEmpty, "hasAny": !parked.isEmpty || !failed.isEmpty || !monitors.isEmpty,
        ]
        return ConsolePage(title: "Needs attention", template: "attention", tab: "/attention", data: data, watch: ">")
    }

    func monitors() async throws(BusError) -> ConsolePage {
        let items = try await list(ListRequest(kind: .monitors, limit: WireLimits.pageSize)).items
        let data: [String: Any] = [
            "heading": "Monitors", "monitors": try items.map(MonitorItem.init).map { monitor($0) },
            "hasMonitors": !items.isEmpty,
        ]
        return ConsolePage(title: "Monitors", template: "monitors", tab: "/monitors", data: data, watch: "monitor.>")
    }

    /// One monitor, with its history.
    func monitor(_ name: Name) async throws(BusError) -> ConsolePage {
        let item = try MonitorItem(try await show(ShowRequest(.monitor, name)))
        var data: [String: Any] = ["heading": name.text, "monitors": [monitor(item)], "hasMonitors": true]
        await addHistory(of: name, to: &data)
        return ConsolePage(
            title: name.text,
            template: "monitors",
            tab: "/monitors",
            data: data,
            watch: "monitor.\(name)"
        )
    }

    func pipelines() async throws(BusError) -> ConsolePage {
        let items = try await list(ListRequest(kind: .pipelines, limit: WireLimits.pageSize)).items
        let pipelines = items.map { item -> [String: Any] in
            var row: [String: Any] = item.texts(["pipeline"])
            row["key"] = RequestID.random().text
            row["paused"] = item["paused"]?.object?["by"]?.string
            row["seeds"] = (item["seeds"]?.array ?? []).compactMap(\.object).map { seed -> [String: Any] in
                let standard = seed["default"].map { value in value.string ?? "\(value)" }
                var row: [String: Any] = seed.texts(["key"])
                row["hint"] = standard ?? seed["type"]?.string ?? ""
                row["required"] = seed["required"]?.bool == true && standard == nil
                row["secret"] = seed["secret"]?.bool == true
                return row
            }
            return row
        }
        let data: [String: Any] = ["pipelines": pipelines, "hasPipelines": !pipelines.isEmpty]
        return ConsolePage(title: "Start a run", template: "pipelines", tab: "/pipelines", data: data)
    }

    // MARK: Asking

    private func list(_ list: ListRequest) async throws(BusError) -> Page {
        guard case .page(let page) = try await ask(.list(list)) else { throw Errors.unexpectedAnswer }
        return page
    }

    func show(_ show: ShowRequest) async throws(BusError) -> JSONObject {
        guard case .shown(let object) = try await ask(.show(show)) else { throw Errors.unexpectedAnswer }
        return object
    }

    private func ask(_ command: Request.Command) async throws(BusError) -> Answer.Content {
        try sender.check(command)
        return try await bus.ask(Request(command, as: sender.principal))
    }
}

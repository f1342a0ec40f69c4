import ForgeBusProtocol
import Foundation

/// Asks the worker for what a page shows.
///
/// Owned by the task that makes one page. If several parts of the page need the same list, the reader requests it once.
final class ConsoleReader {
    let bus: any GatewayBus
    let sender: Sender
    let now: Date
    private var gates: [SignalItem]?
    private var parked: [RunItem]?

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
    var waitingCount: Int { get async { (try? await openGates())?.count { $0.you == .mayDecide } ?? 0 } }

    /// How many runs are parked; at most as many as a page of a list has.
    var parkedCount: Int { get async { (try? await parkedRuns())?.count ?? 0 } }

    private func openGates() async throws(BusError) -> [SignalItem] {
        if let gates { return gates }
        let page = try await list(ListRequest(kind: .signals, limit: WireLimits.pageSize))
        let gates = try page.items.map(SignalItem.init).filter { $0.kind == .gate }
        self.gates = gates
        return gates
    }

    private func parkedRuns() async throws(BusError) -> [RunItem] {
        if let parked { return parked }
        let page = try await list(ListRequest(kind: .runs, filter: ListFilter(state: .parked)))
        let runs = try page.items.map(RunItem.init)
        parked = runs
        return runs
    }

    // MARK: Pages

    func waiting() async throws(BusError) -> ConsolePage {
        let gates = try await openGates()
        let mine = gates.filter { $0.you == .mayDecide }
        let others = gates.filter { $0.you != .mayDecide }.map { gate in
            var row = texts(["signal": gate.id.text, "message": gate.message])
            row["opened"] = gate.openedUnixMilliseconds.map { time($0) }
            if gate.you == .voted { row["why"] = "you have voted" }
            if let rule = gate.rule, rule.isQuorum {
                row["votes"] = "\(gate.approvalCount) of \(rule.approvals) approvals"
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
        let gate = try SignalItem(try await show(ShowRequest(.signal, name)))
        var data = texts([
            "signal": gate.id.text, "message": gate.message, "run": gate.run?.text, "reason": gate.reason,
            "why": gate.why, "state": gate.state?.rawValue,
        ])
        data["by"] = gate.by?.string
        data["value"] = gate.value.map { "\($0)" }
        data["decided"] = gate.decidedUnixMilliseconds.map { time($0) }
        data["tone"] = Tone.of(gate.state?.rawValue)
        data["isWaiting"] = gate.state == .waiting
        data["gates"] = [card(gate, 0)]
        await addHistory(of: name, to: &data)
        return ConsolePage(
            title: gate.message ?? name.text,
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
        var data: [String: Any] = [
            "runs": try page.items.map(RunItem.init).map { row($0) }, "hasRuns": !page.items.isEmpty,
        ]
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
        let run = try RunItem(try await show(ShowRequest(.run, name)))
        var data: [String: Any] = row(run)
        let isEnded = run.state.flatMap { RunResult.State(rawValue: $0.rawValue) } != nil
        data["key"] = RequestID.random().text
        data["canSteer"] = !isEnded && run.state != .stopping
        data["isParked"] = run.state == .parked
        data["reason"] = run.reason
        (data["seeds"], data["hasSeeds"]) = (rows(run.seeds), !run.seeds.isEmpty)
        (data["outputs"], data["hasOutputs"]) = (rows(run.outputs), !run.outputs.isEmpty)
        (data["answers"], data["hasAnswers"]) = (run.signals.map { answer($0) }, !run.signals.isEmpty)
        data["isDropped"] = !run.isKept
        var gates: [[String: Any]] = []
        for signal in run.waits.compactMap(\.signal) {
            guard let json = try? await show(ShowRequest(.signal, signal.name)), let gate = try? SignalItem(json),
                gate.kind == .gate
            else { continue }
            gates.append(card(gate, gates.count))
        }
        data["gates"] = gates
        let history = await addHistory(of: name, to: &data)
        data["timeline"] = TimeLine(history, isEnded: isEnded, now: now).svg
        let printed = (try? await show(ShowRequest(.output, name))).flatMap { try? OutputItem($0) }?.entries ?? []
        data["printed"] = printed.map { entry in
            var row = texts(["action": entry.action, "output": entry.output, "errors": entry.errors])
            if entry.attempt > 1 { row["attempt"] = "\(entry.attempt)" }
            return row
        }
        data["hasPrinted"] = !printed.isEmpty
        return ConsolePage(
            title: name.text,
            template: "run",
            tab: "/runs",
            data: data,
            watch: isEnded ? nil : "run.\(run.pipeline).\(name)"
        )
    }

    func attention() async throws(BusError) -> ConsolePage {
        let parked = try await parkedRuns()
        var failed: [RunItem] = []
        for state in [ListFilter.State.failed, .timedOut, .lost] {
            let filter = ListFilter(state: state)
            let page = try await list(ListRequest(kind: .runs, limit: 20, filter: filter, order: .newest))
            failed += try page.items.map(RunItem.init)
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
        let pipelines = try items.map(PipelineItem.init).map { pipeline -> [String: Any] in
            var row: [String: Any] = ["pipeline": pipeline.name.text, "key": RequestID.random().text]
            row["paused"] = pipeline.pause?.principal
            row["seeds"] = pipeline.seeds.map { seed -> [String: Any] in
                let standard = seed.defaultValue.map { value in value.string ?? "\(value)" }
                return [
                    "key": seed.key, "hint": standard ?? seed.type, "required": seed.isRequired && standard == nil,
                    "secret": seed.isSecret,
                ]
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

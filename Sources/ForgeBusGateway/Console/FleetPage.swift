import ForgeBusFleet
import ForgeBusProtocol
import Foundation

/// Makes the page of the fleet from what the workers say to the sender.
struct FleetPage {
    let fleet: FleetAPI
    let sender: Sender
    let now: Date

    /// How many rows a page has at most; those that need somebody come first.
    private static let rows = 500
    /// How long *Evaluate everywhere* waits for the cycles before it shows the page.
    private static let wait = Duration.seconds(2)

    func page(_ request: APIRequest) async throws(BusError) -> ConsolePage {
        func given(_ name: String) -> String? {
            request.query.first { $0.name == name && !$0.value.isEmpty }?.value
        }
        var choice = FleetChoice()
        if let on = given("on") { choice.selection = try fleet.fleet.client.inventory.chosen(by: on) }
        if let topic = given("topic") { choice.topic = try Name(topic) }
        choice.since = choice.topic.flatMap { fleet.fleet.change(on: $0) }
        try sender.check(.list(ListRequest(kind: .monitors)))
        let all = try await fleet.monitors(choice, sender)
        let monitor = given("monitor")
        let shown = monitor.map { all.about($0) } ?? all
        let topics = topics(all)
        var data: [String: Any] = [
            "total": "\(shown.workers.count)", "isFiltered": given("on") != nil || monitor != nil,
            "counts": counts(shown), "labels": options(labels, given("on")), "hasLabels": !labels.isEmpty,
            "monitors": options(Set(all.lines.compactMap(\.subject)).sorted(), monitor),
            "topics": options(topics, choice.topic?.text), "hasTopics": !topics.isEmpty,
            "rows": shown.lines.prefix(Self.rows).map { row($0) }, "hasRows": !shown.lines.isEmpty,
        ]
        data["topic"] = choice.topic?.text
        data["since"] = choice.since.map { moment(.now - $0) }
        if shown.lines.count > Self.rows { data["more"] = "\(shown.lines.count - Self.rows)" }
        var page = ConsolePage(title: "Fleet", template: "fleet", tab: "/fleet", data: data)
        page.events = "/v1/fleet/events"
        return page
    }

    /// Reports a change to all workers, for the sender; the answer leads to the page.
    func evaluate(_ form: Form) async throws(BusError) -> APIResponse {
        let topic = try Name(form["topic"] ?? "")
        let change = StateChange(topic: topic, wantsEvaluation: true, deadline: Self.wait)
        try sender.check(.notify(change))
        _ = try await fleet.fleet.notify(change, on: .all, for: sender.principal).allowed()
        return APIResponse(.seeOther, fields: [.location: "/fleet?topic=\(topic)&done=notified"])
    }

    // MARK: Parts

    private var workers: [Inventory.Worker] { fleet.fleet.client.inventory.workers }

    private var labels: [String] {
        Set(workers.flatMap { $0.labels.map { "\($0.key)=\($0.value)" } }).sorted()
    }

    /// The topics of the monitors that the sender may read; and the one that the page is about.
    private func topics(_ report: FleetReport) -> [String] {
        let known = fleet.fleet.topics
        let monitors = Set(report.lines.compactMap(\.subject)).compactMap { try? Name($0) }
        return Set(monitors.compactMap { known[$0]?.text }).sorted()
    }

    private func options(_ names: [String], _ chosen: String?) -> [[String: Any]] {
        let all = chosen.map { names.contains($0) ? names : [$0] + names } ?? names
        return all.map { ["name": $0, "isChosen": $0 == chosen] }
    }

    private func counts(_ report: FleetReport) -> [[String: Any]] {
        report.counts.sorted { $0.key < $1.key }.map { state, count in
            ["state": state.rawValue, "count": "\(count)", "tone": Tone.of(state)]
        }
    }

    private func row(_ line: FleetReport.Line) -> [String: Any] {
        var row: [String: Any] = [
            "worker": line.worker.text, "state": line.state.rawValue, "tone": Tone.of(line.state),
        ]
        let labels = workers.first { $0.name == line.worker }?.labels.sorted { $0.key < $1.key } ?? []
        if !labels.isEmpty { row["tags"] = labels.map { "\($0.key)=\($0.value)" }.joined(separator: " ") }
        row["monitor"] = line.subject
        row["reason"] = line.reason
        if line.failures > 1 { row["failures"] = "\(line.failures) times in a row" }
        row["until"] = line.pause?.untilUnixMilliseconds.map { Moment(unixMilliseconds: $0).html(at: now) }
        row["evaluated"] = line.beganAgo.map { moment($0) } ?? ""
        return row
    }

    /// The moment so long ago, as HTML.
    private func moment(_ age: Duration) -> String {
        let milliseconds = Int64(now.timeIntervalSince1970 * 1000) - age.milliseconds
        return Moment(unixMilliseconds: milliseconds).html(at: now)
    }
}

extension Tone {
    /// The colour of a state of a worker or monitor.
    static func of(_ state: FleetState) -> String {
        switch state.kind {
        case .good: "good"
        case .bad: "bad"
        case .open, .refused: state == .waived ? "" : "wait"
        case .nothing: ""
        }
    }
}

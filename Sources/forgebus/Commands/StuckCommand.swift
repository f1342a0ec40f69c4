import ArgumentParser
import ForgeBusClient
import ForgeBusProtocol

/// The command `forgebus stuck`, with its arguments and options.
struct StuckCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "stuck",
        abstract: "Lists what needs somebody: parked runs, actions and monitors that fail, and what waits for long.",
        discussion: "Example: forgebus stuck --older-than 4h"
    )

    @Option(
        help: ArgumentHelp("How long a gate, a signal or a queued run must wait to be listed.", valueName: "time"),
        transform: TimeSpan.read
    )
    var olderThan: Duration = .seconds(3_600)

    @OptionGroup var client: ClientOptions

    func validate() throws {
        try TimeSpan.check(olderThan, "--older-than", from: .zero, to: WireLimits.duration)
    }

    func run() async throws {
        try await client.ask(.several) { bus, output throws(BusError) in
            let found = try await findings(bus)
            switch output.format {
            case .json, .jsonl: for finding in found { output.show("", finding.json) }
            case .text:
                var table = Table(["WHAT", "STATE", "SINCE", "WHY", "DO"])
                for finding in found { table.add(finding.row(client).map(Printable.escaped)) }
                let width = Terminal.isInteractive ? max(60, Terminal.columns) : nil
                Terminal.say(found.isEmpty ? ["nothing is stuck"] : table.lines(width: width))
            }
            return .done
        }
    }

    private func findings(_ bus: BusClient) async throws(BusError) -> [Finding] {
        var found: [Finding] = []
        for state in [ListFilter.State.parked, .retrying] {
            for try await run in bus.runs(matching: ListFilter(state: state)) { found.append(Finding(run)) }
        }
        for try await run in bus.runs(matching: ListFilter(state: .queued, olderThan: olderThan)) {
            found.append(Finding(run))
        }
        for try await monitor in bus.monitors() where monitor.failures > 0 { found.append(Finding(monitor)) }
        for try await signal in bus.signals(matching: ListFilter(olderThan: olderThan)) {
            found.append(Finding(signal))
        }
        return found
    }
}

/// Something that needs somebody.
private struct Finding {
    let json: JSONObject
    let name: String
    let state: String
    let since: Int64?
    let why: String
    /// The words of the command that helps.
    let help: [String]

    init(_ run: HeldRun) {
        json = run.json
        name = run.id.text
        state = run.json["state"]?.string ?? ""
        since = run.acceptedUnixMilliseconds
        why = state == "queued" ? "waits for a slot of \(run.pipeline)" : ItemTable.place(of: run.json)
        switch state {
        case "parked": help = ["redrive", name]
        case "queued": help = ["show", "pipeline/\(run.pipeline)"]
        default: help = ["logs", name]
        }
    }

    init(_ monitor: HeldMonitor) {
        json = monitor.json
        name = monitor.name
        state = "failing"
        since = monitor.json["failed_at_ms"]?.integer
        let next = Age.until(monitor.nextUnixMilliseconds)
        why = ItemTable.trouble(of: monitor.json) + (next.isEmpty ? "" : "; next cycle \(next)")
        help = ["explain", name]
    }

    init(_ signal: HeldSignal) {
        json = signal.json
        name = signal.id.text
        state = "waiting"
        since = signal.json["opened_at_ms"]?.integer
        let end = Age.until(signal.deadlineUnixMilliseconds)
        why = (signal.json["message"]?.string ?? "waits for a decision") + (end.isEmpty ? "" : "; expires \(end)")
        help = ["show", "signal/\(name)"]
    }

    func row(_ client: ClientOptions) -> [String] { [name, state, Age.since(since), why, client.command(help)] }
}

import ForgeBusFleet
import ForgeBusProtocol

/// A report about a fleet as a table: exceptions first, then the names of all others, then the numbers.
struct FleetTable {
    /// What a report is about.
    enum Columns {
        case monitors
        case runs
        case workers
    }

    private let report: FleetReport
    private let workers: [Name: Inventory.Worker]
    private let columns: Columns

    init(_ report: FleetReport, of workers: [Inventory.Worker], _ columns: Columns) {
        (self.report, self.columns) = (report, columns)
        self.workers = Dictionary(uniqueKeysWithValues: workers.map { ($0.name, $0) })
    }

    /// The lines for people.
    var lines: [String] {
        let shown = columns == .monitors ? report.exceptions : report.lines
        var table = Table(header)
        for line in shown { table.add(cells(line)) }
        let width = Terminal.isInteractive ? max(60, Terminal.columns) : nil
        return (shown.isEmpty ? [] : table.lines(width: width)) + good + [
            Self.count(report.workers.count, report.counts) + age
        ]
    }

    private var header: [Table.Column] {
        let names =
            switch columns {
            case .monitors: ["WORKER", "STATE", "MONITOR", "BEGAN"]
            case .runs: ["WORKER", "STATE", "RUN"]
            case .workers: ["WORKER", "STATE", "VERSION", "DEFINITIONS", "ACCESS", "LABELS"]
            }
        return names.map { .short($0) } + [.wide("WHY")]
    }

    private func cells(_ line: FleetReport.Line) -> [String] {
        let (worker, state) = (line.worker.text, line.state.rawValue)
        let why = [line.reason, failures(line)].compactMap(\.self).joined(separator: " ")
        switch columns {
        case .monitors:
            let age = line.beganAgo.map { Age.text($0.milliseconds) } ?? ""
            return [worker, state, line.subject ?? "", age, why]
        case .runs: return [worker, state, line.subject ?? "", why]
        case .workers:
            let labels = (workers[line.worker]?.labels ?? [:]).map { "\($0.key)=\($0.value)" }.sorted()
            return [
                worker, state, text("version", line), digest("definitions", line), digest("access", line),
                labels.joined(separator: " "), why,
            ]
        }
    }

    private func failures(_ line: FleetReport.Line) -> String? {
        guard line.failures > 0 else { return nil }
        let times = line.failures == 1 ? "once" : "\(line.failures) times in a row"
        return "(\(times), last \(Age.since(line.failedUnixMilliseconds)) ago)"
    }

    private func text(_ key: String, _ line: FleetReport.Line) -> String { line.details[key]?.string ?? "" }

    /// The first digits of a digest, and whether most workers have another one.
    private func digest(_ key: String, _ line: FleetReport.Line) -> String {
        let digest = text(key, line)
        guard let usual = usual(key), !digest.isEmpty else { return String(digest.prefix(12)) }
        return String(digest.prefix(12)) + (digest == usual ? "" : " other")
    }

    /// The digest that most workers have; nil if all have the same one.
    private func usual(_ key: String) -> String? {
        let counts = report.lines.map { text(key, $0) }.filter { !$0.isEmpty }
            .reduce(into: [String: Int]()) { $0[$1, default: 0] += 1 }
        return counts.count > 1 ? counts.max { ($0.value, $1.key) < ($1.value, $0.key) }?.key : nil
    }

    /// The names of the workers that are as they should be, a paragraph for each state.
    private var good: [String] {
        guard columns == .monitors else { return [] }
        let names = Dictionary(grouping: report.workers.filter { $0.value.kind == .good }, by: \.value)
        return names.sorted { $0.key < $1.key }.flatMap { state, workers in
            let text = "\(state.rawValue): \(workers.map(\.key.text).sorted().joined(separator: " "))"
            return text.wrappedForTerminal(indent: state.rawValue.count + 2)
        }
    }

    /// How old the answers are where no change was named, so that nobody takes them for answers to one.
    private var age: String {
        let ages = report.lines.filter { $0.state == .ok }.compactMap(\.beganAgo)
        return ages.max().map { "; they began up to \(Age.text($0.milliseconds)) ago" } ?? ""
    }

    /// The numbers of workers in words: `20 workers: 2 failed, 18 converged`.
    private static func count(_ count: Int, _ counts: [FleetState: Int]) -> String {
        "\(count) \(count == 1 ? "worker" : "workers")\(counts.isEmpty ? "" : ": ")\(text(counts))"
    }

    static func text(_ counts: [FleetState: Int]) -> String {
        counts.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key.rawValue)" }.joined(separator: ", ")
    }
}

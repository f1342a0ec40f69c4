import Foundation
import TestSupport
import Testing

@testable import ForgeBusConfiguration

@Suite("The tables of the pages about files")
struct TableTests {
    /// A table of a page, by the beginning of its first line.
    struct Table: Sendable, CustomStringConvertible {
        let page: String
        let head: String
        let rows: [String]

        var description: String { "\(page): \(head)" }
    }

    private static let worker = "TheWorkerFile"
    private static let fleet = "TheFleetFile"

    static let tables = [
        Table(page: worker, head: "| key | value |", rows: Shape.workerFile.keys.map(meaning)),
        Table(
            page: worker,
            head: "| key | variable | value | default |",
            rows: Shape.worker.keys.map { setting($0, []) }
        ),
        Table(
            page: worker,
            head: "| key of `publications` | variable | value | default |",
            rows: Shape.publications.keys.map { setting($0, ["publications"]) }
        ),
        Table(
            page: worker,
            head: "| key of a publisher, for a worker with keys | value |",
            rows: Shape.publisher.keys.map(meaning)
        ),
        Table(
            page: worker,
            head: "| key of `previous` | variable | value | default |",
            rows: Shape.previous.keys.map { setting($0, ["previous"]) }
        ),
        Table(
            page: worker,
            head: "| key of `store_limits` | variable | value | default |",
            rows: Shape.storeLimits.keys.map { setting($0, ["store_limits"]) }
        ),
        Table(
            page: worker,
            head: "| key of `limits` | variable | value | default |",
            rows: Shape.limits.keys.map { setting($0, ["limits"]) }
        ),
        Table(page: worker, head: "| key of a monitor | value | default |", rows: Shape.monitor.keys.map(usual)),
        Table(page: worker, head: "| key of `debounce` | value | default |", rows: Shape.debounce.keys.map(usual)),
        Table(page: worker, head: "| key of a pipeline | value | default |", rows: Shape.pipeline.keys.map(usual)),
        Table(page: worker, head: "| key of a seed | value | default |", rows: Shape.seed.keys.map(usual)),
        Table(page: worker, head: "| key of `one_per` | value | default |", rows: Shape.onePer.keys.map(usual)),
        Table(page: worker, head: "| key of a webhook | value | default |", rows: Shape.webhook.keys.map(usual)),
        Table(
            page: worker,
            head: "| key of an action | where | value | default |",
            rows: Shape.pipelineAction.keys.map { row(["`\($0.name)`", $0.place, value($0), $0.usual]) }
        ),
        Table(page: worker, head: "| key of a gate | value | default |", rows: Shape.gate.keys.map(usual)),
        Table(page: worker, head: "| key of `retry` | value | default |", rows: Shape.retry.keys.map(usual)),
        Table(page: fleet, head: "| key | value |", rows: Shape.inventory.keys.map(meaning)),
        Table(page: fleet, head: "| key of a worker | value |", rows: Shape.inventoryWorker.keys.map(meaning)),
        Table(page: fleet, head: "| key of an expectation | value |", rows: Shape.expectation.keys.map(meaning)),
        Table(page: fleet, head: "| key of an include | value | default |", rows: Shape.include.keys.map(usual)),
    ]

    private static func value(_ key: Key) -> String {
        guard let bounds = key.form.bounds else { return key.help }
        switch key.form {
        case .flag: return "\(bounds): \(key.help)"
        case .choice(let words): return words.allSatisfy(key.help.contains) ? key.help : "\(bounds): \(key.help)"
        default:
            let parts = key.help.split(separator: ";", maxSplits: 1)
            return "\(parts[0]), \(bounds)" + (parts.count > 1 ? ";\(parts[1])" : "")
        }
    }

    private static func meaning(_ key: Key) -> String { row(["`\(key.name)`", value(key)]) }

    private static func usual(_ key: Key) -> String { row(["`\(key.name)`", value(key), key.usual]) }

    private static func row(_ cells: [String]) -> String {
        "|" + cells.map { $0.isEmpty ? " |" : " \($0) |" }.joined()
    }

    private static func setting(_ key: Key, _ path: [String]) -> String {
        let name = (["FORGEBUS"] + path + [key.name]).joined(separator: "_").uppercased()
        let list = EndpointList.allCases.first { $0.variable == name }
        let isRead =
            list != nil || NumberSetting.all.contains { $0.variable == name }
            || ["FORGEBUS_NAME", "FORGEBUS_STORE"].contains(name)
        let variable =
            !isRead
            ? ""
            : list == nil
                ? "`\(name)`"
                : list == .publishers
                    ? "`\(name)` (joined by commas; without keys only)" : "`\(name)` (joined by commas)"
        return row(["`\(key.name)`", variable, value(key), key.usual])
    }

    @Test("say what the declarations of the keys say", arguments: tables)
    func table(_ table: Table) throws {
        let path = "Sources/ForgeBusConfiguration/ForgeBusConfiguration.docc/\(table.page).md"
        var lines = try Repository.text(of: path).components(separatedBy: "\n")
        let first = try #require(lines.firstIndex { $0 == table.head }, "the page has no such table") + 2
        let rows = lines[first...].prefix { $0.hasPrefix("|") }
        // To write the tables anew: FORGE_WRITE_TABLES=1 swift test --no-parallel --filter TableTests
        if ProcessInfo.processInfo.environment["FORGE_WRITE_TABLES"] != nil {
            lines.replaceSubrange(rows.indices, with: table.rows)
            try lines.joined(separator: "\n").write(
                toFile: Repository.root.appending(path: path).path,
                atomically: true,
                encoding: .utf8
            )
            return
        }
        #expect(Array(rows) == table.rows)
    }
}

public import ArgumentParser
import ForgeBusClient
public import ForgeBusProtocol

/// The command `forgebus list`, with its arguments and options.
struct ListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "Lists the worker's runs, waiting signals, early decisions, monitors or pipelines.",
        discussion: "Example: forgebus list runs"
    )

    @Argument(help: "runs, signals, early, monitors or pipelines.")
    var kind: ListKind

    @OptionGroup var client: ClientOptions

    func run() async throws {
        try await client.ask(.several) { bus, output throws(BusError) in
            let items = try await allItems(bus)
            if items.isEmpty, output.format == .text {
                Terminal.say([kind == .early ? "no early decisions" : "no \(kind.rawValue)"])
            }
            for item in items { output.show(kind == .early ? lines(ofEarly: item) : line(item), item) }
            return .done
        }
    }

    private func allItems(_ bus: BusClient) async throws(BusError) -> [JSONObject] {
        var items: [JSONObject] = []
        var cursor: String?
        repeat {
            let page = try await bus.list(kind, limit: WireLimits.pageSize, cursor: cursor)
            items += page.items
            cursor = page.cursor
        } while cursor != nil
        return items
    }

    /// The early decisions on a signal, one line each.
    private func lines(ofEarly item: JSONObject) -> String {
        let signal = (item["signal"]?.string ?? "").padded(to: 32)
        return (item["decisions"]?.array ?? []).compactMap(\.object).map { decision in
            let until = Timestamp.text(decision["until_ms"]?.integer ?? 0)
            let scope = decision["asked"]?.bool == false ? "  (no gate uses it)" : ""
            let (word, principal) = (decision["decision"]?.string ?? "", decision["by"]?.string ?? "")
            return "\(signal)\(word) by \(principal)  kept until \(until)\(scope)"
        }.joined(separator: "\n")
    }

    /// An item in one line: the value of its first member, which names it, then the other members with their keys.
    private func line(_ item: JSONObject) -> String {
        guard let first = item.entries.first else { return "" }
        let rest = item.entries.dropFirst().map { "\($0.readable.key) \($0.readable.value)" }
        return "\((first.value.string ?? "").padded(to: 32))\(rest.joined(separator: "  "))"
    }
}

extension ListKind: ExpressibleByArgument {}

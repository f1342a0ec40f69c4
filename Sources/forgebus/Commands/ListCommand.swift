public import ArgumentParser
import ForgeBusClient
public import ForgeBusProtocol

/// The command `forgebus list`, with its arguments and options.
struct ListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "Lists the worker's runs, signals, monitors or pipelines."
    )

    @Argument(help: "runs, signals, monitors or pipelines.")
    var kind: ListKind

    @OptionGroup var client: ClientOptions

    func run() async throws {
        try await client.ask(.several) { bus, output throws(BusError) in
            let items = try await allItems(bus)
            if items.isEmpty, output.format == .text { Terminal.say(["no \(kind.rawValue)"]) }
            for item in items { output.show(line(item), item) }
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

    /// The first member names the item; the rest follow with their keys.
    private func line(_ item: JSONObject) -> String {
        guard let first = item.entries.first else { return "" }
        let rest = item.entries.dropFirst().map { "\($0.readable.key) \($0.readable.value)" }
        return "\((first.value.string ?? "").padded(to: 32))\(rest.joined(separator: "  "))"
    }
}

extension ListKind: ExpressibleByArgument {}

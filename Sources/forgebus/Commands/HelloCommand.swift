import ArgumentParser
import ForgeBusClient
import ForgeBusConfiguration
import ForgeBusProtocol

/// The command `forgebus hello`, with its arguments and options.
struct HelloCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "hello",
        abstract: "Shows the worker's name, the durability of its acknowledgements, and its limits.",
        discussion: "Example: forgebus hello"
    )

    @OptionGroup var client: ClientOptions

    func run() async throws {
        try await client.ask(.one) { bus, output throws(BusError) in
            let welcome = try await bus.hello()
            output.show(welcome.lines, welcome.json)
            return .done
        }
    }
}

extension Welcome {
    /// The facts in the worker's WELCOME for people, one line for each fact.
    fileprivate var lines: [String] {
        var head = [
            "\(worker) is \(state.rawValue)",
            "protocol".padded(to: 18) + versions.map(String.init).joined(separator: ", "),
            "durability".padded(to: 18) + durability.rawValue,
            "retention".padded(to: 18)
                + "\(DurationText.text(of: retention)): a request that is sent again within this time gets its first answer",
        ]
        if let store { head.append("store id".padded(to: 18) + store) }
        head += [
            "",
            "Limits, which Protocol.md in the documentation explains; a number without a unit is a count:",
        ]
        let inBytes: Set = ["backlog", "results", "seeds", "votes"]
        return head
            + limits.sorted { $0.key < $1.key }.map { limit in
                let isSize = inBytes.contains(limit.key) || limit.key.hasSuffix("_bytes")
                let unit = isSize ? " bytes" : limit.key.hasSuffix("_ms") ? " ms" : ""
                return limit.key.padded(to: 18) + String(limit.value) + unit
            }
    }
}

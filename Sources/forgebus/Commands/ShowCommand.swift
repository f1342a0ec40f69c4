import ArgumentParser
import ForgeBusClient
import ForgeBusProtocol

/// The command `forgebus show`, with its arguments and options.
struct ShowCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Shows one run, signal, monitor or pipeline, or its history.",
        discussion: "Example: forgebus show signal/deploy.42.approve"
    )

    @Argument(
        help: "The item: run/RUN, signal/SIGNAL, monitor/NAME, pipeline/NAME or history/NAME.",
        transform: ItemArgument.init
    )
    var item: ItemArgument

    @OptionGroup var client: ClientOptions

    func run() async throws {
        try await client.ask(.one) { bus, output throws(BusError) in
            let shown = try await bus.show(item.kind, item.name.text)
            output.show(Self.lines(shown), shown)
            return .done
        }
    }

    /// The item in lines for people: a line for each member, and a line for each element of a list or an object.
    private static func lines(_ item: JSONObject) -> [String] {
        let width = item.entries.map { $0.readable.key.count + 2 }.max() ?? 0
        return item.entries.flatMap { entry in
            let values = values(of: entry)
            return (values.isEmpty ? ["none"] : values).enumerated().map { index, value in
                (index == 0 ? entry.readable.key : "").padded(to: max(12, width)) + value
            }
        }
    }

    private static func values(of entry: JSONObject.Entry) -> [String] {
        switch entry.value {
        case .array(let elements): elements.map(text)
        case .object(let object): object.entries.map { "\($0.readable.key) \(text($0))" }
        case .null, .bool, .integer, .number, .string: [entry.readable.value]
        }
    }

    private static func text(_ entry: JSONObject.Entry) -> String {
        entry.value.object.map { text(.object($0)) } ?? entry.readable.value
    }

    private static func text(_ value: JSONValue) -> String {
        guard let object = value.object else { return value.string ?? value.description }
        return object.entries.map { "\($0.readable.key) \($0.readable.value)" }.joined(separator: "  ")
    }
}

/// An item on the command line: `run/feed-7`.
struct ItemArgument {
    let kind: ItemKind
    let name: Name

    init(_ argument: String) throws {
        guard let slash = argument.firstIndex(of: "/"), let kind = ItemKind(rawValue: String(argument[..<slash])) else {
            throw ValidationError(
                "The item must be run/RUN, signal/SIGNAL, monitor/NAME, pipeline/NAME or history/NAME."
            )
        }
        (self.kind, name) = (kind, try Words.name(String(argument[argument.index(after: slash)...])))
    }
}

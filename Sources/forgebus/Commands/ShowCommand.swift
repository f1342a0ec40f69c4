import ArgumentParser
import ForgeBusClient
import ForgeBusProtocol

/// The command `forgebus show`, with its arguments and options.
struct ShowCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Shows one run, signal, monitor or pipeline, a history, or what the actions of a run printed.",
        discussion: "Example: forgebus show signal deploy.42.approve"
    )

    @Argument(
        help: ArgumentHelp(
            "run, signal, monitor or pipeline; history for the history of a run, signal or monitor; output for what the actions of a run printed. Without a kind, the item's name is enough.",
            valueName: "kind"
        )
    )
    var first: String

    @Argument(help: ArgumentHelp("The name of the item.", valueName: "name"))
    var second: String?

    @OptionGroup var client: ClientOptions

    func validate() throws { _ = try ItemArgument(first, second) }

    func run() async throws {
        let item = try ItemArgument(first, second)
        try await client.ask(.one) { bus, output throws(BusError) in
            let shown = try await find(item, bus)
            output.show(Self.lines(shown), shown)
            if output.format == .text, shown["kind"] == "gate", shown["decided_at_ms"] != nil {
                Terminal.say(["To see what each decision contained, type: \(client.call("explain", item.name.text))"])
            }
            return .done
        }
    }

    /// The item; a name without a kind is looked for among signals, runs, monitors and pipelines, in this order.
    private func find(_ item: ItemArgument, _ bus: BusClient) async throws(BusError) -> JSONObject {
        if let kind = item.kind { return try await bus.show(kind, item.name.text) }
        for kind in [ItemKind.signal, .run, .monitor] {
            do throws(BusError) { return try await bus.show(kind, item.name.text) } catch {
                let isElsewhere = [.unknownSignal, .unknownRun, .unknownMonitor, .forbidden].contains(error.code)
                guard isElsewhere else { throw error }
            }
        }
        do throws(BusError) { return try await bus.show(.pipeline, item.name.text) } catch {
            guard error.code == .unknownPipeline else { throw error }
            throw Errors.unknownItem(item.name, client)
        }
    }

    /// The item in lines for people: a line for each member, and a line for each element of a list or an object.
    private static func lines(_ item: JSONObject) -> [String] {
        let width = item.entries.map { $0.readable.key.count + 2 }.max() ?? 0
        return item.entries.flatMap { entry in
            let values = values(of: entry)
            let indent = max(12, width)
            return (values.isEmpty ? ["none"] : values).enumerated().flatMap { index, value in
                ((index == 0 ? entry.readable.key : "").padded(to: indent) + value).wrappedForTerminal(indent: indent)
            }
        }
    }

    private static func values(of entry: JSONObject.Entry) -> [String] {
        switch entry.value {
        case .array(let elements): elements.map(text)
        // Members of these objects have names and texts of people, which must not look like a sentence of the program.
        case .object(let object) where ["value", "seeds", "outputs"].contains(entry.key):
            object.entries.map { "\($0.key)=\($0.value.quotedIfNeeded)" }
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

extension JSONValue {
    /// The value for people; a text that has a space is in quotation marks.
    var quotedIfNeeded: String {
        guard let text = string else { return description }
        return text.contains(" ") ? "\"\(text)\"" : text
    }
}

/// An item on the command line: `run feed-7`, or `feed-7` for an item of any kind.
struct ItemArgument {
    /// The kind; nil if only a name is given.
    let kind: ItemKind?
    let name: Name

    init(_ first: String, _ second: String?) throws {
        guard let second else {
            if first.contains("/") { throw Errors.itemOfNoKind }
            (kind, name) = (nil, try Words.name(first))
            return
        }
        // A worker has no name.
        guard let kind = ItemKind(rawValue: first), kind != .worker else { throw Errors.itemOfNoKind }
        (self.kind, name) = (kind, try Words.name(second))
    }
}

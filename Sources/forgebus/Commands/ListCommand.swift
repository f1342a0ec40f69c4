public import ArgumentParser
import ForgeBusClient
public import ForgeBusProtocol

/// The command `forgebus list`, with its arguments and options.
struct ListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "Lists the worker's runs, waiting signals, early decisions, monitors or pipelines.",
        discussion: """
            Runs come in the order in which they were accepted, signals in the order in which they were opened; the \
            oldest come first.

            Example: forgebus list runs --state parked --newest
            """
    )

    @Argument(help: "What to list: runs, signals, early (early decisions), monitors or pipelines.")
    var kind: ListKind

    @Option(
        help: """
            Only runs in this state: queued, running, waiting, retrying, parked, stopping, completed, failed, timed_out, \
            cancelled or lost.
            """
    )
    var state: ListFilter.State?

    @Option(
        help: ArgumentHelp("Only runs of this pipeline, or only signals that such runs wait for.", valueName: "name"),
        transform: Words.name
    )
    var pipeline: Name?

    @Option(
        help: ArgumentHelp(
            "Only runs that this principal requested, or only signals that such runs wait for.",
            valueName: "name"
        )
    )
    var principal: String?

    @Option(
        help: ArgumentHelp("Only runs and signals at least this old, such as 2h or 3d.", valueName: "time"),
        transform: TimeSpan.read
    )
    var olderThan: Duration?

    @Option(help: ArgumentHelp("Only items whose names or ids begin with this text.", valueName: "text"))
    var prefix: String?

    @Flag(help: "The newest runs or signals come first.")
    var newest = false

    @Option(help: ArgumentHelp("At most this many items.", valueName: "count"))
    var limit: Int?

    @OptionGroup var client: ClientOptions

    func validate() throws {
        if let limit, limit < 1 { throw ValidationError("--limit must be 1 or more; found \(limit).") }
        try TimeSpan.check(olderThan, "--older-than", from: .zero, to: WireLimits.duration)
        let ofRuns = state != nil
        let ofWaits = pipeline != nil || principal != nil || olderThan != nil || newest
        if ofRuns, kind != .runs { throw ValidationError("--state can only be used with `forgebus list runs`.") }
        if ofWaits, kind != .runs, kind != .signals {
            throw Errors.filterOfWaits
        }
    }

    func run() async throws {
        try await client.ask(.several) { bus, output throws(BusError) in
            let items = try await items(bus)
            switch output.format {
            case .json, .jsonl: for item in items { output.show("", item) }
            case .text: Terminal.say(items.isEmpty ? [nothing] : try ItemTable(kind).lines(of: items))
            }
            return .done
        }
    }

    /// The items of all pages, up to the limit.
    private func items(_ bus: BusClient) async throws(BusError) -> [JSONObject] {
        let filter = ListFilter(
            state: state,
            pipeline: pipeline,
            principal: principal,
            olderThan: olderThan,
            prefix: prefix
        )
        let most = limit ?? .max
        var items: [JSONObject] = []
        var cursor: String?
        repeat {
            let page = try await bus.list(
                kind,
                matching: filter,
                order: newest ? .newest : .oldest,
                limit: min(WireLimits.pageSize, most - items.count),
                cursor: cursor
            )
            items += page.items
            cursor = page.cursor
        } while cursor != nil && items.count < most
        return items
    }

    private var nothing: String {
        let isFiltered = state != nil || pipeline != nil || principal != nil || olderThan != nil || prefix != nil
        return "no \(kind == .early ? "early decisions" : kind.rawValue)\(isFiltered ? " match" : "")"
    }
}

extension ListKind: ExpressibleByArgument {}
extension ListFilter.State: ExpressibleByArgument {}

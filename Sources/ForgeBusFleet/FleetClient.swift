import ForgeBusClient
public import ForgeBusProtocol
import ForgeLocks
public import Logging
public import ZeroMQ

/// Asks all workers of an inventory, and tells the answer of each.
///
/// There is no server in between: the client connects to each worker with the asker's own keys, and each worker decides
/// what they may do. Every chosen worker is in every report, so a worker that does not answer is seen, too.
///
/// ```swift
/// func check(_ inventory: Inventory, as keys: KeyPair) async throws {
///     let report = try await withFleetClient(inventory, as: keys) { fleet in
///         try await fleet.notify("policy.password-age", on: .labels(["role": "web"]))
///     }
///     for line in report.exceptions { print(line.worker, line.state, line.reason ?? "") }
/// }
/// ```
///
/// All connections share one thread.
public final class FleetClient: Sendable {
    /// The workers that the client asks.
    public let inventory: Inventory
    private let keys: KeyPair?
    private let source: String?
    private let principal: String?
    private let window: Int
    private let patience: Duration
    private let connections: FleetConnections

    /// Gets what is known of a worker each time it changes.
    public typealias Progress = @Sendable ([FleetReport.Line]) -> Void

    /// Makes a client for the workers of an inventory; the workers need not be running.
    ///
    /// - Parameters:
    ///   - inventory: The workers.
    ///   - keys: The asker's keys; nil, the default, for workers without keys.
    ///   - source: A label for this process, at most 128 bytes; nil, the default, sends no label.
    ///   - window: How many handshakes may be under way at the same time; 200 by default.
    ///   - patience: How long a worker may be silent until it is told as silent; 10 s by default.
    ///   - keepsConnections: Whether connections stay open for the next question; true by default.
    ///     `deploy/bench fleet` prints what each takes.
    ///   - logger: The client's logger.
    /// - Throws: `BusError` with code `unreachable` if the operating system lacks the resources for the thread.
    public init(
        _ inventory: Inventory,
        as keys: KeyPair? = nil,
        source: String? = nil,
        window: Int = 200,
        patience: Duration = .seconds(10),
        keepsConnections: Bool = true,
        logger: Logger = Logger(label: "forge.bus.fleet")
    ) throws(BusError) {
        (self.inventory, self.keys, self.source) = (inventory, keys, source)
        (self.window, self.patience, principal) = (max(1, window), patience, nil)
        connections = try FleetConnections(
            for: inventory.workers.count,
            keeps: keepsConnections,
            make: { [keys, source, patience, logger] worker, reactor throws(BusError) in
                BusClient(
                    worker.endpoint,
                    as: try worker.key.map { key throws(BusError) in
                        guard let keys else { throw Errors.noKeys(for: worker) }
                        return CurveClient(keys: keys, server: key)
                    },
                    source: source,
                    patience: patience,
                    on: reactor,
                    logger: logger
                )
            }
        )
    }

    private init(_ client: FleetClient, as principal: String) {
        (inventory, keys, source, window) = (client.inventory, client.keys, client.source, client.window)
        (patience, connections, self.principal) = (client.patience, client.connections, principal)
    }

    /// Makes a client that asks for another principal, over the same connections; each worker decides whether it may.
    ///
    /// See `BusClient.acting(for:)`.
    public func acting(for principal: String) -> FleetClient { FleetClient(self, as: principal) }

    /// Reports a change on `topic` to all chosen workers, and waits until their monitors have evaluated it.
    ///
    /// The change must have happened before the call.
    ///
    /// - Parameters:
    ///   - topic: The topic that changed.
    ///   - body: A hint for people and logs, at most 1 MiB as JSON; nil, the default, sends none.
    ///   - selection: The workers to ask; all by default.
    ///   - cycles: How long the cycles may take before their monitors are told as pending; 60 s by default.
    ///   - duration: How long workers that have not converged are asked again; nil, the default, asks each once.
    ///   - progress: Gets what is known of a worker each time it changes.
    /// - Returns: The state of each monitor that follows the topic, and of each worker.
    ///   If the task is cancelled, the report tells what is known then.
    /// - Throws: `BusError` with code `bad_name` or `too_large` if the request is not valid.
    public func notify(
        _ topic: Topic,
        body: JSONValue? = nil,
        on selection: Selection = .all,
        within cycles: Duration = .seconds(60),
        until duration: Duration? = nil,
        progress: Progress? = nil
    ) async throws(BusError) -> FleetReport {
        try await notify(
            topic,
            bytes: body?.encoded ?? [],
            on: selection,
            within: cycles,
            until: duration,
            progress: progress
        )
    }

    /// Reports a change as ``notify(_:body:on:within:until:progress:)`` does, with a hint that need not be JSON.
    public func notify(
        _ topic: Topic,
        bytes: [UInt8],
        on selection: Selection = .all,
        within cycles: Duration = .seconds(60),
        until duration: Duration? = nil,
        progress: Progress? = nil
    ) async throws(BusError) -> FleetReport {
        guard bytes.count <= WireLimits.frameSizeInBytes else { throw Errors.bodyTooLarge(bytes.count) }
        let change = StateChange(topic: try topic.name, body: bytes, wantsEvaluation: true, deadline: cycles)
        return await notify(change, on: selection, until: duration, progress: progress)
    }

    /// Sends the notification, whose deadline is the time for the cycles.
    package func notify(
        _ change: StateChange,
        on selection: Selection,
        until duration: Duration? = nil,
        progress: Progress?
    ) async -> FleetReport {
        var plan = FleetPlan()
        plan.until = duration.map { .now.advanced(by: $0) }
        return await ask(.notify(change), on: selection, plan, progress)
    }

    /// Tells what the latest cycles of monitors said, and causes no cycle.
    ///
    /// - Parameters:
    ///   - choice: The monitors; all by default.
    ///   - change: When a change happened that a cycle should cover; nil, the default, asks for no change.
    ///   - selection: The workers to ask; all by default.
    ///   - duration: How long workers that are not as they should be are asked again; nil, the default, asks each once.
    ///   - progress: Gets what is known of a worker each time it changes.
    /// - Returns: The state of each chosen monitor, and of each worker.
    public func monitors(
        _ choice: MonitorChoice = .all,
        since change: ContinuousClock.Instant? = nil,
        on selection: Selection = .all,
        until duration: Duration? = nil,
        progress: Progress? = nil
    ) async -> FleetReport {
        var plan = FleetPlan()
        plan.until = duration.map { .now.advanced(by: $0) }
        return await ask(.monitors(choice, since: change), on: selection, plan, progress)
    }

    /// Tells which workers answer, and what each says of itself.
    public func workers(on selection: Selection = .all, progress: Progress? = nil) async -> FleetReport {
        await ask(.workers, on: selection, FleetPlan(), progress)
    }

    /// Runs a pipeline once on each chosen worker, batch after batch.
    ///
    /// The id of each worker's request is made of `id` and the worker's name. So the same call again, also from another
    /// process, gets the outcome of the same runs, as long as the workers keep them.
    ///
    /// - Parameters:
    ///   - pipeline: The pipeline's name.
    ///   - seeds: The seeds of each run; none by default.
    ///   - selection: The workers; all by default.
    ///   - batches: The sizes of the batches; the last one repeats. By default one worker, then all others.
    ///   - stopAfter: No further batch begins when so many workers have not ended well, silent ones too; 1 by default.
    ///   - duration: The longest time for one batch; then the outcome of its unfinished runs is unknown. 1 h by default.
    ///   - id: The id of the roll-out, at most 64 bytes of printable ASCII without spaces.
    ///   - progress: Gets what is known of a worker each time it changes.
    /// - Returns: The outcome on each worker.
    /// - Throws: `BusError` with code `bad_name` if `pipeline` is not a valid name, or `bad_id` if `id` is not valid.
    public func run(
        _ pipeline: PipelineName,
        seeds: JSONObject = [:],
        on selection: Selection = .all,
        batches: [BatchSize] = [.count(1), .percent(100)],
        stopAfter: Int? = 1,
        batchLasts duration: Duration = .seconds(3600),
        id: String,
        progress: Progress? = nil
    ) async throws(BusError) -> FleetReport {
        _ = try RequestID(id)
        let request = RunRequest(pipeline: try pipeline.name, seeds: seeds)
        return await run(
            request,
            on: selection,
            batches: batches,
            stopAfter: stopAfter,
            batchLasts: duration,
            id: id,
            progress: progress
        )
    }

    /// Sends the request for a run to each chosen worker, with an id that is valid, batch after batch.
    package func run(
        _ request: RunRequest,
        on selection: Selection,
        batches: [BatchSize],
        stopAfter: Int?,
        batchLasts duration: Duration = .seconds(3600),
        id: String,
        progress: Progress?
    ) async -> FleetReport {
        var plan = FleetPlan()
        plan.batches = batches.isEmpty ? [.percent(100)] : batches
        (plan.stopAfter, plan.batchLasts) = (stopAfter, duration)
        return await ask(.run(request, id: id), on: selection, plan, progress)
    }

    /// Closes all connections, and ends the client's thread.
    public func close() async { await connections.close() }

    /// The connection to a worker, which all questions share.
    func connection(to worker: Inventory.Worker) throws(BusError) -> BusClient {
        try connections.client(of: worker)
    }

    private func ask(
        _ question: FleetQuestion,
        on selection: Selection,
        _ plan: FleetPlan,
        _ progress: Progress?
    ) async -> FleetReport {
        var plan = plan
        plan.window = window
        let core = FleetCore(
            question,
            of: inventory.workers.filter(selection.contains),
            expecting: inventory.expectations,
            plan,
            at: .now
        )
        return await FleetConversation(connections, patience: patience, principal, progress).hold(core)
    }
}

/// Makes a client of a fleet, passes it to `body`, and closes it when `body` returns or throws.
public func withFleetClient<Value>(
    _ inventory: Inventory,
    as keys: KeyPair? = nil,
    source: String? = nil,
    window: Int = 200,
    patience: Duration = .seconds(10),
    isolation: isolated (any Actor)? = #isolation,
    _ body: (FleetClient) async throws -> Value
) async throws -> Value {
    let client = try FleetClient(inventory, as: keys, source: source, window: window, patience: patience)
    do {
        let value = try await body(client)
        await client.close()
        return value
    } catch {
        await client.close()
        throw error
    }
}

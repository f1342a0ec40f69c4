public import ForgeBusProtocol
public import Logging
public import ZeroMQ

/// Asks a worker: notifies it, runs its pipelines, decides its signals.
///
/// Any number of requests share one connection. Each keeps one id through every resend, so that a lost answer is asked
/// for again and never done twice. Patience is the client's own: when it ends, the outcome is *unknown*, and sending
/// again under the same id is safe.
///
/// ```swift
/// let client = try await BusClient(Endpoint("tcp://127.0.0.1:7717"))
/// let result = try await client.run("feed", seeds: ["user": "ada"], deadline: .seconds(30))
/// await client.close()
/// ```
///
/// A client holds a thread until ``close()``.
public final class BusClient: Sendable {
    private let loop: ClientLoop
    private let source: String?
    private let patience: Duration

    /// A client of the worker at `endpoint`, which need not be there yet.
    ///
    /// - Parameters:
    ///   - endpoint: Where the worker listens.
    ///   - identity: The client's keys and the worker's public one, where the worker tells senders apart by keys.
    ///   - source: What this process calls itself: a label, at most 128 bytes, and part of what keeps its ids apart from
    ///     those of others.
    ///   - patience: How long a request may go without its first answer.
    ///   - logger: Where the client says what it does.
    /// - Throws: ``BusError`` with code `unreachable` when no connection can be set up.
    public init(
        _ endpoint: Endpoint,
        as identity: CurveClient? = nil,
        source: String? = nil,
        patience: Duration = .seconds(30),
        logger: Logger = Logger(label: "forge.bus.client")
    ) async throws(BusError) {
        do throws(ZeroMQError) {
            loop = try await ClientLoop.connect(to: endpoint, as: identity, logger: logger)
        } catch {
            throw BusError(.unreachable, error.message, next: error.next)
        }
        self.source = source
        self.patience = patience
    }

    /// Says that something changed on `topic`.
    ///
    /// - Parameters:
    ///   - topic: What changed.
    ///   - body: A hint for people and logs; monitors look at the state itself.
    /// - Returns: Once the worker has taken it: how many monitors follow the topic, and what that is worth.
    /// - Throws: ``BusError``; with code `timeout` the outcome is unknown.
    @discardableResult
    public func notify(_ topic: Topic, body: JSONValue? = nil) async throws(BusError) -> Acceptance {
        let change = StateChange(topic: topic, body: body?.encoded ?? [])
        guard case .accepted(let acceptance) = try await ask(.notify(change)) else { throw .unexpected("ACCEPTED") }
        return acceptance
    }

    /// Says that something changed on `topic`, and waits for the cycles that cover it.
    ///
    /// - Parameters:
    ///   - topic: What changed.
    ///   - body: A hint for people and logs.
    ///   - deadline: After how long the worker answers even if cycles are pending; nil waits for them.
    /// - Returns: What each monitor that follows the topic did in a cycle that started after the notification.
    /// - Throws: ``BusError``; with code `timeout` the outcome is unknown.
    public func notifyAndWait(
        _ topic: Topic,
        body: JSONValue? = nil,
        deadline: Duration? = nil
    ) async throws(BusError) -> Evaluation {
        let change = StateChange(topic: topic, body: body?.encoded ?? [], wantsEvaluation: true, deadline: deadline)
        guard case .evaluated(let evaluation) = try await ask(.notify(change)) else { throw .unexpected("EVALUATED") }
        return evaluation
    }

    /// Runs a pipeline and waits for its end.
    ///
    /// - Parameters:
    ///   - pipeline: Which one.
    ///   - seeds: What its context begins with; the worker declares which.
    ///   - deadline: The longest the run may take from acceptance, waits included. The worker enforces it.
    ///   - id: The request's id. Give one that is stored to be able to ask again after this process died.
    ///   - onEvent: Told of the acceptance and each change, in order, off the main actor.
    /// - Returns: How the run ended; a run that failed is a result, not an error.
    /// - Throws: ``BusError``; with code `timeout` the outcome is unknown.
    public func run(
        _ pipeline: PipelineName,
        seeds: JSONObject = [:],
        deadline: Duration? = nil,
        id: RequestID = .random(),
        onEvent: (@Sendable (RunEvent) -> Void)? = nil
    ) async throws(BusError) -> RunResult {
        let request = RunRequest(pipeline: pipeline, seeds: seeds, wantsProgress: onEvent != nil, deadline: deadline)
        let answer = try await ask(.run(request), id: id) { content in
            switch content {
            case .accepted(let acceptance): onEvent?(.accepted(acceptance))
            case .progress(let progress): onEvent?(.progress(progress))
            case .result, .evaluated, .verdict, .page, .pong, .welcome, .ok, .shown, .event, .error: break
            }
        }
        guard case .result(let result) = answer else { throw .unexpected("RESULT") }
        return result
    }

    /// Begins a run and does not wait for its end.
    ///
    /// - Returns: Once the worker has taken it: the run's id, and what that is worth.
    /// - Throws: ``BusError``; with code `timeout` the outcome is unknown.
    public func start(
        _ pipeline: PipelineName,
        seeds: JSONObject = [:],
        deadline: Duration? = nil,
        id: RequestID = .random()
    ) async throws(BusError) -> Acceptance {
        let request = RunRequest(pipeline: pipeline, seeds: seeds, isDetached: true, deadline: deadline)
        guard case .accepted(let acceptance) = try await ask(.run(request), id: id) else {
            throw .unexpected("ACCEPTED")
        }
        return acceptance
    }

    /// Completes the signal waiting under `signal`, or approves the gate; or keeps the completion for whoever will wait.
    ///
    /// - Parameters:
    ///   - signal: As announced by the worker.
    ///   - value: What whoever waits gets.
    ///   - keep: How long an early completion waits for its signal, at most 7 days; zero does not keep it.
    ///   - id: The request's id; the same message again gets its first verdict.
    /// - Returns: The verdict, after it is committed.
    /// - Throws: ``BusError``; with code `timeout` the outcome is unknown.
    @discardableResult
    public func complete(
        _ signal: SignalID,
        value: JSONValue = .null,
        keeping keep: Duration = WireLimits.defaultKeep,
        id: RequestID = .random()
    ) async throws(BusError) -> VerdictReport {
        let bytes = value == .null ? [] : value.encoded
        return try await decide(Decision(signal: signal, outcome: .approved(value: bytes), keep: keep), id: id)
    }

    /// Rejects the gate waiting under `signal`, or keeps the rejection for it.
    ///
    /// - Parameters:
    ///   - signal: As announced by the worker.
    ///   - reason: Why, for people.
    ///   - keep: How long an early rejection waits for its gate, at most 7 days; zero does not keep it.
    ///   - id: The request's id; the same message again gets its first verdict.
    /// - Returns: The verdict, after it is committed.
    /// - Throws: ``BusError``; code `not_rejectable` for a plain signal; with code `timeout` the outcome is unknown.
    @discardableResult
    public func reject(
        _ signal: SignalID,
        reason: String = "",
        keeping keep: Duration = WireLimits.defaultKeep,
        id: RequestID = .random()
    ) async throws(BusError) -> VerdictReport {
        try await decide(Decision(signal: signal, outcome: .rejected(reason: reason), keep: keep), id: id)
    }

    /// A page of what the worker holds.
    ///
    /// - Throws: ``BusError``.
    public func list(_ kind: ListKind, limit: Int = 100, cursor: String? = nil) async throws(BusError) -> Page {
        let request = ListRequest(kind: kind, limit: limit, cursor: cursor)
        guard case .page(let page) = try await ask(.list(request)) else { throw .unexpected("PAGE") }
        return page
    }

    /// Asks whether the worker lives, application to application.
    ///
    /// - Throws: ``BusError``.
    public func ping() async throws(BusError) -> Pong {
        guard case .pong(let pong) = try await ask(.ping([])) else { throw .unexpected("PONG") }
        return pong
    }

    /// Closes the connection.
    ///
    /// Requests without an answer throw ``BusError`` with code `closed`.
    public func close() async { await loop.close() }

    private func decide(_ decision: Decision, id: RequestID) async throws(BusError) -> VerdictReport {
        guard case .verdict(let report) = try await ask(.decide(decision), id: id) else { throw .unexpected("VERDICT") }
        return report
    }

    /// Sends a request and waits for its last answer.
    private func ask(
        _ command: Request.Command,
        id: RequestID = .random(),
        onAnswer: (@Sendable (Answer.Content) -> Void)? = nil
    ) async throws(BusError) -> Answer.Content {
        let request = Request(command, id: id, source: source)
        return try await loop.ask(request, patience: patience, onAnswer: onAnswer)
    }
}

/// What happens to a run before its end.
public enum RunEvent: Hashable, Sendable {
    /// The worker has taken the request.
    case accepted(Acceptance)
    /// The run, or one of its actions, changed its state.
    case progress(RunProgress)
}

extension BusError {
    static func unexpected(_ word: String) -> BusError {
        BusError(.badAnswer, "The last answer was not \(word).", next: "Use a client of the worker's version.")
    }
}

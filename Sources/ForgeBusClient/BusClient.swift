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
/// A request is sent again by itself, under its id, when the worker refused it for now, when the connection was lost
/// under it, and when nothing was heard of it; never after its patience, and never once its answer may be forgotten. A
/// task that is cancelled stops waiting at once. Where the worker does not let the client's key in, what waits ends with
/// code `forbidden`, and the next request knocks again.
///
/// No more requests are on their way without a first answer than the worker takes of one connection; others wait their
/// turn in the client.
///
/// A client holds a thread until ``close()``.
public final class BusClient: Sendable {
    let loop: ClientLoop
    let source: String?

    /// A client of the worker at `endpoint`, which need not be there yet.
    ///
    /// - Parameters:
    ///   - endpoint: Where the worker listens.
    ///   - identity: The client's keys and the worker's public one, where the worker tells senders apart by keys.
    ///   - source: What this process calls itself: a label, at most 128 bytes, and part of what keeps its ids apart from
    ///     those of others.
    ///   - patience: How long a request may go without being taken, and how long the worker may be silent after that.
    ///   - retriesRefusals: Whether what a worker refuses for now (`busy`, `not_ready`, `draining`) is sent again within
    ///     the patience, after the time the worker names or one that grows from 100 ms to 5 s; otherwise it is thrown.
    ///   - resendsAfter: How long nothing may be heard under a request's id before it is sent again; up to half of it
    ///     is random, and it doubles each time, up to a tenth of the time for which the worker keeps the answer, which is
    ///     taken to be a minute until the worker says it, and 30 s at most. At least a millisecond; nil where silence is
    ///     no reason.
    ///   - limits: What is kept for requests without an answer, at most.
    ///   - logger: Where the client says what it does.
    /// - Throws: ``BusError`` with code `unreachable` when no connection can be set up.
    public init(
        _ endpoint: Endpoint,
        as identity: CurveClient? = nil,
        source: String? = nil,
        patience: Duration = .seconds(30),
        retriesRefusals: Bool = true,
        resendsAfter: Duration? = .seconds(1),
        limits: ClientLimits = ClientLimits(),
        logger: Logger = Logger(label: "forge.bus.client")
    ) async throws(BusError) {
        let settings = ClientLoop.Settings(
            patience: patience,
            retriesRefusals: retriesRefusals,
            resendsAfter: resendsAfter.map { max($0, .milliseconds(1)) },
            limits: limits,
            endpoint: endpoint,
            identity: identity
        )
        do throws(ZeroMQError) {
            loop = try await ClientLoop.connect(settings, logger: logger)
        } catch {
            throw BusError(.unreachable, error.message, next: error.next)
        }
        self.source = source
    }

    /// How many requests wait for an answer, and how many watches are read.
    public var outstanding: Int { get async { await loop.outstanding(on: loop.reactor) } }

    /// Closes the connection.
    ///
    /// Requests without an answer throw ``BusError`` with code `closed`.
    public func close() async { await loop.close() }

    /// Sends a request and waits for its last answer.
    func ask(
        _ command: Request.Command,
        id: RequestID = .random(),
        news: @escaping @Sendable (Answer.Content) -> Void = { _ in }
    ) async throws(BusError) -> Answer.Content {
        try await loop.ask(Request(command, id: id, source: source), news: news)
    }
}

public import ForgeBusProtocol
import ForgeLocks
import ZeroMQ

/// A started run, with its progress and its result.
///
/// When this object and all its progress sequences are released, the client stops waiting for the answers. The run
/// itself continues at the worker.
public final class BusRun: Sendable {
    /// The run's id at the worker that accepted it.
    ///
    /// If a worker without a durable store loses the run, a resend starts another run. The progress and the result then
    /// contain the id of the new run.
    public var id: RunID { acceptance.run }
    /// The worker's acceptance: the run's id, how durable the acceptance is, and how long the worker keeps the result.
    public let acceptance: RunAcceptance
    /// The id of the request that started the run.
    public let request: RequestID
    private let answers: RunAnswers
    private let link: ClientLink
    private let loop: Resident<ClientLoop>
    private let ticket: Call.Ticket

    /// The changes of the run, in order; each change goes to only one reader.
    ///
    /// If the reader is slow, the client keeps only the latest 1,024 changes. Gaps in the numbers of the changes show
    /// how many are missing.
    public var progress: Progress { Progress(run: self) }

    /// Waits for the result of the run; a failed run is a result, not an error.
    ///
    /// Any number of tasks may wait. A cancelled task throws at once; the other tasks continue to wait.
    ///
    /// - Throws: `BusError` if no result came. With code `timeout`, `closed`, `cancelled` or `other_store`, the outcome
    ///   is unknown.
    public var result: RunResult {
        get async throws(BusError) {
            guard let result = try? await answers.result.value() else { throw Errors.resultCancelled(request, id) }
            return try result.get()
        }
    }

    private init(
        _ acceptance: RunAcceptance,
        _ answers: RunAnswers,
        _ link: ClientLink,
        _ loop: Resident<ClientLoop>,
        _ ticket: Call.Ticket
    ) {
        self.acceptance = acceptance
        self.answers = answers
        self.link = link
        self.loop = loop
        self.ticket = ticket
        request = ticket.id
    }

    deinit { loop.cancel(ticket) }

    /// Sends a RUN, and waits until the worker accepts it.
    static func begin(_ request: Request, _ patience: Duration?, on link: ClientLink) async throws(BusError) -> BusRun {
        let loop = try link.loop(for: request.id)
        let (answers, ticket) = (RunAnswers(), Call.Ticket(request.id))
        loop.begin(request, ticket, patience, Call.Listener(news: answers.take, end: answers.end))
        guard let acceptance = try? await answers.acceptance.value() else {
            loop.cancel(ticket)
            throw Errors.cancelled(request.id)
        }
        return BusRun(try acceptance.get(), answers, link, loop, ticket)
    }

    /// The changes of a run, in order; the sequence ends after the last change.
    public struct Progress: AsyncSequence, Sendable {
        fileprivate let run: BusRun

        /// Makes an iterator; all iterators share the changes, so each change goes to only one iterator.
        public func makeAsyncIterator() -> Iterator { Iterator(run: run) }

        /// Iterates over the changes of a run.
        public struct Iterator: AsyncIteratorProtocol {
            fileprivate let run: BusRun

            /// Waits for the next change; returns nil if the run has ended or the task is cancelled.
            ///
            /// - Throws: `BusError`, as ``BusRun/result`` does.
            public mutating func next() async throws(BusError) -> RunProgress? {
                try await run.answers.progress.next(isolation: nil)
            }

            /// Waits for the next change on the caller's actor; returns nil if the run has ended or the task is
            /// cancelled.
            ///
            /// - Throws: `BusError`, as ``BusRun/result`` does.
            public mutating func next(
                isolation actor: isolated (any Actor)?
            ) async throws(BusError) -> RunProgress? {
                try await run.answers.progress.next(isolation: actor)
            }
        }
    }
}

/// Passes the acceptance, progress and result of one RUN to the tasks that wait for them.
private struct RunAnswers: Sendable {
    let acceptance = OneShot<Result<RunAcceptance, BusError>>()
    let progress = Feed<RunProgress>(capacity: 1024)
    let result = OneShot<Result<RunResult, BusError>>()

    @Sendable
    func take(_ content: Answer.Content) {
        switch RunEvent(content) {
        case .accepted(let taken): acceptance.set(.success(taken))
        case .progress(let change): progress.add(change)
        case nil: break
        }
    }

    @Sendable
    func end(_ answer: Result<Answer.Content, BusError>) {
        let end = answer.flatMap { content in Result { () throws(BusError) in try RunResult(last: content) } }
        progress.finish(end.map { _ in })
        result.set(end)
        acceptance.set(end.flatMap { _ in .failure(Errors.notAccepted) })
    }
}

public import ForgeBusProtocol

/// A run that was started: its progress and its result.
///
/// Once neither it nor its progress is referenced, the client stops waiting for its answers; the run goes on.
public final class BusRun: Sendable {
    /// The run's id at the worker that took it.
    ///
    /// A worker that lost the run with its memory starts another one, whose id the progress and the result name.
    public var id: RunID { acceptance.run }
    /// How durable the worker's acceptance is.
    public let acceptance: RunAcceptance
    /// The request that started it.
    public let request: RequestID
    private let answers: RunAnswers
    private let link: ClientLink
    private let loop: ClientLoop
    private let ticket: Call.Ticket

    /// The changes of the run, each told once.
    ///
    /// The latest 1,024 are kept for a reader that is slow; their numbers show what is missing.
    public var progress: Progress { Progress(run: self) }

    /// How the run ended, once it has; a run that failed is a result, not an error.
    ///
    /// Any number of tasks may wait. One that is cancelled throws at once, and the others go on waiting.
    ///
    /// - Throws: `BusError`; with code `timeout`, `closed` or `cancelled` the outcome is unknown.
    public var result: RunResult {
        get async throws(BusError) {
            guard let result = await answers.result.value() else { throw .cancelled(request) }
            return try result.get()
        }
    }

    private init(
        _ acceptance: RunAcceptance,
        _ answers: RunAnswers,
        _ link: ClientLink,
        _ loop: ClientLoop,
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

    /// Sends a RUN and waits until it is taken.
    static func begin(_ request: Request, _ patience: Duration?, on link: ClientLink) async throws(BusError) -> BusRun {
        let loop = try link.loop(for: request.id)
        let (answers, ticket) = (RunAnswers(), Call.Ticket(request.id))
        loop.begin(request, ticket, patience, Call.Listener(news: answers.take, end: answers.end))
        guard let acceptance = await answers.acceptance.value() else {
            loop.cancel(ticket)
            throw .cancelled(request.id)
        }
        return BusRun(try acceptance.get(), answers, link, loop, ticket)
    }

    /// The changes of a run, in order; after the last one the sequence ends.
    public struct Progress: AsyncSequence, Sendable {
        fileprivate let run: BusRun

        /// Takes the changes; those that another iterator has taken do not come again.
        public func makeAsyncIterator() -> Iterator { Iterator(run: run) }

        /// Takes the changes of a run.
        public struct Iterator: AsyncIteratorProtocol {
            fileprivate let run: BusRun

            /// The next change, waiting for it if need be; nil when the run has ended or the task is cancelled.
            ///
            /// - Throws: `BusError`, as ``BusRun/result`` does.
            public mutating func next() async throws(BusError) -> RunProgress? {
                try await run.answers.progress.next(isolation: nil)
            }

            /// The next change, without leaving the caller's actor.
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

/// The answers to one RUN, for those who wait for them.
private struct RunAnswers: Sendable {
    let acceptance = Outcome<RunAcceptance>()
    let progress = Feed<RunProgress>(capacity: 1024)
    let result = Outcome<RunResult>()

    @Sendable
    func take(_ content: Answer.Content) {
        switch RunEvent(content) {
        case .accepted(let taken): acceptance.end(.success(taken))
        case .progress(let change): progress.add(change)
        case nil: break
        }
    }

    @Sendable
    func end(_ answer: Result<Answer.Content, BusError>) {
        let end = answer.flatMap { content in Result { () throws(BusError) in try RunResult(last: content) } }
        progress.finish(end.map { _ in })
        result.end(end)
        acceptance.end(end.flatMap { _ in .failure(.unexpected("preceded by ACCEPTED")) })
    }
}

import ForgeBusProtocol
import ZeroMQ

/// Handing answers to connections: at once where there is room, otherwise as soon as there is.
extension WorkerLoop {
    /// The largest answer of which a connection's queue holds as many as its high-water mark; of larger ones it holds one.
    static let directSizeInBytes = 8 * 1024

    /// Hands an answer over, or lets it wait.
    @discardableResult
    func send(_ answer: Answer, to caller: Caller, _ reactor: isolated Reactor) -> SendOutcome {
        let isFirst = answer.content.isFirst
        // Another principal speaks on that connection now.
        guard core.mayHear(caller) else { return lose(isFirst, of: caller, .unreachable) }
        var message: Message?
        if lines.isClear(caller.connection) {
            let encoded = self.message(answer)
            switch handAtOnce(encoded, to: caller, reactor) {
            case .sent, .sentLarge:
                counters.answered += 1
                if isFirst { answered(caller) }
                return .sent
            case .gone: return lose(isFirst, of: caller, .unreachable)
            case .full, .dropped: message = encoded
            }
        }
        return queue(answer, message, for: caller, reactor)
    }

    /// Refuses a request that is not even looked at.
    func refuse(
        _ crowding: WorkerCore.Crowding,
        _ id: RequestID?,
        of caller: Caller,
        _ reactor: isolated Reactor
    ) {
        switch crowding {
        case .connections: answer(.tooManyConnections, to: id, at: caller.connection)
        case .outstanding: if let id { refuseOutstanding(id, of: caller, reactor) }
        }
    }

    /// Refuses a request of a connection that has as much outstanding as it may, as soon as it has room for that.
    private func refuseOutstanding(_ id: RequestID, of caller: Caller, _ reactor: isolated Reactor) {
        if lines.isClear(caller.connection) {
            switch handAtOnce(refusal(of: id), to: caller, reactor) {
            case .sent, .sentLarge: return counters.refusedOutstanding += 1
            case .gone: return
            case .full, .dropped: break
            }
        }
        remember(id, of: caller, reactor)
    }

    /// Waits until every answer has been handed to the network, or the time is over.
    func flush(within time: Duration) async { await flush(within: time, on: reactor) }

    private func flush(within time: Duration, on reactor: isolated Reactor) async {
        let deadline = ContinuousClock.now + time
        while !lines.isEmpty, ContinuousClock.now < deadline {
            // Not a timer of the reactor: those end with it, and whoever waits here must not wait for ever.
            do { try await Task.sleep(for: RetryPace.shortestPause) } catch { return }
        }
    }

    private func refusal(of id: RequestID) -> Message { message(Answer(to: id, .tooManyOutstanding)) }

    /// The answer waits for room; where there is none to wait in, a request that had no effect is refused instead.
    private func queue(_ answer: Answer, _ message: Message?, for caller: Caller, _ reactor: isolated Reactor)
        -> SendOutcome
    {
        let entry = AnswerLines.Entry(answer, to: caller) { message ?? self.message(answer) }
        if wait(caller, reactor, { lines, dropped in lines.add(entry, at: .now, dropping: &dropped) }) {
            counters.answered += 1
            counters.answersDelayed += 1
            return .queued
        }
        guard answer.content.isRefusable, let id = answer.id else { return lose(entry.isFirst, of: caller, .full) }
        answered(caller)
        remember(id, of: caller, reactor)
        return .queued
    }

    private func remember(_ id: RequestID, of caller: Caller, _ reactor: isolated Reactor) {
        if wait(caller, reactor, { lines, dropped in lines.refuse(id, of: caller, at: .now, dropping: &dropped) }) {
            counters.refusedOutstanding += 1
        } else {
            counters.answersLost += 1
        }
    }

    /// Puts something into a line, perhaps at the cost of another's.
    private func wait(
        _ caller: Caller,
        _ reactor: isolated Reactor,
        _ add: (inout AnswerLines, inout [AnswerLines.Entry]) -> Bool
    ) -> Bool {
        let isNew = lines.isClear(caller.connection)
        var dropped: [AnswerLines.Entry] = []
        let isAdded = add(&lines, &dropped)
        for entry in dropped { giveUp(entry) }
        // Of a line that was there the next try is on its way.
        if isAdded, isNew { retryLater(reactor) }
        return isAdded
    }
}

// Trying.
extension WorkerLoop {
    private func handAtOnce(_ message: Message, to caller: Caller, _ reactor: isolated Reactor) -> AnswerLines.Outcome {
        let outcome = hand(message, to: caller.connection, reactor)
        switch outcome {
        case .sent: lines.reads(caller.connection)
        case .sentLarge:
            lines.reads(caller.connection)
            lines.awaitDeparture(for: caller, at: .now)
        case .full, .dropped, .gone: break
        }
        return outcome
    }

    /// Offers a message to a connection's queue; leaves the lines alone, which may be what asks.
    private func hand(_ message: Message, to connection: ConnectionID, _ reactor: isolated Reactor)
        -> AnswerLines.Outcome
    {
        guard let peer = connection.peer else { return .gone }
        let isLarge = message.sizeInBytes > Self.directSizeInBytes
        let outcome =
            if isLarge {
                reactor.offer(message, on: socket, to: peer) { [weak self] in self?.departed(connection, $0) }
            } else {
                reactor.offer(message, on: socket, to: peer)
            }
        switch outcome {
        case .sent: return isLarge ? .sentLarge : .sent
        case .full, .queued: return .full
        case .unreachable:
            step(.disconnected(connection), reactor)
            return .gone
        }
    }

    private func attempt(_ attempt: AnswerLines.Attempt, _ reactor: isolated Reactor) -> AnswerLines.Outcome {
        switch attempt {
        case .entry(let entry):
            guard core.mayHear(entry.caller) else { return .dropped }
            switch entry.content {
            case .message(let message): return hand(message, to: entry.caller.connection, reactor)
            case .answer(let answer): return hand(message(answer), to: entry.caller.connection, reactor)
            }
        case .refusal(let id, let caller):
            guard core.mayHear(caller) else { return .dropped }
            return hand(refusal(of: id), to: caller.connection, reactor)
        }
    }

    private func ended(_ entry: AnswerLines.Entry, _ outcome: AnswerLines.Outcome) {
        switch outcome {
        case .sent, .sentLarge: if entry.isFirst { answered(entry.caller) }
        case .full, .dropped, .gone: giveUp(entry)
        }
    }

    /// The record stays: the same request again gets the answer.
    private func giveUp(_ entry: AnswerLines.Entry) {
        counters.answered -= 1
        _ = lose(entry.isFirst, of: entry.caller, .full)
    }

    private func lose(_ isFirst: Bool, of caller: Caller, _ outcome: SendOutcome) -> SendOutcome {
        counters.answersLost += 1
        if isFirst { answered(caller) }
        return outcome
    }

    private func departed(_ connection: ConnectionID, _ reactor: isolated Reactor) {
        lines.departed(connection)
        lines.retry(connection, at: .now, { attempt($0, reactor) }, ended: ended)
        retryLater(reactor)
    }

    /// Sees to it that the next line is tried when it is due.
    private func retryLater(_ reactor: isolated Reactor) {
        guard let due = lines.due else { return }
        if let retry {
            if retry.moment <= due { return }
            reactor.cancel(retry.timer)
        }
        let timer = reactor.schedule(at: due) { [self] reactor in
            retry = nil
            lines.retry(at: .now, { attempt($0, reactor) }, ended: ended)
            retryLater(reactor)
        }
        retry = (timer, due)
    }
}

extension AnswerLines.Entry {
    /// About what a result takes while it waits that is kept anyway.
    private static let shareSizeInBytes = 512

    /// An answer that waits; `message` encodes it.
    fileprivate init(_ answer: Answer, to caller: Caller, _ message: () -> Message) {
        self.caller = caller
        isFirst = answer.content.isFirst
        account = isFirst && !answer.content.isRefusable ? .reserved : .told
        switch answer.content {
        case .result, .evaluated:
            content = .answer(answer)
            size = Self.shareSizeInBytes
        case .accepted, .progress, .verdict, .ok, .event, .error, .pong, .welcome, .shown, .page:
            let message = message()
            content = .message(message)
            size = message.sizeInBytes + Self.overheadSizeInBytes
        }
    }

    /// What an entry takes beside its bytes.
    private static let overheadSizeInBytes = 160
}

extension Answer.Content {
    /// Whether nothing was done that it tells of: it can be refused as well, and asked again.
    fileprivate var isRefusable: Bool {
        switch self {
        case .pong, .welcome, .shown, .page, .error: true
        case .accepted, .progress, .result, .evaluated, .verdict, .ok, .event: false
        }
    }
}

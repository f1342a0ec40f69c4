import ForgeBusProtocol
import ZeroMQ

/// Hands answers to connections: immediately if the connection has room, otherwise as soon as it has room.
///
/// Owned by the reactor thread.
final class Postman {
    /// The loop that owns this; it lives longer, so a checked reference would only cost time on each use.
    private unowned(unsafe) let loop: WorkerLoop
    /// The answers that wait until their connections have room.
    private var lines: AnswerLines
    /// The timer for the next attempt to send waiting answers, and when it fires; nil if none is scheduled.
    private var retry: (timer: TimerID, moment: ContinuousClock.Instant)?
    private var buffer = FrameBuffer()

    /// The largest size of a small answer; a queue holds small answers up to its high-water mark, but only one large
    /// answer.
    private static let directSizeInBytes = 8 * 1024

    init(of loop: WorkerLoop, _ lines: AnswerLines) { (self.loop, self.lines) = (loop, lines) }

    /// Encodes an answer as the message that is sent over the socket.
    func message(_ answer: Answer) -> Message {
        answer.encode(into: &buffer)
        return Message(buffer.bytes, frameEnds: buffer.ends)
    }

    /// Hands an answer to its connection, or lets it wait; the core learns whether the event `told` was taken or lost.
    func send(
        _ answer: Answer,
        telling told: ToldEvent? = nil,
        to caller: Caller,
        _ reactor: isolated Reactor
    ) {
        let isFirst = answer.content.word.isFirst
        // The answer is lost if another principal speaks on that connection now.
        guard loop.door.mayHear(caller) else { return lose(isFirst, of: caller) }
        var message: Message?
        if lines.isClear(caller.connection) {
            message = caller.connection.peer == nil ? nil : self.message(answer)
            switch handAtOnce(message.map { .message($0) } ?? .answer(answer), to: caller, reactor) {
            case .sent, .sentLarge:
                loop.counters[.answered] += 1
                if isFirst { loop.door.answered(caller) }
                if let told { loop.step(.told(told, isTaken: true), reactor) }
                return
            case .gone: return lose(isFirst, of: caller)
            case .full, .dropped: break
            }
        }
        queue(answer, message, telling: told, for: caller, reactor)
    }

    /// Refuses a request before the core decides on it.
    func refuse(
        _ crowding: Callers.Crowding,
        _ id: RequestID?,
        of caller: Caller,
        _ reactor: isolated Reactor
    ) {
        switch crowding {
        case .connections: loop.answer(Errors.tooManyConnections, to: id, of: Caller(unknown: caller.connection))
        case .outstanding: if let id { refuseOutstanding(id, of: caller, reactor) }
        }
    }

    /// Refuses a request because too many answers wait for its connection.
    ///
    /// The refusal is sent as soon as the connection can take it.
    private func refuseOutstanding(_ id: RequestID, of caller: Caller, _ reactor: isolated Reactor) {
        if lines.isClear(caller.connection) {
            switch handAtOnce(refusal(of: id), to: caller, reactor) {
            case .sent, .sentLarge: return loop.counters[.refusedOutstanding] += 1
            case .gone: return loop.counters[.answersLost] += 1
            case .full, .dropped: break
            }
        }
        remember(id, of: caller, reactor)
    }

    /// Whether no answer waits for its connection's queue, and every large one has left it.
    var isIdle: Bool { lines.isEmpty }

    private func refusal(of id: RequestID) -> AnswerLines.Content {
        .answer(Answer(to: id, .error(Errors.tooManyOutstanding)))
    }

    /// Lets the answer wait; if it finds no room and its request had no effect, refuses the request instead.
    private func queue(
        _ answer: Answer,
        _ message: Message?,
        telling told: ToldEvent?,
        for caller: Caller,
        _ reactor: isolated Reactor
    ) {
        let entry = AnswerLines.Entry(answer, telling: told, to: caller) { message ?? self.message(answer) }
        if wait(caller, reactor, { lines, dropped in lines.add(entry, at: .now, dropping: &dropped) }) {
            loop.counters[.answered] += 1
            loop.counters[.answersDelayed] += 1
            return
        }
        if let told { loop.step(.told(told, isTaken: false), reactor) }
        guard answer.content.word.isRefusable, let id = answer.id else { return lose(entry.isFirst, of: caller) }
        loop.door.answered(caller)
        remember(id, of: caller, reactor)
    }

    private func remember(_ id: RequestID, of caller: Caller, _ reactor: isolated Reactor) {
        if wait(caller, reactor, { lines, dropped in lines.refuse(id, of: caller, at: .now, dropping: &dropped) }) {
            loop.counters[.refusedOutstanding] += 1
        } else {
            loop.counters[.answersLost] += 1
        }
    }

    /// Calls `add`, which lets an answer or a refusal wait for the caller's connection; returns whether it had room.
    ///
    /// To make room, `add` may drop the answers that wait for another connection; they count as lost.
    private func wait(
        _ caller: Caller,
        _ reactor: isolated Reactor,
        _ add: (inout AnswerLines, inout AnswerLines.Dropped) -> Bool
    ) -> Bool {
        let isNew = lines.isClear(caller.connection)
        var dropped = AnswerLines.Dropped()
        let isAdded = add(&lines, &dropped)
        giveUp(dropped, reactor)
        // The next try of an existing line is scheduled already.
        if isAdded, isNew { retryLater(reactor) }
        return isAdded
    }
}

// Trying.
extension Postman {
    private func handAtOnce(
        _ content: AnswerLines.Content,
        to caller: Caller,
        _ reactor: isolated Reactor
    ) -> AnswerLines.Outcome {
        let outcome = hand(content, to: caller.connection, reactor)
        switch outcome {
        case .sent: lines.reads(caller.connection)
        case .sentLarge:
            lines.reads(caller.connection)
            lines.awaitDeparture(for: caller, at: .now)
        case .full, .dropped, .gone: break
        }
        return outcome
    }

    /// Offers an answer to a connection's queue; must not touch `lines`, because `lines` may be calling this method.
    private func hand(
        _ content: AnswerLines.Content,
        to connection: ConnectionID,
        _ reactor: isolated Reactor
    ) -> AnswerLines.Outcome {
        guard loop.mayAct else { return .gone }
        switch content {
        case .message(let message): return offer(message, to: connection, reactor)
        case .answer(let answer):
            if connection.peer != nil { return offer(message(answer), to: connection, reactor) }
            return loop.door.hand(answer, to: connection)
        case .event(let told):
            guard let event = loop.core.watches.event(for: told) else { return .dropped }
            return hand(.answer(Answer(to: told.key.request, .event(event))), to: connection, reactor)
        }
    }

    private func offer(
        _ message: Message,
        to connection: ConnectionID,
        _ reactor: isolated Reactor
    ) -> AnswerLines.Outcome {
        guard let socket = loop.socket, let peer = connection.peer else { return .gone }
        let isLarge = message.sizeInBytes > Self.directSizeInBytes
        let outcome =
            if isLarge {
                reactor.send(message, on: socket, to: peer) { [weak self] in self?.departed(connection, reactor) }
            } else {
                reactor.send(message, on: socket, to: peer)
            }
        switch outcome {
        case .sent: return isLarge ? .sentLarge : .sent
        case .full: return .full
        case .unreachable, .refused:
            loop.step(.disconnected(connection), reactor)
            return .gone
        }
    }

    private func attempt(_ attempt: AnswerLines.Attempt, _ reactor: isolated Reactor) -> AnswerLines.Outcome {
        switch attempt {
        case .entry(let entry):
            guard loop.door.mayHear(entry.caller) else { return .dropped }
            return hand(entry.content, to: entry.caller.connection, reactor)
        case .refusal(let id, let caller):
            guard loop.door.mayHear(caller) else { return .dropped }
            return hand(refusal(of: id), to: caller.connection, reactor)
        }
    }

    /// Records that a connection took an answer that had waited.
    private func sent(_ entry: AnswerLines.Entry, _ reactor: isolated Reactor) {
        if entry.isFirst { loop.door.answered(entry.caller) }
        if case .event(let told) = entry.content { loop.step(.told(told, isTaken: true), reactor) }
    }

    /// Counts dropped answers as lost; the records stay, so resent requests still get their answers.
    private func giveUp(_ dropped: AnswerLines.Dropped, _ reactor: isolated Reactor) {
        for entry in dropped.entries {
            lose(entry.isFirst, of: entry.caller)
            if case .event(let told) = entry.content { loop.step(.told(told, isTaken: false), reactor) }
        }
        loop.counters[.answersLost] += dropped.refusals
    }

    private func lose(_ isFirst: Bool, of caller: Caller) {
        loop.counters[.answersLost] += 1
        if isFirst { loop.door.answered(caller) }
    }

    private func departed(_ connection: ConnectionID, _ reactor: isolated Reactor) {
        lines.departed(connection)
        retry(connection, reactor)
    }

    /// Sends the waiting answers of one connection, until its queue is full.
    func retry(_ connection: ConnectionID, _ reactor: isolated Reactor) {
        var dropped = AnswerLines.Dropped()
        lines.retry(
            connection,
            at: .now,
            { attempt($0, reactor) },
            sent: { sent($0, reactor) },
            dropping: &dropped
        )
        giveUp(dropped, reactor)
        retryLater(reactor)
    }

    /// Schedules the next attempt to send waiting answers.
    private func retryLater(_ reactor: isolated Reactor) {
        guard let due = lines.due else { return }
        if let retry {
            if retry.moment <= due { return }
            reactor.cancel(retry.timer)
        }
        // The timer keeps the loop, and the loop this.
        let timer = reactor.schedule(at: due) { [loop] in loop.postman.retryAll(reactor) }
        retry = (timer, due)
    }

    /// Sends the waiting answers of all connections that are due to be tried again.
    private func retryAll(_ reactor: isolated Reactor) {
        retry = nil
        var dropped = AnswerLines.Dropped()
        lines.retry(at: .now, { attempt($0, reactor) }, sent: { sent($0, reactor) }, dropping: &dropped)
        giveUp(dropped, reactor)
        retryLater(reactor)
    }
}

import ForgeBusProtocol

/// Requests without a socket: each has a connection of its own, whose queue is the sequence of its answers.
///
/// Owned by the reactor thread.
struct Submissions {
    private struct Submission {
        let last: LastAnswer
        let answers: AsyncStream<Answer>.Continuation
    }

    /// The most answers that wait in one sequence, as many as in the queue of a connection over the socket; further
    /// answers wait in ``AnswerLines``.
    static let queueLength = 128

    private var submissions: [ConnectionID: Submission] = [:]
    /// The number of the last connection; these numbers are above those of connections over the socket.
    private var last = UInt64(UInt32.max)
    private var isClosed = false

    /// The number of submissions that wait for answers.
    var count: Int { submissions.count }

    /// Whether this connection is that of a submission that still waits for answers.
    func isOpen(_ connection: ConnectionID) -> Bool { submissions[connection] != nil }

    /// Opens a connection for one request; nil once the worker is closed.
    mutating func open(
        _ command: Request.Command,
        _ answers: AsyncStream<Answer>.Continuation
    ) -> ConnectionID? {
        guard !isClosed else { return nil }
        last += 1
        let connection = ConnectionID(number: last)
        submissions[connection] = Submission(last: command.rules.lastAnswer, answers: answers)
        return connection
    }

    /// Puts an answer into the connection's sequence; the last answer ends the sequence.
    mutating func hand(_ answer: Answer, to connection: ConnectionID) -> AnswerLines.Outcome {
        guard let submission = submissions[connection] else { return .gone }
        switch submission.answers.yield(answer) {
        case .enqueued:
            if answer.content.word.isLast(submission.last) { close(connection) }
            return .sent
        case .dropped: return .full
        case .terminated: break
        @unknown default: break
        }
        close(connection)
        return .gone
    }

    /// Ends the connection's sequence of answers.
    mutating func close(_ connection: ConnectionID) { submissions.removeValue(forKey: connection)?.answers.finish() }

    /// Ends all answers and accepts no more requests, because the worker closes.
    mutating func closeAll() {
        isClosed = true
        for connection in submissions.keys { close(connection) }
    }
}

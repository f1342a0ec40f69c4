import ForgeBusProtocol
import ZeroMQ

/// What the lines are given, and what they say.
extension AnswerLines {
    /// What the bytes of an answer are taken from.
    enum Account: Int, CaseIterable {
        /// What may be refused for want of room: what is read, and what is told of runs, monitors and events.
        case told
        /// What a request must be answered with that had its effect, and refusals; kept for those.
        case reserved
    }

    /// What is said to a connection.
    enum Content {
        case message(Message)
        /// Encoded when it leaves, if at all: what it tells is kept anyway, or there is no socket.
        case answer(Answer)
        /// An event of a watch, encoded when it leaves: only then is known how many before it were lost.
        case event(ToldEvent)
    }

    /// An answer that waits.
    struct Entry {
        let caller: Caller
        let content: Content
        /// Whether it counts as one that its connection has outstanding.
        let isFirst: Bool
        let account: Account
        let size: Int
    }

    /// What is to be sent next.
    enum Attempt {
        case entry(Entry)
        /// BUSY `outstanding` to this request.
        case refusal(RequestID, Caller)
    }

    /// What came of an attempt.
    enum Outcome {
        /// The connection's queue took it.
        case sent
        /// The same, and nothing more is to be sent until it has left the queue.
        case sentLarge
        /// The queue is full.
        case full
        /// It is for nobody any more.
        case dropped
        /// The connection is gone.
        case gone
    }

    /// What is given up: to make room, because its connection is gone, or because it is for nobody any more.
    struct Dropped {
        var entries: [Entry] = []
        /// How many requests are not told that they were refused.
        var refusals = 0

        mutating func add(_ attempt: Attempt) {
            switch attempt {
            case .entry(let entry): entries.append(entry)
            case .refusal: refusals += 1
            }
        }
    }
}

extension AnswerLines.Entry {
    /// About what a result takes while it waits that is kept anyway.
    private static let shareSizeInBytes = 512
    /// What an entry takes beside its bytes.
    private static let overheadSizeInBytes = 160

    /// An answer that waits, or the event `told` that it tells; `message` encodes it.
    init(_ answer: Answer, telling told: ToldEvent?, to caller: Caller, _ message: () -> Message) {
        self.caller = caller
        isFirst = answer.content.isFirst
        account = isFirst && !answer.content.isRefusable ? .reserved : .told
        if let told {
            content = .event(told)
            size = told.body.footprint + 2 * Self.overheadSizeInBytes
            return
        }
        switch answer.content {
        case .result, .evaluated:
            content = .answer(answer)
            size = Self.shareSizeInBytes
        case .accepted, .progress, .verdict, .ok, .event, .error, .pong, .welcome, .shown, .page:
            let message = message()
            content = caller.connection.peer == nil ? .answer(answer) : .message(message)
            size = message.sizeInBytes + Self.overheadSizeInBytes
        }
    }
}

extension Answer.Content {
    /// Whether nothing was done that it tells of: it can be refused as well, and asked again.
    var isRefusable: Bool {
        switch self {
        case .pong, .welcome, .shown, .page, .error: true
        case .accepted, .progress, .result, .evaluated, .verdict, .ok, .event: false
        }
    }
}

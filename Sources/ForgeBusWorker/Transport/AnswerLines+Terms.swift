import ForgeBusProtocol
import ZeroMQ

/// The input and the output of the lines of waiting answers.
extension AnswerLines {
    /// The budget that an answer's bytes count against.
    enum Account: Int, CaseIterable {
        /// All answers that are not ``reserved``: those that a refusal may replace, and later answers such as results.
        case told
        /// Reserved for first answers to requests that had an effect, and for refusals of requests whose answers found
        /// no room.
        case reserved
    }

    /// The content of a waiting answer.
    enum Content {
        case message(Message)
        /// An answer that is not encoded while it waits: the core keeps its data anyway, or the caller is in this
        /// process and needs no encoding.
        case answer(Answer)
        /// An event of a watch, encoded when it is sent, because the number of lost events before it is not known
        /// earlier.
        case event(ToldEvent)
    }

    /// An answer that waits.
    struct Entry {
        let caller: Caller
        let content: Content
        /// Whether the answer counts as outstanding on its connection.
        let isFirst: Bool
        let account: Account
        let size: Int
    }

    /// The next thing to send.
    enum Attempt {
        case entry(Entry)
        /// The refusal of this request: the error `busy`, because of the limit `outstanding`.
        case refusal(RequestID, Caller)
    }

    /// The outcome of an attempt to send an answer or a refusal.
    enum Outcome {
        /// The connection's queue took the answer.
        case sent
        /// The queue took the large answer; nothing more may be sent until it has left the queue.
        case sentLarge
        /// The queue is full.
        case full
        /// The answer is no longer needed, because its watch has ended or its caller is gone.
        case dropped
        /// The connection is gone.
        case gone
    }

    /// Answers that were dropped: to make room, because the connection is gone, or because they are no longer needed.
    struct Dropped {
        var entries: [Entry] = []
        /// The number of dropped refusals.
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
    /// About how many bytes a waiting RESULT or EVALUATED takes, without the data that is kept anyway.
    private static let shareSizeInBytes = 512
    /// How many bytes an entry takes beyond its message.
    private static let overheadSizeInBytes = 160

    /// Makes an entry for an answer; `message` encodes the answer, and `told` is the event if a watch gets the answer.
    init(_ answer: Answer, telling told: ToldEvent?, to caller: Caller, _ message: () -> Message) {
        self.caller = caller
        isFirst = answer.content.word.isFirst
        account = isFirst && !answer.content.word.isRefusable ? .reserved : .told
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

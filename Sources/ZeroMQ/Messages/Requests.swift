/// The questions that tasks ask over a DEALER, each with a number of its own.
///
/// A question is `[number, empty frame, body…]`. A REP sends everything up to the empty frame back before its answer, and so
/// should a ROUTER.
struct Requests {
    /// An answer; `wait` is nil if nobody waits for it any more.
    struct Arrival {
        let wait: WaitID?
        let answer: Message
    }

    /// Random, so that no message of a program is taken for an answer.
    private let mark = UInt64.random(in: .min ... .max)
    private var last: UInt64 = 0
    private var waiting: [UInt64: WaitID] = [:]
    private var numbers: [WaitID: UInt64] = [:]

    /// Whether a question has been asked over the socket.
    var areUsed: Bool { last > 0 }

    /// Numbers the question of a wait.
    mutating func ask(_ question: Message, _ wait: WaitID) -> Message {
        last += 1
        (waiting[last], numbers[wait]) = (wait, last)
        var message = Message([bytes(last), []])
        message.reserveCapacity(16 + question.sizeInBytes)
        for index in 0..<question.count { message.append(question[index]) }
        return message
    }

    /// Takes the answer to a question; nil for any other message.
    mutating func take(_ message: Message) -> Arrival? {
        guard message.count > 2, message[0].count == 16, message[1].isEmpty,
            message[0].prefix(8).elementsEqual(bytes(0).prefix(8))
        else { return nil }
        let number = message[0].suffix(8).reduce(0) { $0 << 8 | UInt64($1) }
        var answer = Message()
        for index in 2..<message.count { answer.append(message[index]) }
        answer.sender = message.sender
        return Arrival(wait: waiting.removeValue(forKey: number), answer: answer)
    }

    /// Forgets the question of a wait that has ended.
    mutating func end(_ wait: WaitID) {
        if let number = numbers.removeValue(forKey: wait) { waiting[number] = nil }
    }

    private func bytes(_ number: UInt64) -> [UInt8] {
        [mark, number].flatMap { word in (0..<8).map { UInt8(truncatingIfNeeded: word >> (56 - 8 * $0)) } }
    }
}

extension Reactor {
    /// Asks a question over a ``Dealer``, and returns the answer; any number of tasks may ask at a time.
    ///
    /// The question travels as a number, an empty frame, and the message. A ``Rep`` answers it as it is; a ``Router``'s program
    /// sends the number and the empty frame back before its answer. What has another form goes to the socket's other
    /// receiver.
    ///
    /// - Parameters:
    ///   - question: The question, with at least one frame.
    ///   - socket: The socket.
    ///   - time: The longest time to wait for the answer.
    /// - Returns: The answer.
    /// - Throws: ``ZeroMQError``: `deadline`, `cancelled`, `closed`, or `invalid_message`. The peer may have the question, but
    ///   for the last.
    public func request(
        _ question: Message,
        on socket: Socket<Dealer>,
        within time: Duration
    ) async throws(ZeroMQError) -> Message {
        guard question.count > 0 else { throw Errors.unsent(question, .refused) }
        var asked: WaitID?
        try await wait(on: socket, within: time, late: { Errors.deadline("No answer came within \(time)") }) {
            open,
            wait in
            asked = wait
            readAhead(open)
            return enter(open.requests.ask(question, wait), of: wait, on: open, endsWhenSent: false)
        }
        guard let asked, let answer = answers.removeValue(forKey: asked) else { throw Errors.closed("\(socket)") }
        return answer
    }
}

// MARK: - From tasks

extension Socket where Kind: SendingSocket {
    /// Sends a message, and returns when the socket has accepted it: ``Reactor/send(_:on:within:)``.
    ///
    /// - Parameters:
    ///   - message: The message, with at least one frame.
    ///   - time: The longest time to wait.
    /// - Throws: ``ZeroMQError``; the message was not sent.
    public func send(_ message: Message, within time: Duration) async throws(ZeroMQError) {
        try await reactor.send(message, on: self, within: time)
    }
}

extension Socket where Kind: RoutingSocket {
    /// Sends a message to a peer, and returns when its queue has accepted it: ``Reactor/send(_:on:to:within:)``.
    ///
    /// - Parameters:
    ///   - message: The message, with at least one frame.
    ///   - peer: The peer.
    ///   - time: The longest time to wait.
    /// - Throws: ``ZeroMQError``; the message was not sent.
    public func send(_ message: Message, to peer: PeerID, within time: Duration) async throws(ZeroMQError) {
        try await reactor.send(message, on: self, to: peer, within: time)
    }
}

extension Socket<Dealer> {
    /// Asks a question, and returns the answer: ``Reactor/request(_:on:within:)``.
    ///
    /// - Parameters:
    ///   - question: The question, with at least one frame.
    ///   - time: The longest time to wait.
    /// - Returns: The answer.
    /// - Throws: ``ZeroMQError``.
    public func request(_ question: Message, within time: Duration) async throws(ZeroMQError) -> Message {
        try await reactor.request(question, on: self, within: time)
    }
}

import ForgeBusProtocol
import ZeroMQ

extension BusError {
    /// The error for a message that does not follow the protocol; nil for a message that does.
    init?(foreign message: Message) {
        guard message.count > 0,
            let error = BusError.foreign(
                frameCount: message.count,
                first: message[0],
                second: message.count > 1 ? message[1] : nil
            )
        else { return nil }
        self = error
    }
}

extension AccessPolicy {
    /// The sender of a message; nil if the key of its connection is unknown.
    func sender(of message: Message) -> Principal? {
        isKeyed ? message.senderKey.flatMap { principal(forKey: $0) } : .local
    }

    /// The principal whose rights, ledger and limits count for a request of `sender`: the one that `as` names, or the
    /// sender itself.
    func effective(_ sender: Principal, of request: Request) -> Principal {
        (isKeyed ? sender : .local(source: request.source)).acting(for: request.principal)
    }
}

extension Frames {
    /// The five frames of a message that follows the protocol; nil for any other message.
    init?(_ message: Message) {
        self.init(count: message.count) { message[$0] }
        guard !isForeign else { return nil }
    }

    /// Whether the first two frames show that the message does not follow the protocol.
    private var isForeign: Bool { BusError.foreign(frameCount: Frames.count, first: command, second: id) != nil }
}

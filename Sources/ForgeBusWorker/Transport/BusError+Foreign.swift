import ForgeBusProtocol
import ZeroMQ

extension BusError {
    /// What is wrong with a message that is none of the bus; nil for one that is.
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

extension BusError {
    /// Said to a connection that chose its own id, under which somebody else may have been before.
    static let chosenRoutingID = BusError(
        .chosenRoutingID,
        "The connection chose its own routing id, which anybody else may choose as well.",
        next: "Leave the socket's routing id (identity) unset, and connect again."
    )
}

extension Frames {
    /// Whether the first frame does not begin as every message of the bus does.
    var isForeign: Bool { BusError.foreign(frameCount: Frames.count, first: command, second: id) != nil }
}

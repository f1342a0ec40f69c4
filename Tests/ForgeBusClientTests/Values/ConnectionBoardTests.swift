import Testing
import ZeroMQ

@testable import ForgeBusClient

@Suite("The state of a connection")
struct ConnectionBoardTests {
    @Test(
        "keeps why a handshake failed, but not if nobody answered it until its time was over",
        arguments: [
            (Duration.milliseconds(5), HandshakeFailure.ended(reason: "closed"), true),
            (ConnectionBoard.silentHandshake, .ended(reason: "closed"), false),
            (ConnectionBoard.silentHandshake, .refused(status: 400), true),
        ]
    )
    func silent(time: Duration, failure: HandshakeFailure, isKept: Bool) {
        let (board, start) = (ConnectionBoard(), ContinuousClock.now)
        board.foundSomebody(at: start)
        board.handshakeFailed(failure, at: start.advanced(by: time))
        #expect(board.handshakeFailure == (isKept ? failure : nil))
        // The latest handshake counts.
        board.handshakeFailed(.refused(status: 300), at: start.advanced(by: time))
        #expect(board.handshakeFailure == .refused(status: 300))
    }
}

import ForgeBusProtocol
import Testing

@testable import ForgeBusWorker
@testable import ZeroMQ

@Suite("A turn that takes many messages")
struct LongTurnTests {
    @Test(
        "answers each 24 of them while it goes on, and the rest at its end",
        .disabled(if: StoreUnderTest.hasLease, "with a lease, answers leave only after its next renewal")
    )
    func shares() async throws {
        let share = WorkerLoop.messagesPerCommit
        #expect(share == 24)
        let count = 2 * share + 12
        let messages = try (1...count).map { try Message.ping("p\($0)") }
        try await serving { serving in
            let loop = try await serving.worker.lifecycle.bound().loop
            let answered = await loop.answered(after: messages, on: loop.reactor)
            #expect(answered == (1...count).map { $0 / share * share })
            #expect(await loop.answersLost(on: loop.reactor) == count)
        }
    }
}

extension WorkerLoop {
    /// Takes the messages in one turn, and says how many answers had left after each.
    ///
    /// They come from a connection that is not there: what is sent to it is lost at once, and counted.
    fileprivate func answered(after messages: [Message], on reactor: isolated Reactor) -> [Int] {
        messages.map { message in
            take(message, from: PeerID(assignedNumber: 999_999), reactor)
            return counters[.answersLost]
        }
    }

    fileprivate func answersLost(on reactor: isolated Reactor) -> Int { counters[.answersLost] }
}

extension Message {
    fileprivate static func ping(_ id: String) throws -> Message {
        var buffer = FrameBuffer()
        Request(.ping([]), id: try RequestID(id)).encode(into: &buffer)
        let frames = buffer.frames
        return Message(frames.all.map { Array($0) })
    }
}

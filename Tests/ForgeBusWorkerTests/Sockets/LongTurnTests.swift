import ForgeBusProtocol
import Testing

@testable import ForgeBusWorker
@testable import ZeroMQ

#if DEBUG
@Suite("A notification")
struct CoreVisitTests {
    @Test("takes the loop to the core four times: may it speak, decide, what has changed, when next")
    func visits() async throws {
        try await serving { serving in
            let client = try await serving.client()
            _ = try await client.notify("t")
            let loop = try await serving.worker.lifecycle.bound().loop
            let before = await loop.visits(on: loop.reactor)
            for _ in 1...10 { _ = try await client.notify("t") }
            #expect(await loop.visits(on: loop.reactor) - before == 40)
        }
    }
}

extension WorkerLoop {
    fileprivate func visits(on reactor: isolated Reactor) -> Int { visits }
}
#endif

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

    @Test(
        "counts the age of a monitor's latest cycle up to the question, not to the beginning of the turn",
        arguments: [
            Request.Command.show(ShowRequest(.monitor, "m")), .list(ListRequest(kind: .monitors)), .show(.worker),
        ]
    )
    func ages(_ question: Request.Command) async throws {
        let fails = Check("check") { .failed("no") }
        let hosted = HostedMonitor("m", monitor(fails), topics: ["t"])
        try await serving(monitors: [hosted]) { serving in
            let client = try await serving.client()
            _ = try await client.notifyAndWait("t")
            let loop = try await serving.worker.lifecycle.bound().loop
            let (answers, least) = try await loop.askLate(question, on: loop.reactor)
            let item = try #require(await answers.first { _ in true }?.monitor)
            let monitor = try MonitorItem(item)
            #expect(try #require(monitor.last).beganAgo >= least)
        }
    }
}

extension Answer {
    /// The one monitor that the answer describes.
    fileprivate var monitor: JSONObject? {
        switch content {
        case .shown(let item): item["failing"]?.array?.first?.object ?? item
        case .page(let page): page.items.first
        default: nil
        }
    }
}

extension WorkerLoop {
    /// Asks 20 ms after the beginning of a turn, and says how old the latest cycle of the only monitor is just before.
    fileprivate func askLate(
        _ question: Request.Command,
        on reactor: isolated Reactor
    ) throws -> (answers: AsyncStream<Answer>, least: Duration) {
        let turn = now().nanoseconds
        while instant - start < .nanoseconds(turn) + .milliseconds(20) {}
        var buffer = FrameBuffer()
        let request = Request(question, id: try RequestID("q"))
        request.encode(into: &buffer)
        let ordered = try #require(core.monitors.lanes[0].last).ordered
        let least = instant - start - .nanoseconds(ordered.nanoseconds)
        return (door.take(request, buffer.frames, as: .local, reactor), least)
    }

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

import ForgeLocks
import TestSupport
import Testing
import ZeroMQ

@Suite("A reactor", .timeLimit(.minutes(30)))
struct ReactorTests {
    @Test("runs each of 200,000 pieces of work from many tasks, in the order of each task")
    func storm() async throws {
        try await withReactor { reactor in
            let done = Milestone()
            let counters = (0..<8).map { _ in Counter() }
            await withTaskGroup(of: Void.self) { group in
                for counter in counters {
                    group.addTask {
                        for number in 0..<25_000 {
                            reactor.submit { _ in
                                counter.advance(to: number)
                                done.advance()
                            }
                            if number % 64 == 0 { await Task.yield() }
                        }
                    }
                }
            }
            await done.reach(200_000)
            #expect(counters.allSatisfy { $0.isInOrder })
        }
    }

    @Test("wakes for work that comes in the moment it falls asleep")
    func lostWake() async throws {
        // Each piece of work is awaited before the next, so the reactor goes to sleep 40,000 times; one lost wake
        // hangs.
        try await withReactor { reactor in
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<4 { group.addTask { await reactor.passTurns(10_000) } }
            }
        }
    }

    @Test("runs handlers, work, timers and awaited calls on its own thread")
    func isolation() async throws {
        try await withReactor { reactor in
            let places = Record<String>()
            let endpoint = try await reactor.startEcho(on: try Endpoint("inproc://echo"))
            let dealer = try await reactor.dial(endpoint)
            await reactor.receive(dealer) { _ in
                reactor.preconditionIsolated()
                places.add("handler")
            }
            await reactor.send(Message(number: 1), on: dealer)
            _ = await places.reach(1)
            reactor.submit { _ in reactor.noteFromPlainCode("work", in: places) }
            _ = await places.reach(2)
            reactor.submit { reactor in reactor.schedule(at: .now) { reactor.note("timer", in: places) } }
            _ = await places.reach(3)
            await reactor.note("call", in: places)
            #expect(places.values == ["handler", "work", "timer", "call"])
        }
    }

    @Test("stops the program when isolation is claimed elsewhere")
    func falseIsolation() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let reactor = try Reactor(label: "claimed")
            reactor.noteFromPlainCode("elsewhere", in: Record())
        }
        let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(text.contains("Reactor") || text.contains("reactor"), "\(text)")
    }

    @Test("fires timers in the order of their deadlines, and none that was cancelled")
    func timers() async throws {
        try await withReactor { reactor in
            let fired = Record<Int>()
            let start = ContinuousClock.now
            await reactor.scheduleAll([30, 10, 20, 20, 0, -5], cancelling: 15, from: start, into: fired)
            #expect(await fired.reach(6) == [5, 4, 1, 2, 3, 0])
            #expect(ContinuousClock.now >= start + .milliseconds(30))
        }
    }

    @Test("gives a timer that schedules itself for the past one firing a turn")
    func restlessTimer() async throws {
        try await withReactor { reactor in
            let fired = Milestone()
            await reactor.scheduleAgain(fired)
            await fired.reach(100)
            // Others still get their turn.
            await reactor.passTurns(10)
        }
    }

    @Test("goes on when signals interrupt its system calls")
    func interrupted() async {
        await #expect(processExitsWith: .success) {
            try await interruptedEcho()
        }
    }
}

/// Notes whether numbers come one after the other.
private final class Counter: Sendable {
    private let state = Guarded((next: 0, isInOrder: true))

    var isInOrder: Bool { state.withLock { $0.isInOrder } }

    func advance(to number: Int) {
        state.withLock { state in
            if number != state.next { state.isInOrder = false }
            state.next = number + 1
        }
    }
}

extension Reactor {
    fileprivate func note(_ place: String, in places: Record<String>) { places.add(place) }

    /// Not isolated for the compiler, so isolation has to be claimed.
    fileprivate nonisolated func noteFromPlainCode(_ place: String, in places: Record<String>) {
        assumeIsolated { $0.note(place, in: places) }
    }

    /// Schedules timers in milliseconds, and one more that is cancelled before any of them can fire.
    fileprivate func scheduleAll(
        _ offsets: [Int],
        cancelling cancelled: Int,
        from start: ContinuousClock.Instant,
        into fired: Record<Int>
    ) {
        for (index, offset) in offsets.enumerated() {
            schedule(at: start + .milliseconds(offset)) { fired.add(index) }
        }
        cancel(schedule(at: start + .milliseconds(cancelled)) { fired.add(-1) })
    }

    fileprivate func scheduleAgain(_ fired: Milestone) {
        fired.advance()
        schedule(at: .now - .seconds(1)) { self.scheduleAgain(fired) }
    }
}

import ForgeLocks
import Testing

@Suite("A value that is set once")
struct OneShotTests {
    @Test("is there for tasks that ask later, and only its first value counts")
    func known() async throws {
        let shot = OneShot<Int>()
        #expect(shot.known == nil)
        shot.set(1)
        shot.set(2)
        #expect(shot.known == 1)
        #expect(try await shot.value() == 1)
        #expect(await shot.valueDespiteCancellation() == 1)
    }

    @Test("may be nil")
    func optional() async throws {
        let shot = OneShot<Int?>()
        let waiter = Task { try await shot.value() }
        shot.set(nil)
        shot.set(1)
        #expect(try await waiter.value == nil)
    }

    @Test("goes to a task that was cancelled after it was set")
    func cancelledAfter() async throws {
        let shot = OneShot<Int>()
        shot.set(1)
        let waiter = Task {
            while !Task.isCancelled { await Task.yield() }
            return try await shot.value()
        }
        waiter.cancel()
        #expect(try await waiter.value == 1)
    }

    @Test("does not hold a task that was cancelled before it began to wait")
    func cancelledBefore() async {
        let shot = OneShot<Int>()
        let waiter = Task {
            while !Task.isCancelled { await Task.yield() }
            return try await shot.value()
        }
        waiter.cancel()
        await #expect(throws: CancellationError.self) { try await waiter.value }
    }

    @Test("does not hold a task that is cancelled while it waits, and holds the others")
    func cancelledWhile() async throws {
        let shot = OneShot<Int>()
        let waiters = (0..<1000).map { _ in Task { try await shot.value() } }
        for (index, waiter) in waiters.enumerated() where index % 2 == 0 { waiter.cancel() }
        for (index, waiter) in waiters.enumerated() where index % 2 == 0 {
            await #expect(throws: CancellationError.self) { try await waiter.value }
        }
        shot.set(1)
        for (index, waiter) in waiters.enumerated() where index % 2 == 1 { #expect(try await waiter.value == 1) }
    }

    @Test("is awaited despite a cancellation where the caller asks for that")
    func despiteCancellation() async {
        let shot = OneShot<Int>()
        let waiter = Task { await shot.valueDespiteCancellation() }
        waiter.cancel()
        // A cancelled wait of the other kind ends without the value, so this wait would have ended, too.
        let other = Task { try await shot.value() }
        other.cancel()
        await #expect(throws: CancellationError.self) { try await other.value }
        shot.set(1)
        #expect(await waiter.value == 1)
    }

    @Test("resumes each task exactly once when it is set and cancelled at the same time", arguments: [1, 2, 100])
    func races(waiters count: Int) async {
        for round in 0..<(2000 / count) {
            let shot = OneShot<Int>()
            let outcomes = await withTaskGroup(of: Int?.self) { group in
                for _ in 0..<count {
                    group.addTask {
                        let waiter = Task { try await shot.value() }
                        if round % 2 == 0 { await Task.yield() }
                        waiter.cancel()
                        return try? await waiter.value
                    }
                    group.addTask { await shot.valueDespiteCancellation() }
                }
                group.addTask {
                    shot.set(1)
                    return 1
                }
                return await group.reduce(into: []) { $0.append($1) }
            }
            // A wait that is never resumed hangs here; one that is resumed twice ends the process.
            #expect(outcomes.count == 2 * count + 1)
            #expect(outcomes.filter { $0 == 1 }.count >= count + 1)
        }
    }
}

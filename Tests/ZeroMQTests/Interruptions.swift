import Foundation
import Synchronization
import TestSupport
import ZeroMQ

#if canImport(Glibc)
import Glibc
#endif

/// Echoes messages while signals rain on the reactor's thread.
///
/// To be run in a process of its own.
func interruptedEcho() async throws {
    signal(SIGUSR1) { _ in }
    try await withReactor("interrupted") { reactor in
        let storm = SignalStorm(on: await reactor.threadHandle())
        let endpoint = try await reactor.startEcho(on: try Endpoint("tcp://127.0.0.1:*"))
        let echo = EchoClient(count: 20_000, window: 4)
        try await reactor.run(echo, against: endpoint)
        while storm.count < 100 { await reactor.passTurns(1_000) }
        await storm.end()
        guard echo.mistakes == 0 else { fatalError("\(echo.mistakes) wrong answers.") }
    }
}

/// Sends signals to one thread until it is told to end.
private final class SignalStorm: Sendable {
    private let isOver = Atomic<Bool>(false)
    private let sent = Atomic<Int>(0)
    private let ended = Milestone()

    var count: Int { sent.load(ordering: .relaxed) }

    init(on thread: pthread_t) {
        Thread.detachNewThread {
            while !self.isOver.load(ordering: .relaxed) {
                pthread_kill(thread, SIGUSR1)
                self.sent.add(1, ordering: .relaxed)
                sched_yield()
            }
            self.ended.advance()
        }
    }

    /// Returns when no signal comes any more.
    func end() async {
        isOver.store(true, ordering: .relaxed)
        await ended.reach(1)
    }
}

extension Reactor {
    fileprivate func threadHandle() -> pthread_t { pthread_self() }
}

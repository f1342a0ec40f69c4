import Testing

@testable import ZeroMQ

@Suite("A reactor that polls busily", .timeLimit(.minutes(10)))
struct BusyPollingTests {
    /// Longer than any test runs: a reactor that looks only for so long, and not for what comes, would never end.
    private var options: ReactorOptions {
        var options = ReactorOptions()
        options.busyPolling = .seconds(3600)
        return options
    }

    @Test("takes work without being woken for it")
    func work() async throws {
        try await withReactor(options: options) { reactor in
            await reactor.passTurns(1)
            let wakes = reactor.executor.mailbox.wakes
            await reactor.passTurns(1000)
            #expect(reactor.executor.mailbox.wakes == wakes)
        }
    }

    @Test("goes on with messages and timers")
    func everythingElse() async throws {
        try await withReactor(options: options) { reactor in
            let taken = Milestone()
            let router = try await reactor.open(Router.self)
            let endpoint = try await reactor.bind(router, to: try LocalEndpoint("inproc://busy"))
            await reactor.receive(router) { _, _, _ in taken.advance() }
            let dealer = try await reactor.dial(endpoint)
            await reactor.schedule(at: .now + .milliseconds(1)) { reactor in
                reactor.send(Message(number: 1), on: dealer)
            }
            await taken.reach(1)
        }
    }

    @Test("sleeps when it is not asked to")
    func byDefault() async throws {
        try await withReactor { reactor in
            while reactor.executor.mailbox.wakes < 10 { await reactor.passTurns(1) }
        }
    }

    @Test("sleeps once nothing more comes")
    func idle() async throws {
        var options = ReactorOptions()
        options.busyPolling = .microseconds(50)
        try await withReactor(options: options) { reactor in
            await reactor.passTurns(1)
            while !reactor.executor.mailbox.isAsleep { await Task.yield() }
        }
    }
}

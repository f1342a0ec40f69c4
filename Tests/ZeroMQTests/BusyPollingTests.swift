import TestSupport
import Testing

@testable import ZeroMQ

@Suite("A reactor that polls busily", .timeLimit(.minutes(30)))
struct BusyPollingTests {
    /// Longer than any test takes: what the reactor does not look at while it polls never comes.
    private let long = Duration.seconds(3600)

    @Test("takes work without being woken for it")
    func work() async throws {
        try await withReactor(options: polling(for: long)) { reactor in
            await reactor.passTurns(1)
            let wakes = reactor.executor.mailbox.wakes
            await reactor.passTurns(1000)
            #expect(reactor.executor.mailbox.wakes == wakes)
        }
    }

    @Test("takes the messages that come")
    func message() async throws {
        try await withReactor(options: polling(for: long)) { reactor in
            let taken = Milestone()
            let router = try await reactor.open(Router.self)
            let endpoint = try await reactor.bind(router, to: try LocalEndpoint("inproc://busy"))
            await reactor.receive(router) { _ in taken.advance() }
            let dealer = try await reactor.dial(endpoint)
            for number in 1...3 {
                #expect(await reactor.send(Message(number: number), on: dealer) == .sent)
                await taken.reach(number)
            }
        }
    }

    @Test("fires its timers")
    func timer() async throws {
        try await withReactor(options: polling(for: long)) { reactor in
            let fired = Milestone()
            await reactor.schedule(at: .now + .milliseconds(1)) { fired.advance() }
            await fired.reach(1)
        }
    }

    @Test("sleeps when its time is over")
    func sleep() async throws {
        try await withReactor(options: polling(for: .microseconds(50))) { reactor in
            await reactor.passTurns(1)
            while !reactor.executor.mailbox.isAsleep { await Task.yield() }
        }
    }

    @Test("is one that was asked to stay awake, until then")
    func awake() async throws {
        try await withReactor { reactor in
            await reactor.stayAwake(until: .now + long)
            let wakes = reactor.executor.mailbox.wakes
            await reactor.passTurns(1000)
            #expect(reactor.executor.mailbox.wakes == wakes)
            await reactor.stayAwake(until: .now)
            while !reactor.executor.mailbox.isAsleep { await Task.yield() }
            #expect(await reactor.awakeUntil == nil)
        }
    }

    @Test("does so only where it is asked to, and not for less than no time")
    func range() throws {
        #expect(ReactorOptions().busyPolling == .zero)
        let error = #expect(throws: ZeroMQError.self) {
            try Reactor(label: "busy", options: polling(for: .microseconds(-1)))
        }
        #expect(error?.code == .invalidOption)
    }

    private func polling(for time: Duration) -> ReactorOptions {
        var options = ReactorOptions()
        options.busyPolling = time
        return options
    }
}

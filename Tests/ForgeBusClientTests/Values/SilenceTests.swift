import Testing

@testable import ForgeBusClient

@Suite("The silence of a worker")
struct SilenceTests {
    private let start = ContinuousClock.now

    private func at(_ milliseconds: Int) -> ContinuousClock.Instant { start.advanced(by: .milliseconds(milliseconds)) }

    @Test("is looked at while requests wait, twice in the time that may pass without a PING")
    func looks() {
        var silence = Silence(patience: .seconds(300), at: start)
        #expect(silence.requestBegan(isFirst: true, at: at(100)) == at(1_100))
        #expect(silence.requestBegan(isFirst: false, at: at(200)) == nil)
        #expect(silence.looked(anyoneWaits: true, isConnected: true, at: at(1_100)) == .look(at: at(2_100)))
        #expect(silence.looked(anyoneWaits: false, isConnected: true, at: at(2_100)) == .stop)
        #expect(silence.requestBegan(isFirst: true, at: at(5_000)) == at(6_000))
    }

    @Test("is broken by a PING, and by another where no PONG came")
    func pings() {
        var silence = Silence(patience: .seconds(300), at: start)
        _ = silence.requestBegan(isFirst: true, at: start)
        #expect(silence.looked(anyoneWaits: true, isConnected: true, at: at(2_000)) == .ping(thenLookAt: at(3_000)))
        #expect(silence.looked(anyoneWaits: true, isConnected: true, at: at(3_000)) == .look(at: at(4_000)))
        #expect(silence.looked(anyoneWaits: true, isConnected: true, at: at(4_000)) == .ping(thenLookAt: at(5_000)))
        silence.heard(at: at(4_500))
        #expect(silence.looked(anyoneWaits: true, isConnected: true, at: at(6_000)) == .look(at: at(7_000)))
        #expect(silence.length(at: at(6_000)) == .milliseconds(1_500))
    }

    @Test("is not pinged away where there is no connection, and begins with the first request that waits")
    func unconnected() {
        var silence = Silence(patience: .seconds(300), at: start)
        #expect(silence.requestBegan(isFirst: true, at: at(60_000)) == at(61_000))
        #expect(silence.length(at: at(61_000)) == .seconds(1))
        #expect(silence.looked(anyoneWaits: true, isConnected: false, at: at(65_000)) == .look(at: at(66_000)))
    }

    @Test("may last a quarter of the patience, from 10 ms to 2 s", arguments: [(1, 10), (400, 100), (60_000, 2_000)])
    func limit(_ patience: Int, _ limit: Int) {
        var silence = Silence(patience: .milliseconds(patience), at: start)
        #expect(silence.requestBegan(isFirst: true, at: start) == at(limit / 2))
        let step = silence.looked(anyoneWaits: true, isConnected: true, at: at(limit))
        #expect(step == .ping(thenLookAt: at(limit * 3 / 2)))
    }
}

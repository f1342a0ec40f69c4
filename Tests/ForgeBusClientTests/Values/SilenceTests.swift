import Testing

@testable import ForgeBusClient

@Suite("The silence of a worker")
struct SilenceTests {
    private let start = ContinuousClock.now

    private func at(_ milliseconds: Int) -> ContinuousClock.Instant { start.advanced(by: .milliseconds(milliseconds)) }

    @Test("is looked at while requests wait, twice in the time that may pass without a PING")
    func looks() {
        var silence = WatchedSilence(at: start)
        #expect(silence.waitBegan(isFirst: true, at: at(100)) == at(1_100))
        #expect(silence.waitBegan(isFirst: false, at: at(200)) == nil)
        #expect(silence.looked(at: at(1_100)) == .look(at: at(2_100)))
        #expect(silence.looked(patience: nil, at: at(2_100)) == .stop)
        #expect(silence.waitBegan(isFirst: true, at: at(5_000)) == at(6_000))
    }

    @Test("is broken by a PING, and by another where no PONG came")
    func pings() {
        var silence = WatchedSilence(at: start)
        _ = silence.waitBegan(isFirst: true, at: start)
        #expect(silence.looked(at: at(2_000)) == .ping(thenLookAt: at(3_000)))
        #expect(silence.looked(at: at(3_000)) == .look(at: at(4_000)))
        #expect(silence.looked(at: at(4_000)) == .ping(thenLookAt: at(5_000)))
        silence.value.heard(at: at(4_500))
        #expect(silence.looked(at: at(6_000)) == .look(at: at(7_000)))
        #expect(silence.value.length(at: at(6_000)) == .milliseconds(1_500))
    }

    @Test("is not pinged away where there is no connection, and begins with the first request that waits")
    func unconnected() {
        var silence = WatchedSilence(at: start)
        #expect(silence.waitBegan(isFirst: true, at: at(60_000)) == at(61_000))
        #expect(silence.value.length(at: at(61_000)) == .seconds(1))
        #expect(silence.looked(isConnected: false, at: at(65_000)) == .look(at: at(66_000)))
    }

    @Test("may last a quarter of the patience, from 10 ms to 2 s", arguments: [(1, 10), (400, 100), (60_000, 2_000)])
    func limit(_ patience: Int, _ limit: Int) {
        var silence = WatchedSilence(at: start)
        #expect(silence.waitBegan(.milliseconds(patience), isFirst: true, at: start) == at(limit / 2))
        let step = silence.looked(patience: .milliseconds(patience), at: at(limit))
        #expect(step == .ping(thenLookAt: at(limit * 3 / 2)))
    }

    @Test("may last as long as the least patient of those that still wait allows, and is looked at once for all")
    func leastPatient() {
        var silence = WatchedSilence(at: start)
        #expect(silence.waitBegan(isFirst: true, at: start) == at(1_000))
        let first = silence.scheduled
        #expect(silence.waitBegan(.milliseconds(400), isFirst: false, at: at(100)) == at(150))
        #expect(silence.waitBegan(.milliseconds(800), isFirst: false, at: at(110)) == nil)
        #expect(silence.looked(patience: .milliseconds(400), at: at(150)) == .ping(thenLookAt: at(200)))
        let stale = silence.value.looked(
            scheduledFor: first,
            leastPatience: .milliseconds(400),
            isConnected: true,
            at: at(1_000)
        )
        #expect(stale == .stop)
        #expect(silence.looked(patience: .milliseconds(800), at: at(1_000)) == .ping(thenLookAt: at(1_100)))
        #expect(silence.looked(at: at(1_200)) == .look(at: at(2_200)))
        #expect(silence.looked(patience: nil, at: at(2_200)) == .stop)
        #expect(silence.waitBegan(isFirst: true, at: at(5_000)) == at(6_000))
    }

    @Test(
        "that lasts is a reason to try another endpoint, where there is one, but not what was there before it was reached"
    )
    func lasting() {
        var silence = WatchedSilence(at: start)
        _ = silence.waitBegan(isFirst: true, at: start)
        silence.value.connected(at: at(1_000))
        #expect(silence.looked(hasOthers: true, at: at(3_900)) == .ping(thenLookAt: at(4_900)))
        #expect(silence.looked(hasOthers: true, at: at(5_900)) == .moveOn(thenLookAt: at(6_900)))
        silence.value.connected(at: at(11_000))
        #expect(silence.looked(hasOthers: true, at: at(13_000)) == .ping(thenLookAt: at(14_000)))
        #expect(silence.looked(at: at(30_000)) == .ping(thenLookAt: at(31_000)))
    }

    @Test("is no reason to leave a worker while the client's own thread was held up: its answers may wait unread")
    func heldUp() {
        var silence = WatchedSilence(at: start)
        _ = silence.waitBegan(isFirst: true, at: start)
        silence.value.connected(at: at(100))
        #expect(silence.looked(hasOthers: true, at: at(2_000)) == .ping(thenLookAt: at(3_000)))
        #expect(silence.looked(hasOthers: true, at: at(60_000)) == .ping(thenLookAt: at(61_000)))
        silence.value.heard(at: at(60_001))
        #expect(silence.looked(hasOthers: true, at: at(61_000)) == .look(at: at(62_000)))
    }

    @Test("is no reason to leave a worker that is slow, however impatient a request is, and is one after four seconds")
    func impatient() {
        let patience = Duration.milliseconds(40)
        var silence = WatchedSilence(at: start)
        _ = silence.waitBegan(patience, isFirst: true, at: start)
        for moment in stride(from: 5, through: 3_990, by: 5) {
            let step = silence.looked(patience: patience, hasOthers: true, at: at(moment))
            #expect(step == .look(at: at(moment + 5)) || step == .ping(thenLookAt: at(moment + 5)))
        }
        #expect(silence.looked(patience: patience, hasOthers: true, at: at(4_000)) == .moveOn(thenLookAt: at(4_005)))
    }

    @Test("goes on while a worker owes a PONG, though those that waited for it have given up")
    func owed() {
        let patience = Duration.seconds(1)
        var silence = WatchedSilence(at: start)
        for second in 0..<4 {
            let begin = second * 1_000
            _ = silence.waitBegan(patience, isFirst: true, at: at(begin))
            #expect(
                silence.looked(patience: patience, hasOthers: true, at: at(begin + 250))
                    == .ping(thenLookAt: at(begin + 375))
            )
            #expect(silence.looked(patience: nil, hasOthers: true, at: at(begin + 999)) == .stop)
        }
        _ = silence.waitBegan(patience, isFirst: true, at: at(4_000))
        #expect(silence.looked(patience: patience, hasOthers: true, at: at(4_125)) == .moveOn(thenLookAt: at(4_250)))
    }
}

/// A silence, and the look that is scheduled.
private struct WatchedSilence {
    var value: Silence
    var scheduled: ContinuousClock.Instant

    init(at start: ContinuousClock.Instant) { (value, scheduled) = (Silence(at: start), start) }

    mutating func waitBegan(
        _ patience: Duration = .seconds(300),
        isFirst: Bool,
        at now: ContinuousClock.Instant
    ) -> ContinuousClock.Instant? {
        let look = value.waitBegan(patience: patience, isFirst: isFirst, at: now)
        if let look { scheduled = look }
        return look
    }

    mutating func looked(
        patience: Duration? = .seconds(300),
        isConnected: Bool = true,
        hasOthers: Bool = false,
        at now: ContinuousClock.Instant
    ) -> Silence.Step {
        let step = value.looked(
            scheduledFor: scheduled,
            leastPatience: patience,
            isConnected: isConnected,
            hasOthers: hasOthers,
            at: now
        )
        switch step {
        case .stop: break
        case .look(let next), .ping(let next), .moveOn(let next): scheduled = next
        }
        return step
    }
}

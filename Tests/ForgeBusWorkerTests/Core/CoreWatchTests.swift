import ForgeBusProtocol
import ForgeOrchestrator
import Testing

@testable import ForgeBusWorker

@Suite("A watch")
struct CoreWatchTests {
    private var harness: CoreHarness

    init() {
        harness = CoreHarness(
            pipelines: [HostedPipeline("p", pipeline(Stage("work")), slots: 1)],
            monitors: [HostedMonitor("m", MonitorOrchestrator(), topics: ["a.>"])]
        )
    }

    private mutating func watch(_ pattern: NamePattern, credit: Int = 10, id: String = "w") -> [String] {
        harness.send(.watch(WatchRequest(pattern, credit: credit)), id: id, from: 5)
    }

    /// Hands over what a signal's states tell the watch `w`, the lost ones excepted, and says what the connection gets.
    private mutating func hand(_ told: [ToldEvent], losing lost: Set<Int> = []) -> [String] {
        told.flatMap { told in
            let isTaken = !lost.contains(told.sequence)
            let event = isTaken ? harness.core.watches.event(for: told) : nil
            let said = event.map { ["\($0.sequence)" + ($0.lost > 0 ? " after \($0.lost) lost" : "")] } ?? []
            return said + harness.step(.told(told, isTaken: isTaken))
        }
    }

    /// Signals open, and their watch is told of each of them; nothing is handed over yet.
    private mutating func happen(_ signals: String...) -> [ToldEvent] {
        signals.flatMap { signal in
            let waiting = SignalWait(
                owner: .process(signal),
                kind: .gate,
                waiter: WaiterID(number: UInt64(harness.keptCount + 1))
            )
            let opening = SignalOpening(signal: Name(unchecked: signal), waiting: waiting, deadline: nil)
            return harness.effects(of: .opened(opening)).compactMap(\.told)
        }
    }

    /// What watches are told.
    private func told(_ lines: [String]) -> [String] { lines.filter { $0.hasPrefix("5<") } }

    @Test("is told the states of runs, in order")
    mutating func runs() {
        #expect(watch("run.>").isEmpty)
        #expect(told(harness.run()) == ["5<w event 1 run.p.run-1 queued", "5<w event 2 run.p.run-1 running"])
        #expect(told(harness.open("s")) == ["5<w event 3 run.p.run-1 waiting"])
        #expect(told(harness.complete("s", id: "d")) == ["5<w event 4 run.p.run-1 running"])
        #expect(told(harness.end()) == ["5<w event 5 run.p.run-1 completed"])
    }

    @Test("is told of what its pattern means, and of nothing else")
    mutating func pattern() {
        _ = watch("signal.*")
        harness.run()
        #expect(told(harness.open("s")) == ["5<w event 1 signal.s waiting"])
        #expect(told(harness.reject("s", id: "d")) == ["5<w event 2 signal.s rejected"])
    }

    @Test("is told of a signal that was decided before it opened that it is decided")
    mutating func early() {
        _ = watch("signal.*")
        harness.complete("s", id: "d")
        harness.run()
        #expect(told(harness.open("s")) == ["5<w event 1 signal.s approved"])
    }

    @Test("is told what monitors do")
    mutating func monitors() {
        _ = watch("monitor.m")
        let ended = Event.cycleEnded(monitor: 0, .ran(MonitorCycle(number: 1, actions: [])))
        #expect(told(harness.step(ended)) == ["5<w event 1 monitor.m idle"])
    }

    @Test("ends when its credit does, and says so")
    mutating func credit() {
        _ = watch("signal.>", credit: 2)
        #expect(hand(happen("a", "b", "c")) == ["1", "2", "5<w ok credit_ended"])
        #expect(happen("d").isEmpty)
        #expect(harness.core.watches.isEmpty)
    }

    @Test("gets more credit under the same id, and keeps its count")
    mutating func moreCredit() {
        _ = watch("signal.>", credit: 1)
        #expect(watch("signal.>", credit: 1).isEmpty)
        #expect(hand(happen("a")) == ["1"])
        let last = happen("b")
        #expect(watch("signal.>", credit: 1).isEmpty, "its last event is under way, and it goes on")
        #expect(hand(last) == ["2"])
        #expect(hand(happen("c")) == ["3", "5<w ok credit_ended"])
    }

    @Test("keeps the pattern it began with: another under the same id is a conflict")
    mutating func otherPattern() {
        _ = watch("run.>")
        #expect(watch("signal.>") == ["5<w error id_conflict"])
        #expect(told(harness.run()).count == 2)
    }

    @Test("hears nothing more once it is ended, and whoever ends none is told the same")
    mutating func unwatch() {
        _ = watch("run.>")
        #expect(harness.send(.unwatch, id: "w", from: 5) == ["5<w ok unwatched"])
        #expect(told(harness.run()).isEmpty)
        #expect(harness.send(.unwatch, id: "w", from: 5) == ["5<w ok unwatched"])
    }

    @Test("is told how many events were lost before this one")
    mutating func gap() {
        _ = watch("signal.>")
        #expect(hand(happen("a", "b", "c"), losing: [1, 2]) == ["3 after 2 lost"])
        #expect(hand(happen("d")) == ["4"])
    }

    @Test("is told of all that were lost, also where those that told of others were lost themselves")
    mutating func longGap() {
        _ = watch("signal.>")
        for signal in ["a", "b", "c"] { #expect(hand(happen(signal), losing: [1, 2, 3]).isEmpty) }
        #expect(hand(happen("d")) == ["4 after 3 lost"])
    }

    @Test("is told of a loss by the next event that it gets, also by one that was told before it")
    mutating func lateLoss() {
        _ = watch("signal.>")
        let told = happen("a", "b", "c")
        #expect(hand(Array(told[..<1])) == ["1"])
        #expect(hand(Array(told[1...]), losing: [2]) == ["3 after 1 lost"])
    }

    @Test("gets as many events as it asked for, however many are lost between them, and ends with the last")
    mutating func lostCredit() {
        _ = watch("signal.>", credit: 2)
        for number in 1...20 { _ = hand(happen("s\(number)"), losing: [number]) }
        #expect(harness.core.watches.count == 1)
        #expect(hand(happen("a")) == ["21 after 20 lost"])
        let last = happen("b")
        #expect(happen("c").isEmpty, "its credit is under way")
        #expect(hand(last, losing: [22]).isEmpty)
        #expect(hand(happen("d")) == ["24 after 2 lost", "5<w ok credit_ended"])
    }

    @Test("that was ended is told nothing of what was under way, nor is one that began in its place")
    mutating func underWay() {
        _ = watch("signal.>", credit: 1)
        let old = happen("a")
        harness.send(.unwatch, id: "w", from: 5)
        #expect(hand(old).isEmpty)
        _ = watch("signal.>", credit: 1)
        #expect(hand(old).isEmpty)
        #expect(hand(happen("b")) == ["1", "5<w ok credit_ended"])
    }

    @Test("ends with its connection")
    mutating func gone() {
        _ = watch("run.>")
        _ = watch("signal.>", id: "w2")
        harness.step(.disconnected(.numbered(6)))
        #expect(harness.core.watches.count == 2)
        harness.step(.disconnected(.numbered(5)))
        #expect(harness.core.watches.isEmpty)
    }

}

@Suite("The room for watches")
struct CoreWatchRoomTests {
    private var harness: CoreHarness

    init() {
        var limits = WorkerLimits()
        (limits.watches, limits.watchesPerPrincipal, limits.watchesPerConnection) = (4, 3, 2)
        harness = CoreHarness(limits: limits)
    }

    private func request(_ id: String, from peer: Int, as principal: AccessPolicy.Principal) throws -> Received {
        let request = Request(.watch(WatchRequest("signal.>", credit: 10)), id: try RequestID(id))
        return Received(request, from: peer, as: principal)
    }

    /// Somebody wants to watch; connections that are gone are looked for first, as the worker does.
    private mutating func watch(
        _ id: String,
        from peer: Int,
        as principal: AccessPolicy.Principal = .local,
        gone: Set<Int> = []
    ) throws -> (looked: Set<Int>, lines: [String]) {
        let received = try request(id, from: peer, as: principal)
        let doubtful = harness.core.doubtfulConnections(before: received, at: harness.now)
        if !doubtful.isEmpty { harness.step(.probed(gone: doubtful.filter { gone.contains(Int($0.number)) })) }
        return (Set(doubtful.map { Int($0.number) }), harness.step(.received(received)))
    }

    @Test("of one connection is bounded: one more is busy, more credit for one of them is not")
    mutating func connection() throws {
        for id in ["w1", "w2", "w1"] { #expect(try watch(id, from: 5) == ([], [])) }
        #expect(try watch("w3", from: 5) == ([], ["5<w3 error busy watches"]))
        #expect(try watch("w3", from: 6) == ([], []), "another connection has its own")
    }

    @Test("of one principal is bounded, and others have theirs")
    mutating func principal() throws {
        for peer in 1...3 { #expect(try watch("w", from: peer) == ([], [])) }
        #expect(try watch("w", from: 4) == ([1, 2, 3], ["4<w error busy watches"]))
        #expect(try watch("w", from: 5, as: .other) == ([], []))
        let later = try watch("w", from: 6, as: .other)
        #expect(later == ([], ["6<w error busy watches"]), "that of all is used up, and was looked at just now")
    }

    @Test("is found again where whoever had it is gone, though nothing was ever told to it")
    mutating func gone() throws {
        for peer in 1...3 { _ = try watch("w", from: peer) }
        #expect(try watch("w", from: 4, gone: [1, 3]) == ([1, 2, 3], []))
        #expect(harness.core.watches.count == 2)
    }

    @Test("is looked for once a second at most, and among all connections where all have used it up")
    mutating func seldom() throws {
        for peer in 1...3 { _ = try watch("w", from: peer) }
        _ = try watch("w", from: 4, as: .other)
        #expect(try watch("w", from: 5, as: .other).looked == [1, 2, 3, 4])
        harness.oversleep(.milliseconds(999))
        #expect(try watch("w", from: 5, as: .other, gone: [1]).looked == [])
        harness.oversleep(.milliseconds(1))
        #expect(try watch("w", from: 5, as: .other, gone: [1]) == ([1, 2, 3, 4], []))
    }
}

extension AccessPolicy.Principal {
    fileprivate static let other = AccessPolicy.Principal("other")
}

extension Effect {
    fileprivate var told: ToldEvent? { if case .tell(let told) = self { told } else { nil } }
}

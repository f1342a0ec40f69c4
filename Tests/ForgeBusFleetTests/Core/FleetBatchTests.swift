import ForgeBusProtocol
import Testing

@testable import ForgeBusFleet

@Suite("A roll-out in batches")
struct FleetBatchTests {
    private func rollOut(
        _ names: [Name],
        _ batches: BatchSize...,
        stopAfter: Int? = nil,
        lasts: Duration? = nil
    ) -> FleetHarness {
        FleetHarness(.run, of: names) { plan, _ in
            (plan.batches, plan.stopAfter, plan.batchLasts) = (batches, stopAfter, lasts)
        }
    }

    @Test("makes an id for each worker")
    func id() throws {
        var fleet = rollOut(["a"], .percent(100))
        #expect(fleet.begin() == ["a HELLO"])
        #expect(fleet.greet("a") == ["a RUN r/a"])
        #expect(try fleet.end("a") == ["a release"])
        #expect(fleet.core.report.counts == [.completed: 1])
        #expect(fleet.core.report.outcome == .good)
    }

    @Test("begins a batch when the one before is over, and repeats the last size")
    func batches() throws {
        var fleet = rollOut(["a", "b", "c", "d"], .count(1), .count(2))
        #expect(fleet.begin() == ["a HELLO"])
        fleet.greet("a")
        #expect(try fleet.end("a") == ["a release", "b HELLO", "c HELLO"])
        #expect(fleet.core.progress == (2, 3))
        fleet.greet("b")
        fleet.greet("c")
        #expect(try fleet.end("c") == ["c release"])
        #expect(try fleet.end("b") == ["b release", "d HELLO"])
        #expect(fleet.core.progress == (3, 4))
    }

    @Test(
        "rounds a share up, and never to nobody",
        arguments: [
            (BatchSize.count(3), 10, 3), (.count(0), 10, 1), (.percent(10), 10, 1), (.percent(11), 10, 2),
            (.percent(100), 7, 7), (.percent(0), 7, 1), (.percent(250), 7, 7), (.percent(1), 1_000, 10),
        ]
    )
    func size(_ size: BatchSize, of all: Int, is expected: Int) { #expect(size.size(of: all) == expected) }

    @Test("stops when so many have failed, are silent or unknown")
    func stopAfter() throws {
        var fleet = rollOut(["a", "b", "c", "d"], .count(2), .count(1), stopAfter: 2)
        _ = fleet.begin()
        fleet.greet("a")
        fleet.fail("a", .timeout)
        fleet.greet("b")
        #expect(try fleet.end("b") == ["b release", "c HELLO"])
        #expect(fleet.fail("c", .unreachable) == ["c release"])
        #expect(fleet.core.isOver)
        #expect(fleet.core.report.counts == [.unknown: 1, .completed: 1, .silent: 1, .notAsked: 1])
        #expect(fleet.core.report.outcome == .open)
    }

    @Test("finishes the batch that is under way")
    func underWay() throws {
        var fleet = rollOut(["a", "b", "c"], .count(2), stopAfter: 1)
        _ = fleet.begin()
        fleet.greet("a")
        try fleet.end("a", as: .failed)
        #expect(!fleet.core.isOver)
        #expect(fleet.greet("b") == ["b RUN r/b"])
        try fleet.end("b")
        #expect(fleet.core.isOver)
        #expect(fleet.core.report.counts == [.failed: 1, .completed: 1, .notAsked: 1])
        #expect(fleet.core.report.outcome == .bad)
    }

    @Test("gives a batch up after its time, and begins the next one")
    func limit() throws {
        var fleet = rollOut(["a", "b", "c"], .count(2), stopAfter: 3, lasts: .seconds(10))
        _ = fleet.begin()
        fleet.greet("a")
        #expect(fleet.pass(.seconds(9)) == [])
        #expect(fleet.pass(.seconds(1)) == ["a release", "b release", "c HELLO"])
        #expect(fleet.core.report.counts == [.unknown: 1, .silent: 1, .notAsked: 1])
        #expect(try fleet.end("a") == [])
        #expect(fleet.pass(.seconds(10)) == ["c release"])
        #expect(fleet.core.isOver)
    }

    @Test("does not know the outcome of a run that a worker has accepted, whatever ends the wait")
    func accepted() {
        for code: ErrorCode in [.timeout, .forbidden, .unreachable, .busy] {
            var fleet = rollOut(["a"], .count(1))
            _ = fleet.begin()
            fleet.greet("a")
            fleet.accept("a")
            fleet.fail("a", code)
            #expect(fleet.states("a") == [.unknown])
        }
    }

    @Test(
        "knows that a run has not begun",
        arguments: [
            (ErrorCode.forbidden, FleetState.refused), (.unreachable, .silent), (.unknownPipeline, .failed),
            (.badAnswer, .unknown), (.timeout, .unknown),
        ]
    )
    func refused(_ code: ErrorCode, _ state: FleetState) {
        var fleet = rollOut(["a"], .count(1))
        _ = fleet.begin()
        fleet.greet("a")
        fleet.fail("a", code)
        #expect(fleet.states("a") == [state])
        #expect(fleet.core.isOver)
    }
}

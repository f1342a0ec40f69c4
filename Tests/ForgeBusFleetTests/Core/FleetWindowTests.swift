import Testing

@testable import ForgeBusFleet

@Suite("The window of a fleet")
struct FleetWindowTests {
    @Test("lets so many workers shake hands at a time")
    func window() {
        var fleet = FleetHarness(.workers, of: ["a", "b", "c"]) { plan, _ in plan.window = 2 }
        #expect(fleet.begin() == ["a HELLO", "b HELLO"])
        #expect(fleet.greet("b") == ["b SHOW", "c HELLO"])
        #expect(fleet.core.progress.begun == 3)
        #expect(!fleet.core.isOver)
    }

    @Test("gives the slot of a silent worker to another one, and still waits for the first")
    func slot() {
        var fleet = FleetHarness(.workers, of: ["a", "b", "c"]) { plan, _ in plan.window = 1 }
        #expect(fleet.begin() == ["a HELLO"])
        #expect(fleet.pass(.milliseconds(999)) == [])
        #expect(fleet.pass(.milliseconds(1)) == ["b HELLO"])
        #expect(fleet.greet("a") == ["a SHOW"])
        #expect(fleet.fail("b", .timeout) == ["b release", "c HELLO"])
        #expect(fleet.core.report.counts == [.silent: 1, .notAsked: 2])
    }

    @Test("frees a slot once, however its handshake ends")
    func once() {
        var fleet = FleetHarness(.workers, of: ["a", "b", "c", "d"]) { plan, _ in plan.window = 2 }
        _ = fleet.begin()
        #expect(fleet.greet("a") == ["a SHOW", "c HELLO"])
        #expect(fleet.answer("a", .shown([:])) == ["a release"])
        #expect(fleet.pass(.seconds(1)) == ["d HELLO"])
    }

    @Test("knows each worker, once all have answered")
    func survey() {
        var fleet = FleetHarness(.workers, of: ["a", "b"])
        #expect(fleet.begin() == ["a HELLO", "b HELLO"])
        fleet.greet("a")
        #expect(fleet.answer("a", .shown(["version": "1"])) == ["a release"])
        fleet.greet("b")
        fleet.answer("b", .shown([:]))
        #expect(fleet.core.isOver)
        #expect(fleet.core.report.counts == [.here: 2])
        #expect(fleet.core.lines(of: "a").first?.details == ["version": "1"])
    }

    @Test("has nothing to ask of nobody")
    func nobody() {
        var fleet = FleetHarness(.workers, of: [])
        #expect(fleet.begin() == [])
        #expect(fleet.core.isOver)
        #expect(fleet.core.report.outcome == .nothing)
    }

    @Test("asks nobody any more once it has stopped")
    func stop() {
        var fleet = FleetHarness(.workers, of: ["a", "b"]) { plan, _ in plan.window = 1 }
        _ = fleet.begin()
        fleet.stop()
        #expect(fleet.core.isOver)
        #expect(fleet.core.report.counts == [.silent: 1, .notAsked: 1])
        #expect(fleet.greet("a") == [])
        #expect(fleet.pass(.seconds(2)) == [])
    }
}

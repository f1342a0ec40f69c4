import ForgeBusProtocol
import Testing
import ZeroMQ

@testable import ForgeBusFleet

@Suite("What a fleet's monitors said last")
struct FleetMonitorsTests {
    private func monitors(
        _ choice: MonitorChoice = .all,
        expecting expected: [Name] = [],
        isSince: Bool = true
    ) -> FleetHarness {
        let change = isSince ? ContinuousClock.now.advanced(by: .seconds(-100)) : nil
        var fleet = FleetHarness(.monitors(choice, since: change), of: ["a"], expecting: expected)
        _ = fleet.begin()
        return fleet
    }

    @Test(
        "is judged by the age of the latest cycle",
        arguments: [
            (MonitorItem.test(ago: .seconds(99)), FleetState.converged), (.test(ago: .seconds(100)), .notYet),
            (.test(), .notYet), (.test(ago: .seconds(1), ended: .failed, failure: .test), .failed),
            (.test(ago: .seconds(1), ended: .overdue, failure: .test), .overdue),
            (.test(ago: .seconds(1), ended: .unknown("half")), .notYet),
            // It failed in an earlier process.
            (.test(failure: .test), .failed),
            (.test("age", .excluded, ago: .seconds(200)), .excluded),
            (.test("age", .excluded, ago: .seconds(200), ended: .failed, failure: .test), .failed),
            (.test("age", .excluded, ago: .seconds(200), pause: PauseItem(by: "ada", since: 0)), .waived),
            (.test("age", .excluded, failure: .test, pause: PauseItem(by: "ada", since: 0)), .waived),
            (.test("age", .excluded, ago: .seconds(1), pause: PauseItem(by: "ada", since: 0)), .converged),
            (.test("age", .runningOwed, ago: .seconds(99)), .converged),
        ]
    )
    func judged(_ item: MonitorItem, _ state: FleetState) {
        var fleet = monitors()
        #expect(fleet.greet("a") == ["a LIST "])
        #expect(fleet.list("a", [item]) == ["a release"])
        #expect(fleet.states("a") == [state])
    }

    @Test("is ok when no change is named and the latest cycle was good")
    func noChange() {
        var fleet = monitors(isSince: false)
        fleet.greet("a")
        fleet.list("a", [.test(ago: .seconds(500)), .test("disk")])
        #expect(fleet.states("a") == [.notYet, .ok])
    }

    @Test("cannot be told by a worker that is too old")
    func tooOld() {
        var fleet = monitors()
        fleet.greet("a", features: [])
        fleet.list("a", [.test()])
        #expect(fleet.states("a") == [.tooOld])
        #expect(fleet.core.report.outcome == .open)
    }

    @Test("counts once all pages have come")
    func pages() {
        var fleet = monitors()
        fleet.greet("a")
        #expect(fleet.list("a", [.test(ago: .seconds(1))], cursor: "next") == ["a LIST next"])
        #expect(fleet.states("a") == [.notAsked])
        fleet.list("a", [.test("disk")])
        #expect(fleet.states("a") == [.notYet, .converged])
    }

    @Test("is not known of a worker that is given up between two pages")
    func halfListed() {
        var fleet = monitors()
        fleet.greet("a")
        fleet.list("a", [.test(ago: .seconds(1))], cursor: "next")
        fleet.stop()
        #expect(fleet.states("a") == [.pending])
    }

    @Test("is silent when a later page does not come")
    func laterPage() {
        var fleet = monitors()
        fleet.greet("a")
        fleet.list("a", [.test(ago: .seconds(1))], cursor: "next")
        fleet.fail("a", .timeout)
        #expect(fleet.states("a") == [.silent])
    }

    @Test("is not known when an item cannot be read")
    func unreadable() {
        var fleet = monitors()
        fleet.greet("a")
        fleet.answer("a", .page(Page(items: [MonitorItem.test(ago: .seconds(1)).json, ["monitor": "disk"]])))
        #expect(fleet.states("a") == [.unknown])
    }

    @Test("misses the monitors that the inventory expects")
    func missing() {
        var fleet = monitors(.named(["age", "after"]), expecting: ["age", "disk", "after"])
        fleet.greet("a")
        fleet.list("a", [.test(ago: .seconds(1)), .test("tls")])
        #expect(fleet.states("a") == [.missing, .converged])
        #expect(fleet.core.report.exceptions.map(\.subject) == ["after"])
    }

    @Test("has nothing to tell of a worker without such a monitor")
    func noMonitor() {
        var fleet = monitors(.following("shop.feed"))
        fleet.greet("a")
        fleet.list("a", [.test(ago: .seconds(1))])
        #expect(fleet.states("a") == [.noMonitor])
    }

    @Test(
        "is not known where the handshake fails",
        arguments: [
            (HandshakeFailure?.none, FleetState.silent), (.refused(status: 400), .refused),
            (.protocolError(number: 1), .wrongKey), (.ended(reason: ""), .wrongKey),
        ]
    )
    func handshake(_ failure: HandshakeFailure?, _ state: FleetState) {
        for code: ErrorCode in [.timeout, .unreachable] {
            var fleet = monitors()
            #expect(fleet.fail("a", code, failure) == ["a release"])
            #expect(fleet.states("a") == [state])
        }
    }

    @Test("is asked only of the worker that the inventory names")
    func wrongWorker() {
        var fleet = monitors()
        #expect(fleet.greet("a", as: "b") == ["a release"])
        #expect(fleet.states("a") == [.wrongWorker])
        #expect(fleet.core.report.outcome == .refused)
    }

    @Test(
        "is refused, too old or unknown, as the error says",
        arguments: [
            (ErrorCode.forbidden, FleetState.refused), (.unknownCommand, .tooOld), (.unsupportedVersion, .tooOld),
            (.busy, .unknown),
        ]
    )
    func error(_ code: ErrorCode, _ state: FleetState) {
        var fleet = monitors()
        fleet.greet("a")
        fleet.answer("a", .error(BusError(code, "", next: "")))
        #expect(fleet.states("a") == [state])
    }

    @Test("is not known after an answer that nobody expects")
    func unexpected() {
        var fleet = monitors()
        fleet.answer("a", .page(Page(items: [])))
        #expect(fleet.states("a") == [.unknown])
    }
}

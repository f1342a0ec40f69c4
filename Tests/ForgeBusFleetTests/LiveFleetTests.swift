import ForgeBusFleet
import ForgeBusProtocol
import ForgeBusTesting
import ForgeBusWorker
import ForgeLocks
import Testing

/// Waits until the fleet's summary is as it should be.
private func wait(_ fleet: LiveFleet, until isSo: (FleetBoard.Summary) -> Bool) async throws {
    while !isSo(fleet.summary { _, _ in true }) { try await Task.sleep(for: .milliseconds(10)) }
}

@Suite("A watched fleet", .timeLimit(.minutes(10)))
struct LiveFleetTests {
    private let names: [Name] = ["web-01", "web-02", "web-03"]

    @Test("knows each worker's monitors, also of a worker that starts again")
    func watch() async throws {
        let machines = Machines(["web-02": 80])
        let fleet = try await TestFleet(names) { machines.definition($0) }
        let live = LiveFleet(fleet.client)
        let watching = Task { await live.run() }
        try await wait(live) { $0.workers == [.here: 3] && $0.monitors["password-age"] == [.ok: 2, .failed: 1] }
        machines.ages.withLock { $0["web-01"] = 90 }
        await fleet.stop("web-01")
        try await fleet.start("web-01")
        try await wait(live) { $0.monitors["password-age"] == [.ok: 1, .failed: 2] }
        watching.cancel()
        await fleet.close()
    }

    @Test("asks a worker that was away when it is back, and concludes converged from its own receipt")
    func again() async throws {
        let machines = Machines([:])
        let fleet = try await TestFleet(names, patience: .seconds(2)) { machines.definition($0) }
        let live = LiveFleet(fleet.client)
        let watching = Task { await live.run() }
        try await wait(live) { $0.monitors["password-age"] == [.ok: 3] }
        await fleet.stop("web-03")
        let change = StateChange(topic: "policy.age", wantsEvaluation: true, deadline: .seconds(60))
        let report = await live.notify(change, on: .all, for: nil)
        #expect(report.counts == [.converged: 2, .silent: 1])
        machines.ages.withLock { $0["web-03"] = 99 }
        try await fleet.start("web-03")
        try await wait(live) { $0.monitors["password-age"] == [.converged: 2, .failed: 1] }
        watching.cancel()
        await fleet.close()
    }
}

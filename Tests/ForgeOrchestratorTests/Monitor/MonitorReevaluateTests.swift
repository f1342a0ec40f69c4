import ForgeOrchestrator
import Observation
import TestSupport
import Testing

@MainActor
@Suite("A monitor that is re-evaluated")
struct MonitorReevaluateTests {
    private let asked = Record<String>()
    private let gate = Turnstile()
    private let monitor = MonitorOrchestrator()

    private func watch(_ id: ActionID) -> Watch {
        Watch(
            id: id,
            condition: { [asked, gate] in
                asked.add(id.rawValue)
                return await gate.passed()
            }
        )
    }

    @Test("runs one cycle for fifty calls from one job of the main actor")
    func oneCycle() async {
        gate.open()
        monitor.register(watch("a"))
        for round in 1...20 {
            let calls = (0..<50).map { _ in Task { await monitor.reevaluate() } }
            for call in calls { await call.value }
            #expect(asked.count == round)
        }
    }

    @Test("runs one cycle for fifty calls from one job also where nothing is eligible")
    func oneEmptyCycle() async throws {
        let calls = (0..<50).map { _ in Task { await monitor.reevaluate() } }
        for call in calls { await call.value }
        #expect(try await monitor.nextCycle() == .ran(MonitorCycle(number: 2, actions: [])))
    }

    @Test("is processing before the caller first suspends, until the call returns")
    func isProcessing() async {
        monitor.register(watch("a"))
        let call = Task.immediate { await monitor.reevaluate() }
        #expect(monitor.isProcessing)
        let second = Task.immediate { await monitor.reevaluate() }
        await second.value
        #expect(monitor.isProcessing, "the second call has returned at once")
        gate.open()
        await call.value
        #expect(!monitor.isProcessing && asked.values == ["a"])
    }

    @Test("uses the actions and the screen of the call")
    func snapshot() async {
        gate.open()
        monitor.setExcludedScreens(["Checkout"])
        monitor.register(watch("then"))
        let call = Task.immediate { await monitor.reevaluate() }
        monitor.removeAll()
        monitor.register(watch("later"))
        monitor.updateCurrentScreen("Checkout")
        await call.value
        #expect(asked.values == ["then"])

        let excluded = Task.immediate { await monitor.reevaluate() }
        monitor.updateCurrentScreen("Feed")
        await excluded.value
        #expect(asked.values == ["then"], "the screen was excluded when it was called")
        await monitor.reevaluate()
        #expect(asked.values == ["then", "later"])
    }

    @Test("tells an observer of its beginning before it returns to the caller's job")
    func observed() async {
        gate.open()
        monitor.register(watch("a"))
        withObservationTracking({ _ = monitor.isProcessing }, onChange: { monitor.removeAll() })
        await monitor.reevaluate()
        #expect(asked.values == ["a"], "the observer changed only the next cycle")
        await monitor.reevaluate()
        #expect(asked.values == ["a"])
    }

    @Test("loses no trigger beside callers of nextCycle(), and shows the end of each cycle")
    func besideNextCycle() async throws {
        gate.open()
        monitor.register(watch("a"))
        for _ in 1...200 {
            let before = asked.count
            let waiting = Task.immediate { try await monitor.nextCycle() }
            let call = Task.immediate { await monitor.reevaluate() }
            guard case .ran = try await waiting.value else {
                Issue.record("the monitor was not emptied")
                return
            }
            await call.value
            #expect(asked.count > before)
        }
        #expect(!monitor.isProcessing)
    }
}

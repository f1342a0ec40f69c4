import Testing

@testable import ForgeOrchestrator

@Suite("What a monitor knows")
struct MonitorStateTests {
    private func waits(_ number: UInt64, in state: inout MonitorState) async -> MonitorOutcome? {
        await withCheckedContinuation { continuation in
            state.wait(number, with: nil, continuation)
            for waiter in state.empty() { waiter.continuation.resume(returning: .stopped) }
        }
    }

    @Test("begins a cycle for the order that was given last, and for none before it")
    func orders() async {
        var state = MonitorState()
        #expect(await waits(1, in: &state) == .stopped)
        let ended: MonitorOutcome? = await withCheckedContinuation { continuation in
            state.wait(2, with: nil, continuation)
            #expect(state.orders == 2)
            #expect(!begins(1, &state), "that one was emptied")
            #expect(begins(2, &state))
            #expect(!begins(2, &state), "it has begun")
            for waiter in state.endCycle() { waiter.continuation.resume(returning: nil) }
        }
        #expect(ended == nil)
    }

    @Test("begins the cycle that is ordered for whoever would welcome one, and hands it to its task")
    func ordered() async {
        var state = MonitorState()
        let cycle = Task {}
        let action = Registration<any MonitorAction>(id: "a", action: Watch(id: "a"))
        let ended: MonitorOutcome? = await withCheckedContinuation { continuation in
            state.wait(1, with: "baggage", continuation)
            state.cycle = cycle
            if case .ordered(1, let named) = state.beginWelcomeCycle(with: [action]) {
                #expect(named == cycle)
            } else {
                Issue.record("it is ordered")
            }
            if case .never = state.beginWelcomeCycle(with: []) {} else { Issue.record("it is under way") }
            let begun = state.beginCycle(ofOrder: 1, with: [])
            #expect(begun?.number == 1 && begun?.registered.map(\.id) == ["a"])
            #expect(begun?.baggage.map { $0 as? String } == ["baggage"])
            #expect(!begins(1, &state), "its task has it")
            for waiter in state.endCycle() { waiter.continuation.resume(returning: nil) }
        }
        #expect(ended == nil)
    }

    @Test("begins no cycle for somebody who would welcome one while the ordered one is held back")
    func heldBack() async {
        var state = MonitorState()
        _ = await withCheckedContinuation { (continuation: CheckedContinuation<MonitorOutcome?, Never>) in
            state.wait(1, with: nil, continuation)
            state.cycle = Task {}
            state.exclude(["s"])
            state.show("s")
            if case .never = state.beginWelcomeCycle(with: []) {} else { Issue.record("a screen is excluded") }
            #expect(!begins(1, &state))
            #expect(state.standing.holdsBack)
            for waiter in state.empty() { waiter.continuation.resume(returning: .stopped) }
        }
        state.show(nil)
        if case .own = state.beginWelcomeCycle(with: []) {} else { Issue.record("nothing is in its way") }
    }

    private func begins(_ order: Int, _ state: inout MonitorState) -> Bool {
        state.beginCycle(ofOrder: order, with: []) != nil
    }
}

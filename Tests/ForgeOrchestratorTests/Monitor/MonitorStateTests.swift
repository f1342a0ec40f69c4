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

    @Test("names the cycle that is ordered to whoever would have it begin")
    func ordered() async {
        var state = MonitorState()
        let cycle = Task {}
        _ = await withCheckedContinuation { (continuation: CheckedContinuation<MonitorOutcome?, Never>) in
            state.wait(1, with: nil, continuation)
            state.cycle = cycle
            if case .ordered(let named) = state.beginCycle(ofOrder: nil) {
                #expect(named == cycle)
            } else {
                Issue.record("it is ordered")
            }
            state.exclude(["s"])
            state.show("s")
            #expect(!begins(nil, &state), "held back meanwhile")
            for waiter in state.empty() { waiter.continuation.resume(returning: .stopped) }
        }
        state.show(nil)
        #expect(begins(nil, &state))
    }

    private func begins(_ order: Int?, _ state: inout MonitorState) -> Bool {
        if case .now = state.beginCycle(ofOrder: order) { true } else { false }
    }
}

import ForgeOrchestrator
import Testing

@Suite("The state of a signal")
struct CompletionSignalStateTests {
    private typealias State = CompletionSignalState<String>

    @Test("suspends the first waiter and hands it to whoever completes")
    func waitThenComplete() {
        var state = State()
        #expect(state.wait(1, "a") == .suspend)
        #expect(!state.isCompleted)
        #expect(state.complete() == "a")
        #expect(state.isCompleted)
        #expect(state.complete() == nil)
        #expect(state.wait(2, "b") == .resume)
    }

    @Test("remembers a completion that comes first")
    func completeThenWait() {
        var state = State()
        #expect(state.complete() == nil)
        #expect(state.wait(1, "a") == .resume)
        #expect(state.abandon(1) == nil)
    }

    @Test("refuses a second waiter and keeps the first")
    func secondWaiter() {
        var state = State()
        #expect(state.wait(1, "a") == .suspend)
        #expect(state.wait(2, "b") == .refuse)
        #expect(state.complete() == "a")
    }

    @Test("is open again after its waiter gave up")
    func abandon() {
        var state = State()
        #expect(state.abandon(1) == nil)
        #expect(state.wait(1, "a") == .suspend)
        #expect(state.abandon(1) == "a")
        #expect(!state.isCompleted)
        #expect(state.wait(2, "b") == .suspend)
        #expect(state.abandon(1) == nil, "a late cancellation must not hit the next waiter")
        #expect(state.complete() == "b")
        #expect(state.abandon(2) == nil)
    }

    @Test("never gives two waiters one number")
    func numbers() {
        var state = State()
        #expect(state.makeNumber() != state.makeNumber())
    }
}

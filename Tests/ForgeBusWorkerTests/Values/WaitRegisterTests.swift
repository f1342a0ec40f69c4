import TestSupport
import Testing

@testable import ForgeBusWorker

@Suite("The register of waits")
struct WaitRegisterTests {
    private let register = WaitRegister()
    private let told = Record<String>()

    private func add() -> WaiterID {
        let waiter = register.mint()
        register.add(waiter) { [told] outcome in told.add("\(waiter.number) \(outcome.line)") }
        return waiter
    }

    @Test("tells that a wait is registered, and later how it ended, and nothing afterwards")
    func ending() {
        let waiter = add()
        register.resume(waiter, .registered)
        register.resume(waiter, .decided(.expired))
        register.resume(waiter, .decided(.approved(1)))
        #expect(told.values == ["1 registered", "1 expired"])
    }

    @Test("leaves nobody waiting when the worker closes, and lets nobody wait from then on")
    func closing() {
        _ = add()
        let ended = add()
        register.resume(ended, .decided(.approved(1)))
        register.closeAll()
        #expect(told.values == ["2 approved 1", "1 closed"])
        _ = add()
        #expect(told.values.last == "3 closed")
        register.closeAll()
        #expect(told.count == 3)
    }
}

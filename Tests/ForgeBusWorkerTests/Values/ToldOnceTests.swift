import Testing

@testable import ForgeBusWorker

@Suite("What is told once")
struct ToldOnceTests {
    @Test("is told the first time, until there is no room to remember more, and again after all was forgotten")
    func once() {
        var told = ToldOnce<String>(atMost: 2)
        #expect(["a", "a", "b", "a", "c", "c"].map { told.isFirst($0) } == [true, false, true, false, false, false])
        told.forgetAll()
        #expect(["c", "c", "a"].map { told.isFirst($0) } == [true, false, true])
    }
}

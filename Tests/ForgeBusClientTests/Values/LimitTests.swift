import Testing

@testable import ForgeBusClient

@Suite("A client's load")
struct LimitTests {
    @Test("has room for so many requests and so many bytes, and again when one has ended")
    func load() {
        var load = Load(limits: ClientLimits(requests: 2, bytes: 100))
        #expect(load.add(60) == true)
        #expect(load.add(41) == false)
        #expect(load.add(40) == true)
        #expect(load.add(0) == false)
        load.remove(60)
        #expect(load.add(60) == true)
        #expect(load.requests == 2)
        #expect(load.bytes == 100)
    }
}

@Suite("The pace of a client that connects again")
struct ReconnectPaceTests {
    @Test("is 100 to 300 ms at first and 5 to 10 s at most, drawn by each client for itself")
    func drawn() {
        var generator = SystemRandomNumberGenerator()
        let paces = Set((0..<100).map { _ in ReconnectPace(using: &generator) })
        #expect(paces.allSatisfy { (.milliseconds(100)...(.milliseconds(300))).contains($0.first) })
        #expect(paces.allSatisfy { (.seconds(5)...(.seconds(10))).contains($0.longest) })
        #expect(Set(paces.map(\.longest)).count > 50)
    }
}

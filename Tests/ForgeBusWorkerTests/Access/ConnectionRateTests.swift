import Testing

@testable import ForgeBusWorker

@Suite("The connections of an address")
struct ConnectionRateTests {
    private let start = ContinuousClock.Instant.now
    private var rate = ConnectionRate(perMinute: 4)

    /// How many of so many are let in at a moment after the start.
    private mutating func admitted(_ count: Int, of address: String = "192.0.2.1", at time: Duration) throws -> Int {
        let block = try #require(AddressBlock(address))
        return (0..<count).count { _ in rate.admits(block, at: start + time) }
    }

    @Test("are let in as many as there may be in a minute, then as time goes by")
    mutating func course() throws {
        #expect(try admitted(10, at: .zero) == 4)
        #expect(try admitted(1, at: .seconds(14)) == 0)
        #expect(try admitted(3, at: .seconds(15)) == 1)
        #expect(try admitted(3, at: .seconds(45)) == 2)
        #expect(try admitted(10, at: .seconds(3_600)) == 4)
    }

    @Test("take nothing from those of another")
    mutating func others() throws {
        #expect(try admitted(10, at: .zero) == 4)
        #expect(try admitted(10, of: "192.0.2.2", at: .zero) == 4)
        #expect(try admitted(10, of: "::ffff:192.0.2.1", at: .zero) == 0)
        #expect(try admitted(10, of: "2001:db8::1", at: .zero) == 4)
        #expect(try admitted(10, of: "2001:db8::ffff:1", at: .zero) == 0)
        #expect(try admitted(10, of: "2001:db8:0:1::1", at: .zero) == 4)
    }

    @Test("share what is left where addresses are too many to tell apart, until some are quiet")
    mutating func many() throws {
        for number in 0..<ConnectionRate.capacity {
            let address = "10.0.\(number / 256).\(number % 256)"
            #expect(try admitted(1, of: address, at: .zero) == 1)
        }
        #expect(try admitted(3, of: "192.0.2.1", at: .zero) == 3)
        #expect(try admitted(3, of: "192.0.2.2", at: .zero) == 1)
        #expect(try admitted(9, of: "10.0.0.0", at: .zero) == 3)
        #expect(try admitted(9, of: "192.0.2.2", at: .seconds(30)) == 4)
    }

    @Test("are at least one")
    mutating func least() throws {
        for count in [0, -1, 1] {
            rate = ConnectionRate(perMinute: count)
            #expect(try admitted(3, at: .zero) == 1)
        }
    }

    @Test("of many addresses are one network's")
    func blocks() {
        let texts = [
            "192.0.2.1": "192.0.2.1", "::ffff:127.0.0.1": "127.0.0.1", "::1": "0:0:0:0::/64",
            "2001:db8:0:1:2:3:4:5": "2001:db8:0:1::/64", "fe80::1%eth0": "fe80:0:0:0::/64",
        ]
        for (text, block) in texts { #expect(AddressBlock(text)?.description == block) }
        for text in ["", "localhost:0:0:4711", "192.0.2", "a.example"] { #expect(AddressBlock(text) == nil) }
    }
}

import Testing

@testable import ZeroMQ

@Suite("A peer's id")
struct PeerIDTests {
    private func id(_ bytes: [UInt8]) -> PeerID { bytes.withUnsafeBytes { PeerID($0) } }

    @Test("that the ROUTER assigned is one number, and the number is the id", arguments: [0, 1, 0x8000_0001, .max])
    func assigned(number: UInt32) {
        let peer = PeerID(assignedNumber: number)
        #expect(peer.isAssigned)
        #expect(peer.assignedNumber == number)
        #expect(peer == id(peer.withUnsafeBytes { Array($0) }))
    }

    @Test("tells two connections apart by all of its four bytes")
    func bytes() {
        let ids = (1...4).map { place in id((0..<5).map { $0 == place ? 1 : 0 }) }
        #expect(Set(ids.map(\.assignedNumber)).count == 4)
        for peer in ids { #expect(peer.assignedNumber.map { PeerID(assignedNumber: $0) } == peer) }
    }

    @Test(
        "that the peer chose has no number",
        arguments: [[], [0], [0, 1, 2, 3], [1, 0, 0, 0, 0], [0, 1, 2, 3, 4, 5], Array("a name of its own".utf8)]
    )
    func chosen(bytes: [UInt8]) {
        #expect(!id(bytes).isAssigned)
        #expect(id(bytes).assignedNumber == nil)
    }
}

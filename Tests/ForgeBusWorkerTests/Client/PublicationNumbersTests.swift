import ForgeBusProtocol
import Testing

@testable import ForgeBusClient

@Suite("The numbers of what is published")
struct PublicationNumbersTests {
    @Test("count each topic from one, in the epoch that was begun")
    func perTopic() {
        var numbers = PublicationNumbers(epoch: 7)
        let topics: [Topic] = ["a", "b", "a", "a", "b"]
        let origins = topics.map { numbers.next(on: $0) }
        #expect(origins.map(\.sequence) == [1, 1, 2, 3, 2])
        #expect(origins.allSatisfy { $0.epoch == 7 })
    }

    @Test("begin again only in a later epoch, when there are too many topics to count")
    func bounded() {
        var numbers = PublicationNumbers(epoch: 7, capacity: 2)
        let topics: [Topic] = ["a", "b", "a", "c", "a", "c", "b"]
        let origins = topics.map { numbers.next(on: $0) }
        #expect(origins.map(\.epoch) == [7, 7, 7, 8, 8, 8, 9])
        #expect(origins.map(\.sequence) == [1, 1, 2, 1, 1, 2, 1])
    }

    @Test("of another life are in another epoch")
    func lives() {
        var epochs: Set<UInt64> = []
        for _ in 0..<100 { epochs.insert(PublisherEpoch.begin()) }
        #expect(epochs.count >= 99, "two of 100 in one millisecond may meet by chance, once in a long while")
        // Since 2024, and with room for some centuries.
        #expect(epochs.allSatisfy { $0 >> 20 > 1_700_000_000_000 && $0 < 1 << 62 })
    }
}

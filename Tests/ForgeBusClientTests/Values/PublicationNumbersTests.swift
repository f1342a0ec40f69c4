import ForgeBusProtocol
import Testing

@testable import ForgeBusClient

@Suite("The numbers of what is published")
struct PublicationNumbersTests {
    @Test("count each topic from one, in the epoch that was begun")
    func perTopic() {
        var numbers = PublicationNumbers(epoch: 7)
        let topics: [Name] = ["a", "b", "a", "a", "b"]
        let origins = topics.map { numbers.next(on: $0) }
        #expect(origins.map(\.sequence) == [1, 1, 2, 3, 2])
        #expect(origins.allSatisfy { $0.epoch == 7 })
    }

    @Test("begin again only in a later epoch, when there are too many topics to count")
    func bounded() {
        var numbers = PublicationNumbers(epoch: 7, capacity: 2)
        let topics: [Name] = ["a", "b", "a", "c", "a", "c", "b"]
        let origins = topics.map { numbers.next(on: $0) }
        #expect(origins.map(\.epoch) == [7, 7, 7, 8, 8, 8, 9])
        #expect(origins.map(\.sequence) == [1, 1, 2, 1, 1, 2, 1])
    }

    @Test("of another life are in another epoch, drawn from all there are")
    func lives() {
        let epochs = (0..<100).map { _ in PublicationNumbers().epoch }
        #expect(Set(epochs).count == 100)
        #expect(epochs.reduce(0, |) == .max && epochs.reduce(.max, &) == 0, "no bit is always the same")
    }

    @Test("go on in an epoch of their own after the last there is: chance may draw it")
    func lastEpoch() {
        var numbers = PublicationNumbers(epoch: .max, capacity: 1)
        let topics: [Name] = ["a", "b", "a"]
        #expect(topics.map { numbers.next(on: $0).epoch } == [.max, 0, 1])
    }
}

import ForgeBusStore
import Synchronization

extension StoreBehaviour {
    static let order = [
        StoreBehaviour("completes in the order in which it was asked, each once") { place in
            var generator = RecordGenerator(seed: 10)
            let store = try await place.fresh()
            let completed = Log()
            for number in 0..<2_000 {
                let changes = (0...number % 3).map { _ in StoreChange.put(generator.record(.mode)) }
                store.commit(changes) { failure in completed.add(failure == nil ? number : -1) }
            }
            try await store.commit([.put(generator.record(.mode))])
            try expect(completed.numbers == Array(0..<2_000), "the order was another, or something failed")
            await store.close()
        },
        StoreBehaviour("keeps 10,000 commits that several tasks ask for at once") { place in
            var store = try await place.fresh()
            let asking = store
            try await withThrowingTaskGroup { group in
                for task in 0..<8 { group.addTask { try await Self.commit(1_250, of: task, to: asking) } }
                try await group.waitForAll()
            }
            let found: [StoreKey: StoreRecord]
            (store, found) = try await place.again(after: store)
            try expect(found.count == 10_000, "of 10,000 it kept \(found.count)")
            await store.close()
        },
        StoreBehaviour("finishes what was asked for before it is closed") { place in
            var generator = RecordGenerator(seed: 11)
            var store = try await place.fresh()
            let completed = Log()
            let records = generator.records(500, of: .signal)
            for record in records { store.commit([.put(record)]) { if $0 == nil { completed.add(1) } } }
            let found: [StoreKey: StoreRecord]
            (store, found) = try await place.again(after: store)
            try expect(completed.numbers.count == records.count, "\(completed.numbers.count) completed")
            try expect(found.count == records.count, "of \(records.count) it kept \(found.count)")
            await store.close()
        },
    ]

    private static func commit(_ count: Int, of task: Int, to store: any BusStore) async throws {
        var generator = RecordGenerator(seed: UInt64(100 + task))
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<count {
                let record = generator.signal(numbered: number, of: task)
                let entry = generator.entry(about: record)
                group.addTask { try? await store.commit([.put(record), .append(entry)]) }
            }
        }
    }
}

/// Numbers in the order in which they came.
final class Log: Sendable {
    private let log = Mutex<[Int]>([])

    var numbers: [Int] { log.withLock { $0 } }

    func add(_ number: Int) { log.withLock { $0.append(number) } }
}

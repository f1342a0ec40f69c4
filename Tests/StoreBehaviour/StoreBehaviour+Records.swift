import ForgeBusStore

extension StoreBehaviour {
    static let records = [
        StoreBehaviour("keeps its identity") { place in
            let store = try await place.fresh()
            guard let identity = store.identity else {
                throw Unmet(description: "it has no identity once it is loaded")
            }
            let (next, _) = try await place.again(after: store)
            try expect(next.identity == identity, "it was \(identity), and is \(next.identity ?? "nothing")")
            await next.close()
        },
        StoreBehaviour("gives back every kind of record as it was put, replaced or removed") { place in
            var generator = RecordGenerator(seed: 1)
            var kept: [StoreKey: StoreRecord] = [:]
            var store = try await place.fresh()
            for round in 0..<40 {
                var changes: [StoreChange] = []
                for _ in 0..<(1 + round % 12) {
                    let change = generator.change(of: kept)
                    changes.append(change)
                    apply(change, to: &kept)
                }
                try await store.commit(changes)
                guard round % 10 == 9 else { continue }
                let found: [StoreKey: StoreRecord]
                (store, found) = try await place.again(after: store)
                try expect(found == kept, "after round \(round) it gave others than it was given")
            }
            try expect(Set(kept.keys.map(\.kind)).count == RecordGenerator.loaded.count, "a kind was never kept")
            await store.close()
        },
        StoreBehaviour("keeps the later of two changes of one key") { place in
            var generator = RecordGenerator(seed: 2)
            var store = try await place.fresh()
            let (first, second) = generator.twoOfOneKey()
            let gone = generator.record(.debt)
            try await store.commit([.put(first), .put(gone), .remove(first.key), .put(second), .remove(gone.key)])
            let found: [StoreKey: StoreRecord]
            (store, found) = try await place.again(after: store)
            try expect(found == [second.key: second], "it gave \(found.count) records, or the earlier one")
            await store.close()
        },
        StoreBehaviour("keeps the later of two commits that were asked for at once") { place in
            var generator = RecordGenerator(seed: 3)
            var store = try await place.fresh()
            for _ in 0..<50 {
                let (first, second) = generator.twoOfOneKey()
                store.commit([.put(first)]) { _ in }
                store.commit([.remove(first.key)]) { _ in }
                try await store.commit([.put(second)])
                let found: [StoreKey: StoreRecord]
                (store, found) = try await place.again(after: store)
                try expect(found[second.key] == second, "it kept the earlier one, or none")
            }
            await store.close()
        },
        StoreBehaviour("takes the removal of what is not there for done") { place in
            var generator = RecordGenerator(seed: 4)
            var store = try await place.fresh()
            let record = generator.record(.signal)
            for kind in StoreKey.Kind.allCases { try await store.commit([.remove(generator.record(kind).key)]) }
            try await store.commit([.remove(record.key), .put(record)])
            let found: [StoreKey: StoreRecord]
            (store, found) = try await place.again(after: store)
            try expect(found == [record.key: record], "it gave \(found.count) records")
            await store.close()
        },
        StoreBehaviour("tells keys apart that only look alike") { place in
            var generator = RecordGenerator(seed: 5)
            var store = try await place.fresh()
            let records = generator.lookAlikes()
            try await store.commit(records.map { .put($0) })
            let found: [StoreKey: StoreRecord]
            (store, found) = try await place.again(after: store)
            try expect(found.count == records.count, "of \(records.count) it gave \(found.count)")
            for record in records { try expect(found[record.key] == record, "it gave another under \(record.key)") }
            await store.close()
        },
    ]

    private static func apply(_ change: StoreChange, to kept: inout [StoreKey: StoreRecord]) {
        switch change {
        case .put(let record): kept[record.key] = record
        case .remove(let key): kept[key] = nil
        case .append, .output, .audit: break
        }
    }
}

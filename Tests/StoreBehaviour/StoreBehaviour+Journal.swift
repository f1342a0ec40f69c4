import ForgeBusProtocol
import ForgeBusStore
import Foundation

extension StoreBehaviour {
    static let journal = [
        StoreBehaviour("tells the latest of a name's history, oldest first") { place in
            var generator = RecordGenerator(seed: 20)
            var store = try await place.fresh()
            let names: [Name] = ["a", "a.b", "monitor"]
            var written: [JournalEntry] = []
            for number in 0..<300 {
                let entry = generator.entry(at: now + Int64(number), among: names)
                written.append(entry)
                try await store.commit([.append(entry)])
            }
            try await expectHistory(of: names, in: store, is: written)
            (store, _) = try await place.again(after: store)
            try await expectHistory(of: names, in: store, is: written)
            let nobody = try await store.history(of: "a.b.c", limit: 10)
            try expect(nobody.isEmpty, "it told something of a name that nothing was written about")
            await store.close()
        },
        StoreBehaviour("tells what was asked for before its history was") { place in
            var generator = RecordGenerator(seed: 21)
            let store = try await place.fresh()
            for number in 0..<100 {
                store.commit([.append(generator.entry(at: now + Int64(number), among: ["x"]))]) { _ in }
                let history = try await store.history(of: "x", limit: 1)
                try expect(history.last?.unixMilliseconds == now + Int64(number), "entry \(number) was not told")
            }
            await store.close()
        },
        StoreBehaviour("says that it is sound, and how much there is") { place in
            var generator = RecordGenerator(seed: 22)
            let store = try await place.fresh()
            try await store.commit(
                generator.records(20, of: .signal).map { .put($0) } + [.append(generator.entry(at: now, among: ["x"]))]
            )
            let verified = try await store.perform(.verify)
            try expect(verified["sound"] == true && verified["records"] == 20, "it said \(verified)")
            let stats = try await store.perform(.stats)
            try expect(stats["journal"] == 1, "it said \(stats)")
            await store.close()
        },
    ]

    /// A journal forgets what is old.
    private static let now = Int64(Date().timeIntervalSince1970 * 1000)

    private static func expectHistory(
        of names: [Name],
        in store: any BusStore,
        is written: [JournalEntry]
    ) async throws {
        for name in names {
            for limit in [0, 1, 7, 1_000] {
                let history = try await store.history(of: name, limit: limit)
                let expected = Array(written.filter { $0.isAbout(name) }.suffix(limit))
                try expect(
                    history == expected,
                    "of \(name) it told \(history.count) entries of \(expected.count), or others"
                )
            }
        }
    }
}

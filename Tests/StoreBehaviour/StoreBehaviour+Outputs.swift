import ForgeBusProtocol
import ForgeBusStore

extension StoreBehaviour {
    static let outputs = [
        StoreBehaviour("tells what the actions of a run printed, oldest first, as it was written") { place in
            let written = [
                output(of: "build", in: "r-1", attempt: 1, "compiling\n", errors: "warning: \u{1B}[31mred"),
                output(of: "build", in: "r-1", attempt: 2, "compiling\n", errors: "", failure: "exit status 1: …"),
                output(of: "build", in: "r-2", attempt: 1, "", errors: "\u{0}\u{202E}"),
                output(of: "test", in: "r-1", attempt: 1, "…", omitted: 4_464, errors: ""),
            ]
            var store = try await place.fresh()
            for output in written { try await store.commit([.output(output)]) }
            try await expectOutputs(in: store, are: written)
            (store, _) = try await place.again(after: store)
            try await expectOutputs(in: store, are: written)
            let verified = try await store.perform(.verify)
            try expect(verified["sound"] == true, "it said \(verified)")
            await store.close()
        },
        StoreBehaviour("tells the latest of what was printed, up to a number of bytes") { place in
            let store = try await place.fresh()
            let text = String(repeating: "x", count: 10_000)
            for attempt in 1...20 {
                try await store.commit([.output(output(of: "build", in: "r-1", attempt: attempt, text, errors: ""))])
            }
            for (limit, expected) in [(1, [20]), (10_000, [20]), (30_000, [18, 19, 20]), (.max, Array(1...20))] {
                let found = try await store.outputs(of: "r-1", action: "build", limit: limit).map(\.attempt)
                try expect(found == expected, "of \(limit) bytes it told \(found)")
            }
            await store.close()
        },
        StoreBehaviour("forgets what the actions of a run printed with the run, and nothing else") { place in
            let written = [
                output(of: "build", in: "r-1", attempt: 1, "one", errors: ""),
                output(of: "build", in: "r-2", attempt: 1, "two", errors: ""),
                output(of: "build", in: "r-1", attempt: 2, "three", errors: ""),
            ]
            let store = try await place.fresh()
            try await store.commit(written.map { .output($0) })
            try await store.commit([.remove(.progress("r-1"))])
            try await expectOutputs(in: store, are: written)
            // Its run record need not have been written.
            try await store.commit([.remove(.run("r-1"))])
            try await expectOutputs(in: store, are: [written[1]])
            await store.close()
        },
        StoreBehaviour("keeps the latest of what is printed when it is too much, and the records all the same") {
            place in
            var generator = RecordGenerator(seed: 23)
            let store = try await place.fresh()
            let text = String(repeating: "x", count: PrintedText.maximumSizeInBytes)
            let records = generator.records(20, of: .signal)
            try await store.commit(records.map { .put($0) })
            for attempt in 1...300 {
                try await store.commit([.output(output(of: "flood", in: "r-1", attempt: attempt, text, errors: ""))])
            }
            let attempts = try await store.outputs(of: "r-1", action: nil, limit: .max).map(\.attempt)
            try expect(attempts.count < 300, "it kept all of them")
            try expect(attempts == Array((301 - attempts.count)...300), "it kept others than the latest: \(attempts)")
            let verified = try await store.perform(.verify)
            try expect(verified["sound"] == true && verified["records"] == 20, "it said \(verified)")
            await store.close()
        },
        StoreBehaviour("tells the texts of an ended run when it is asked for them, and only then") { place in
            var generator = RecordGenerator(seed: 24)
            var texts: [RunTexts] = []
            for case .texts(let made) in generator.records(30, of: .texts) { texts.append(made) }
            var store = try await place.fresh()
            try await store.commit(texts.map { .put(.texts($0)) })
            texts[0].members = ["seeds": ["user": "ada"]]
            try await store.commit([.put(.texts(texts[0])), .remove(.texts(texts[1].run)), .remove(.run(texts[2].run))])
            for isAgain in [false, true] {
                for (place, kept) in texts.enumerated() {
                    let found = try await store.texts(of: kept.run)
                    try expect(found == (place == 1 ? nil : kept), "of \(kept.run) it told \(found as Any)")
                }
                let verified = try await store.perform(.verify)
                try expect(verified["sound"] == true && verified["records"] == 29, "it said \(verified)")
                if isAgain { continue }
                let found: [StoreKey: StoreRecord]
                (store, found) = try await place.again(after: store)
                try expect(found.isEmpty, "it loaded \(found.count) of them")
            }
            await store.close()
        },
    ]

    private static func output(
        of action: String,
        in run: Name,
        attempt: Int,
        _ text: String,
        omitted: Int = 0,
        errors: String,
        failure: String? = nil
    ) -> ActionOutput {
        ActionOutput(
            of: action,
            in: run,
            attempt: attempt,
            at: 1_790_000_000_000 + Int64(attempt),
            failure: failure,
            output: PrintedText(text, omittedBytes: omitted),
            errors: PrintedText(errors)
        )
    }

    private static func expectOutputs(in store: any BusStore, are written: [ActionOutput]) async throws {
        for run in ["r-1", "r-2", "r-3"] as [Name] {
            for action in [nil, "build", "test"] as [String?] {
                let found = try await store.outputs(of: run, action: action, limit: .max)
                let expected = written.filter { $0.run == run && (action == nil || $0.action == action) }
                try expect(found == expected, "of \(run) and \(action ?? "all actions") it told \(found)")
            }
        }
    }
}

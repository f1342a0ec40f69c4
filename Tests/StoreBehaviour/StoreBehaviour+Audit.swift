import ForgeBusProtocol
import ForgeBusStore

extension StoreBehaviour {
    static let audit = [
        StoreBehaviour("numbers and chains the audit, also across a restart, and a kept head shows it") { place in
            var generator = RecordGenerator(seed: 40)
            var store = try await place.fresh()
            try await expectSound(store, from: .start, to: 0)
            for number in 1...40 {
                let entry = StoreChange.audit(generator.auditEntry(at: Int64(number)), horizon: .min)
                try await store.commit([.put(generator.record()), entry])
            }
            let kept = try await expectSound(store, from: .start, to: 40)
            (store, _) = try await place.again(after: store)
            try await expectSound(store, from: .start, to: 40, through: kept)
            try await store.commit((41...90).map { .audit(generator.auditEntry(at: $0), horizon: .min) })
            let head = try await expectSound(store, from: .start, to: 90, through: kept)
            try expect(head.number == 90, "the head was \(head)")
            let export = try await Self.export(store)
            try expect(try AuditExport.check(export, endingAt: head).count == 90, "its export has other entries")
            await store.close()
        },
        StoreBehaviour("says which entry differs from a head that was kept elsewhere") { place in
            var generator = RecordGenerator(seed: 41)
            let store = try await place.fresh()
            try await store.commit((1...9).map { .audit(generator.auditEntry(at: $0), horizon: .min) })
            for (head, bad) in [(5, 5), (9, 9), (12, 10)] as [(Int64, Int64)] {
                let report = try await store.perform(.auditCheck(head: AuditHead(head, Fingerprint(1, 2, 3, 4))))
                try expect(report["sound"] == false, "it found nothing")
                try expect(report["entry"]?.integer == bad, "it named another than \(bad): \(report)")
            }
            await store.close()
        },
        StoreBehaviour("drops the oldest entries of the audit, and keeps the hash of the last one dropped") { place in
            var generator = RecordGenerator(seed: 42)
            var store = try await place.fresh()
            let head = try await committed(20, to: store, &generator)
            try await store.commit([.audit(generator.auditEntry(at: 21), horizon: 21)])
            let anchor = try await anchor(of: store)
            try expect(anchor == head, "it dropped up to \(anchor), not to \(head)")
            (store, _) = try await place.again(after: store)
            try await expectSound(store, from: head, to: 21)
            try await store.commit([.audit(generator.auditEntry(at: 22), horizon: 30)])
            // The newest one stays, whatever its time.
            try await expectSound(store, from: try await Self.anchor(of: store), to: 22)
            try expect(try await Self.anchor(of: store).number == 21, "it kept others than the newest one")
            await store.close()
        },
        StoreBehaviour("gives pages of the audit, after a number or since a time") { place in
            var generator = RecordGenerator(seed: 43)
            let store = try await place.fresh()
            try await store.commit((1...1_200).map { .audit(generator.auditEntry(at: 10 * $0), horizon: .min) })
            for (query, first) in [
                (AuditQuery(), 1), (AuditQuery(after: 700), 701), (AuditQuery(since: 95), 10),
                (AuditQuery(since: 100), 10), (AuditQuery(after: 1_200), nil), (AuditQuery(since: 1 << 60), nil),
                (AuditQuery(after: 5_000), nil),
            ] as [(AuditQuery, Int64?)] {
                let links = try lines(of: try await store.perform(.auditPage(query))).map(link)
                try expect(links.first?.number == first, "of \(query) it gave \(links.first?.number ?? 0) first")
                try expect(links.count <= AuditPage.limit, "a page has \(links.count) entries")
            }
            await store.close()
        },
    ]

    /// Commits so many entries one by one.
    private static func committed(
        _ count: Int64,
        to store: any BusStore,
        _ generator: inout RecordGenerator
    ) async throws -> AuditHead {
        for number in 1...count {
            try await store.commit([.audit(generator.auditEntry(at: number), horizon: .min)])
        }
        return try await expectSound(store, from: .start, to: count)
    }

    @discardableResult
    private static func expectSound(
        _ store: any BusStore,
        from anchor: AuditHead,
        to last: Int64,
        through kept: AuditHead? = nil
    ) async throws -> AuditHead {
        let report = try await store.perform(.auditCheck(head: kept))
        try expect(report["sound"] == true, "its audit is not sound: \(report)")
        try expect(report["anchor"]?.string == "\(anchor)", "its anchor is \(report)")
        guard let head = report["head"]?.string.flatMap({ AuditHead($0) }), head.number == last else {
            throw Unmet(description: "its head is \(report)")
        }
        let verified = try await store.perform(.verify)
        try expect(verified["sound"] == true, "it is not sound: \(verified)")
        return head
    }

    private static func anchor(of store: any BusStore) async throws -> AuditHead {
        let page = try await store.perform(.auditPage(AuditQuery()))
        guard let anchor = page["anchor"]?.string.flatMap({ AuditHead($0) }) else {
            throw Unmet(description: "a page has no anchor")
        }
        return anchor
    }

    private static func lines(of page: JSONObject) -> [String] { page["lines"]?.array?.compactMap(\.string) ?? [] }

    private static func link(_ line: String) throws -> AuditLink {
        guard let link = AuditExport.link(in: Array(line.utf8)[...]) else {
            throw Unmet(description: "a line of a page is not one: \(line)")
        }
        return link
    }

    /// The whole audit of a store, as it is exported.
    static func export(_ store: any BusStore) async throws -> [UInt8] {
        let anchor = try await anchor(of: store)
        var (last, all): (AuditHead, [String]) = (anchor, [])
        while true {
            let lines = lines(of: try await store.perform(.auditPage(AuditQuery(after: last.number))))
            guard let newest = lines.last else { break }
            all += lines
            last = try link(newest).head
        }
        all.append(JSONValue.object(AuditExport.Footer(after: anchor, to: last).json).description)
        return Array(all.map { $0 + "\n" }.joined().utf8)
    }
}

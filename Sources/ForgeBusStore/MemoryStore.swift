public import ForgeBusProtocol
import ForgeLocks

/// Keeps a worker's records in memory while this object exists.
///
/// A second worker that uses the same object finds the records that the first worker committed. When the process ends,
/// the records are lost.
public final class MemoryStore: BusStore {
    /// The lock protects this state; the store calls completions without the lock.
    fileprivate struct State {
        var records: [StoreKey: StoreRecord] = [:]
        var journal: [JournalEntry] = []
        var outputs: [ActionOutput] = []
        var outputsSize = 0
        var texts = BoundedTexts()
        var audit: [AuditLink] = []
        var chain = AuditChain()
    }

    private let state = Guarded(State())
    private let journalCapacity: Int
    private let auditCapacity: Int
    private let outputsCapacityInBytes: Int
    private let textsCapacityInBytes: Int

    /// Creates an empty store.
    ///
    /// The store keeps at least the latest `journalCapacity` journal entries, and at most twice that number. It keeps
    /// at most twice `auditCapacity` audit entries. It drops an audit entry only if at least `auditCapacity` later ones
    /// exist, or if the entry is older than the horizon of a `StoreChange.audit`. It keeps at most
    /// `outputsCapacityInBytes` bytes of what actions printed, and `textsCapacityInBytes` bytes of texts of ended runs,
    /// and drops the oldest first. A capacity below 1 becomes 1.
    public init(
        journalCapacity: Int = 10_000,
        auditCapacity: Int = 10_000,
        outputsCapacityInBytes: Int = 16 << 20,
        textsCapacityInBytes: Int = 16 << 20
    ) {
        self.journalCapacity = max(1, journalCapacity)
        self.auditCapacity = max(1, auditCapacity)
        self.outputsCapacityInBytes = max(1, outputsCapacityInBytes)
        self.textsCapacityInBytes = max(1, textsCapacityInBytes)
    }

    /// The store's random identity, drawn when the store is created.
    public let identity: String? = StoreIdentity.random()

    /// `memory`: committed changes are lost when the process ends.
    public var durability: Durability { .memory }

    /// The number of records in the store.
    public var count: Int { state.withLock { $0.records.count + $0.texts.count } }

    /// Returns the records that earlier workers committed to this store.
    public func load() async throws(StoreError) -> [StoreRecord] {
        state.withLock { Array($0.records.values) }
    }

    /// Applies the changes and calls `completion` without an error, before this method returns.
    public func commit(_ changes: [StoreChange], completion: @escaping @Sendable (StoreError?) -> Void) {
        state.withLock { state in
            for change in changes {
                switch change {
                case .put(.texts(let texts)): state.texts.keep(texts, atMost: textsCapacityInBytes)
                case .put(let record): state.records[record.key] = record
                case .remove(.texts(let run)): state.texts.remove(of: run)
                case .remove(let key):
                    state.records[key] = nil
                    if case .run(let run) = key { state.dropOutputs(of: run) }
                case .append(let entry): state.journal.append(entry)
                case .output(let output): state.keep(output, atMost: outputsCapacityInBytes)
                case .audit(let entry, let horizon): state.audit(entry, horizon: horizon, atMost: auditCapacity)
                }
            }
            let excess = state.journal.count - journalCapacity
            // The store drops many entries at once, but rarely, so that the cost of dropping an entry stays small.
            if excess > journalCapacity { state.journal.removeFirst(excess) }
        }
        completion(nil)
    }

    /// Returns the latest `limit` journal entries about `name` that the store still keeps, oldest first.
    public func history(of name: Name, limit: Int) async throws(StoreError) -> [JournalEntry] {
        state.withLock { state in
            var found: [JournalEntry] = []
            for entry in state.journal.reversed() where entry.isAbout(name) {
                if found.count == limit { break }
                found.append(entry)
            }
            return found.reversed()
        }
    }

    /// Returns what the latest attempts at actions of `run` printed, as far as the store still has it, oldest first.
    public func outputs(of run: Name, action: String?, limit: Int) async throws(StoreError) -> [ActionOutput] {
        state.withLock { state in
            var (found, size): ([ActionOutput], Int) = ([], 0)
            for output in state.outputs.reversed() where output.run == run && (action == nil || output.action == action)
            {
                if size >= limit { break }
                found.append(output)
                size += output.footprint
            }
            return found.reversed()
        }
    }

    /// Returns the texts of an ended run, unless the store has dropped them.
    public func texts(of run: Name) async throws(StoreError) -> RunTexts? { state.withLock { $0.texts[run] } }

    /// Verifies or counts the records, or reads or checks the audit; a store in memory cannot make a backup.
    ///
    /// - Throws: ``StoreError`` with code `usage` for a backup.
    public func perform(_ task: StoreTask) async throws(StoreError) -> JSONObject {
        switch task {
        case .verify: return ["sound": true, "records": .integer(Int64(count))]
        case .stats:
            let (records, entries) = state.withLock { ($0.records.count + $0.texts.count, $0.journal.count) }
            return ["store": "memory", "records": .integer(Int64(records)), "journal": .integer(Int64(entries))]
        case .auditPage(let query): return state.withLock { $0.page(query).json }
        case .auditCheck(let head):
            let (audit, chain) = state.withLock { ($0.audit, $0.chain) }
            do { return try AuditCheck.report(on: chain, through: head) { try audit.forEach($0) } } catch {
                fatalError("The check of the audit in memory failed with an unexpected error: \(error)")
            }
        case .backup:
            throw Errors.noBackupOfMemory
        }
    }

    /// Never calls `observer`, because a store in memory does not check how much room is left.
    public func observeRoom(_ observer: @escaping @Sendable (StoreRoom) -> Void) {}

    /// Does nothing: the records stay available to the next worker that uses this store.
    public func close() async {}
}

/// The latest texts of ended runs, up to a number of bytes.
private struct BoundedTexts {
    private var kept: [Name: (texts: RunTexts, size: Int, number: Int)] = [:]
    /// The runs in the order in which their texts came; a removed or replaced text leaves an entry behind.
    private var order: [(run: Name, number: Int)] = []
    private var size = 0
    private var last = 0

    var count: Int { kept.count }

    subscript(run: Name) -> RunTexts? { kept[run]?.texts }

    mutating func keep(_ texts: RunTexts, atMost capacity: Int) {
        remove(of: texts.run)
        last += 1
        let size = 256 + JSONValue.object(texts.members).encoded.count
        kept[texts.run] = (texts, size, last)
        order.append((texts.run, last))
        self.size += size
        if self.size > capacity { drop(to: capacity / 4 * 3) }
        if order.count > 2 * kept.count + 64 { order.removeAll { kept[$0.run]?.number != $0.number } }
    }

    mutating func remove(of run: Name) { size -= kept.removeValue(forKey: run)?.size ?? 0 }

    /// Drops many at once, as in the journal.
    private mutating func drop(to capacity: Int) {
        var dropped = 0
        while size > capacity, dropped < order.count {
            let oldest = order[dropped]
            if kept[oldest.run]?.number == oldest.number { remove(of: oldest.run) }
            dropped += 1
        }
        order.removeFirst(dropped)
    }
}

extension MemoryStore.State {
    fileprivate mutating func keep(_ output: ActionOutput, atMost capacity: Int) {
        outputs.append(output)
        outputsSize += output.footprint
        guard outputsSize > capacity else { return }
        // The store drops many at once, as in the journal.
        var dropped = 0
        while outputsSize > capacity / 4 * 3 {
            outputsSize -= outputs[dropped].footprint
            dropped += 1
        }
        outputs.removeFirst(dropped)
    }

    fileprivate mutating func dropOutputs(of run: Name) {
        if outputs.isEmpty { return }
        outputs.removeAll { output in
            guard output.run == run else { return false }
            outputsSize -= output.footprint
            return true
        }
    }

    fileprivate mutating func audit(_ entry: AuditEntry, horizon: Int64, atMost capacity: Int) {
        audit.append(chain.append(entry))
        // The store drops many entries at once, as in the journal.
        var dropped = audit.count > 2 * capacity ? audit.count - capacity : 0
        while dropped < audit.count - 1, audit[dropped].unixMilliseconds < horizon { dropped += 1 }
        guard dropped > 0 else { return }
        chain.drop(through: audit[dropped - 1].head)
        audit.removeFirst(dropped)
    }

    fileprivate func page(_ query: AuditQuery) -> AuditPage {
        let first = chain.anchor.number + 1
        let start = query.start(in: chain) { audit[Int($0 - first)].unixMilliseconds }
        let index = Int(start - chain.anchor.number)
        var page = AuditPage(after: index == 0 ? chain.anchor : audit[index - 1].head, of: chain)
        for link in audit[index...] { guard page.add(link) else { break } }
        return page
    }
}

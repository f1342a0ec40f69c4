import ForgeBusProtocol
import ForgeBusStore
import Testing

@testable import ForgeBusWorker

@Suite("The request ledger")
struct RequestLedgerTests {
    private let start = Moment(nanoseconds: 0, unixMilliseconds: 0)
    private let content = Fingerprint(1, 2, 3, 4)
    private var ledger = RequestLedger(retention: .seconds(60), capacity: 2)

    private func key(_ id: String, of principal: String = "local") throws -> RequestKey {
        RequestKey(principal: principal, id: try RequestID(id))
    }

    private mutating func admit(_ id: String, run: Name) throws {
        ledger.admit(RequestRecord(key: try key(id), fingerprint: content, outcome: .run(run)))
    }

    @Test("calls what it never saw new")
    func new() throws {
        #expect(ledger.rule(on: try key("a"), content).line == "new")
    }

    @Test("knows the same content under the same id, and what came of it")
    mutating func known() throws {
        try admit("a", run: "run-1")
        #expect(ledger.rule(on: try key("a"), content).line == "known run-1")
    }

    @Test("calls other content under the same id a conflict, and names the run that the first began")
    mutating func conflict() throws {
        try admit("a", run: "run-1")
        // Only the last word differs: the whole fingerprint counts.
        #expect(ledger.rule(on: try key("a"), Fingerprint(1, 2, 3, 5)).line == "conflict run-1")
    }

    @Test("names no run where a verdict stands under the id")
    mutating func conflictWithVerdict() throws {
        let report = VerdictReport(signal: "s", verdict: .delivered, durability: .memory, retention: .seconds(60))
        ledger.admit(RequestRecord(key: try key("a"), fingerprint: content, outcome: .verdict(report)))
        #expect(ledger.rule(on: try key("a"), Fingerprint(0, 2, 3, 4)).line == "conflict")
    }

    @Test("keeps ids of different principals apart")
    mutating func principals() throws {
        try admit("a", run: "run-1")
        #expect(ledger.rule(on: try key("a", of: "local/other"), content).line == "new")
    }

    @Test("is full for new requests and still answers those it knows")
    mutating func full() throws {
        try admit("a", run: "run-1")
        try admit("b", run: "run-2")
        #expect(ledger.rule(on: try key("c"), content).line == "full")
        #expect(ledger.rule(on: try key("a"), content).line == "known run-1")
        #expect(ledger.count == 2)
    }

    @Test("forgets a finished request after its retention, not before, and an unfinished one never")
    mutating func retention() throws {
        try admit("a", run: "run-1")
        try admit("b", run: "run-2")
        #expect(ledger.nextExpiry == nil)
        ledger.finish(try key("a"), at: start.advanced(by: .seconds(5)))
        #expect(ledger.nextExpiry == start.advanced(by: .seconds(65)))
        #expect(ledger.forget(at: start.advanced(by: .milliseconds(64_999))).isEmpty)
        let forgotten = ledger.forget(at: start.advanced(by: .seconds(65)))
        #expect(forgotten.map(\.key) == [try key("a")])
        #expect(forgotten.map(\.outcome) == [.run("run-1")])
        #expect(ledger.nextExpiry == nil)
        #expect(ledger.forget(at: start.advanced(by: .seconds(1_000_000))).isEmpty)
        #expect(ledger.rule(on: try key("a"), content).line == "new")
        #expect(ledger.rule(on: try key("b"), content).line == "known run-2")
    }
}

extension RequestLedger.Status {
    fileprivate var line: String {
        switch self {
        case .new: "new"
        case .known(.run(let run)): "known \(run)"
        case .known(.verdict(let report)): "known \(report.verdict.word)"
        case .known(.confirmation(let report)): "known \(report.state.rawValue)"
        case .conflict(let run): run.map { "conflict \($0)" } ?? "conflict"
        case .full: "full"
        }
    }
}

import ForgeBusProtocol
import ForgeBusStore

@testable import ForgeBusWorker

/// A gate book with short words for what a test does to it.
struct BookUnderTest {
    private(set) var book: Signals
    var now = Moment(nanoseconds: 0, unixMilliseconds: 1_000)
    /// Who may decide by the access file: everybody whom these tests name.
    var policy = Self.everybody

    private static let everybody: AccessPolicy = {
        let grants = AccessPolicy.Grants([.complete: AccessPolicy.Grant(allow: [">"])])
        let names: [Name] = ["ada", "bob", "carl", "dan", "erin", "eve"]
        do throws(WorkerError) {
            return try AccessPolicy(names.map { AccessPolicy.Member($0, keys: [], grants: grants) })
        } catch { fatalError(error.description) }
    }()

    init(limits: WorkerLimits = WorkerLimits(), declared: [NamePattern]? = nil, gates: [NamePattern] = []) {
        book = Signals(limits: limits, retention: .seconds(3600), declared: declared, gates: gates)
    }

    mutating func open(
        _ signal: Name = "s",
        _ kind: SignalKind = .gate,
        owner: SignalOwner = .process("owner"),
        waiter: UInt64 = 1,
        rule: GateRule = .anybody,
        requester: String? = nil
    ) -> String {
        let waiter = WaiterID(number: waiter)
        let waiting = SignalWait(owner: owner, kind: kind, waiter: waiter, rule: rule, requester: requester)
        return switch book.open(signal, waiting, under: policy, at: now) {
        case .waits(let replaced, _, _): replaced.map { "waits in place of \($0.number)" } ?? "waits"
        case .decided(let decision, _, _): "decided \(WaitOutcome.decided(decision).line)"
        case .taken(let owner): "taken by \(owner)"
        case .full: "full"
        }
    }

    mutating func complete(
        _ signal: Name = "s",
        _ value: String = "",
        by principal: String = "ada",
        keep: Duration? = .seconds(60)
    ) -> String {
        decide(Decision(signal: signal, outcome: .approved(value: Array(value.utf8)), keep: keep), principal)
    }

    mutating func reject(
        _ signal: Name = "s",
        _ reason: String = "",
        by principal: String = "ada",
        keep: Duration? = .seconds(60)
    ) -> String {
        decide(Decision(signal: signal, outcome: .rejected(reason: reason), keep: keep), principal)
    }

    mutating func withdraw(_ signal: Name = "s", by principal: String = "ada") -> Signals.Withdrawal {
        book.withdraw(signal, by: principal, under: policy, at: now)
    }

    mutating func end(_ signal: Name = "s", waiter: UInt64 = 1, as decision: GateDecision) -> SignalOwner? {
        book.end(signal, WaiterID(number: waiter), as: decision, at: now)
    }

    func record(of signal: Name = "s") -> SignalRecord? { book.record(of: signal, at: now) }
    mutating func dropEarly(_ signal: Name = "s") -> Bool {
        book.dropEarly(signal, at: now)
        return !book.keepsEarly(signal)
    }

    mutating func digest(of run: Name) { book.digest(of: run) }
    mutating func forget() -> [Name] { book.forget(at: now) }
    mutating func pass(_ duration: Duration) {
        now = Moment(
            nanoseconds: now.advanced(by: duration).nanoseconds,
            unixMilliseconds: now.unixMilliseconds + duration.milliseconds
        )
    }

    private mutating func decide(_ decision: Decision, _ principal: String) -> String {
        switch book.decide(decision, by: principal, under: policy, at: now) {
        case .ruled(let verdict, _, let resuming):
            verdict.line + (resuming.map { ", \($0.waiter.number) gets \(WaitOutcome.decided($0.with).line)" } ?? "")
        case .refused(let error) where error.code == .notRejectable: "not rejectable"
        case .refused(let error) where error.code == .busy: "busy \(error.details["limit"]?.string ?? "")"
        case .refused(let error): "\(error.code): \(error.message)"
        }
    }
}

extension Verdict {
    fileprivate var line: String {
        switch self {
        case .conflict(let standing):
            "conflict with \(standing.decision) by \(standing.principal) at \(standing.unixMilliseconds)"
        case .buffered(let time): "buffered for \(time.milliseconds)"
        case .closed(let why): "closed: \(why)"
        case .counted(let have, let need): "counted \(have) of \(need)"
        case .delivered, .duplicate, .expired, .forbidden, .unknown: word
        }
    }
}

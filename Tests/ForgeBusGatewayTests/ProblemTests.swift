import ForgeBusProtocol
import Foundation
import HTTPTypes
import TestSupport
import Testing

@testable import ForgeBusGateway

@Suite("A problem")
struct ProblemTests {
    /// Codes that no request over HTTP can cause.
    private static let others: Set<ErrorCode> = [
        .notForge, .chosenRoutingID, .badOrigin, .unknownKind, .unknownVerb, .otherStore, .countDiffers,
    ]

    @Test("has a status of its own choice for every code, and the page lists it")
    func statuses() throws {
        let page = try String(
            contentsOf: Repository.root.appending(path: "Sources/ForgeBusGateway/ForgeBusGateway.docc/HTTPAPI.md"),
            encoding: .utf8
        )
        var listed: [String: Int] = [:]
        for line in page.split(separator: "\n") where line.hasPrefix("| ") {
            let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
            guard cells.count == 2, let status = Int(cells[0]) else { continue }
            for code in cells[1].split(separator: ",") {
                listed[code.trimmingCharacters(in: CharacterSet(charactersIn: " `"))] = status
            }
        }
        for entry in Problem.entries where !Self.others.contains(entry.code) {
            #expect(
                listed.removeValue(forKey: entry.code.rawValue) == Problem.status(of: entry.code).code,
                "\(entry.code)"
            )
        }
        #expect(listed.isEmpty)
        for code in Self.others { #expect(page.contains("`\(code)`"), "\(code)") }
    }

    @Test("says what the error says, and when to come again")
    func json() {
        let error = BusError(
            .busy,
            "Too many runs.",
            next: "Wait.",
            retryAfter: .milliseconds(1500),
            details: ["limit": "queued", "status": 1]
        )
        let problem = Problem(error)
        #expect(problem.status == .tooManyRequests)
        #expect(problem.fields[.retryAfter] == "2")
        let expected: JSONObject = [
            "limit": "queued", "status": 429, "type": "/v1/problems/busy",
            "title": "A limit is reached; `limit` in this error names it.", "detail": "Too many runs.", "code": "busy",
            "next": "Wait.", "retryable": true, "retry_after_ms": 1500,
        ]
        #expect(problem.json == expected)
    }

    @Test("advises with paths and headers, where the worker or the client advises with commands")
    func advice() {
        func next(_ code: ErrorCode, _ next: String, _ details: JSONObject = [:]) -> String {
            Problem(BusError(code, "It failed.", next: next, details: details)).error.next
        }
        let explain = "`forgebus explain run-7` shows what happened to this run."
        #expect(next(.notParked, "Wait. \(explain)") == "Wait. `/v1/history/run-7` shows what happened to this run.")
        #expect(next(.idTaken, "`forgebus show signal/a` shows it.").contains("/v1/signals/"))
        // The worker names no command to a sender that may not read the signal.
        #expect(next(.idTaken, "Ask the worker's operator.") == "Ask the worker's operator.")
        for code in [ErrorCode.unknownRun, .unknownSignal, .unknownMonitor] {
            let advice = next(code, "Look at `forgebus list runs`.")
            #expect(advice.contains("/v1/") && !advice.contains("forgebus"), "\(advice)")
        }
        for code in [ErrorCode.timeout, .closed, .cancelled] {
            #expect(next(code, "Wait.", ["request": "r-1"]).contains("`Idempotency-Key: r-1`"), "\(code)")
            #expect(!next(code, "Wait.").contains("Idempotency-Key"), "\(code)")
        }
    }

    @Test("says whether the same request can succeed later, as the list of codes does")
    func retryable() {
        for entry in Problem.entries {
            let problem = Problem(BusError(entry.code, "It failed.", next: "Wait."))
            #expect(problem.json["retryable"] == .bool(entry.isRetryable), "\(entry.code)")
        }
        #expect(Problem.entries.count { $0.isRetryable } > 6)
    }

    @Test("names the methods that a path has")
    func methods() {
        #expect(Problem(.unknownMethod("PUT", allowed: ["GET", "HEAD"])).fields[.allow] == "GET, HEAD")
        #expect(Problem(.unauthorized).fields[.wwwAuthenticate] == #"Bearer realm="forgebus""#)
    }

    @Test("tells the outcome of a decision without effect")
    func verdicts() throws {
        func refusal(_ verdict: Verdict) throws -> BusError? {
            VerdictReport(signal: SignalID("a.b"), verdict: verdict, durability: .memory, retention: .zero).refusal
        }
        let standing = Verdict.Standing(decision: .rejected, principal: "ada", via: "phone", unixMilliseconds: 1)
        let conflict = try #require(try refusal(.conflict(standing)))
        #expect(conflict.message == #"The principal "ada" via "phone" has already rejected the signal a.b."#)
        #expect(Problem(conflict).json["by"] == "ada")
        #expect(try refusal(.expired)?.code == .decisionExpired)
        #expect(try refusal(.closed(why: "gone"))?.code == .decisionClosed)
        #expect(try refusal(.forbidden(why: "no"))?.code == .decisionForbidden)
        #expect(try refusal(.unknown(why: ""))?.message == "Nothing waits for a.b.")
        for verdict in [Verdict.delivered, .duplicate, .counted(have: 1, need: 2), .buffered(for: .seconds(1))] {
            #expect(try refusal(verdict) == nil)
        }
    }

    @Test("is shown by templates that all compile")
    func templates() { #expect(Assets.flawed.isEmpty) }
}

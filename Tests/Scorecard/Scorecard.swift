import Foundation
import Synchronization
public import Testing

/// What the running test says of its trials, for the rows of the scorecard that it shows.
public enum Scorecard {
    @TaskLocal static var scores: [Score] = []

    /// Says how many trials the test made, where it is not one, and how long each took.
    public static func count(_ trials: Int, latencies: [Duration] = []) {
        for score in scores { score.count(trials, latencies) }
    }

    /// How many trials a test makes: `usual` in the ordinary run, `full` where FORGE_FULL is 1, in a build for release.
    public static func trials(_ usual: Int, full: Int) -> Int {
        ProcessInfo.processInfo.environment["FORGE_FULL"] == "1" ? full : usual
    }
}

extension Trait where Self == ScorecardTrait {
    /// The rows of `Tests/Tools/scorecard` that a test shows, or each test of a suite.
    public static func scorecard(_ rows: Int...) -> Self { ScorecardTrait(rows: rows) }
}

/// Appends a line for each of its rows to the file that FORGE_SCORECARD names, when a test begins and when it has ended.
///
/// A test counts as one trial unless it says otherwise with ``Scorecard/count(_:latencies:)``. Each issue is a violation,
/// and so is a test that never ends.
public struct ScorecardTrait: TestTrait, SuiteTrait, TestScoping {
    let rows: [Int]
    /// A suite's rows are those of each of its tests.
    public var isRecursive: Bool { true }

    /// Runs a test and writes down what became of it.
    public func provideScope(
        for test: Test,
        testCase: Test.Case?,
        performing body: @Sendable () async throws -> Void
    ) async throws {
        guard let path = ProcessInfo.processInfo.environment["FORGE_SCORECARD"] else { return try await body() }
        for row in rows { append(#"{"row":\#(row),"begun":1}"#, to: path) }
        let score = Score()
        defer { for row in rows { append(#"{"row":\#(row),\#(score.members)}"#, to: path) } }
        let noticing = IssueHandlingTrait.compactMapIssues { issue in
            score.notice()
            return issue
        }
        do {
            try await Scorecard.$scores.withValue(Scorecard.scores + [score]) {
                try await noticing.provideScope(for: test, testCase: testCase, performing: body)
            }
        } catch {
            score.notice()
            throw error
        }
    }

    /// Appends a line in one write, because other tests append, too.
    private func append(_ line: String, to path: String) {
        guard let file = fopen(path, "a") else { fatalError("\(path) cannot be written.") }
        fputs(line + "\n", file)
        fclose(file)
    }
}

/// The trials of one test, to which any of its tasks may add.
final class Score: Sendable {
    private struct State {
        var trials: Int?
        var violations = 0
        var latencies: [Duration] = []
    }
    private let state = Mutex(State())

    func count(_ trials: Int, _ latencies: [Duration]) {
        state.withLock {
            $0.trials = ($0.trials ?? 0) + trials
            $0.latencies += latencies
        }
    }

    func notice() { state.withLock { $0.violations += 1 } }

    /// What was counted, as members of a JSON object; times in milliseconds.
    var members: String {
        let state = state.withLock { $0 }
        var members = #""n":\#(state.trials ?? 1),"violations":\#(state.violations)"#
        let latencies = state.latencies.sorted()
        if let slowest = latencies.last {
            for (name, part) in [("p50", 50), ("p99", 99)] {
                members += #","\#(name)":\#(milliseconds(latencies[(latencies.count - 1) * part / 100]))"#
            }
            members += #","max":\#(milliseconds(slowest))"#
        }
        return members
    }

    private func milliseconds(_ duration: Duration) -> Double { (duration / .microseconds(1)).rounded() / 1000 }
}

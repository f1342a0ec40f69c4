import ForgeBusProtocol
import ForgeBusStore
import ForgeBusWorker
import ForgeOrchestrator

/// Compares pages of lists among a million kept runs and waiting signals with the same pages among 10,000.
///
/// Requests do not go through a socket, so the time of a request is about the time for which the page occupies the
/// worker's thread.
struct ListMeasure {
    /// The small and the large number of kept runs, which is also the number of waiting signals.
    var (few, many) = (10_000, 1_000_000)
    /// How many times each page is requested.
    var requests = 200

    /// The pages, each with its request.
    ///
    /// The prefix `none` matches no run, so the worker examines 5,000 runs, the most for one page.
    private static let pages: [(name: String, request: ListRequest)] = [
        ("LIST runs, 500", ListRequest(kind: .runs, limit: 500)),
        ("LIST runs, 500, the newest first", ListRequest(kind: .runs, limit: 500, order: .newest)),
        ("LIST runs, none of 5,000 matches", ListRequest(kind: .runs, limit: 500, filter: ListFilter(prefix: "none"))),
        ("LIST runs, parked", ListRequest(kind: .runs, limit: 500, filter: ListFilter(state: .parked))),
        ("LIST signals, 500", ListRequest(kind: .signals, limit: 500)),
    ]

    /// Measures all pages.
    func all() async throws -> [TransportComparison] {
        let (few, many) = (try await times(among: few), try await times(among: many))
        return Self.pages.indices.map { page in
            var comparison = TransportComparison(
                name: Self.pages[page].name,
                unit: "µs",
                moreIsBetter: false,
                target: 2
            )
            comparison.ours = many[page]
            comparison.floor = few[page]
            return comparison
        }
    }

    /// The times of each page in microseconds, with `count` kept runs and `count` waiting signals.
    private func times(among count: Int) async throws -> [[Double]] {
        let store = MemoryStore()
        try await EndedRuns(count: count, until: .max / 2).fill(store)
        return try await BenchWorker(waitingSignals: count, store: store).serve { worker, _ in
            var signals: [CompletionSignal] = []
            for number in 0..<count {
                let signal = CompletionSignal()
                try await worker.announce(signal, under: SignalID("page.\(number)"))
                signals.append(signal)
            }
            var times: [[Double]] = []
            for page in Self.pages { times.append(try await self.times(of: page.request, worker)) }
            withExtendedLifetime(signals) {}
            return times
        }
    }

    private func times(of request: ListRequest, _ worker: BusWorker) async throws -> [Double] {
        var times: [Double] = []
        for _ in 0..<requests {
            let start = ContinuousClock.now
            for await answer in try await worker.submit(Request(.list(request)), as: .local) {
                guard case .page = answer.content else { throw UnexpectedAnswer(answer: "\(answer.content)") }
            }
            times.append((ContinuousClock.now - start).inSeconds * 1_000_000)
        }
        return times
    }

    private struct UnexpectedAnswer: Error {
        let answer: String
    }
}

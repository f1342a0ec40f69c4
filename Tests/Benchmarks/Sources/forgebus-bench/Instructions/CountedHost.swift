import ForgeBusProtocol
import ForgeBusSQLite
import ForgeBusStore
import ForgeBusWorker
import ForgeOrchestrator
import Foundation
import ZeroMQ

/// A process whose instructions are counted: a worker, or an echo, that serves until its standard input ends.
///
/// It prints its endpoint once it is ready. The client is another process, so none of its instructions count.
enum CountedHost: String, CaseIterable {
    case notify = "host-counted-notify"
    case run = "host-counted-run"
    case complete = "host-counted-complete"
    case storedRun = "host-counted-stored-run"
    case receive = "host-counted-receive"

    /// How many signals wait for COMPLETE, however many are completed: so their announcements cancel out.
    static let signals = 600

    /// Serves until the standard input ends.
    func serve() async throws {
        switch self {
        case .notify, .run: try await BenchWorker().serve { _, endpoint in await Self.tell(endpoint) }
        case .complete: try await completions()
        case .storedRun:
            let directory = try BenchDirectory()
            defer { directory.remove() }
            let store = SQLiteStore(path: directory.file("store.sqlite"))
            try await BenchWorker(store: store).serve { _, endpoint in await Self.tell(endpoint) }
        case .receive: try await echo()
        }
    }

    private func completions() async throws {
        try await BenchWorker(waitingSignals: Self.signals).serve { worker, endpoint in
            let signals = (0..<Self.signals).map { _ in CompletionSignal() }
            for (number, signal) in signals.enumerated() {
                try await worker.announce(signal, under: SignalID(BusFrames.complete.subject(number: number)))
            }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for signal in signals { group.addTask { await signal.wait() } }
                await Self.tell(endpoint)
                for signal in signals { signal.complete() }
                try await group.waitForAll()
            }
        }
    }

    /// Answers each message that an awaited `receive` returns.
    private func echo() async throws {
        let reactor = try Reactor(label: "counted")
        let router = try await reactor.open(Router.self)
        let endpoint = try await reactor.bind(router, to: try LocalEndpoint("tcp://127.0.0.1:*"))
        let echo = Task {
            while let message = try? await router.receive(within: .seconds(60)) {
                reactor.submit { reactor in _ = message.peer.map { reactor.send(message, on: router, to: $0) } }
            }
        }
        await Self.tell(endpoint.text)
        echo.cancel()
        await reactor.shutDown(flushing: .zero)
    }

    /// Prints the endpoint, and waits for the end of the standard input.
    private static func tell(_ endpoint: String) async {
        try? FileHandle.standardOutput.write(contentsOf: Data("\(endpoint)\n".utf8))
        await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                while readLine() != nil {}
                continuation.resume()
            }
        }
    }
}

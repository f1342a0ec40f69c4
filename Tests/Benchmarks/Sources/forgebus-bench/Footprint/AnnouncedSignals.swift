import ForgeBusProtocol
import ForgeBusWorker
import ForgeOrchestrator

/// Signals that a worker knows by an id, and that nobody has completed yet.
struct AnnouncedSignals {
    let count: Int

    /// Measures the memory of the signals, their ids and the worker's record of them, in bytes.
    func residentBytes() async throws -> Double {
        let before = try ProcessFigures.own.residentBytes
        return try await BenchWorker(waitingSignals: count).serve { worker, _ in
            var signals: [CompletionSignal] = []
            signals.reserveCapacity(count)
            for number in 0..<count {
                let signal = CompletionSignal()
                try await worker.announce(signal, under: SignalID(BusFrames.complete.subject(number: number)))
                signals.append(signal)
            }
            return try withExtendedLifetime(signals) { try ProcessFigures.own.residentBytes - before }
        }
    }
}

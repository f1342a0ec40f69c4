import ForgeOrchestrator
import Synchronization
import ZeroMQ

/// A server that answers each COMPLETE, as a worker does, but decides nothing.
///
/// It shows the cost of COMPLETE without the work of a worker.
enum BareCompletion {
    /// Serves until `body` returns; each message completes the next signal of the array.
    static func serve<Value>(
        _ signals: [CompletionSignal],
        _ keys: CurveKeys?,
        _ body: (_ endpoint: String) async throws -> Value
    ) async throws -> Value {
        try await BareServer.serve(body) { reactor in try reactor.answerAndComplete(signals, keys) }
    }
}

extension Reactor {
    /// Opens a ROUTER that sends every message back and completes the next signal, if one is left.
    fileprivate func answerAndComplete(_ signals: [CompletionSignal], _ keys: CurveKeys?) throws -> Endpoint {
        let router = try open(Router.self, options: .keepingAll)
        let left = SignalQueue(signals)
        receive(router) { [self] message in
            guard keys.allow(message) else { return }
            reply(message, to: message, on: router)
            left.next()?.complete()
        }
        return try listen(router, keys)
    }
}

/// The signals in the order in which they are completed.
private final class SignalQueue: Sendable {
    private let signals: [CompletionSignal]
    private let taken = Atomic(0)

    init(_ signals: [CompletionSignal]) { self.signals = signals }

    func next() -> CompletionSignal? {
        let index = taken.wrappingAdd(1, ordering: .relaxed).oldValue
        return index < signals.count ? signals[index] : nil
    }
}

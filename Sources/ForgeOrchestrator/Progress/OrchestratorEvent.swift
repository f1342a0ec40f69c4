/// A step of an evaluation, as read from an orchestrator's `events`.
public enum OrchestratorEvent: Sendable, Equatable {
    /// An evaluation began to ask its conditions. The number counts the evaluations of one orchestrator from 1, so a
    /// reader that was too slow sees that it missed some.
    case began(evaluation: Int)
    /// The conditions were asked; these actions run, in this order.
    case eligible([ActionID])
    /// The action is about to execute.
    case started(ActionID)
    /// The action ended. One that was not executed is told here without having started.
    case finished(ActionReport)
    /// The evaluation is over.
    case ended(evaluation: Int)
}

/// The events of one orchestrator from the moment this was obtained.
///
/// Each reader obtains its own. At most ``capacity`` events wait for a slow reader; beyond that the oldest are dropped,
/// so that a reader can never slow down an evaluation. The sequence ends when the orchestrator is gone.
public struct OrchestratorEvents: AsyncSequence, Sendable {
    /// How many events wait for a reader at most.
    public static let capacity = 256

    let stream: AsyncStream<OrchestratorEvent>

    /// Starts to read.
    public func makeAsyncIterator() -> Iterator {
        Iterator(base: stream.makeAsyncIterator())
    }

    /// Reads one event after the other.
    public struct Iterator: AsyncIteratorProtocol {
        var base: AsyncStream<OrchestratorEvent>.Iterator

        /// The next event; `nil` when the orchestrator is gone or the task was cancelled.
        public mutating func next() async -> OrchestratorEvent? {
            await base.next()
        }

        /// The next event; `nil` when the orchestrator is gone or the task was cancelled.
        public mutating func next(isolation actor: isolated (any Actor)?) async -> OrchestratorEvent? {
            await base.next(isolation: actor)
        }
    }
}

/// A step of an evaluation, as read from an orchestrator's `events`.
public enum OrchestratorEvent: Sendable, Equatable {
    /// An evaluation with this number began; its conditions are evaluated next.
    ///
    /// An orchestrator numbers its evaluations from 1. A gap in the numbers means that a slow reader missed events.
    case began(evaluation: Int)
    /// All conditions were evaluated; these actions will run, in this order.
    case eligible([ActionID])
    /// The action is about to execute.
    case started(ActionID)
    /// The action ended, or was skipped; a skipped action has no `started` event.
    case finished(ActionReport)
    /// The evaluation with this number is over.
    case ended(evaluation: Int)
}

/// The events of one orchestrator, from the moment this sequence was obtained.
///
/// Obtain a separate sequence for each reader. The sequence buffers at most ``capacity`` events for a slow reader, and
/// then drops the oldest events, so that a reader never slows down an evaluation. The sequence ends when the
/// orchestrator is deallocated.
public struct OrchestratorEvents: AsyncSequence, Sendable {
    /// The maximum number of events that are buffered for a reader.
    public static let capacity = 256

    let stream: AsyncStream<OrchestratorEvent>

    /// Makes an iterator over the events.
    public func makeAsyncIterator() -> Iterator {
        Iterator(base: stream.makeAsyncIterator())
    }

    /// The iterator of an ``OrchestratorEvents`` sequence.
    public struct Iterator: AsyncIteratorProtocol {
        var base: AsyncStream<OrchestratorEvent>.Iterator

        /// Waits for the next event; `nil` if the orchestrator was deallocated or the task was cancelled.
        public mutating func next() async -> OrchestratorEvent? {
            await base.next()
        }

        /// Waits for the next event; `nil` if the orchestrator was deallocated or the task was cancelled.
        public mutating func next(isolation actor: isolated (any Actor)?) async -> OrchestratorEvent? {
            await base.next(isolation: actor)
        }
    }
}

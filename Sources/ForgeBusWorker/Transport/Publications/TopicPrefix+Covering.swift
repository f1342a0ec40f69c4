import ForgeBusProtocol
import ZeroMQ

extension TopicPrefix {
    /// The fewest prefixes that cover every topic these patterns match.
    static func covering(_ patterns: [NamePattern]) -> Set<TopicPrefix> {
        var covering: [String] = []
        for prefix in Set(patterns.map(Publication.subscription)).sorted() {
            // All prefixes that begin with `last` are sorted directly after it.
            if let last = covering.last, prefix.hasPrefix(last) { continue }
            covering.append(prefix)
        }
        return Set(covering.map(TopicPrefix.init(subscription:)))
    }

    private init(subscription: String) {
        guard !subscription.isEmpty else {
            self = .everything
            return
        }
        do { self = try TopicPrefix(subscription) } catch {
            fatalError("Internal error: a topic pattern begins with no valid prefix.")
        }
    }
}

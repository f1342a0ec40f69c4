import ForgeBusProtocol

@testable import ForgeBusWorker

/// A watch is told as much as it asked for, in order, and how much of it was lost.
extension BusRules {
    /// A watch that is open.
    struct Watched {
        var credit = 0
        var sequence = 0
        var lost = 0
    }

    mutating func watch(_ request: WatchRequest, _ key: WatchKey) {
        watches[key, default: Watched()].credit += request.credit
    }

    mutating func unwatched(_ key: WatchKey, isGone: Bool) {
        if isGone { watches[key] = nil } else { watches[key]?.lost += 1 }
    }

    mutating func watched(_ event: BusEvent, _ principal: String, _ key: WatchKey) {
        if !regime.mayWatch(event.subject, principal) { violate("\(principal) is told of \(event.subject)") }
        saw(event.lost > 0 ? "event after a gap" : "event")
        guard var watch = watches[key], watch.credit > 0 else { return violate("\(key.request) is told unasked") }
        if event.sequence != watch.sequence + 1 { violate("event \(event.sequence) after \(watch.sequence)") }
        if event.lost != watch.lost { violate("\(watch.lost) events lost, \(event.lost) said") }
        watch.sequence += 1
        watch.lost = 0
        watch.credit -= 1
        watches[key] = watch
    }

    mutating func creditEnded(_ key: WatchKey) {
        if watches[key]?.credit != 0 { violate("the credit of \(key.request) ended early") }
        watches[key] = nil
    }
}

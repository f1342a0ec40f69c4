import ForgeBusProtocol

@testable import ForgeBusWorker

/// A watch is told as much as it asked for, in order, and how much of it was lost.
extension BusRules {
    /// A watch that is open.
    struct Watched {
        let pattern: NamePattern
        /// How many events it asked for that have not reached it.
        var credit = 0
        /// The number of the last event that was told.
        var told = 0
        /// The number of the last event that reached the connection.
        var taken = 0
    }

    /// Another principal speaks on the caller's connection now.
    mutating func displaced(_ caller: Caller) {
        saw("another under a used id")
        watches = watches.filter { $0.key.caller != caller }
    }

    mutating func watch(_ request: WatchRequest, _ key: WatchKey) {
        watches[key, default: Watched(pattern: request.pattern)].credit += request.credit
    }

    /// An event is told, and may yet be lost.
    mutating func watched(_ told: ToldEvent) {
        let principal = BusSetting.principals[BusSetting.client(of: told.key.caller)].name
        if !regime.mayWatch(told.subject, principal) { violate("\(principal) is told of \(told.subject)") }
        guard let watch = watches[told.key], watch.credit > 0 else {
            return violate("\(told.key.request) is told unasked")
        }
        if told.sequence <= watch.told { violate("event \(told.sequence) after \(watch.told)") }
        watches[told.key]?.told = told.sequence
    }

    /// An event reaches its connection: with those it says were lost it follows the one before it without a gap.
    mutating func handedOver(_ event: BusEvent, _ key: WatchKey) {
        saw(event.lost > 0 ? "event after a gap" : "event")
        guard var watch = watches[key], watch.credit > 0 else {
            return violate("\(key.request) gets more than it asked")
        }
        if event.sequence != watch.taken + event.lost + 1 {
            violate("event \(event.sequence) after \(watch.taken), and \(event.lost) lost")
        }
        watch.taken = event.sequence
        watch.credit -= 1
        watches[key] = watch
    }

    /// An event is not handed over any more, because its watch has ended.
    mutating func unwanted(_ key: WatchKey) { saw("event after the watch") }

    mutating func creditEnded(_ key: WatchKey) {
        if watches[key]?.credit != 0 { violate("the credit of \(key.request) ended early") }
        watches[key] = nil
    }
}

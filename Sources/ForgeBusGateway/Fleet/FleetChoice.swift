import ForgeBusFleet
import ForgeBusProtocol
import Foundation

/// Which workers of a fleet a request is about, and what the query says of them beside the command.
struct FleetChoice: Hashable, Sendable {
    var selection = Selection.all
    /// When the change happened that cycles should cover, on the gateway's own clock.
    var since: ContinuousClock.Instant?
    var topic: Name?
    /// Only the workers on which this monitor has failed.
    var failing: Name?
    var batches: [BatchSize] = [.count(1), .percent(100)]
    var stopAfter = 1

    /// Chooses all workers.
    init() {}

    /// Reads the parameters of a query that a route has for the fleet; the others are left.
    init(
        _ query: inout [(name: String, value: String)],
        of route: Route,
        among inventory: Inventory
    ) throws(BusError) {
        let own = query.filter { route.fleet?.contains($0.name) == true }
        query.removeAll { route.fleet?.contains($0.name) == true }
        var chosen: [Selection] = []
        var seen: Set<String> = []
        for (name, value) in own {
            guard name == "on" || seen.insert(name).inserted else { throw Errors.repeatedParameter(name) }
            switch name {
            case "on": chosen.append(try inventory.chosen(by: value))
            case "since": since = try Self.instant(value)
            case "topic": topic = try Name(value)
            case "failing": failing = try Name(value)
            case "stop_after":
                guard let count = Int(value), count > 0 else { throw Errors.badCount(name, value) }
                stopAfter = count
            case "batches": batches = try Self.batches(value)
            default: throw Errors.unknownParameter(name, of: route)
            }
        }
        if !chosen.isEmpty { selection = chosen.count == 1 ? chosen[0] : .any(chosen) }
    }

    /// The time of the text, a second later: so the workers must be as new as it says, also if it was cut to seconds.
    private static func instant(_ text: String) throws(BusError) -> ContinuousClock.Instant {
        guard let date = try? Date(text, strategy: .iso8601), date.timeIntervalSinceNow <= 1 else {
            throw Errors.badTime("since", text)
        }
        return .now.advanced(by: .seconds(date.timeIntervalSinceNow + 1))
    }

    /// Sizes such as `1,10%,100%`.
    private static func batches(_ text: String) throws(BusError) -> [BatchSize] {
        var sizes: [BatchSize] = []
        for part in text.split(separator: ",", omittingEmptySubsequences: false) {
            let isShare = part.hasSuffix("%")
            guard let number = Int(isShare ? part.dropLast() : part), number > 0, !isShare || number <= 100 else {
                throw Errors.badBatches(text)
            }
            sizes.append(isShare ? .percent(number) : .count(number))
        }
        return sizes
    }
}

extension Inventory {
    /// The selection of a text such as `web-01,web-02` or `role=web,zone=a`, which must choose a worker.
    func chosen(by text: String) throws(BusError) -> Selection {
        do throws(BusError) {
            let selection = try Selection(parsing: text)
            _ = try workers(on: selection)
            return selection
        } catch {
            throw BusError(.badAttribute, error.message, next: error.next)
        }
    }
}

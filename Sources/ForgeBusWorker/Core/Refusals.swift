/// Counts refusals for missing rights: by principal, right and minute.
///
/// So a principal without rights fills neither the disk nor the audit. The counts of the current minutes are only in
/// memory: a killed worker loses them.
struct Refusals {
    /// The refusals of one principal because of one missing right, within a minute of the first one.
    struct Minute: Equatable {
        let principal: String
        /// The key of the sender of the first refused request; nil without keys.
        let key: String?
        /// The missing right, such as `complete`.
        let right: String
        /// The missing grant of the first refused request, such as `complete on deploy.42.approve`.
        let grant: String
        /// When the first request was refused.
        let first: Moment
        var count = 1
    }

    /// The counts of refusals that were not taken yet, oldest first; at most one for each principal and right.
    private var minutes: [Minute] = []

    /// When the oldest of the current minutes is over; nil if no refusal is counted.
    var nextEnd: Moment? { minutes.first.map { $0.first.advanced(by: Self.length) } }

    private static let length = Duration.seconds(60)

    /// Counts a refusal.
    mutating func count(_ grant: String, of principal: String, key: String?, at now: Moment) {
        let right = String(grant.prefix { $0 != " " })
        if let index = minutes.firstIndex(where: { $0.principal == principal && $0.right == right }) {
            minutes[index].count += 1
        } else {
            minutes.append(Minute(principal: principal, key: key, right: right, grant: grant, first: now))
        }
    }

    /// Removes and returns the minutes that are over, or all minutes, oldest first.
    mutating func take(at now: Moment, all: Bool) -> [Minute] {
        let over = minutes.prefix { all || $0.first.advanced(by: Self.length) <= now }
        minutes.removeFirst(over.count)
        return Array(over)
    }
}

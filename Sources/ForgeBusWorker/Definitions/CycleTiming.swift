/// When the cycles of a monitor may begin, and how long one may take.
struct CycleTiming {
    /// The shortest time between the starts of two cycles.
    var minimumGap: Duration = .milliseconds(100)
    /// How long a cycle waits for a time without notifications; with nil, a cycle does not wait.
    var debounce: HostedMonitor.Debounce?
    /// How long a cycle may take.
    var timeLimit: Duration = .seconds(60)
    /// The time between two cycles if no notification comes; nil if the monitor has no interval.
    var interval: Duration?

    /// The moment at which a cycle may begin for notifications that came from `first` to `last`, if no more come.
    func silence(from first: Moment, last: Moment) -> Moment {
        guard let debounce else { return first }
        return min(last.advanced(by: debounce.quiet), first.advanced(by: debounce.maximumWait))
    }
}

/// When the cycles of a monitor may begin, and how long one may take.
struct CycleTiming {
    /// The shortest time between the starts of two cycles.
    var minimumGap: Duration = .milliseconds(100)
    /// How long a cycle waits for silence on the topics; nil does not wait.
    var debounce: HostedMonitor.Debounce?
    /// How long a cycle may take.
    var timeLimit: Duration = .seconds(60)

    /// When a cycle for notifications between these moments may begin, if no more come.
    func silence(from first: Moment, last: Moment) -> Moment {
        guard let debounce else { return first }
        return min(last.advanced(by: debounce.quiet), first.advanced(by: debounce.maximumWait))
    }
}

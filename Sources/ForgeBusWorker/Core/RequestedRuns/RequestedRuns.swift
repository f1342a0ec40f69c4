import ForgeBusProtocol
import ForgeBusStore

/// The runs that monitors and events have requested and that have not begun: each begins as soon as the limits allow.
///
/// A run becomes owed with the commit of its cause, and stays owed across a restart. For each pipeline and kind of
/// event, at most 100 events within a minute get a run of their own, and at most 100 such runs are requested. All further
/// events share one run, the *fold*.
struct RequestedRuns {
    /// The most runs of one pipeline that events of one kind may request within ``window``.
    ///
    /// It is also the most of these runs that may be owed at a time; the fold is owed besides them.
    static let mostRuns = 100
    /// The most gates, runs or monitors that a fold names.
    static let mostSubjects = 100
    /// The length of the time window in which the runs of events are counted.
    static let window = Duration.seconds(60)

    /// The requested runs of one pipeline that events of one kind have requested, or that monitors have requested.
    private struct Line {
        /// The runs that may begin, oldest first.
        var waiting: [RequestedRunRecord] = []
        /// The run for all events that got no run of their own; it may begin when the limits allow another run.
        var fold: RequestedRunRecord?
        /// When the runs of the last ``RequestedRuns/window`` were requested, oldest first.
        var recent: [Moment] = []

        var hasRoom: Bool { recent.count < RequestedRuns.mostRuns && waiting.count < RequestedRuns.mostRuns }
        var isEmpty: Bool { waiting.isEmpty && fold == nil && recent.isEmpty }
    }

    private struct Key: Hashable, Comparable {
        let pipeline: Name
        /// The event's name, such as `parked`; empty for requests of monitors.
        let event: String

        init(pipeline: Name, event: String) { (self.pipeline, self.event) = (pipeline, event) }

        init(_ record: RequestedRunRecord) {
            pipeline = record.pipeline
            event = if case .event(let word) = record.origin.cause { word } else { "" }
        }

        static func < (a: Key, b: Key) -> Bool { (a.pipeline, a.event) < (b.pipeline, b.event) }
    }

    private struct Requester: Hashable {
        let monitor: Name
        let action: String
    }

    private var lines: [Key: Line] = [:]
    /// How many runs are requested.
    private(set) var count = 0
    /// The folds that changed since they were last stored.
    private var changed: Set<Name> = []
    /// The run that each action of a monitor requested last.
    private var latest: [Requester: Name] = [:]
    /// The pipelines whose runs for events fail, each with its latest failure.
    private(set) var troubles: [Name: EventTrouble] = [:]
    private let events: [WorkerEvent: Name]
    private let url: String?

    init(_ configuration: CoreConfiguration) {
        events = configuration.events
        url = configuration.publicURL
    }

    /// Whether no run is requested.
    var isEmpty: Bool { count == 0 }
    /// Whether a fold has changed since it was last stored.
    var isBehind: Bool { !changed.isEmpty }
    /// Whether a fold exists that may not begin yet.
    var isFolding: Bool { lines.values.contains { $0.fold != nil } }
}

// Requests.
extension RequestedRuns {
    /// The pipeline that reports an event; nil if no event names one.
    ///
    /// The events of `pipeline`, whose run the event is about, take precedence over those of the worker.
    func target(of occurrence: Occurrence, eventsOf pipeline: HostedPipeline?) -> Name? {
        pipeline?.events[occurrence.event] ?? events[occurrence.event]
    }

    /// The seeds of a run that reports this event.
    func seeds(for occurrence: Occurrence) -> JSONObject { occurrence.seeds(at: url) }

    /// Adds an event to the fold that gathers such events for this pipeline.
    ///
    /// - Returns: The id of the fold; nil if there is none.
    mutating func join(_ occurrence: Occurrence, for target: Name) -> Name? {
        let key = Key(pipeline: target, event: occurrence.event.rawValue)
        guard var fold = lines[key]?.fold else { return nil }
        fold.count += 1
        fold.origin.causers.formUnion(occurrence.causers)
        if fold.subjects.count < Self.mostSubjects { fold.subjects.append(occurrence.subject) }
        lines[key]?.fold = fold
        changed.insert(fold.run)
        return fold.run
    }

    /// Adds the run that an event requests: as a requested run of its own, or as a fold if there are too many.
    ///
    /// - Returns: Whether the run is owed; if it is a fold, when the fold may begin, as far as that is known.
    mutating func add(eventRun record: RequestedRunRecord, at now: Moment) -> (isKept: Bool, foldBegins: Moment?) {
        var line = lines[Key(record)] ?? Line()
        line.recent.removeAll { now.since($0) >= Self.window }
        count += 1
        let isKept = line.hasRoom
        if isKept {
            line.waiting.append(record)
            line.recent.append(now)
        } else {
            line.fold = record
            changed.insert(record.run)
        }
        lines[Key(record)] = line
        return (isKept, line.recent.first?.advanced(by: Self.window))
    }

    /// Adds the run that an action of a monitor requests.
    mutating func add(_ record: RequestedRunRecord) {
        count += 1
        remember(record.origin, record.run)
        lines[Key(record), default: Line()].waiting.append(record)
    }

    /// Whether the run that the action requested last is still owed, or has begun and not ended.
    ///
    /// `isUnfinished` returns whether a run has begun and not ended.
    func awaits(_ request: RequestByMonitor, of monitor: Name, isUnfinished: (Name) -> Bool) -> Bool {
        guard let last = latest[Requester(monitor: monitor, action: request.action)] else { return false }
        return isKept(last, for: request.order.pipeline) || isUnfinished(last)
    }

    private func isKept(_ run: Name, for pipeline: Name) -> Bool {
        lines[Key(pipeline: pipeline, event: "")]?.waiting.contains { $0.run == run } == true
    }
}

// Beginnings.
extension RequestedRuns {
    /// The oldest owed run of each pipeline and event, in a fixed order.
    ///
    /// The runs that monitors request from a pipeline count as one more event. A fold joins the requested runs of its
    /// pipeline and event, as the latest of them, as soon as ``mostRuns`` allows one more run.
    mutating func next(at now: Moment) -> [RequestedRunRecord] {
        for (key, line) in lines where line.fold != nil || line.isEmpty { unfold(key, at: now) }
        return lines.keys.sorted().compactMap { lines[$0]?.waiting.first }
    }

    private mutating func unfold(_ key: Key, at now: Moment) {
        guard var line = lines[key] else { return }
        line.recent.removeAll { now.since($0) >= Self.window }
        if let fold = line.fold, line.hasRoom {
            line.waiting.append(fold)
            line.recent.append(now)
            line.fold = nil
        }
        lines[key] = line.isEmpty ? nil : line
    }

    /// Removes a requested run, because it began or can never begin.
    mutating func remove(_ record: RequestedRunRecord) {
        lines[Key(record)]?.waiting.removeAll { $0.run == record.run }
        count -= 1
        changed.remove(record.run)
    }

    /// The folds that changed since the last call.
    mutating func takeChanges() -> [RequestedRunRecord] {
        let records = lines.values.flatMap { line in line.waiting + [line.fold].compactMap(\.self) }
        defer { changed.removeAll() }
        return records.filter { changed.contains($0.run) }
    }

    /// Restores the runs that an earlier worker owed, and the last request of each action of a monitor.
    ///
    /// A last request is restored if its run is still owed, or is one of `begun`: the unfinished runs that the worker
    /// itself requested.
    mutating func restore(_ records: [RequestedRunRecord], _ begun: [RunMachine]) {
        let order = records.sorted { a, b in
            (a.unixMilliseconds, a.run.text.utf8.count, a.run) < (b.unixMilliseconds, b.run.text.utf8.count, b.run)
        }
        for record in order {
            lines[Key(record), default: Line()].waiting.append(record)
            count += 1
            remember(record.origin, record.run)
        }
        for run in begun { if let origin = run.terms.origin { remember(origin, run.id) } }
    }

    private mutating func remember(_ origin: RunOrigin, _ run: Name) {
        guard case .monitor(let monitor, let action) = origin.cause else { return }
        latest[Requester(monitor: monitor, action: action)] = run
    }
}

// Failures.
extension RequestedRuns {
    /// Records that a run which an event requested has failed or is parked.
    ///
    /// - Returns: Whether the pipeline's runs for events begin to fail with this one.
    mutating func failed(_ run: Name, of pipeline: Name, because reason: String, at now: Moment) -> Bool {
        let failures = troubles[pipeline]?.failures ?? 0
        let time = now.unixMilliseconds
        troubles[pipeline] = EventTrouble(failures: failures + 1, run: run, reason: reason, unixMilliseconds: time)
        return failures == 0
    }

    /// Records that a run which an event requested has completed.
    ///
    /// - Returns: The failures before it, which are over; nil if there were none.
    mutating func recovered(_ pipeline: Name) -> EventTrouble? { troubles.removeValue(forKey: pipeline) }

    /// Forgets the failures of a pipeline's runs for events, if somebody cancelled the latest run that failed.
    mutating func cancelled(_ run: Name, of pipeline: Name) {
        if troubles[pipeline]?.run == run { troubles[pipeline] = nil }
    }
}

/// The failures of the runs that events request from one pipeline.
struct EventTrouble {
    /// How many of these runs in a row have failed or are parked.
    let failures: Int
    /// The latest run that failed or was parked.
    let run: Name
    let reason: String
    /// When the latest run failed or was parked, in milliseconds since 1970.
    let unixMilliseconds: Int64
}

extension RequestedRunRecord {
    /// The seeds of the run; if an event requested it, those facts of the event that the pipeline declares as seeds.
    func seeds(for declared: [Seed]) -> JSONObject {
        guard case .event = origin.cause else { return seeds }
        var facts = seeds
        facts["count"] = .integer(Int64(count))
        facts["ids"] = .array(subjects.map { .string($0) })
        var chosen = JSONObject()
        for seed in declared { chosen[seed.key] = facts[seed.key] }
        return chosen
    }
}

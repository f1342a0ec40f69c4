import ForgeBusProtocol
import ForgeBusStore

/// Collects the consequences of the current step: records to store, effects in order, and moments of later steps.
///
/// Extensions of `WorkerState` add consequences; only the state itself begins and ends steps.
struct Step {
    /// The time of the step.
    private(set) var moment = Moment(nanoseconds: 0, unixMilliseconds: 0)
    private(set) var consequences = Consequences()
    private(set) var deadlines = Deadlines()
    /// Whether there are watches; without watches no event is published.
    private var isWatched = false
    /// Events for watchers, each with the index of the effect before which it belongs.
    private(set) var news: [News] = []
    /// Requests that finished.
    private(set) var finished: [RequestKey] = []
    /// The reports in this step about events that may request runs, and about such runs.
    private(set) var reports: [Report] = []
    /// The runs that actions of other runs requested in this step.
    private var requested: [RequestByRun] = []
    /// Whether events may request runs; if not, no event is reported.
    let reportsEvents: Bool
    /// The index of the current step's first effect; the effects before it are those of earlier steps.
    private(set) var first = 0
    /// Whether a store keeps records; without one no record is built.
    let keepsRecords: Bool
    /// How long an audit entry is kept.
    let auditRetention: Duration
    /// The grant that allows the current request, for the audit; nil if none is needed, or without keys or a store.
    private(set) var allowedBy: String?
    /// The counts of refusals that are not in the audit yet.
    private(set) var refusals = Refusals()

    /// An event for watchers.
    struct News {
        let place: Int
        let subject: EventSubject
        let body: JSONObject
    }

    init(keepsRecords: Bool, auditRetention: Duration, reportsEvents: Bool) {
        self.keepsRecords = keepsRecords
        self.reportsEvents = reportsEvents
        self.auditRetention = auditRetention
    }

    /// Begins a step, whose effects are added after those in `list`; without watches, no event is published.
    mutating func begin(at now: Moment, behind list: inout Consequences, isWatched: Bool) {
        moment = now
        self.isWatched = isWatched
        allowedBy = nil
        swap(&consequences, &list)
        first = consequences.effects.count
    }

    /// Ends the step, and moves all consequences to `list`.
    mutating func end(into list: inout Consequences) { swap(&consequences, &list) }

    /// Removes and returns the events that were published so far.
    mutating func takeNews() -> [News] { exchange(&news, with: []) }

    /// Removes and returns the requests that have finished so far.
    mutating func takeFinished() -> [RequestKey] { finished.isEmpty ? [] : exchange(&finished, with: []) }
}

extension Step {
    /// Adds an effect, to be carried out after the commit and after all earlier effects.
    mutating func emit(_ effect: consuming Effect) { consequences.effects.append(effect) }

    /// Answers a request.
    mutating func answer(_ caller: Caller, _ request: RequestID, _ content: Answer.Content, isReplayed: Bool = false) {
        emit(.answer(Answer(to: request, content, isReplayed: isReplayed), to: caller))
    }

    /// Inserts effects at the index `place`, before an effect that was emitted earlier.
    mutating func insert(_ effects: [Effect], at place: Int) {
        consequences.effects.insert(contentsOf: effects, at: place)
    }

    /// Stores a record, if there is a store.
    mutating func keep(_ record: @autoclosure () -> StoreRecord) {
        if keepsRecords { consequences.changes.append(.put(record())) }
    }

    /// Removes a record, if there is a store.
    mutating func forget(_ key: StoreKey) {
        if keepsRecords { consequences.changes.append(.remove(key)) }
    }

    /// Keeps what an action printed, if there is a store.
    mutating func keep(_ output: ActionOutput) {
        if keepsRecords { consequences.changes.append(.output(output)) }
    }

    /// Adds a journal entry, if there is a store; `place` is the number of the run's actions that had ended.
    mutating func journal(_ entry: @autoclosure () -> JournalEntry, place: Int? = nil) {
        guard keepsRecords else { return }
        var entry = entry()
        if entry.run != nil { entry.details[JournalEntry.placeKey] = place.map { .integer(Int64($0)) } }
        consequences.changes.append(.append(entry))
    }

    /// Appends an entry to the audit, if there is a store; the store may drop entries from before `horizon`.
    mutating func audit(_ entry: @autoclosure () -> AuditEntry, horizon: Int64) {
        if keepsRecords { consequences.changes.append(.audit(entry(), horizon: horizon)) }
    }

    /// Names the grant that allows what follows, for the audit.
    mutating func allow(by grant: String?) { allowedBy = grant }

    /// Removes and returns the next task that is due; nil if none is.
    mutating func popDue() -> Due? { deadlines.pop(at: moment) }

    /// Removes the deadlines that nothing needs any more.
    mutating func sweepDeadlines(keeping isNeeded: (Due) -> Bool) { deadlines.sweep(keeping: isNeeded) }

    /// Counts the refusal of a principal that lacks a grant; the audit gets the count later.
    mutating func count(refusal grant: String, of principal: String, key: String?) {
        refusals.count(grant, of: principal, key: key, at: moment)
    }

    /// Removes and returns the counts of refusals of ended minutes, or all.
    mutating func takeRefusals(all: Bool) -> [Refusals.Minute] { refusals.take(at: moment, all: all) }

    /// Schedules a step of the core at `moment`, for the task `due`.
    mutating func wake(_ due: Due, at moment: Moment) { deadlines.add(due, at: moment) }

    /// Finishes a request: the ledger keeps the request for the retention from now on.
    mutating func finish(_ request: RequestKey) { finished.append(request) }

    /// Reports an event, if events may request runs.
    mutating func report(_ occurrence: @autoclosure () -> Occurrence) {
        if reportsEvents { reports.append(.occurred(occurrence())) }
    }

    /// Reports that a run which an event requested has ended or is parked; `trouble` is nil if the run completed.
    mutating func report(eventRun run: Name, of pipeline: Name, trouble: String?) {
        reports.append(.eventRunEnded(pipeline: pipeline, run: run, trouble: trouble))
    }

    /// Reports that somebody cancelled a run that an event requested.
    mutating func report(cancelledEventRun run: Name, of pipeline: Name) {
        reports.append(.eventRunCancelled(pipeline: pipeline, run: run))
    }

    /// Removes and returns the reports.
    mutating func takeReports() -> [Report] { reports.isEmpty ? [] : exchange(&reports, with: []) }

    /// Requests a run for an action of another run; the core begins it in the same step.
    mutating func request(_ request: RequestByRun) { requested.append(request) }

    /// Whether the step has requests or reports that the core has not taken yet.
    var hasRequests: Bool { !requested.isEmpty || !reports.isEmpty }

    /// Removes and returns the next requested run; nil if none is left.
    mutating func nextRequest() -> RequestByRun? { requested.isEmpty ? nil : requested.removeFirst() }

    /// Publishes an event to the watchers.
    mutating func publish(_ subject: @autoclosure () -> EventSubject, _ body: @autoclosure () -> JSONObject) {
        if isWatched { news.append(News(place: consequences.effects.count, subject: subject(), body: body())) }
    }
}

extension JournalEntry {
    /// The key of an entry's place: the number of the run's actions that had ended, plus one after the run's own end.
    static let placeKey = "place"
}

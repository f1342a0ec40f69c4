import ForgeBusProtocol
import ForgeBusStore

/// What the step that is under way leads to: records to keep, effects in their order, moments to come back at.
///
/// Each owner writes into it; the core alone begins and ends steps.
struct Outbox {
    /// When the step happens.
    private(set) var moment = Moment(nanoseconds: 0, unixMilliseconds: 0)
    private(set) var consequences = Consequences()
    var deadlines = Deadlines()
    /// Whether anybody watches what happens: otherwise nothing is published.
    var isWatched = false
    /// What was published, and before which effect.
    private(set) var news: [News] = []
    /// Requests that finished.
    private(set) var finished: [RequestKey] = []
    /// Where the step's own effects begin.
    private(set) var first = 0
    /// Whether a store keeps what is written here: otherwise no record is put together.
    let keepsRecords: Bool

    /// Something happened of which watchers are told.
    struct News {
        let place: Int
        let subject: EventSubject
        let body: JSONObject
    }

    init(keepsRecords: Bool) { self.keepsRecords = keepsRecords }

    /// A step begins, whose effects follow those in `list`.
    mutating func begin(at now: Moment, behind list: inout Consequences) {
        moment = now
        swap(&consequences, &list)
        first = consequences.effects.count
    }

    /// The step is over: `list` holds what it led to.
    mutating func end(into list: inout Consequences) { swap(&consequences, &list) }

    /// What was published by now.
    mutating func takeNews() -> [News] { exchange(&news, with: []) }

    /// The requests that finished by now.
    mutating func takeFinished() -> [RequestKey] { finished.isEmpty ? [] : exchange(&finished, with: []) }
}

extension Outbox {
    /// The effect is carried out after those before it, once what was changed is committed.
    mutating func emit(_ effect: consuming Effect) { consequences.effects.append(effect) }

    /// Answers a request.
    mutating func answer(_ caller: Caller, _ request: RequestID, _ content: Answer.Content, isReplayed: Bool = false) {
        emit(.answer(Answer(to: request, content, isReplayed: isReplayed), to: caller))
    }

    /// Puts an effect before one that was emitted already.
    mutating func insert(_ effects: [Effect], at place: Int) {
        consequences.effects.insert(contentsOf: effects, at: place)
    }

    /// The store keeps this from now on.
    mutating func keep(_ record: @autoclosure () -> StoreRecord) {
        if keepsRecords { consequences.changes.append(.put(record())) }
    }

    /// The store forgets this.
    mutating func forget(_ key: StoreKey) {
        if keepsRecords { consequences.changes.append(.remove(key)) }
    }

    /// Writes down what happened, if a store keeps it; of a run with how many of its actions had ended, as its `place`.
    mutating func journal(_ entry: @autoclosure () -> JournalEntry, place: Int? = nil) {
        guard keepsRecords else { return }
        var entry = entry()
        if entry.run != nil { entry.details[JournalEntry.placeKey] = place.map { .integer(Int64($0)) } }
        consequences.changes.append(.append(entry))
    }

    /// The core is to be stepped again at `moment`.
    mutating func wake(_ due: Due, at moment: Moment) { deadlines.add(due, at: moment) }

    /// The request is finished: the ledger keeps it for the retention from now on.
    mutating func finish(_ request: RequestKey) { finished.append(request) }

    /// Tells watchers of something that happened.
    mutating func publish(_ subject: @autoclosure () -> EventSubject, _ body: @autoclosure () -> JSONObject) {
        if isWatched { news.append(News(place: consequences.effects.count, subject: subject(), body: body())) }
    }
}

extension JournalEntry {
    /// Under this key an entry tells how many of its run's actions had ended; one more once the run had.
    static let placeKey = "place"
}

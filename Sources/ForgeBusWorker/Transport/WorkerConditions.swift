import ForgeBusProtocol
import ForgeBusStore
import Logging
import ZeroMQ

/// The conditions that keep the worker from accepting work, or delay it; the worker logs when each begins and ends.
struct WorkerConditions {
    enum Kind: String, CaseIterable {
        /// The disk has so little room that the worker only finishes started work.
        case disk
        /// A commit has taken longer than ``slowness``.
        case store
        /// Too many changes wait for the store.
        case backlog
    }

    /// How long a commit may take before the store counts as slow.
    static let slowness = Duration.seconds(1)

    private let logger: Logger
    /// Whether the loop has scheduled a check for slow commits.
    var isWatchingCommits = false
    /// When each present condition began, in milliseconds since 1970.
    private var since: [Kind: Int64] = [:]

    init(_ logger: Logger) { self.logger = logger }

    var areAny: Bool { !since.isEmpty }

    func holds(_ kind: Kind) -> Bool { since[kind] != nil }

    /// Records whether a condition holds; a change is logged.
    mutating func set(_ kind: Kind, _ isPresent: Bool, at unixMilliseconds: Int64) {
        guard isPresent != holds(kind) else { return }
        if isPresent {
            since[kind] = unixMilliseconds
            logger.warning(kind.beginning)
        } else if let began = since.removeValue(forKey: kind) {
            let time = max(0, unixMilliseconds - began)
            logger.notice(kind.end, metadata: ["lasted_ms": "\(time)"])
        }
    }

    /// Adds the state of each condition to the description of the worker, as the member `checks`.
    func complete(_ item: inout WorkerItem) {
        for kind in Kind.allCases { item.checks[kind.rawValue] = .string(holds(kind) ? kind.word : "ok") }
        for (kind, began) in since { item.json["\(kind.rawValue)_since_ms"] = .integer(began) }
    }
}

extension WorkerConditions.Kind {
    /// The word in `checks` while the condition holds; at all other times the word is `ok`.
    fileprivate var word: String {
        switch self {
        case .disk: "short"
        case .store: "slow"
        case .backlog: "full"
        }
    }

    fileprivate var beginning: Logger.Message {
        switch self {
        case .disk:
            """
            the disk of the store is nearly full: until you free space on it, new runs, early decisions and backups \
            are refused as busy
            """
        case .store:
            """
            the store is slow: a commit has taken longer than a second; if the store is a database, requests are \
            refused as busy meanwhile; if this lasts, check the load of the store's disk or database
            """
        case .backlog:
            """
            too many changes wait for the store: until it has caught up, requests are refused as busy; if this lasts, \
            check the load of its disk or database
            """
        }
    }

    fileprivate var end: Logger.Message {
        switch self {
        case .disk: "the disk of the store has enough room again"
        case .store: "the store is no longer slow"
        case .backlog: "the store has caught up: requests are accepted again"
        }
    }
}

/// Records the beginning and the end of conditions, and answers SHOW of the worker.
extension WorkerLoop {
    /// Answers SHOW of the worker itself, if the sender may read the worker.
    ///
    /// The answer overtakes answers that wait for a commit: a person who asks why nothing happens must not wait for the
    /// store.
    ///
    /// - Returns: Whether the request was such a SHOW and is answered; false for any other request, or without a grant.
    func describe(
        for request: Request,
        of caller: Caller,
        _ sender: AccessPolicy.Principal,
        _ reactor: isolated Reactor
    ) -> Bool {
        guard case .show(let show) = request.command, show.kind == .worker else { return false }
        let principal = core.access.effective(sender, of: request)
        guard core.access.ruling(on: request.command, of: principal) == .allowed else { return false }
        door.owes(caller)
        postman.send(Answer(to: request.id, .shown(description(for: principal).json)), to: caller, reactor)
        return true
    }

    /// What the worker shows of itself to a principal; nil shows everything.
    private func description(for principal: AccessPolicy.Principal?) -> WorkerItem {
        var item = core.description(for: principal, at: now())
        conditions.complete(&item)
        item.uptimeMilliseconds = (instant - start).milliseconds
        (item.connections, item.counters) = (door.connections, counters.json)
        return item
    }

    /// What the worker shows of itself, for its metrics.
    func description(on reactor: isolated Reactor) -> WorkerItem { description(for: nil) }

    /// Handles the store's report that it runs short of room, or has enough again.
    func roomChanged(_ room: StoreRoom) {
        submit { [self] reactor in
            conditions.set(.disk, room == .short, at: unixMilliseconds)
            step(.room(room), reactor)
        }
    }

    /// Schedules a check for the moment at which the oldest commit counts as slow, unless a check is scheduled already.
    func watchCommits(_ reactor: isolated Reactor) {
        guard !conditions.isWatchingCommits, failure == nil, simulated == nil, let oldest = committer.oldest else {
            return
        }
        // While a commit is slow, the loop checks once a second whether it has ended.
        let due = oldest + WorkerConditions.slowness
        conditions.isWatchingCommits = true
        reactor.schedule(at: due > .now ? due : .now + WorkerConditions.slowness) { [self] in
            conditions.isWatchingCommits = false
            checkCommits()
            watchCommits(reactor)
        }
    }

    /// Records whether a slow commit has ended, and whether the backlog is over.
    func checkCommitsIfNeeded() { if conditions.areAny { checkCommits() } }

    /// Records whether the oldest commit has taken too long, and whether the backlog is over.
    private func checkCommits() {
        let isSlow = committer.oldest.map { ContinuousClock.now - $0 >= WorkerConditions.slowness } ?? false
        if isSlow != conditions.holds(.store) { conditions.set(.store, isSlow, at: unixMilliseconds) }
        guard conditions.holds(.backlog) else { return }
        let isFull = committer.size >= limits.backlogSizeInBytes
        conditions.set(.backlog, isFull, at: unixMilliseconds)
    }
}

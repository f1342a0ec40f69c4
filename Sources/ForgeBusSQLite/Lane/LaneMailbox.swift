import ForgeBusStore
import ForgeLocks

/// The jobs of the lane's thread, in order.
final class LaneMailbox: Sendable {
    /// A job for the lane's thread.
    enum Job: Sendable {
        /// Commit the changes, and call back.
        case commit([StoreChange], @Sendable (StoreError?) -> Void)
        /// Do something on the lane's thread; it gets the error if the store could not be opened.
        case work(@Sendable (Result<StoreSession, StoreError>) -> Void)
        /// Checkpoint, and end.
        case stop
    }

    /// Guarded by the lock.
    private struct State {
        var jobs: [Job] = []
        /// How many changes wait; other jobs count as a whole group, so that the lane doesn't wait for more.
        var weight = 0
        /// The weight at which the sleeping lane wakes; nil while it is awake.
        var wakesAt: Int?
        /// The mailbox accepts no more jobs.
        var isStopped = false
    }

    private let state = Guarded(State())
    private let wake = LaneSemaphore(value: 0)
    private let groupSize: Int

    init(groupSize: Int) { self.groupSize = groupSize }

    /// How many changes wait.
    var weight: Int { state.withLock { $0.weight } }

    /// Adds a job behind those that wait.
    ///
    /// - Returns: Whether it will be done; false after a stop.
    func add(_ job: Job) -> Bool {
        let (isTaken, wakes) = state.withLock { state in
            if state.isStopped { return (false, false) }
            if case .stop = job { state.isStopped = true }
            state.jobs.append(job)
            state.weight += weight(of: job)
            guard let weight = state.wakesAt, state.weight >= weight else { return (true, false) }
            state.wakesAt = nil
            return (true, true)
        }
        if wakes { wake.signal() }
        return isTaken
    }

    /// Fails all waiting jobs with `error`, and accepts no more.
    func fail(with error: StoreError) {
        let jobs = state.withLock { state in
            state.isStopped = true
            return exchange(&state.jobs, with: [])
        }
        for job in jobs {
            switch job {
            case .commit(_, let completion): completion(error)
            case .work(let work): work(.failure(error))
            case .stop: break
            }
        }
    }

    /// Removes and returns all waiting jobs.
    func takeAll() -> [Job] {
        state.withLock { state in
            defer {
                state.jobs = []
                state.weight = 0
            }
            return state.jobs
        }
    }

    /// Sleeps until `count` changes wait, or until `time` in nanoseconds of the uptime; nil never times out.
    func sleep(forChanges count: Int, until time: UInt64?) {
        let sleeps = state.withLock { state in
            guard state.weight < count else { return false }
            state.wakesAt = count
            return true
        }
        guard sleeps else { return }
        guard !wake.wait(until: time) else { return }
        let isCalled = state.withLock { state in
            defer { state.wakesAt = nil }
            return state.wakesAt == nil
        }
        // A signal that came just as the time ran out belongs to this sleep, not to the next one.
        if isCalled { wake.wait() }
    }

    /// How many changes a job counts as.
    func weight(of job: Job) -> Int {
        switch job {
        case .commit(let changes, _): max(1, changes.count)
        case .work, .stop: groupSize
        }
    }
}

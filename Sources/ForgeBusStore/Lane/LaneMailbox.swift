import ForgeLocks

/// The jobs that wait for the lane's thread, in their order.
final class LaneMailbox: Sendable {
    /// A job for the lane's thread.
    enum Job: Sendable {
        /// Commit the changes, then call the completion.
        case commit([StoreChange], @Sendable (StoreError?) -> Void)
        /// Call the function on the lane's thread; the function gets an error if the store could not be opened.
        case work(@Sendable (Result<any LaneSession, StoreError>) -> Void)
        /// Close the store, and end the thread.
        case stop
    }

    /// The lock guards this state.
    private struct State {
        var jobs: [Job] = []
        /// The number of changes that wait.
        ///
        /// A job that is not a commit counts like a full group, so that the lane does not wait for more changes.
        var weight = 0
        /// The weight at which the sleeping lane wakes; nil while the lane is awake.
        var wakesAt: Int?
        /// Whether the mailbox refuses further jobs.
        var isStopped = false
    }

    private let state = Guarded(State())
    private let wake = LaneSemaphore(value: 0)
    private let groupSize: Int

    init(groupSize: Int) { self.groupSize = groupSize }

    /// The number of changes that wait; a job that is not a commit counts like a full group.
    var weight: Int { state.withLock { $0.weight } }

    /// Adds a job after the jobs that wait.
    ///
    /// - Returns: Whether the mailbox accepted the job; false after a stop or after ``fail(with:)``.
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

    /// Fails all waiting jobs with `error`, and refuses further jobs.
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

    /// Removes all waiting jobs and returns them in their order.
    func takeAll() -> [Job] {
        state.withLock { state in
            defer {
                state.jobs = []
                state.weight = 0
            }
            return state.jobs
        }
    }

    /// Sleeps until `count` changes wait, or until `time` in nanoseconds of the uptime; nil sets no time limit.
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
        // If the signal came just after the time limit, it belongs to this sleep and must not end the next sleep.
        if isCalled { wake.wait() }
    }

    /// The weight of a job: for a commit the number of its changes, but at least 1; for any other job a full group.
    func weight(of job: Job) -> Int {
        switch job {
        case .commit(let changes, _): max(1, changes.count)
        case .work, .stop: groupSize
        }
    }
}

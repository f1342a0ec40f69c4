import Dispatch
import ForgeBusStore
import ForgeLocks

/// What the lane's thread is asked to do, in order.
final class LaneMailbox: Sendable {
    /// One thing to do.
    enum Job: Sendable {
        /// Keep the changes, and say so.
        case commit([StoreChange], @Sendable (StoreError?) -> Void)
        /// Do something on the lane's thread; with why there is no session, where the store could not be opened.
        case work(@Sendable (Result<StoreSession, StoreError>) -> Void)
        /// Bring everything home and end.
        case stop
    }

    /// Guarded by the lock.
    private struct State {
        var jobs: [Job] = []
        /// How many changes wait; what is not a commit counts as a whole group, for the lane is not to wait for more.
        var weight = 0
        /// The lane sleeps until this much waits.
        var wakesAt: Int?
        /// Nothing is done any more after what waits.
        var isStopped = false
    }

    private let state = Guarded(State())
    private let wake = DispatchSemaphore(value: 0)
    private let groupSize: Int

    init(groupSize: Int) { self.groupSize = groupSize }

    /// How many changes wait.
    var weight: Int { state.withLock { $0.weight } }

    /// Has the lane do something after what waits.
    ///
    /// - Returns: Whether it will: not once it was asked to stop.
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

    /// Nothing will be done any more: whoever waits is told why.
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

    /// Everything that waits.
    func takeAll() -> [Job] {
        state.withLock { state in
            defer {
                state.jobs = []
                state.weight = 0
            }
            return state.jobs
        }
    }

    /// Sleeps until so many changes wait, or until `time`, in nanoseconds of the uptime; nil sleeps as long as it takes.
    func sleep(forChanges count: Int, until time: UInt64?) {
        let sleeps = state.withLock { state in
            guard state.weight < count else { return false }
            state.wakesAt = count
            return true
        }
        guard sleeps else { return }
        let end = time.map { DispatchTime(uptimeNanoseconds: $0) } ?? .distantFuture
        guard wake.wait(timeout: end) == .timedOut else { return }
        let isCalled = state.withLock { state in
            defer { state.wakesAt = nil }
            return state.wakesAt == nil
        }
        // Somebody called while the time ran out: that call is for this sleep, not for the next.
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

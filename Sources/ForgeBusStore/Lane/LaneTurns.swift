import Dispatch

/// The loop of the lane's thread: it takes jobs, gathers commits into groups, writes the groups and calls back.
///
/// Owned by the store's thread (``StoreLane``).
final class LaneTurns {
    private typealias Commit = (changes: [StoreChange], completion: @Sendable (StoreError?) -> Void)

    private let session: any LaneSession
    private let mailbox: LaneMailbox
    private var timing: GroupTiming
    private var jobs: ArraySlice<LaneMailbox.Job> = []

    init(_ session: any LaneSession, _ mailbox: LaneMailbox) {
        self.session = session
        self.mailbox = mailbox
        timing = session.timing
    }

    /// Carries out jobs until the job `stop`.
    func run() {
        session.begin(at: now)
        while true {
            let more = mailbox.takeAll()
            // A slice keeps the memory of its removed elements, so the loop replaces an empty slice.
            if jobs.isEmpty { jobs = more[...] } else { jobs.append(contentsOf: more) }
            switch jobs.first {
            case nil: rest()
            case .stop: return
            case .work(let work):
                jobs.removeFirst()
                work(.success(session))
            case .commit: gatherOrCommit()
            }
        }
    }

    /// Does the work for which commits should not wait, and sleeps until the next job; called when no job waits.
    private func rest() {
        session.tidy()
        mailbox.sleep(forChanges: 1, until: session.nextLook)
        session.lookIfDue(at: now)
    }

    private func gatherOrCommit() {
        var changes = 0
        var count = 0
        var isCutOff = false
        for job in jobs where changes < timing.size && !isCutOff {
            switch job {
            case .commit(let more, _):
                changes += more.count
                count += 1
            case .work, .stop: isCutOff = true
            }
        }
        if !isCutOff, let missing = timing.missing(at: now, having: changes) {
            return mailbox.sleep(forChanges: missing.changes, until: missing.until)
        }
        commit(takeCommits(count), changes)
        session.lookIfDue(at: now)
    }

    private func takeCommits(_ count: Int) -> [Commit] {
        defer { jobs.removeFirst(count) }
        return jobs.prefix(count).compactMap { job in
            switch job {
            case .commit(let changes, let completion): (changes, completion)
            case .work, .stop: nil
            }
        }
    }

    /// Commits a group; all its callers get the same outcome.
    private func commit(_ commits: [Commit], _ changes: Int) {
        var group = CommitGroup()
        for commit in commits { group.add(commit.changes) }
        var failure: StoreError?
        do {
            try session.commit(group, of: commits.count)
        } catch { failure = error }
        // Counted before the callbacks, because the commits that they request were not waiting.
        let waiting = mailbox.weight + jobs.reduce(0) { $0 + mailbox.weight(of: $1) }
        timing.committed(changes: changes, callers: commits.count, waiting: waiting, at: now)
        for commit in commits { commit.completion(failure) }
        // Last, so that no caller waits for it.
        session.tidy()
    }

    private var now: UInt64 { DispatchTime.now().uptimeNanoseconds }
}

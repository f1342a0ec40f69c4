import ForgeBusProtocol
import ForgeBusStore

/// Decides whether a run may begin, and with which values.
extension WorkerState {
    /// Makes a new run, unless it must be refused.
    ///
    /// - Parameters:
    ///   - new: The run to make.
    ///   - evenIfShort: Whether to make it also while the store is short of room.
    /// - Returns: The run, which ``begin(_:)`` begins.
    /// - Throws: `BusError` with code `unknown_pipeline`, `bad_seed`, `key_held` or `id_taken`; or with code `busy` if a
    ///   limit is reached or the store is short of room.
    mutating func make(_ new: NewRun, evenIfShort: Bool = false) throws(BusError) -> RunMachine {
        guard let pipeline = runs.pipelines[new.pipeline] else {
            throw Errors.unknownPipeline(new.pipeline, among: runs.pipelines.keys.map(\.text).sorted())
        }
        let values = try Seed.values(of: new.seeds, declared: pipeline.seeds)
        if isShort, !evenIfShort { throw Errors.noRoomForRun }
        let key = try pipeline.onePer?.key(of: pipeline.name, with: values)
        try checkRoom(for: new, key)
        if signals.ended.count >= configuration.limits.settledSignals, !pipeline.signals.isEmpty {
            throw Errors.tooManySettled(signals.ended.count, most: configuration.limits.settledSignals)
        }
        if let key { try checkKey(key, pipeline, of: new) }
        let id = new.id ?? runs.takeID()
        try checkGates(of: id, of: pipeline, with: values, for: new.principal)
        let terms = RunTerms(
            id: id,
            request: new.request ?? .worker(id),
            fingerprint: new.fingerprint,
            pipeline: new.pipeline,
            accepted: step.moment.unixMilliseconds,
            principal: new.principal.name,
            via: new.principal.via,
            seeds: new.seeds,
            title: pipeline.title.flatMap { $0.title(of: id, with: values) },
            key: key,
            origin: new.origin
        )
        let isFollowed = new.listener?.wantsProgress == true || configuration.keepsRecords
        return RunMachine(
            terms,
            definition: runs.definitions[new.pipeline] ?? .none,
            values: values,
            deadline: new.deadline.map { step.moment.advanced(by: $0) },
            audience: RunAudience(new.listener.map { [$0] } ?? [], followsTransitions: isFollowed),
            traceparent: new.traceparent
        )
    }

    private func checkRoom(for new: NewRun, _ key: ExclusiveKey?) throws(BusError) {
        if let error = runs.bounds.objection(to: new.principal.name, new.seeds.footprint) { throw error }
        if runs.queues.isFull(new.pipeline, for: key), key.map({ runs.supersedesQueued($0, new.pipeline) }) != true {
            throw Errors.queueIsFull(new.pipeline, isPaused: runs.queues.isPaused(new.pipeline))
        }
    }

    /// Refuses a run that may not wait for its key, or that would wait for its key for ever.
    ///
    /// The refusal names the run that has the key only if the sender may read that run.
    private func checkKey(_ key: ExclusiveKey, _ pipeline: HostedPipeline, of new: NewRun) throws(BusError) {
        let newcomer = pipeline.onePer?.newcomer ?? .queue
        if newcomer == .refuse, let other = runs.obstacle(with: key) {
            let isTold = access.ruling(for: new.principal, .read, on: other.id, known: runs.known(other.id)) == .allowed
            throw Errors.keyHeld(key, by: isTold ? (other.id, other.standing) : nil)
        }
        guard let outer = new.waiter else { return }
        if runs.isDeadlock(key, requestedBy: outer, supersedes: newcomer == .supersede) {
            throw Errors.keyHeldByWaiter(key, of: outer)
        }
    }

    /// Refuses a run early if it could not pass one of its certain gates.
    ///
    /// A certain gate is a gate that every run of the pipeline reaches. Gates whose actions are among the ended
    /// `actions` are not checked. The refusal names a signal's owner only if `principal` may read that signal.
    ///
    /// - Throws: `BusError` with code `bad_seed` if the seeds make no valid id for a signal, or the same id for two
    ///   gates. Code `id_taken` if another owner has the signal, decided or not, because then nobody can decide the
    ///   signal for this run.
    private func checkGates(
        of run: Name,
        of pipeline: HostedPipeline,
        with values: [String: any Sendable],
        after actions: [ActionOutcome] = [],
        for principal: AccessPolicy.Principal
    ) throws(BusError) {
        for signal in try pipeline.gateSignals(of: run, with: values, after: actions) {
            guard let owner = signals.owner(of: signal), owner.run != run else { continue }
            let isTold = access.ruling(for: principal, .read, on: .item(.signal, signal)) == .allowed
            throw Errors.taken(
                signal,
                by: isTold ? owner.text : nil,
                next: Errors.untilFree(
                    signal,
                    in: signals.timeUntilFree(signal, at: step.moment),
                    retention: configuration.signalRetention,
                    isTold: isTold
                ),
                isNeeded: true
            )
        }
    }

    /// The data with which a run continues under the current definition of its pipeline.
    struct Renewal {
        let pipeline: HostedPipeline
        let definition: RunDefinition
        let values: [String: any Sendable]
    }

    /// Makes the renewal of a run; nil if the run has the current definition of its pipeline already.
    ///
    /// - Throws: `BusError` with code `unknown_pipeline` if the worker no longer serves the run's pipeline. Code
    ///   `bad_seed` or `id_taken` if the run's seeds do not fit the current definition.
    func renewal(of id: Name, for principal: AccessPolicy.Principal) throws(BusError) -> Renewal? {
        guard let run = runs[id], runs.definitions[run.pipeline] != run.definition else { return nil }
        guard let pipeline = runs.pipelines[run.pipeline], let definition = runs.definitions[run.pipeline] else {
            throw Errors.pipelineGone(run.pipeline, of: id)
        }
        do throws(BusError) {
            let values = try Seed.values(of: run.terms.seeds, declared: pipeline.seeds)
            let actions = run.course.actions
            try checkGates(of: id, of: pipeline, with: values, after: actions, for: principal)
            return Renewal(pipeline: pipeline, definition: definition, values: values)
        } catch {
            guard error.code == .badSeed else { throw error }
            throw Errors.seedsDoNotFit(id, because: error.message)
        }
    }

    /// Moves a run to the current definition of its pipeline; does nothing if `renewal` is nil.
    ///
    /// Closes the signals of the run that the new definition does not have.
    mutating func renew(_ id: Name, _ renewal: Renewal?) {
        guard let renewal else { return }
        runs.renew(id, renewal.definition, values: renewal.values)
        guard let run = runs[id] else { return }
        keep(run)
        for (signal, owner) in signals.orphans(of: id)
        where !mayOpen(signal, owner.action, run, renewal.pipeline) {
            closeOrphan(signal, why: Errors.signalNotInDefinition)
        }
    }

    /// Whether the action that waited for the signal may open it again under the current definition of the pipeline.
    private func mayOpen(_ signal: Name, _ action: String?, _ run: RunMachine, _ pipeline: HostedPipeline) -> Bool {
        guard let action else { return false }
        if pipeline.gate(action) != nil { return runs.gateSignal(of: run, at: action) == signal }
        return pipeline.orchestrator.registered.contains { $0.id.rawValue == action }
    }
}

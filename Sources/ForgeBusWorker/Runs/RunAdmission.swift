import ForgeBusProtocol
import ForgeBusStore

/// Decides whether a run may begin, and with which values.
extension RunBook {
    /// Makes a new run, unless it must be refused.
    ///
    /// - Returns: The run; the book does not know it until ``begin(_:_:_:)``.
    /// - Throws: `BusError` with code `unknown_pipeline`, `bad_seed` or `id_taken`; or with code `busy` if a limit is
    ///   reached or the store is short of room.
    mutating func make(
        _ new: NewRun,
        isShort: Bool,
        _ signals: SignalBook,
        _ access: AccessPolicy,
        at now: Moment
    ) throws(BusError) -> RunMachine {
        guard let pipeline = pipelines[new.pipeline] else {
            throw Errors.unknownPipeline(new.pipeline, among: pipelines.keys.map(\.text).sorted())
        }
        let values = try Seed.values(of: new.seeds, declared: pipeline.seeds)
        try checkRoom(for: new, isShort: isShort)
        if signals.gates.settledCount >= configuration.limits.settledSignals, !pipeline.signals.isEmpty {
            throw Errors.tooManySettled(signals.gates.settledCount, most: configuration.limits.settledSignals)
        }
        let id = new.id ?? numbers.take()
        try checkGates(of: id, of: pipeline, with: values, for: new.principal, signals, access)
        let terms = RunTerms(
            id: id,
            request: new.request ?? .worker(id),
            fingerprint: new.fingerprint,
            pipeline: new.pipeline,
            accepted: now.unixMilliseconds,
            principal: new.principal.name,
            via: new.principal.via,
            seeds: new.seeds,
            origin: new.origin
        )
        let isFollowed = new.listener?.wantsProgress == true || configuration.keepsRecords
        return RunMachine(
            terms,
            definition: definitions[new.pipeline] ?? .none,
            values: values,
            deadline: new.deadline.map { now.advanced(by: $0) },
            audience: RunAudience(new.listener.map { [$0] } ?? [], followsTransitions: isFollowed),
            traceparent: new.traceparent
        )
    }

    private func checkRoom(for new: NewRun, isShort: Bool) throws(BusError) {
        if isShort { throw Errors.noRoomForRun }
        if let error = bounds.objection(to: new.principal.name, new.seeds.footprint) { throw error }
        if queues.isFull(new.pipeline) {
            throw Errors.queueIsFull(new.pipeline, isPaused: queues.isPaused(new.pipeline))
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
        for principal: AccessPolicy.Principal,
        _ signals: SignalBook,
        _ access: AccessPolicy
    ) throws(BusError) {
        for signal in try pipeline.gateSignals(of: run, with: values, after: actions) {
            guard let owner = signals.gates.owner(of: signal), owner.run != run else { continue }
            let isTold = access.ruling(for: principal, .read, on: .item(.signal, signal)) == .allowed
            throw Errors.taken(
                signal,
                by: isTold ? owner.text : nil,
                next: Errors.untilFree(signal, isTold: isTold),
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
    func renewal(
        of id: Name,
        for principal: AccessPolicy.Principal,
        _ access: AccessPolicy,
        _ signals: SignalBook
    ) throws(BusError) -> Renewal? {
        guard let run = self[id], definitions[run.pipeline] != run.definition else { return nil }
        guard let pipeline = pipelines[run.pipeline], let definition = definitions[run.pipeline] else {
            throw Errors.pipelineGone(run.pipeline, of: id)
        }
        do throws(BusError) {
            let values = try Seed.values(of: run.terms.seeds, declared: pipeline.seeds)
            let actions = run.course.actions
            try checkGates(of: id, of: pipeline, with: values, after: actions, for: principal, signals, access)
            return Renewal(pipeline: pipeline, definition: definition, values: values)
        } catch {
            guard error.code == .badSeed else { throw error }
            throw Errors.seedsDoNotFit(id, because: error.message)
        }
    }

    /// Moves a run to the current definition of its pipeline; does nothing if `renewal` is nil.
    ///
    /// Closes the signals of the run that the new definition does not have.
    mutating func renew(_ id: Name, _ renewal: Renewal?, _ signals: inout SignalBook, _ out: inout Outbox) {
        guard let renewal else { return }
        renew(id, renewal.definition, values: renewal.values, &out)
        guard let run = self[id] else { return }
        let (why, place) = (Errors.signalNotInDefinition, run.course.actions.count)
        signals.closeOrphans(of: id, why: why, place: place, &out) { signal, owner in
            !mayOpen(signal, owner.action, run, renewal.pipeline)
        }
    }

    /// Whether the action that waited for the signal may open it again under the current definition of the pipeline.
    private func mayOpen(_ signal: Name, _ action: String?, _ run: RunMachine, _ pipeline: HostedPipeline) -> Bool {
        guard let action else { return false }
        if pipeline.gate(action) != nil { return gateSignal(of: run, at: action) == signal }
        return pipeline.orchestrator.registered.contains { $0.id.rawValue == action }
    }
}

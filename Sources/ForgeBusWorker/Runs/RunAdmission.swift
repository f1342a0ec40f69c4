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
        guard let pipeline = pipelines[new.pipeline] else { throw unknown(new.pipeline) }
        let values = try Seed.values(of: new.seeds, declared: pipeline.seeds)
        try checkRoom(for: new, isShort: isShort)
        if signals.gates.settledCount >= configuration.limits.settledSignals, !pipeline.signals.isEmpty {
            throw .busy(
                "settled",
                "The worker keeps \(signals.gates.settledCount) ended signals, and its limit is "
                    + "\(configuration.limits.settledSignals); until it forgets some of them, it accepts no run of a pipeline "
                    + "with gates."
            )
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
        if isShort {
            throw .busy(
                "disk",
                "The disk of the worker's store is nearly full; the worker accepts no new runs now.",
                next: BusError.afterFreeing
            )
        }
        if let error = bounds.objection(to: new.principal.name, new.seeds.footprint) { throw error }
        if queues.isFull(new.pipeline) {
            let cause = "The queue of the pipeline \"\(new.pipeline)\" is full"
            guard queues.isPaused(new.pipeline) else { throw .busy("queued", "\(cause).") }
            throw .busy(
                "queued",
                "\(cause), and the pipeline is paused.",
                next: "Send the same request again when the pause has ended, or resume the pipeline."
            )
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
            throw .taken(
                signal,
                by: isTold ? owner.text : nil,
                next: isTold
                    ? "Look at the signal with `forgebus show signal \(signal)`. Its id becomes free when the signal and "
                        + "the run that owns it have ended, and the worker's signal retention is over: then send the "
                        + "request again. If the id contains seeds, you can also start a run with other seeds."
                    : "If the signal's id contains seeds, start a run with other seeds. Or ask the worker's operator "
                        + "which run or program has this signal.",
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
            throw BusError(
                .unknownPipeline,
                "The worker serves no pipeline \(Printable.quoted(run.pipeline.text)), which the run \(id) needs.",
                next:
                    "Start the worker with a definition of this pipeline, and redrive the run again; or cancel the run."
            )
        }
        do throws(BusError) {
            let values = try Seed.values(of: run.terms.seeds, declared: pipeline.seeds)
            let actions = run.course.actions
            try checkGates(of: id, of: pipeline, with: values, after: actions, for: principal, signals, access)
            return Renewal(pipeline: pipeline, definition: definition, values: values)
        } catch {
            guard error.code == .badSeed else { throw error }
            throw BusError(
                .badSeed,
                "The seeds of the run \(id) do not fit the changed definition of its pipeline: \(error.message)",
                next:
                    "Start the worker with a definition that fits these seeds, and redrive the run again; or cancel the run."
            )
        }
    }

    /// Moves a run to the current definition of its pipeline; does nothing if `renewal` is nil.
    ///
    /// Closes the signals of the run that the new definition does not have.
    mutating func renew(_ id: Name, _ renewal: Renewal?, _ signals: inout SignalBook, _ out: inout Outbox) {
        guard let renewal else { return }
        renew(id, renewal.definition, values: renewal.values, &out)
        guard let run = self[id] else { return }
        let why = "The run continues under a changed definition of its pipeline, which no longer has this signal."
        signals.closeOrphans(of: id, why: why, place: run.course.actions.count, &out) { signal, owner in
            !mayOpen(signal, owner.action, run, renewal.pipeline)
        }
    }

    /// Whether the action that waited for the signal may open it again under the current definition of the pipeline.
    private func mayOpen(_ signal: Name, _ action: String?, _ run: RunMachine, _ pipeline: HostedPipeline) -> Bool {
        guard let action else { return false }
        if pipeline.gate(action) != nil { return gateSignal(of: run, at: action) == signal }
        return pipeline.orchestrator.registered.contains { $0.id.rawValue == action }
    }

    private func unknown(_ name: Name) -> BusError {
        let names = pipelines.keys.map(\.text).sorted()
        let guess = Spelling.guess(name.text, among: names).map { " Did you mean `\($0)`?" } ?? ""
        return BusError(
            .unknownPipeline,
            "The worker serves no pipeline \(Printable.quoted(name.text)).\(guess)",
            next: names.isEmpty
                ? "This worker has no pipelines: send the request to another worker."
                : "Run a pipeline that this worker serves: \(names.joined(separator: ", "))."
        )
    }
}

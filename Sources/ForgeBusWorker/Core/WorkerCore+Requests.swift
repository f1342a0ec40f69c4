import ForgeBusProtocol
import ForgeBusStore

/// What requests do: codec, then authorisation, then ledger, then limits, then effect.
extension WorkerCore {
    mutating func receive(_ received: Received) {
        let ruling = access.ruling(on: received.request.command, of: received.principal)
        if let error = ruling.refusal(of: received.principal) { return refuse(received, error) }
        switch received.request.command {
        case .notify(let change): notify(change, received)
        case .run(let request): run(request, received)
        case .decide(let decision): decide(decision, received)
        case .attach(let request): attach(request, received)
        case .cancel(let request): cancel(request, received)
        case .redrive(let request): redrive(request, received)
        case .mode(let request): mode(request, received)
        case .admin(let request): administer(request, received)
        case .watch(let request): watch(request, received)
        case .unwatch:
            watches.close(WatchKey(caller: received.caller, request: received.request.id))
            answer(received, .ok(StateReport(.unwatched)))
        case .show(let request): show(request, received)
        case .list(let request): answer(received, .page(reader.page(request)))
        case .hello: answer(received, .welcome(welcome))
        case .ping(let body): answer(received, .pong(Pong(worker: configuration.name, state: phase, body: body)))
        }
    }

    private mutating func answer(_ received: Received, _ content: Answer.Content, isReplayed: Bool = false) {
        out.answer(received.caller, received.request.id, content, isReplayed: isReplayed)
    }

    /// The request had no effect.
    private mutating func refuse(_ received: Received, _ error: BusError) {
        answer(received, .error(error))
        out.audit(error, received)
    }

    private mutating func notify(_ change: StateChange, _ received: Received) {
        // Unless it asks for more it is kept in memory whatever the store: the evaluation at start repairs a lost one.
        let durability = change.durability ?? .memory
        if let error = closedToWork ?? shortfall(of: durability, given: configuration.durability) {
            return refuse(received, error)
        }
        if change.wantsEvaluation, monitors.isFull {
            return refuse(received, .busy("evaluations", "Too many notifications wait for their evaluation."))
        }
        monitors.notify(change, received, as: durability, &out)
    }

    private mutating func run(_ request: RunRequest, _ received: Received) {
        switch requests.precedent(of: received) {
        case .none: break
        case .refused(let error): return refuse(received, error)
        case .known(.run(let run)): return attach(request, received, to: run)
        case .known(.verdict), .known(.confirmation): fatalError("The fingerprint covers the command.")
        }
        let durability = shortfall(of: request.durability, given: configuration.durability)
        if let error = closedToWork ?? durability { return refuse(received, error) }
        do throws(BusError) {
            let run = try runs.make(request, received, isShort: isShort, signals, access, at: out.moment)
            requests.admit(received, run.id)
            answer(received, acceptance(of: run.id))
            runs.begin(run, &signals, &out)
        } catch {
            refuse(received, error)
        }
    }

    private func acceptance(of run: RunID) -> Answer.Content {
        .accepted(.run(run, durability: configuration.durability, retention: configuration.retention))
    }

    /// The same request again: its sender gets what the first one gets.
    private mutating func attach(_ request: RunRequest, _ received: Received, to run: RunID) {
        answer(received, acceptance(of: run), isReplayed: true)
        if let result = runs.ended[run]?.result {
            if !request.isDetached { answer(received, .result(result), isReplayed: true) }
        } else {
            let listener = RunAudience.Listener(
                received,
                isDetached: request.isDetached,
                wantsProgress: request.wantsProgress
            )
            runs.attach(listener, to: run, &out)
        }
    }

    /// Somebody wants to know of a run, whoever began it.
    private mutating func attach(_ request: AttachRequest, _ received: Received) {
        do throws(BusError) {
            let state = try standing(of: request.run, for: received.principal, .read)
            if let result = runs.ended[request.run]?.result { return answer(received, .result(result)) }
            if request.patience == .zero { return answer(received, .ok(StateReport(state, run: request.run))) }
            let listener = RunAudience.Listener(
                received,
                isDetached: false,
                wantsProgress: request.wantsProgress,
                hasAttached: true
            )
            let number = runs.attach(listener, to: request.run, &out)
            guard let number, let patience = request.patience else { return }
            out.wake(.attachment(request.run, listener: number), at: out.moment.advanced(by: patience))
        } catch {
            refuse(received, error)
        }
    }

    private mutating func decide(_ decision: Decision, _ received: Received) {
        switch requests.precedent(of: received) {
        case .none: break
        case .refused(let error): return refuse(received, error)
        case .known(.verdict(let report)): return answer(received, .verdict(report), isReplayed: true)
        case .known(.run), .known(.confirmation): fatalError("The fingerprint covers the command.")
        }
        if let error = shortfall(of: decision.durability, given: configuration.durability) {
            return refuse(received, error)
        }
        // What decides nothing that waits is new work, and the reserve is not for that.
        if isShort, signals.gates.owner(of: decision.signal) == nil {
            return refuse(received, .busy("disk", "The store has little room left: what waits can be decided."))
        }
        switch signals.decide(decision, by: received.principal.name, at: out.moment) {
        case .notRejectable: refuse(received, .notRejectable(decision.signal))
        case .busy(let limit): refuse(received, .busy(limit, "Too many decisions wait for their signals."))
        case .verdict(let verdict, let resuming):
            rule(verdict, on: decision, received)
            guard let (waiter, owner, outcome) = resuming else { return }
            out.publish(decision.signal, decision.outcome.word)
            runs.signalEnded(decision.signal, waiter, of: owner, as: outcome, &signals, &out)
        }
    }

    private mutating func rule(_ verdict: Verdict, on decision: Decision, _ received: Received) {
        let report = VerdictReport(
            signal: decision.signal,
            verdict: verdict,
            durability: configuration.durability,
            retention: configuration.retention
        )
        requests.take(received, .verdict(report), &out)
        signals.ruled(verdict, on: decision.signal, &out)
        answer(received, .verdict(report))
        let run = signals.gates.owner(of: decision.signal)?.run
        let event = AuditRecord.Event.decided(
            decision.signal,
            outcome: decision.outcome.word,
            verdict: verdict.word
        )
        let place = run.flatMap { runs.place(of: $0) }
        out.audit(AuditRecord(event, received), key: received.principal.keyText, run: run, place: place)
    }

    /// Ends a run before its time; one that has ended stays as it is.
    private mutating func cancel(_ request: CancelRequest, _ received: Received) {
        once(received, request.durability) { core throws(BusError) in
            let reason = request.reason.isEmpty ? "It was cancelled." : "It was cancelled: \(request.reason)"
            _ = try core.standing(of: request.run, for: received.principal, .cancel)
            core.runs.stop(request.run, as: .cancelled, reason: reason, &core.signals, &core.out)
            let state = try core.standing(of: request.run, for: received.principal, .cancel)
            return StateReport(core.runs[request.run]?.certainEnd ?? state, run: request.run)
        }
    }

    /// Resumes a parked run, at the action it stopped at.
    private mutating func redrive(_ request: RedriveRequest, _ received: Received) {
        once(received, request.durability) { core throws(BusError) in
            let (run, principal) = (request.run, received.principal)
            let state = try core.standing(of: run, for: principal, .cancel)
            if let error = core.closedToWork { throw error }
            guard state == .parked else { throw .notParked(run, state) }
            try core.runs.renew(run, for: principal, core.access, &core.signals, &core.out)
            core.runs.redrive(run, &core.signals, &core.out)
            return StateReport(try core.standing(of: run, for: principal, .cancel), run: run)
        }
    }

    /// Says which screen is showing to monitors.
    private mutating func mode(_ request: ModeRequest, _ received: Received) {
        once(received, nil) { core throws(BusError) in
            if let name = try? Name(request.monitors.text), core.monitors[name] == nil {
                throw .unknown(.unknownMonitor, "monitor", name)
            }
            let count = core.monitors.show(request.screen, to: request.monitors, for: request.timeToLive, &core.out)
            return StateReport(.set, details: ["monitors": .integer(Int64(count))])
        }
    }

    /// What an operator asks.
    private mutating func administer(_ request: AdminRequest, _ received: Received) {
        if isAnswered(received) { return }
        do throws(BusError) {
            try requests.perform(request, received, isShort: isShort, &out)
        } catch {
            refuse(received, error)
        }
    }

    /// Does something that is kept in the ledger: the same request again gets the same answer, and is not done again.
    ///
    /// Where `act` throws, nothing was done.
    private mutating func once(
        _ received: Received,
        _ durability: Durability?,
        _ act: (inout WorkerCore) throws(BusError) -> StateReport
    ) {
        if isAnswered(received) { return }
        if let error = shortfall(of: durability, given: configuration.durability) { return refuse(received, error) }
        do throws(BusError) {
            var report = try act(&self)
            report.durability = configuration.durability
            report.retention = configuration.retention
            requests.take(received, .confirmation(report), &out)
            answer(received, .ok(report))
            audit(report, received)
        } catch {
            refuse(received, error)
        }
    }

    /// Whether the request was answered at once: it was done before, or cannot be taken.
    private mutating func isAnswered(_ received: Received) -> Bool {
        switch requests.precedent(of: received) {
        case .none: return false
        case .refused(let error): refuse(received, error)
        case .known(.confirmation(let report)): answer(received, .ok(report), isReplayed: true)
        case .known(.run), .known(.verdict): fatalError("The fingerprint covers the command.")
        }
        return true
    }

    /// Says that something was done that is done once and answered with OK.
    mutating func audit(_ report: StateReport, _ received: Received) {
        guard let record = AuditRecord(report, received) else { return }
        let place = record.run.flatMap { runs.place(of: $0) }
        out.audit(record, key: received.principal.keyText, place: place)
    }

    private mutating func watch(_ request: WatchRequest, _ received: Received) {
        let key = WatchKey(caller: received.caller, request: received.request.id)
        if let shortage = watches.shortage(for: key, of: received.principal) {
            return refuse(received, .busy("watches", shortage.cause))
        }
        guard watches.open(key, request, for: received.principal) else {
            return refuse(received, .conflict(received.request.id, nil))
        }
    }

    private mutating func show(_ request: ShowRequest, _ received: Received) {
        if request.kind == .history { return showHistory(of: request.name, received) }
        do throws(BusError) {
            if request.kind == .run { try check(received.principal, .read, on: request.name) }
            answer(received, .shown(try reader.item(request)))
        } catch {
            refuse(received, error)
        }
    }

    private mutating func showHistory(of name: Name, _ received: Received) {
        let known = runs.known(name)
        // Whoever may read a run may read what happened to it; the refusal is the same whatever is there.
        let ruling = access.ruling(for: received.principal, .read, on: .item(.history, name))
        let own = access.ruling(for: received.principal, .read, on: name, known: known)
        if let error = ruling.refusal(of: received.principal), known == nil || own != .allowed {
            return refuse(received, error)
        }
        guard histories < configuration.limits.histories else {
            return refuse(received, .busy("history", "Too many histories are being put together."))
        }
        histories += 1
        out.emit(.findHistory(reader.query(name, received)))
    }

    private var reader: Reader { Reader(runs: runs, gates: signals.gates, monitors: monitors, now: out.moment) }

    /// Who the worker is and what it takes.
    private var welcome: Welcome {
        Welcome(
            worker: configuration.name,
            state: phase,
            durability: configuration.durability,
            retention: configuration.retention,
            limits: WireLimits.byName.merging(configuration.limits.byName) { _, own in own }
        )
    }

    /// What stands with a run; to a principal without a grant, one that is not there and one of somebody else look the same.
    ///
    /// - Throws: ``BusError`` with code `forbidden` or `unknown_run`.
    private func standing(
        of run: RunID,
        for principal: AccessPolicy.Principal,
        _ right: AccessPolicy.Right
    ) throws(BusError) -> StateReport.State {
        try check(principal, right, on: run)
        if let unfinished = runs[run] { return unfinished.standing }
        if let over = runs.ended[run] { return StateReport.State(over.result.state) }
        throw .unknownRun(run)
    }

    /// Refuses a principal that may not do this to a run, in the same words whether it is there or not.
    ///
    /// - Throws: ``BusError`` with code `forbidden`.
    private func check(_ principal: AccessPolicy.Principal, _ right: AccessPolicy.Right, on run: RunID) throws(BusError)
    {
        let ruling = access.ruling(for: principal, right, on: run, known: runs.known(run))
        if let error = ruling.refusal(of: principal) { throw error }
    }

    /// What keeps new work out while the worker starts or stops.
    private var closedToWork: BusError? {
        switch phase {
        case .ready: nil
        case .starting:
            BusError(
                .notReady,
                "The worker is starting.",
                next: "Send the request again in a moment, under the same id.",
                retryAfter: .milliseconds(500)
            )
        case .draining:
            BusError(
                .draining,
                "The worker is stopping.",
                next: "Send the request again, under the same id, to the worker that takes its place.",
                retryAfter: .seconds(2)
            )
        }
    }

    /// Why a durability that was asked for cannot be given, where `given` is; nil if it can.
    private func shortfall(of wanted: Durability?, given: Durability) -> BusError? {
        guard let wanted, wanted > given else { return nil }
        return BusError(
            .notDurable,
            "What was sent is kept as `\(given.rawValue)` here, not as `\(wanted.rawValue)`.",
            next: "Leave `durability` out, or send to a worker with a durable store."
        )
    }
}

extension BusError {
    /// A limit is reached.
    static func busy(_ limit: String, _ cause: String) -> BusError {
        BusError(
            .busy,
            cause,
            next: "Send the request again later, under the same id.",
            retryAfter: .seconds(1),
            details: ["limit": .string(limit)]
        )
    }

    fileprivate static func notParked(_ run: RunID, _ state: StateReport.State) -> BusError {
        BusError(
            .notParked,
            "The run \(run) is \(state.rawValue), not parked.",
            next: "Redrive only a run of which PROGRESS, SHOW or LIST says that it is parked."
        )
    }

    fileprivate static func notRejectable(_ signal: SignalID) -> BusError {
        BusError(
            .notRejectable,
            "\(signal) is a plain signal: it can only be completed.",
            next: "Send COMPLETE, or let whoever waits open a gate instead."
        )
    }
}

extension WatchBook.Shortage {
    fileprivate var cause: String {
        switch self {
        case .ofConnection: "This connection has too many watches."
        case .ofPrincipal: "There are too many watches of one principal."
        case .inAll: "There are too many watches."
        }
    }
}

import ForgeBusProtocol
import ForgeBusStore

/// What steers runs, monitors and the worker: each is done once, however often it is sent, and answered with OK.
extension WorkerCore {
    /// Ends a run before its time; one that has ended stays as it is.
    mutating func cancel(_ request: CancelRequest, _ received: Received, at now: Moment) {
        once(received, request.durability, at: now) { core throws(BusError) in
            let reason = request.reason.isEmpty ? "It was cancelled." : "It was cancelled: \(request.reason)"
            _ = try core.standing(of: request.run, for: received.principal, .cancel)
            core.stop(request.run, as: .cancelled, reason: reason, at: now)
            let state = try core.standing(of: request.run, for: received.principal, .cancel)
            return StateReport(core.runs[request.run]?.certainEnd ?? state, run: request.run)
        }
    }

    /// Goes on with a parked run, at the action it stopped at.
    mutating func redrive(_ request: RedriveRequest, _ received: Received, at now: Moment) {
        once(received, request.durability, at: now) { core throws(BusError) in
            let state = try core.standing(of: request.run, for: received.principal, .cancel)
            if let error = core.closedDoor { throw error }
            guard let waiter = core.runs[request.run]?.parkedWaiter, state == .parked else {
                throw BusError(
                    .notParked,
                    "The run \(request.run) is \(state.rawValue), not parked.",
                    next: "Redrive only a run of which PROGRESS, SHOW or LIST says that it is parked."
                )
            }
            try core.renew(request.run, for: received.principal)
            core.unpark(request.run, waiter, at: now)
            return StateReport(try core.standing(of: request.run, for: received.principal, .cancel), run: request.run)
        }
    }

    /// Says which screen is showing to monitors.
    mutating func mode(_ request: ModeRequest, _ received: Received, at now: Moment) {
        once(received, nil, at: now) { core throws(BusError) in
            let name = try? Name(request.monitors.text)
            if let name, !core.lanes.contains(where: { $0.name == name }) {
                throw .unknown(.unknownMonitor, "monitor", name)
            }
            let count = core.applyMode(request.screen, to: request.monitors, for: request.timeToLive, at: now)
            return StateReport(.set, details: ["monitors": .integer(Int64(count))])
        }
    }

    /// What an operator asks.
    mutating func administer(_ request: AdminRequest, _ received: Received, at now: Moment) {
        if isAnswered(received) { return }
        do throws(BusError) {
            try perform(try StoreTask(request), received)
        } catch {
            refuse(received, error)
        }
    }

    /// What stands with a run; to whoever has no grant, one that is not there and one of somebody else look the same.
    ///
    /// - Throws: ``BusError`` with code `forbidden` or `unknown_run`.
    func standing(
        of run: RunID,
        for principal: AccessPolicy.Principal,
        _ right: AccessPolicy.Right
    ) throws(BusError) -> StateReport.State {
        try check(principal, right, on: run)
        if let unfinished = runs[run] { return unfinished.standing }
        if let over = ended[run] { return StateReport.State(over.result.state) }
        throw .unknownRun(run)
    }

    /// Refuses whoever may not do this to a run, in the same words whether it is there or not.
    ///
    /// - Throws: ``BusError`` with code `forbidden`.
    func check(_ principal: AccessPolicy.Principal, _ right: AccessPolicy.Right, on run: RunID) throws(BusError) {
        let known = (runs[run].map { ($0.principal, $0.pipeline) } ?? ended[run].map { ($0.principal, $0.pipeline) })
            .map { AccessPolicy.KnownRun(owner: $0.0, pipeline: $0.1) }
        let ruling = access.ruling(for: principal, right, on: run, known: known)
        if let error = ruling.refusal(of: principal) { throw error }
    }

    /// Whether the request was answered at once: it was done before, or cannot be taken.
    private mutating func isAnswered(_ received: Received) -> Bool {
        switch precedent(of: received, under: received.key) {
        case .none: return false
        case .refused: return true
        case .known(.confirmation(let confirmation)):
            let answer = Answer(to: received.request.id, .ok(confirmation), isReplayed: true)
            emit(.answer(answer, to: received.caller))
            return true
        case .known(.run), .known(.verdict): fatalError("The fingerprint covers the command.")
        }
    }

    /// Does something that is kept in the ledger: the same request again gets the same answer, and is not done again.
    ///
    /// Where `act` throws, nothing was done.
    mutating func once(
        _ received: Received,
        _ durability: Durability?,
        at now: Moment,
        _ act: (inout WorkerCore) throws(BusError) -> StateReport
    ) {
        if isAnswered(received) { return }
        if let error = shortfall(of: durability, given: configuration.durability) { return refuse(received, error) }
        do throws(BusError) {
            var confirmation = try act(&self)
            confirmation.durability = configuration.durability
            confirmation.retention = configuration.retention
            take(received, .confirmation(confirmation), at: now)
            emit(.answer(Answer(to: received.request.id, .ok(confirmation)), to: received.caller))
            audit(confirmation, received, at: now)
        } catch {
            refuse(received, error)
        }
    }
}

extension BusError {
    static func unknownRun(_ run: RunID) -> BusError {
        BusError(
            .unknownRun,
            "No run \(Printable.quoted(run.text)) is kept here.",
            next: "Take the run's id from ACCEPTED; ended runs are kept for the retention that it announced."
        )
    }
}

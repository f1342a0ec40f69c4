import ForgeBusProtocol
import ForgeBusStore

/// Carries out RUN, ATTACH, CANCEL and REDRIVE.
extension RequestBook {
    mutating func run(
        _ request: RunRequest,
        _ received: Received,
        _ terms: Circumstances,
        _ runs: inout RunBook,
        _ signals: inout SignalBook,
        _ out: inout Outbox
    ) {
        switch precedent(of: received) {
        case .none: break
        case .refused(let error): return out.refuse(received, error)
        case .known(.run(let run)): return attach(request, received, to: run, &runs, &out)
        case .known(.verdict), .known(.confirmation):
            fatalError("Internal error: two different commands have the same digest.")
        }
        let shortfall = request.durability?.shortfall(where: configuration.durability)
        if let error = terms.closedToWork ?? shortfall { return out.refuse(received, error) }
        do throws(BusError) {
            let (access, now) = (terms.access, out.moment)
            let new = NewRun(request, received)
            let run = try runs.make(new, isShort: terms.isShort, signals, access, at: now)
            admit(received, run.id)
            out.answer(received, acceptance(of: run.id))
            runs.begin(run, &signals, &out)
        } catch {
            out.refuse(received, error)
        }
    }

    private func acceptance(of run: Name) -> Answer.Content {
        .accepted(.run(RunID(run), durability: configuration.durability, retention: configuration.retention))
    }

    /// Attaches the sender of a repeated RUN to the run, so that it gets the same answers as the first sender.
    private func attach(
        _ request: RunRequest,
        _ received: Received,
        to run: Name,
        _ runs: inout RunBook,
        _ out: inout Outbox
    ) {
        out.answer(received, acceptance(of: run), isReplayed: true)
        if let result = runs.ended[run]?.result {
            if !request.isDetached { out.answer(received, .result(result), isReplayed: true) }
        } else {
            let listener = RunAudience.Listener(
                received,
                isDetached: request.isDetached,
                wantsProgress: request.wantsProgress
            )
            runs.attach(listener, to: run, &out)
        }
    }

    /// Attaches a caller to a run, even if another principal requested the run.
    func attach(
        _ request: AttachRequest,
        _ received: Received,
        _ terms: Circumstances,
        _ runs: inout RunBook,
        _ out: inout Outbox
    ) {
        do throws(BusError) {
            let state = try terms.standing(of: request.run, for: received.principal, .read, runs)
            if let result = runs.ended[request.run]?.result { return out.answer(received, .result(result)) }
            if request.patience == .zero {
                return out.answer(received, .ok(StateReport(state, run: RunID(request.run))))
            }
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
            out.refuse(received, error)
        }
    }

    /// Cancels a run; a run that has ended stays as it is.
    mutating func cancel(
        _ request: CancelRequest,
        _ received: Received,
        _ terms: Circumstances,
        _ runs: inout RunBook,
        _ signals: inout SignalBook,
        _ out: inout Outbox
    ) {
        guard isToBeDone(received, request.durability, &out) else { return }
        let (run, principal) = (request.run, received.principal)
        let reason = RunBook.cancelled(request.reason)
        do throws(BusError) {
            _ = try terms.standing(of: run, for: principal, .cancel, runs)
            out.allowedBy = terms.access.grant(for: principal, .cancel, on: run, known: runs.known(run))
            runs.stop(run, as: .cancelled, reason: reason, &signals, &out)
            let state = try terms.standing(of: run, for: principal, .cancel, runs)
            let report = StateReport(runs[run]?.certainEnd ?? state, run: RunID(run))
            let event = AuditRecord.Event.cancelled(run, state: report.state.rawValue)
            confirm(received, report, event, place: runs.place(of: run), &out)
        } catch {
            out.refuse(received, error)
        }
    }

    /// Redrives a parked run: the run continues at the action where it stopped.
    mutating func redrive(
        _ request: RedriveRequest,
        _ received: Received,
        _ terms: Circumstances,
        _ runs: inout RunBook,
        _ signals: inout SignalBook,
        _ out: inout Outbox
    ) {
        guard isToBeDone(received, request.durability, &out) else { return }
        let (run, principal) = (request.run, received.principal)
        do throws(BusError) {
            let state = try terms.standing(of: run, for: principal, .cancel, runs)
            if let error = terms.closedToWork { throw error }
            guard state == .parked else { throw Errors.notParked(run, state) }
            out.allowedBy = terms.access.grant(for: principal, .cancel, on: run, known: runs.known(run))
            runs.renew(run, try runs.renewal(of: run, for: principal, terms.access, signals), &signals, &out)
            runs.redrive(run, &signals, &out)
            let report = StateReport(try terms.standing(of: run, for: principal, .cancel, runs), run: RunID(run))
            let event = AuditRecord.Event.redriven(run, state: report.state.rawValue)
            confirm(received, report, event, place: runs.place(of: run), &out)
        } catch {
            out.refuse(received, error)
        }
    }
}

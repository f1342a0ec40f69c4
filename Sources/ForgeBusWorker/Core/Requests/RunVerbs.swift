import ForgeBusProtocol
import ForgeBusStore

/// Carries out RUN, ATTACH, CANCEL and REDRIVE.
extension WorkerState {
    mutating func run(_ request: RunRequest, _ received: Received) {
        switch precedent(of: received) {
        case .none: break
        case .refused(let error): return step.refuse(received, error)
        case .known(.run(let run)): return attach(request, received, to: run)
        case .known(.verdict), .known(.confirmation):
            fatalError("Internal error: two different commands have the same digest.")
        }
        let shortfall = request.durability?.shortfall(where: configuration.durability)
        if let error = closedToWork ?? shortfall { return step.refuse(received, error) }
        do throws(BusError) {
            let run = try make(NewRun(request, received))
            ledger.admit(received.key, run.id, fingerprint: received.fingerprint)
            step.answer(received, acceptance(of: run.id))
            begin(run)
        } catch {
            step.refuse(received, error)
        }
    }

    private func acceptance(of run: Name) -> Answer.Content {
        .accepted(.run(RunID(run), durability: configuration.durability, retention: configuration.retention))
    }

    /// Attaches the sender of a repeated RUN to the run, so that it gets the same answers as the first sender.
    private mutating func attach(_ request: RunRequest, _ received: Received, to run: Name) {
        step.answer(received, acceptance(of: run), isReplayed: true)
        if let result = runs.ended[run]?.result {
            if !request.isDetached { step.answer(received, .result(result), isReplayed: true) }
        } else {
            let listener = RunAudience.Listener(
                received,
                isDetached: request.isDetached,
                wantsProgress: request.wantsProgress
            )
            attach(listener, to: run)
        }
    }

    /// Attaches a caller to a run, even if another principal requested the run.
    mutating func attach(_ request: AttachRequest, _ received: Received) {
        do throws(BusError) {
            let state = try standing(of: request.run, for: received.principal, .read)
            if let result = runs.ended[request.run]?.result { return step.answer(received, .result(result)) }
            if request.patience == .zero {
                return step.answer(received, .ok(StateReport(state, run: RunID(request.run))))
            }
            let listener = RunAudience.Listener(
                received,
                isDetached: false,
                wantsProgress: request.wantsProgress,
                hasAttached: true
            )
            let number = attach(listener, to: request.run)
            guard let number, let patience = request.patience else { return }
            step.wake(.attachment(request.run, listener: number), at: step.moment.advanced(by: patience))
        } catch {
            step.refuse(received, error)
        }
    }

    /// Cancels a run; a run that has ended stays as it is.
    mutating func cancel(_ request: CancelRequest, _ received: Received) {
        guard isToBeDone(received, request.durability) else { return }
        let (run, principal) = (request.run, received.principal)
        let reason = Errors.cancelled(request.reason)
        do throws(BusError) {
            _ = try standing(of: run, for: principal, .cancel)
            step.allow(by: access.grant(for: principal, .cancel, on: run, known: runs.known(run)))
            stop(run, as: .cancelled, reason: reason)
            let state = try standing(of: run, for: principal, .cancel)
            let report = StateReport(runs[run]?.certainEnd ?? state, run: RunID(run))
            let event = AuditRecord.Event.cancelled(run, state: report.state.rawValue)
            confirm(received, report, event)
        } catch {
            step.refuse(received, error)
        }
    }

    /// Redrives a parked run: the run continues at the action where it stopped.
    mutating func redrive(_ request: RedriveRequest, _ received: Received) {
        guard isToBeDone(received, request.durability) else { return }
        let (run, principal) = (request.run, received.principal)
        do throws(BusError) {
            let state = try standing(of: run, for: principal, .cancel)
            if let error = closedToWork { throw error }
            guard state == .parked else { throw Errors.notParked(run, state) }
            step.allow(by: access.grant(for: principal, .cancel, on: run, known: runs.known(run)))
            renew(run, try renewal(of: run, for: principal))
            redrive(run)
            let report = StateReport(try standing(of: run, for: principal, .cancel), run: RunID(run))
            let event = AuditRecord.Event.redriven(run, state: report.state.rawValue)
            confirm(received, report, event)
        } catch {
            step.refuse(received, error)
        }
    }
}

import ForgeBusProtocol
import ForgeBusStore

/// Carries out CANCEL and REDRIVE for many runs: for all runs that match the filter, or for none.
extension WorkerState {
    mutating func steer(_ request: SteeringRequest, _ received: Received) {
        guard isToBeDone(received, request.durability) else { return }
        do throws(BusError) {
            if request.change == .redrive, let error = closedToWork { throw error }
            let chosen = runs.ids(matching: request, at: step.moment).filter { maySteer($0, received) }
            guard chosen.count == request.count else {
                throw Errors.countDiffers(chosen.count, from: request.count, isRedrive: request.change == .redrive)
            }
            let report = StateReport(.done, details: ["count": .integer(Int64(chosen.count))])
            switch request.change {
            case .cancel(let reason):
                for run in chosen { cancel(run, because: reason, received) }
                confirm(received, report, .cancelledMany(chosen.count, filter: request.filter.text))
            case .redrive:
                let renewals = try renewals(of: chosen, for: received)
                for (run, renewal) in zip(chosen, renewals) {
                    let grant = grant(on: run, received)
                    renew(run, renewal)
                    redrive(run)
                    write(.redriven(run, state: runs.word(of: run)), of: run, because: grant, received)
                }
                confirm(received, report, .redrivenMany(chosen.count, filter: request.filter.text))
            }
        } catch {
            step.refuse(received, error)
        }
    }

    private mutating func cancel(_ run: Name, because reason: String, _ received: Received) {
        let grant = grant(on: run, received)
        stop(run, as: .cancelled, reason: Errors.cancelled(reason))
        write(.cancelled(run, state: runs.word(of: run)), of: run, because: grant, received)
    }

    private mutating func write(_ event: AuditRecord.Event, of run: Name, because grant: String?, _ received: Received)
    {
        step.allow(by: grant)
        step.write(event, received, place: runs.place(of: run))
        step.allow(by: nil)
    }

    /// Whether the sender may cancel or redrive a run; both need the right `cancel`.
    private func maySteer(_ run: Name, _ received: Received) -> Bool {
        access.ruling(for: received.principal, .cancel, on: run, known: runs.known(run)) == .allowed
    }

    /// The grant that allows the sender to change a run, or `owner` for the run's owner; nil if the worker has no keys.
    private func grant(on run: Name, _ received: Received) -> String? {
        access.grant(for: received.principal, .cancel, on: run, known: runs.known(run))
    }

    /// Makes the renewal of each of these runs, in their order; the element is nil for a run that needs no renewal.
    ///
    /// - Throws: The error of the first run that cannot continue; the message names this run.
    private func renewals(of chosen: [Name], for received: Received) throws(BusError) -> [Renewal?] {
        var renewals: [Renewal?] = []
        for run in chosen {
            do throws(BusError) {
                renewals.append(try renewal(of: run, for: received.principal))
            } catch {
                let message = "No run was redriven, because \(run) cannot continue: \(error.message)"
                throw BusError(error.code, message, next: error.next, details: error.details)
            }
        }
        return renewals
    }
}

extension Runs {
    /// The unfinished runs that match the filter of a request, in the order of their acceptance.
    fileprivate func ids(matching request: SteeringRequest, at now: Moment) -> [Name] {
        unfinished.filter { $0.matches(request, at: now) }
            .sorted { $0.terms.precede($1.terms) }
            .map(\.id)
    }

    /// The state of a run as audit records name it.
    ///
    /// That is the state in which the run ended or is certain to end, otherwise the current state.
    fileprivate func word(of run: Name) -> String {
        if let over = ended[run] { return StateReport.State(over.result.state).rawValue }
        return (self[run].map { $0.certainEnd ?? $0.standing } ?? .lost).rawValue
    }
}

extension RunMachine {
    fileprivate func matches(_ request: SteeringRequest, at now: Moment) -> Bool {
        let filter = request.filter
        if isStopping || request.change == .redrive && parkingReason == nil { return false }
        if let state = filter.state, state.rawValue != standing.rawValue { return false }
        if let pipeline = filter.pipeline, pipeline != self.pipeline { return false }
        if let principal = filter.principal, !principal.utf8.elementsEqual(self.principal.utf8) { return false }
        if let prefix = filter.prefix, !id.text.utf8.starts(with: prefix.utf8) { return false }
        guard let least = filter.olderThan else { return true }
        return now.unixMilliseconds &- terms.accepted >= least.milliseconds
    }
}

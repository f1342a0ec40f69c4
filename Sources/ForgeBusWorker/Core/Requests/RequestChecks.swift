import ForgeBusProtocol

/// What decisions about requests depend on: the access policy and the state of the worker.
extension WorkerState {
    /// The refusal of new work while the worker starts or stops; otherwise nil.
    var closedToWork: BusError? {
        switch phase {
        case .ready: nil
        case .starting: Errors.starting
        case .draining: Errors.draining
        }
    }

    /// Refuses a principal that lacks a right on a run, in the same words whether or not the run exists.
    ///
    /// - Throws: `BusError` with code `forbidden`.
    func check(_ principal: AccessPolicy.Principal, _ right: AccessPolicy.Right, on run: Name) throws(BusError) {
        let ruling = access.ruling(for: principal, right, on: run, known: runs.known(run))
        if let error = ruling.refusal(of: principal, isOfRun: true) { throw error }
    }

    /// Returns the state of a run, if the principal has the right on the run.
    ///
    /// A principal without a grant gets the same error for a missing run as for a run of another principal.
    ///
    /// - Throws: `BusError` with code `forbidden` or `unknown_run`.
    func standing(
        of run: Name,
        for principal: AccessPolicy.Principal,
        _ right: AccessPolicy.Right
    ) throws(BusError) -> StateReport.State {
        try check(principal, right, on: run)
        if let unfinished = runs[run] { return unfinished.standing }
        if let over = runs.ended[run] { return StateReport.State(over.result.state) }
        throw Errors.unknownRun(run)
    }
}

extension Durability {
    /// The refusal of this durability by a worker that offers the durability `given`; nil if `given` is enough.
    func shortfall(where given: Durability) -> BusError? {
        self > given ? Errors.notDurable(self, offered: given) : nil
    }
}

/// Two lists of runs in the order of their acceptance: all runs that the worker keeps, and the unfinished runs.
struct RunOrder {
    private(set) var all = NameIndex()
    private(set) var unfinished = NameIndex()

    mutating func began(_ run: RunMachine) {
        all.insert(run.id, at: run.terms.accepted)
        unfinished.insert(run.id, at: run.terms.accepted)
    }

    /// Adds a run that ended in an earlier worker.
    mutating func restored(_ run: EndedRun) { all.insert(run.id, at: run.accepted) }

    mutating func ended(_ run: RunMachine) { unfinished.remove(run.id, at: run.terms.accepted) }

    /// Removes an unfinished run from both lists, because the worker leaves it to the next worker.
    mutating func left(_ run: RunMachine) {
        all.remove(run.id, at: run.terms.accepted)
        ended(run)
    }

    mutating func forgot(_ run: EndedRun) { all.remove(run.id, at: run.accepted) }
}

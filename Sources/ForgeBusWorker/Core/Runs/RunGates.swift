import ForgeBusProtocol
import ForgeOrchestrator

/// The signals and rules of the gates of runs, as the runs' pipelines define them.
extension Runs {
    /// The signal of a gate of the run's pipeline; nil if the action is not a gate.
    func gateSignal(of run: RunMachine, at action: String) -> Name? {
        guard let pipeline = pipelines[run.pipeline], let gate = pipeline.gate(action),
            let values = try? Seed.values(of: run.terms.seeds, declared: pipeline.seeds)
        else { return nil }
        return try? gate.signal.signal(of: run.id.text, with: values)
    }
}

extension WorkerState {
    /// Replaces the rule of a waiting gate by the rule of the current definition; this alone does not decide the gate.
    mutating func renewRule(of run: RunMachine, at action: String) {
        guard let gate = runs.pipelines[run.pipeline]?.gate(action), let signal = runs.gateSignal(of: run, at: action),
            let barred = try? barred(by: gate.rule, of: run)
        else { return }
        let owner = SignalOwner.action(run.id, action)
        renew(signal, gate.rule, barring: barred, of: owner)
    }

    /// The principals that may not decide a gate with this rule, because they decided a gate in its `distinctFrom`.
    ///
    /// - Throws: `BusError` with code `bad_value` if the run's pipeline has no such gate.
    func barred(by rule: GateRule, of run: RunMachine?) throws(BusError) -> Set<String> {
        var barred: Set<String> = []
        for action in rule.distinctFrom.sorted() {
            guard let run, runs.pipelines[run.pipeline]?.gate(action) != nil else {
                throw Errors.noEarlierGate(action, isOfRun: run != nil)
            }
            barred.formUnion(signals.deciders(for: action, of: run.id))
        }
        return barred
    }
}

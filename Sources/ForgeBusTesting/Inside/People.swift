import ForgeBusProtocol

/// Who decides which gate when it opens, and whose time has come.
///
/// Pure: the worker tells what waits, and asks.
struct People {
    /// What somebody does about the gates whose ids a pattern means.
    struct Script {
        let gates: NamePattern
        let decision: ScriptedDecision
        let principal: String?
        let delay: Duration
    }

    /// What somebody is about to do.
    struct Plan {
        let signal: Name
        let script: Script
        let due: Duration
    }

    private var scripts: [Script] = []
    private var plans: [Plan] = []
    /// Which signals waited when somebody looked last, each with its owner.
    private var waiting: [Name: String] = [:]

    /// When the next of them acts.
    var nextDue: Duration? { plans.map(\.due).min() }

    mutating func add(_ script: Script, at now: Duration) {
        scripts.append(script)
        for signal in waiting.keys.sorted() { plan(script, for: signal, at: now) }
    }

    /// These signals wait now: whoever has a script for one that did not wait before makes a plan.
    mutating func look(at waiting: [Name: String], at now: Duration) {
        let opened = waiting.filter { self.waiting[$0.key] != $0.value }.keys.sorted()
        self.waiting = waiting
        for signal in opened {
            for script in scripts { plan(script, for: signal, at: now) }
        }
    }

    /// The next plan whose time has come: the earlier one first, then the one that was made first.
    mutating func takeDue(at now: Duration) -> Plan? {
        guard let due = nextDue, due <= now, let index = plans.firstIndex(where: { $0.due == due }) else { return nil }
        return plans.remove(at: index)
    }

    private mutating func plan(_ script: Script, for signal: Name, at now: Duration) {
        guard script.gates.matches(signal) else { return }
        plans.append(Plan(signal: signal, script: script, due: now + script.delay))
    }
}

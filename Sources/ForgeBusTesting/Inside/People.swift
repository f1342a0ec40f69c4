import ForgeBusProtocol

/// The scripted decisions about gates and signals, and the times at which they are due.
///
/// The type has no clock and sends nothing: the test worker passes the waiting signals and the time, and sends the
/// decisions.
struct People {
    /// A decision about all gates and signals whose ids match a pattern.
    struct Script {
        let gates: NamePattern
        let decision: ScriptedDecision
        let principal: String?
        let delay: Duration
    }

    /// A decision about one open gate or signal, with the time at which it is due.
    struct Plan {
        let signal: Name
        let script: Script
        let due: Duration
    }

    private var scripts: [Script] = []
    private var plans: [Plan] = []
    /// The signals that waited at the last call of `look(at:at:)`, each with its owner.
    private var waiting: [Name: String] = [:]

    /// The time of the next planned decision; nil if no decision is planned.
    var nextDue: Duration? { plans.map(\.due).min() }

    mutating func add(_ script: Script, at now: Duration) {
        scripts.append(script)
        for signal in waiting.keys.sorted() { plan(script, for: signal, at: now) }
    }

    /// Records the signals that wait now, each with its owner, and plans decisions about the newly opened ones.
    mutating func look(at waiting: [Name: String], at now: Duration) {
        let opened = waiting.filter { self.waiting[$0.key] != $0.value }.keys.sorted()
        self.waiting = waiting
        for signal in opened {
            for script in scripts { plan(script, for: signal, at: now) }
        }
    }

    /// Removes and returns the earliest plan that is due; nil if no plan is due.
    ///
    /// Of several plans for the same time, the method returns the oldest plan first.
    mutating func takeDue(at now: Duration) -> Plan? {
        guard let due = nextDue, due <= now, let index = plans.firstIndex(where: { $0.due == due }) else { return nil }
        return plans.remove(at: index)
    }

    private mutating func plan(_ script: Script, for signal: Name, at now: Duration) {
        guard script.gates.matches(signal) else { return }
        plans.append(Plan(signal: signal, script: script, due: now + script.delay))
    }
}

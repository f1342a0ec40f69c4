import ForgeBusProtocol
import ForgeBusStore
import ForgeOrchestrator
import Testing

@testable import ForgeBusWorker

/// A pipeline whose last action requires the first one, through a gate.
private func served(
    work: HostedPipeline.Revision = "1",
    notes: HostedPipeline.Revision = "1",
    last: HostedPipeline.Revision = "1",
    signal: SignalTemplate = "s",
    rule: GateRule = .anybody,
    deadline: Duration? = nil,
    more: [Stage] = [],
    policies: [ActionID: ActionPolicy] = [:],
    seeds: [Seed] = [.required("v", .string)],
    outputs: [String] = ["o"],
    slots: Int = 1
) -> HostedPipeline {
    let gate = GateAction("gate", signal: signal, requires: ["work"], deadline: deadline, rule: rule)
    let orchestrator = pipeline(Stage("work"), Stage("notes"), gate, Stage("last", requires: ["gate"]))
    for action in more { orchestrator.register(action) }
    return HostedPipeline(
        "p",
        orchestrator,
        seeds: seeds,
        outputs: outputs,
        slots: slots,
        policies: policies,
        revisions: ["work": work, "notes": notes, "gate": "1", "last": last, "new": "1"]
    )
}

/// A run that waits at the gate.
private func atGate() -> RunCourse {
    var course = RunCourse()
    course.begin(with: ["work", "notes", "gate", "last"], RunValues())
    for action in ["work", "notes"] {
        course.end(ActionOutcome(action: action, result: .completed, start: .zero, duration: .zero))
    }
    return course
}

private func change(to new: HostedPipeline, _ course: RunCourse) -> DefinitionChange? {
    RunDefinition(of: served()).change(to: RunDefinition(of: new), requiring: new.requirements, after: course)
}

@Suite("A changed definition")
struct RunDefinitionTests {
    @Test("concerns no run if only what is behind it changed")
    func behind() {
        #expect(change(to: served(), atGate()) == nil)
        #expect(change(to: served(notes: "2"), atGate()) == nil)
        #expect(change(to: served(slots: 7), atGate()) == nil)
        #expect(change(to: served(policies: ["notes": ActionPolicy(attempts: 5)]), atGate()) == nil)
    }

    @Test("concerns a run if an unfinished action does something else, or is treated otherwise")
    func ahead() {
        #expect(change(to: served(last: "2"), atGate()) == .changed("last"))
        let slower = HostedPipeline.Revision(work: "1", handling: "5 s")
        #expect(change(to: served(last: slower), atGate()) == .changed("last"))
        #expect(change(to: served(policies: ["last": ActionPolicy(attempts: 5)]), atGate()) == .changed("last"))
        #expect(change(to: served(signal: "t"), atGate()) == .changed("gate"))
    }

    @Test("concerns a run if what an unfinished action requires does something else; how long that may take is past")
    func required() {
        #expect(change(to: served(work: "2"), atGate()) == .changed("work"))
        let slower = HostedPipeline.Revision(work: "1", handling: "5 s")
        #expect(change(to: served(work: slower), atGate()) == nil)
        #expect(change(to: served(policies: ["work": ActionPolicy(attempts: 5)]), atGate()) == nil)
    }

    @Test("does not concern a run if another rule or deadline of a gate is all that changed")
    func rule() {
        #expect(change(to: served(rule: GateRule(allowed: ["ada"]), deadline: .seconds(5)), atGate()) == nil)
        #expect(change(to: served(rule: GateRule(allowed: ["ada"])), RunCourse()) == nil)
    }

    @Test("concerns every run if the seeds or outputs changed, but not by their order")
    func frame() {
        #expect(change(to: served(seeds: []), atGate()) == .frame)
        #expect(change(to: served(seeds: [.optional("v", .string, default: "1")]), atGate()) == .frame)
        #expect(change(to: served(outputs: ["o", "p"]), atGate()) == .frame)
        #expect(
            RunDefinition(of: served(outputs: ["o", "p"]))
                .change(to: RunDefinition(of: served(outputs: ["p", "o"])), requiring: [:], after: atGate()) == nil
        )
    }

    @Test("with a new action concerns only a run whose conditions are not evaluated")
    func added() {
        #expect(change(to: served(more: [Stage("new")]), atGate()) == nil)
        #expect(change(to: served(more: [Stage("new")]), RunCourse()) == .added("new"))
    }

    @Test("without an action concerns a run that has it ahead, or requires it")
    func removed() {
        let without = pipeline(Stage("work"), GateAction("gate", signal: "s", requires: ["work"]))
        let new = HostedPipeline("p", without, seeds: [.required("v", .string)], outputs: ["o"], revision: "1")
        #expect(change(to: new, atGate()) == .removed("last"))
        #expect(change(to: new, RunCourse()) == .removed("notes"))
    }

    @Test("by another order of what is ahead concerns a run; a priority counts by the order that it gives")
    func order() {
        let order = { (stages: [Stage]) in HostedPipeline("p", pipeline(stages[0], stages[1], stages[2])) }
        var course = RunCourse()
        course.begin(with: ["a", "b", "c"], RunValues())
        let old = order([Stage("a"), Stage("b"), Stage("c")])
        func change(_ new: HostedPipeline) -> DefinitionChange? {
            RunDefinition(of: old).change(to: RunDefinition(of: new), requiring: new.requirements, after: course)
        }
        #expect(change(order([Stage("a"), Stage("c"), Stage("b")])) == .reordered)
        #expect(change(order([Stage("a"), Stage("b"), Stage("c", priority: .low)])) == nil)
        #expect(change(order([Stage("a"), Stage("b"), Stage("c", priority: .high)])) == .reordered)
        course.end(ActionOutcome(action: "a", result: .completed, start: .zero, duration: .zero))
        #expect(change(order([Stage("b"), Stage("a"), Stage("c")])) == nil, "what has finished has no place any more")
    }

    @Test("found later stands behind the first reason of a parked run, once, and never in its place")
    func reasons() {
        let later = DefinitionChange.changed("test").reason(of: "p")
        let both = "exit status 9".asParkingReason(andSince: later)
        #expect(both.hasPrefix("exit status 9; ") && both.lowercased().hasSuffix(later.lowercased()))
        #expect(both.asParkingReason(andSince: later) == both)
        let gone = DefinitionChange.gone.reason(of: "p")
        #expect(gone.asParkingReason(andSince: later).hasPrefix(String(gone.dropLast()) + "; "))
        let long = String(repeating: "x", count: 5000).asReason
        #expect(long.asParkingReason(andSince: later) == long, "the first one stays, whatever room is left")
    }
}

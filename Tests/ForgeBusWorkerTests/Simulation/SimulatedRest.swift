import ForgeBusProtocol
import ForgeOrchestrator

@testable import ForgeBusWorker

/// A run without a task: what is left of it in the process until it is taken up again.
struct SimulatedRest {
    let rest: RunRest
    /// Which attempt at the action the next one is.
    let attempt: Int
    /// Whether it waits for a redrive.
    let isParked: Bool
    /// Whether an earlier worker left it so.
    var isLeft = false

    /// Whether it ends only if somebody does something.
    var needsSomebody: Bool {
        switch rest.kind {
        case .gate(_, _, let deadline, _): deadline == nil
        case .request: false
        case .failed: isParked
        }
    }
}

// How runs come to rest, and are taken up again.
extension SimulatedBus {
    /// The task ends at its action: at a gate, or because the action failed.
    mutating func rest(_ index: Int) {
        let task = tasks[index]
        let (eligible, action) =
            task.isGivenUp ? (["a", "b"], generator.oneIn(2) ? "a" : "b") : (task.eligible ?? [], task.action ?? "")
        guard eligible.contains(action) else { return end(index) }
        guard let kind = restKind(at: action, attempt: task.attempt) else { return finish(index, failing: true) }
        if case .gate = kind { opened += 1 }
        let rest = RunRest(
            run: task.run,
            action: action,
            waiter: mintWaiter(),
            kind: kind,
            eligible: eligible,
            actions: task.outcomes
        )
        // Of a run that is gone the worker hears again and again.
        if task.isGivenUp, harness.core.runs[task.run] == nil { return step(.rested(rest)) }
        tasks.remove(at: index)
        attempts[task.run] = task.attempt
        if generator.oneIn(4) { posted.append(.rested(rest)) } else { rested(rest) }
    }

    /// How the action leaves its run; nil where it ends.
    private mutating func restKind(at action: String, attempt: Int) -> RunRest.Kind? {
        let waiting =
            resting.count(where: \.needsSomebody) + posted.count { if case .rested = $0 { true } else { false } }
        if BusSetting.gates.contains(action), generator.below(8) < 6 {
            return .gate(nextSignal(), rule: gateRule(), deadline: waiting < 3 ? gateDeadline() : .seconds(2))
        }
        guard FailurePolicy.applies(to: action) else { return nil }
        if waiting >= 3, FailurePolicy(after: attempt, at: action) == .park { return nil }
        return .failed(reason: "no")
    }

    /// The worker hears that nothing of a run executes any more.
    mutating func rested(_ rest: RunRest) {
        // What was given up is forgotten.
        if !givenUp.contains(rest.run), harness.core.runs[rest.run] != nil {
            let attempt = attempts[rest.run] ?? 1
            switch rest.kind {
            case .gate, .request: resting.append(SimulatedRest(rest: rest, attempt: attempt, isParked: false))
            case .failed: fails(rest, attempt)
            }
        }
        step(.rested(rest))
    }

    private mutating func fails(_ rest: RunRest, _ attempt: Int) {
        let policy = FailurePolicy(after: attempt, at: rest.action)
        rules.expected[rest.run] = policy
        switch policy {
        case .retry(let next): resting.append(SimulatedRest(rest: rest, attempt: next, isParked: false))
        case .park: resting.append(SimulatedRest(rest: rest, attempt: 1, isParked: true))
        case .proceed: resting.append(SimulatedRest(rest: rest, attempt: attempt, isParked: false))
        }
    }

    /// A run that rested is taken up again, there and as it was left.
    mutating func takeUp(_ start: RunStart) {
        guard let index = resting.firstIndex(where: { $0.rest.run == start.run }) else {
            return givenUp.contains(start.run) ? () : rules.violate("\(start.run) goes on, and did not rest")
        }
        let rest = resting.remove(at: index)
        // What goes on that was left is looked at where it was left.
        if rest.isLeft { return }
        guard let resumption = start.resumption else { return rules.violate("\(start.run) begins twice") }
        if case .failed = resumption.answer?.outcome { rules.saw("executed on with a failure") }
        let known = rest.rest.actions.count + (resumption.isOver ? 1 : 0)
        if resumption.eligible.map(\.rawValue) != rest.rest.eligible || resumption.results.count != known
            || resumption.answer?.action != rest.rest.action || resumption.attempt != rest.attempt && !resumption.isOver
        {
            rules.violate("\(start.run) goes on otherwise than it rested: \(resumption)")
        }
    }

    /// A run that rests is over.
    mutating func dropRest(of run: Name) {
        if !resting.contains(where: { $0.rest.run == run }) { rules.violate("\(run) is dropped, and did not rest") }
        resting.removeAll { $0.rest.run == run }
    }

    /// Somebody ends a rest, if nobody is about to do so; a worker that stops takes no redrive.
    mutating func steer(_ rest: SimulatedRest) {
        let run = rest.rest.run
        let isAsked = clients[0].pending.contains { pending in
            switch pending.request.command {
            case .cancel(let request): request.run == run
            case .redrive(let request): request.run == run && !isDraining
            default: false
            }
        }
        guard !isAsked else { return }
        let isRedriven = rest.isParked && !isDraining && generator.oneIn(2)
        let command: Request.Command =
            isRedriven ? .redrive(RedriveRequest(run: run)) : .cancel(CancelRequest(run: run))
        guard let id = try? RequestID(clients[0].newID(for: command)) else { return }
        network.send(clients[0].ask(Request(command, id: id)))
    }
}
